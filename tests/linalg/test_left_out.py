"""What is said about left-out rows, against fits without them in rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.model_selection import LeaveOneOut

from colonnade import RLSClassifier
from colonnade.linalg.left_out import held_out
from colonnade.linalg.ridge import Kernelized, Linear

EPS = float(np.finfo(float).eps)


def solved(M, b):
    """Gauss' elimination of an invertible system, without rounding."""
    rows = [[*row, value] for row, value in zip(M, b, strict=True)]
    for j in range(len(rows)):
        pivot = next(i for i in range(j, len(rows)) if rows[i][j])
        rows[j], rows[pivot] = rows[pivot], rows[j]
        for i in range(len(rows)):
            if i != j and rows[i][j]:
                factor = rows[i][j] / rows[j][j]
                rows[i] = [a - factor * c for a, c in zip(rows[i], rows[j], strict=True)]
    return [row[-1] / row[j] for j, row in enumerate(rows)]


def by_refitting(X, y, alpha, intercept, weights=None):
    """What the fit to all other rows says about each, rounded once, at the end.

    A row's weight divides its λ.
    """
    weights = np.ones(len(X)) if weights is None else weights
    ridge = [Fraction(float(alpha)) / Fraction(float(weight)) for weight in weights]
    rows = [[Fraction(float(value)) for value in row] for row in X]
    K = [[sum(a * b for a, b in zip(one, other, strict=True)) for other in rows] for one in rows]
    said = []
    for i in range(len(rows)):
        others = [j for j in range(len(rows)) if j != i]
        M = [[K[j][k] + (j == k) * ridge[j] for k in others] for j in others]
        b = [Fraction(float(y[j])) for j in others]
        new = [K[i][j] for j in others]
        if intercept:  # a border of ones
            M = [[*row, Fraction(1)] for row in M] + [[Fraction(1)] * len(M) + [Fraction(0)]]
            b, new = [*b, Fraction(0)], [*new, Fraction(1)]
        said.append(float(sum(a * c for a, c in zip(new, solved(M, b), strict=True))))
    return np.array(said)


def one_by_one(n):
    return [(np.delete(np.arange(n), i), np.array([i])) for i in range(n)]


def found(problem, alphas, folds):
    said = np.full((len(alphas), len(problem.targets)), np.nan)
    for level, rows, F in held_out(problem, problem.spectrum(min(alphas)), alphas, folds):
        said[level, rows] = F[:, 0]
    return said


@st.composite
def tables(draw):
    """Tall and wide data: plain, of small integers, graded, with a feature for one row, poor."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(3, 7)), draw(st.integers(1, 8))
    X = rng.standard_normal((n, d))
    kind = draw(st.sampled_from(["plain", "integers", "columns", "rows", "one-hot", "low", "all"]))
    if kind == "integers":
        X = rng.integers(-3, 4, (n, d)).astype(float)
    elif kind == "columns":
        X *= 10.0 ** rng.integers(-6, 4, d)
    elif kind == "rows":
        X *= 10.0 ** rng.integers(-6, 4, n)[:, None]
    elif kind == "one-hot":
        X = np.hstack([X, 10.0 ** rng.integers(-3, 3) * np.eye(n)[:, : rng.integers(1, n)]])
    elif kind == "low":
        X = (rng.integers(-3, 4, (n, 2)) @ rng.integers(-3, 4, (2, d))).astype(float)
    elif kind == "all":
        X *= 10.0 ** rng.uniform(-8, 2, (n, d)) * (rng.random((n, d)) < 0.6)
    return X


@settings(deadline=None, max_examples=200, derandomize=True)
@given(tables(), st.lists(st.floats(-12, 1), min_size=2, max_size=2), st.booleans(), st.data())
@pytest.mark.slow
def test_left_out_rows_are_as_exact_as_the_data(X, exponents, intercept, data):
    """To rounding of the data over λ, with one factorization for the smallest λ and for others."""
    assume(X.any())
    size = float(np.square(X).sum())
    shares = 10.0 ** np.array(exponents)
    y = np.where(data.draw(st.permutations(np.arange(len(X)) % 2)), 1.0, -1.0)
    problems = {kind: Linear(kind(X), y[:, None], intercept) for kind in (np.array, sp.csr_array)}
    if (X.round() == X).all():  # or else its inner products are rounded
        problems["kernel"] = Kernelized(X @ X.T, y[:, None], intercept)
    for share, *said in zip(
        shares,
        *(
            found(problem, shares * size, folds)
            for problem in problems.values()
            for folds in (None, one_by_one(len(X)))
        ),
        strict=True,
    ):
        truth = by_refitting(X, y, share * size, intercept)
        room = 200 * EPS * (1 + 1 / share) * max(1.0, np.abs(truth).max())
        for values in said:
            np.testing.assert_allclose(values, truth, rtol=0, atol=room)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(tables(), st.floats(-8, 1), st.booleans(), st.data())
def test_left_out_rows_with_weights(X, exponent, intercept, data):
    """As exact as the data times the roots of the weights, over the root of the row left out."""
    assume(X.any())
    weights = 10.0 ** np.array(
        data.draw(st.lists(st.floats(-4, 2), min_size=len(X), max_size=len(X)))
    )
    y = np.where(data.draw(st.permutations(np.arange(len(X)) % 2)), 1.0, -1.0)
    share = 10.0**exponent
    alpha = share * float(weights @ np.square(X).sum(axis=1))
    problems = [
        Linear(kind(X), y[:, None], intercept, True, weights) for kind in (np.array, sp.csr_array)
    ]
    if (X.round() == X).all():
        problems.append(Kernelized(X @ X.T, y[:, None], intercept, weights))
    truth = by_refitting(X, y, alpha, intercept, weights)
    room = 200 * EPS * (1 + 1 / share) * max(1.0, np.abs(truth).max())
    room = room * np.sqrt(weights.max() / weights)
    for problem in problems:
        for folds in (None, one_by_one(len(X))):
            wrong = np.abs(found(problem, np.array([alpha]), folds)[0] - truth)
            assert (wrong <= room).all()


@pytest.mark.parametrize("convert", [np.array, sp.csr_array])
def test_a_row_that_all_but_spans_a_direction(convert):
    """What it shares with others is 2e-8 of it, and its own fit rests on that."""
    X = np.array([[1e3, 0.0], [2e-5, 1e-6], [0.0, 1.0]])
    y = np.array([0, 1, 1])
    exact = [
        np.mean((by_refitting(X, 2.0 * y - 1, alpha, False) - (2 * y - 1)) ** 2)
        for alpha in (1e-3, 1.0)
    ]
    assert exact[0] == pytest.approx(147.67, rel=1e-4)
    for cv in (None, LeaveOneOut()):
        model = RLSClassifier([1e-3, 1.0], cv=cv).fit(convert(X), y)
        np.testing.assert_allclose(model.cv_losses_, exact, rtol=1e-6)


def test_what_is_left_of_an_axis_is_known_to_rounding():
    """A row stands alone but for a trace in the others, and its fit rests on that.

    Half of the errors are below a tenth of eps over the trace; with U taken out of the axes once,
    not twice, below half of it.
    """
    errors = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        trace = 10.0 ** rng.uniform(-11, -6)
        X = np.outer(rng.standard_normal(6), rng.standard_normal(2))
        X += trace * rng.standard_normal((6, 2))
        X[0] = rng.standard_normal(2)
        y = np.where(rng.random(6) < 0.5, 1.0, -1.0)
        alpha = 1e-3 * trace**2
        truth = by_refitting(X, y, alpha, False)
        said = found(Linear(X, y[:, None], False), np.array([alpha]), None)[0]
        errors.append(np.abs(said - truth).max() / np.abs(truth).max() * trace / EPS)
    assert np.median(errors) < 0.22


def test_without_regularization_a_row_is_spanned_or_not():
    """λ = 0: a trace of 1e-9 in other rows decides; one of 1e-17 is rounding of the rest."""
    y = np.array([1, 0, 1, 0])
    for trace, expected in ((1e-9, True), (1e-17, False)):
        X = np.array([[1.0, 0.0], [trace, 0.0], [0.0, 1.0], [0.0, 2.0]])
        model = RLSClassifier([0.0]).fit(X, y)
        again = RLSClassifier([0.0], cv=LeaveOneOut()).fit(X, y)
        np.testing.assert_allclose(model.cv_losses_, again.cv_losses_, rtol=1e-6)
        assert (model.cv_losses_[0] > 1e16) == expected


def test_coefficients_of_a_kernel_sum_to_nought():
    """Rounding over λ along the ones would come back times the distance from zero."""
    x = np.array([3.0, 7.0, -3.0, 4.0])
    y = np.array([0, 1, 0, 0])
    alpha = 1.0379486838e-08
    model = RLSClassifier(alpha, kernel="precomputed", fit_intercept=True).fit(np.outer(x, x), y)
    said = model.decision_function(9 * x[None])
    centre = x - x.mean()
    slope = centre @ (2.0 * y - 1) / (centre @ centre)
    assert said[0] == pytest.approx((2.0 * y - 1).mean() + slope * (9 - x.mean()), rel=1e-5)


def test_a_direction_that_the_ridge_hides_spans_no_row():
    """It is all but rounding, so it may point anywhere; but λ is far larger, and it counts not."""
    rng = np.random.default_rng(0)
    y = np.arange(13) % 2
    X = rng.standard_normal((13, 2))
    X[3, 0] = 0.0
    X[:, 1] *= 0.3
    X[3, 1] = 3.0
    X[:, 1] *= 6e-15  # twice what is left out as rounding
    both, one = (RLSClassifier([1.0]).fit(Z, y) for Z in (X, X[:, :1]))
    np.testing.assert_allclose(both.cv_losses_, one.cv_losses_, rtol=1e-6)


@pytest.mark.parametrize("intercept", [False, True])
def test_groups_of_rows_that_nothing_else_spans(intercept):
    """With hardly any λ what is kept of them is one, up to digits that a difference would lose."""
    rng = np.random.default_rng(0)
    X = np.hstack([rng.standard_normal((30, 3)), np.zeros((30, 2))])
    X[[0, 1], [3, 4]] = 3.0, -2.0
    y = np.where(rng.random(30) < 0.5, 1.0, -1.0)[:, None]
    problem = Linear(X, y, intercept)
    train, test = np.arange(5, 30), np.arange(5)
    alphas = np.array([1e-13, 1e-12]) * problem.size
    expected = [Linear(X[train, :3], y[train], intercept).solve(alpha) for alpha in alphas]
    for level, _, F in held_out(problem, problem.spectrum(alphas[0]), alphas, [(train, test)]):
        model = expected[level]
        np.testing.assert_allclose(F, X[test, :3] @ model.coef + model.intercept, rtol=1e-7)
