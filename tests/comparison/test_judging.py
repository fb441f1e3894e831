"""What is measured, against plain NumPy and sets."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import PCA

from colonnade import as_operand, select
from colonnade.comparison.halves import Treatment, halves, split
from colonnade.comparison.judging import held_out_share, overlap


def table(m=40, n=9, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 3)) @ rng.normal(size=(3, n)) + 0.4 * rng.normal(size=(m, n))
    return X * np.geomspace(0.1, 100, n) + 5


def by_lstsq(train, test, F, H):
    """The share of other rows that features explain, in centred and scaled columns."""
    mean, spread = train.mean(axis=0), train.std(axis=0)
    A, Z = (train - mean) / spread, (test - mean) / spread
    C = np.linalg.lstsq(F, A, rcond=None)[0]
    return 1 - np.square(Z - H @ C).sum() / np.square(Z).sum()


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_the_held_out_share_is_that_of_least_squares(kind):
    X = table()
    train, test, other = split(Treatment(True, "std"), kind(X), None, None, 3)
    first, second = halves(None, len(X), 3)
    mean, spread = X[first].mean(axis=0), X[first].std(axis=0)
    S = [7, 0, 4]
    F, H = ((X[rows] - mean)[:, S] / spread[S] for rows in (first, second))
    assert test.A.columns(np.array(S)) == pytest.approx(H)
    share = held_out_share(train.A, test.A, train.A.columns(np.array(S)), H)
    assert share == pytest.approx(by_lstsq(X[first], X[second], F, H), rel=1e-9)
    assert 0.3 < share < 1
    # the other half by itself: its own means and spreads
    own = (X[second] - X[second].mean(axis=0)) / X[second].std(axis=0)
    assert other.A.columns(slice(None)) == pytest.approx(own)


def test_it_is_that_of_a_selection_and_of_directions():
    X = table()
    train, test = X[::2], X[1::2]
    found = select(train, 4, center=True, scale="std")
    mean, spread = train.mean(axis=0), train.std(axis=0)
    A, Z = as_operand((train - mean) / spread), as_operand((test - mean) / spread)
    S = found.indices
    share = held_out_share(A, Z, A.columns(S), Z.columns(S))
    rebuilt = found.reconstruct(test[:, S])
    left = np.square((test - rebuilt) / spread).sum() / np.square((test - mean) / spread).sum()
    assert share == pytest.approx(1 - left, rel=1e-8)
    pca = PCA(2).fit(A.columns(slice(None)))
    F, H = (pca.transform(B.columns(slice(None))) for B in (A, Z))
    assert held_out_share(A, Z, F, H) == pytest.approx(by_lstsq(train, test, F, H), rel=1e-9)


def test_columns_that_depend_on_others_do_no_harm():
    A = as_operand(table())
    F = A.columns(np.array([1, 2]))
    twice = np.column_stack([F, F @ [1.0, 1.0], 0 * F[:, 0]])
    assert held_out_share(A, A, twice, twice) == pytest.approx(held_out_share(A, A, F, F))


@pytest.mark.parametrize("count", [2, 5])
def test_overlap_is_one_for_the_same_and_zero_for_random_columns(count):
    n, rng = 12, np.random.default_rng(0)
    draws = [rng.permutation(n)[:count] for _ in range(4000)]
    found = [overlap(a, b, n) for a, b in zip(draws[::2], draws[1::2], strict=True)]
    assert np.mean(found) == pytest.approx(0, abs=0.03)
    assert overlap(draws[0], draws[0][::-1], n) == pytest.approx(1)
    a, b = draws[0], draws[1]
    common = len({*a.tolist()} & {*b.tolist()})
    kuncheva = (common * n - count**2) / (count * (n - count))
    assert overlap(a, b, n) == pytest.approx(kuncheva)
    assert overlap(range(n), range(n), n) is None


def test_overlap_of_choices_of_different_sizes():
    assert overlap([1, 2, 3], [3], 10) == pytest.approx(1)  # as many in common as there can be
    assert overlap([3], [1, 2, 3], 10) == pytest.approx(1)
    assert overlap([1, 2, 3], [4], 10) == pytest.approx(-0.3 / 0.7)


def test_halves_share_no_row_and_keep_the_classes():
    codes = np.repeat([0, 1, 2], [20, 9, 2])
    first, second = halves(codes, 31, 5)
    assert sorted([*first, *second]) == list(range(31))
    assert abs(np.bincount(codes[first]) - np.bincount(codes[second])).max() <= 1
    assert halves(codes, 31, 6)[0].tolist() != first.tolist()
    assert halves(codes, 31, 5)[0].tolist() == first.tolist()
    assert halves(None, 31, 5)[0].tolist() != first.tolist()


@pytest.mark.parametrize("missing", ["mean", "median"])
def test_gaps_are_filled_by_what_is_known_of_the_first_half(missing):
    X = table()
    X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    train, test, other = split(Treatment(False, None, missing), X, None, None, 0)
    first, second = halves(None, len(X), 0)
    known = getattr(np, f"nan{missing}")(X[first], axis=0)
    for half, rows, fill in (
        (train, first, known),
        (test, second, known),
        (other, second, getattr(np, f"nan{missing}")(X[second], axis=0)),
    ):
        assert np.asarray(half.X) == pytest.approx(np.where(np.isnan(X[rows]), fill, X[rows]))


def test_features_that_are_nearly_parallel_still_explain_what_they_span():
    a, b = np.random.default_rng(0).normal(size=(2, 40))
    A = as_operand(np.column_stack([a, b]))
    F = np.column_stack([a, a + 1e-8 * b])
    assert held_out_share(A, A, F, F) == pytest.approx(1, abs=1e-6)
