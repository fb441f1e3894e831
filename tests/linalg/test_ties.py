"""Rounding such that what differs by rounding alone is equal, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from colonnade.linalg.ties import SIX_DIGITS, TIE, rounded_each, rounded_to_largest

SIZES = [1e-300, 3e-7, 1.0, 2.5, 4e18]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_each_score_keeps_ten_digits_of_its_own(size, sign):
    x = sign * size * np.array([1.0, 1.0 + 4e-15, 1.0 - 4e-15, 1.0 + 3e-10, 7e-9, 7e-9 + 1e-17])
    found = rounded_each(x)
    np.testing.assert_allclose(found, x, rtol=1.2e-10)
    assert found[0] == found[1] == found[2] != found[3]
    assert found[4] != found[5]  # digits of its own


def test_six_digits():
    found = rounded_each(np.array([1.5, 1.5 + 1e-8, 1.5 - 1e-8, 1.5 + 3e-6]), SIX_DIGITS)
    assert found[0] == found[1] == found[2] != found[3]


@pytest.mark.parametrize("size", SIZES[1:])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_all_scores_keep_the_digits_of_the_largest(size, sign):
    x = sign * size * np.array([1.0, 1.0 + 4e-15, 1.0 - 4e-15, 1.0 + 3e-10, 7e-9, 7e-9 + 1e-17])
    found = rounded_to_largest(x)
    np.testing.assert_allclose(found, x, atol=1.2e-10 * size)
    assert found[0] == found[1] == found[2] != found[3]
    assert found[4] == found[5] != 0.0


def test_ten_digits_are_kept_and_no_more():
    for rounded in (rounded_each, rounded_to_largest):
        found = rounded(np.array([1.0, 1.0 + 2e-11, 1.0 + 1.2e-10]))
        assert found[0] == found[1] != found[2]


def test_special_scores_stay():
    special = np.array([0.0, -0.0, np.inf, -np.inf, 2.0, -3.0])
    np.testing.assert_array_equal(rounded_each(special), special)
    np.testing.assert_array_equal(rounded_to_largest(np.zeros(3)), np.zeros(3))
    assert rounded_to_largest(np.empty(0)).shape == (0,)


def test_the_order_of_what_differs_is_kept():
    x = np.random.default_rng(0).permutation(np.geomspace(1e-8, 1.0, 500))
    for found in (rounded_each(x), rounded_to_largest(x)):
        np.testing.assert_array_equal(np.argsort(found, kind="stable"), np.argsort(x))


def test_near_the_best_is_closer_than_ten_digits_can_tell_apart_by_far():
    assert 1e-10 < TIE < 1e-9
