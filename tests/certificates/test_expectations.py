"""Bounds on an expectation: the mean over many seeds keeps them, for every method that has one."""

from __future__ import annotations

import numpy as np
import pytest
from calls import needs
from matrices import with_spectrum
from oracles import EXPECTED_LOSS

from colonnade import METHODS, certify, select

N_SEEDS = 200
N_SELECT = 8


def localized(rng):
    """One of many columns holds nearly everything: a choice that does not see it loses that."""
    A = 0.01 * rng.standard_normal((12, 60))
    A[0, 17] += 4.0
    return A


def decaying(rng):
    return with_spectrum(rng, 15, 25, np.geomspace(1.0, 1e-3, 15))


def repeated(rng):
    """Columns come in groups of near copies, so that a second one of a group is wasted."""
    return np.repeat(rng.standard_normal((10, 5)), 5, axis=1) + 1e-2 * rng.standard_normal((10, 25))


MATRICES = {"localized": localized, "decaying": decaying, "repeated": repeated}


def expected_checks(name, A, seed):
    params = needs(name, A, N_SELECT) | {"random_state": seed}
    certificate = certify(A, select(A, N_SELECT, method=name, **params))
    return certificate, [check for check in certificate.checks if check.expected]


BOUNDED = [
    name
    for name, entry in METHODS.items()
    if entry.randomized and expected_checks(name, localized(np.random.default_rng(0)), 0)[1]
]


def test_every_bound_has_an_oracle():
    assert "norm-sampling" in BOUNDED
    assert set(BOUNDED) == set(EXPECTED_LOSS)


@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("name", BOUNDED)
def test_the_bound_is_that_of_the_theorem(name, matrix):
    A = MATRICES[matrix](np.random.default_rng(1))
    for data in (A, 1e120 * A):
        certificate, (check,) = expected_checks(name, data, 0)
        assert check.promised == pytest.approx(EXPECTED_LOSS[name](A, N_SELECT), rel=1e-8)
        assert check.measured == certificate["lost_share"].measured


@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("name", BOUNDED)
@pytest.mark.slow
def test_the_mean_keeps_the_bound(name, matrix):
    A = MATRICES[matrix](np.random.default_rng(1))
    found = [expected_checks(name, A, seed) for seed in range(N_SEEDS)]
    for certificate, checks in found:
        assert certificate.holds  # whatever a single draw does
        assert [check.verdict for check in checks] == ["expected"] * len(checks)
    for checks in zip(*(checks for _, checks in found), strict=True):
        measured = np.array([check.measured for check in checks])
        promised = np.array([check.promised for check in checks])
        np.testing.assert_allclose(promised, promised[0])
        room = 3.0 * measured.std() / np.sqrt(N_SEEDS)
        assert measured.mean() <= promised[0] + room
