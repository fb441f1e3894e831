"""The three rules, against simulation and against what they say word by word."""

from __future__ import annotations

import numpy as np
import pytest

from colonnade import select
from colonnade.operands.entrance import wrapped
from colonnade.sizes.curves import about_sizes, round_sizes
from colonnade.sizes.held_out import folds, held_out_errors
from colonnade.sizes.proposing import furthest_above, independent_gains, within_one_error

NOTHING = np.empty(0, dtype=np.intp)


def greedy_gains(A, count):
    """What each greedy choice explains, by projecting out: the textbook, slowly."""
    E, gains, total = A.copy(), [], np.square(A).sum()
    for _ in range(count):
        lengths = np.maximum(np.square(E).sum(axis=0), 1e-300)
        taken = np.square(E.T @ E).sum(axis=0) / lengths
        taken[lengths < 1e-12] = 0
        p = int(np.argmax(taken))
        q = E[:, p] / np.sqrt(lengths[p])
        E = E - np.outer(q, q @ E)
        gains.append(taken[p] / total)
    return np.array(gains)


@pytest.mark.parametrize(
    ("m", "n", "spread"), [(300, 20, 0.0), (60, 40, 0.0), (40, 80, 0.0), (200, 30, 0.7)]
)
@pytest.mark.parametrize("kind", ["normal", "permuted"])
def test_independent_columns_explain_less_with_a_probability_of_95_percent(m, n, spread, kind):
    rng = np.random.RandomState(0)
    sizes = np.exp(spread * rng.standard_normal(n))
    fixed = rng.exponential(size=(m, n))
    runs = []
    for _ in range(100):
        X = rng.standard_normal((m, n))
        if kind == "permuted":
            X = np.column_stack([rng.permutation(column) for column in fixed.T])
        X = X - X.mean(axis=0)
        X *= sizes / np.linalg.norm(X, axis=0)  # squares are given, not drawn
        runs.append(greedy_gains(X, 4))
    found = independent_gains(
        np.square(sizes), m - 1, 4, candidates=np.ones(n, dtype=bool), first=NOTHING
    )
    below = (np.array(runs) <= found).mean(axis=0)
    assert below[0] >= (0.92 if kind == "normal" else 0.85)  # long tails bring larger maxima
    assert (below[1:] >= 0.95).all()  # the best are taken already
    quantiles = np.quantile(runs, 0.95, axis=0)
    assert found[0] <= 1.03 * quantiles[0]
    assert (found <= 1.18 * quantiles).all()


def test_independent_columns_in_the_limit_of_many_rows_explain_themselves():
    squares = np.array([4.0, 3.0, 2.0, 1.0])
    free = np.array([True, True, False, True])
    found = independent_gains(squares, 1e9, 3, candidates=free, first=NOTHING)
    np.testing.assert_allclose(found, [0.4, 0.3, 0.1], atol=1e-6)
    free = np.array([True, True, False, False])
    found = independent_gains(squares, 1e9, 3, candidates=free, first=np.array([3]))
    np.testing.assert_allclose(found, [0.1, 0.4, 0.3], atol=1e-6)


def test_independent_columns_end():
    one = independent_gains(np.ones(1), 9, 1, candidates=np.ones(1, dtype=bool), first=NOTHING)
    np.testing.assert_allclose(one, [1.0])
    few = independent_gains(np.ones(5), 2, 5, candidates=np.ones(5, dtype=bool), first=NOTHING)
    assert np.isfinite(few).all()
    assert (few[2:] == 0).all()  # two directions are all there are


def test_furthest_above():
    rng = np.random.RandomState(1)
    for _ in range(50):
        path, other = np.cumsum(rng.dirichlet(np.ones(8), 2), axis=1)
        best, at = 0.0, 0
        for t in range(8):
            if path[t] - other[t] > best + 1e-9:
                best, at = path[t] - other[t], t + 1
        assert furthest_above(path, other) == at
    line = np.arange(1, 5) / 4
    assert furthest_above(line + np.array([0, 1e-12, 0, 0]), line) == 0
    assert furthest_above(line + np.array([0.1, 0.1 + 1e-12, 0, 0]), line) == 1


def test_within_one_standard_error():
    rng = np.random.RandomState(2)
    for _ in range(50):
        errors = rng.uniform(size=(5, 6)) * 0.3 + np.linspace(1, 0.5, 6)
        means, best = errors.mean(axis=0), errors.mean(axis=0).argmin()
        limit = means[best] + np.sqrt(np.var(errors[:, best], ddof=1) / 5)
        assert within_one_error(errors) == 1 + next(t for t in range(6) if means[t] <= limit)
    assert within_one_error(np.array([[1.0, 0.5, np.inf], [1.0, 0.5, np.inf]])) == 2
    assert within_one_error(np.full((2, 1), np.inf)) == 1


def test_folds_part_the_rows():
    parts = list(folds(23, 5, 1000, np.random.RandomState(0)))
    assert len(parts) == 5
    np.testing.assert_array_equal(np.sort(np.concatenate([out for _, out in parts])), np.arange(23))
    for learn, out in parts:
        np.testing.assert_array_equal(np.sort(np.r_[learn, out]), np.arange(23))
    fewer = list(folds(100, 4, 20, np.random.RandomState(0)))
    assert [len(out) for _, out in fewer] == [5] * 4
    assert [len(learn) for learn, _ in fewer] == [15] * 4


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_errors_on_other_rows_are_those_of_least_squares(center, weighted):
    rng = np.random.RandomState(0)
    X, other = (rng.standard_normal((40, 7)) @ rng.standard_normal((7, 9)) + 3 for _ in range(2))
    scale = "std" if center else None
    w, v = rng.uniform(0.5, 2, (2, 40)) if weighted else (None, None)
    found = select(X, 6, center=center, scale=scale, sample_weight=w)
    of_all, of_others = held_out_errors(wrapped(other), found, v)
    mean = np.average(X, axis=0, weights=w) if center else np.zeros(9)
    unit = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=w)) if center else np.ones(9)
    A, Z = (X - mean) / unit, (other - mean) / unit
    root = np.sqrt(np.ones(40) if w is None else w)[:, None]
    rows = np.ones(40) if v is None else v
    for t in range(1, 7):
        S = found.indices[:t]
        C = np.linalg.lstsq(root * A[:, S], root * A, rcond=None)[0]
        missed = rows @ np.square(Z - Z[:, S] @ C)
        squares = rows @ np.square(Z)
        rest = np.delete(np.arange(9), S)
        np.testing.assert_allclose(of_all[t - 1], missed.sum() / squares.sum(), rtol=1e-8)
        np.testing.assert_allclose(of_others[t - 1], missed.sum() / squares[rest].sum(), rtol=1e-8)


def test_no_others_are_left():
    X = np.random.RandomState(0).standard_normal((20, 3))
    of_all, of_others = held_out_errors(wrapped(X[:9]), select(X, 3))
    assert of_all[-1] < 1e-12
    assert np.isinf(of_others[-1])


def test_dependent_columns_take_no_part():
    X = np.random.RandomState(0).standard_normal((30, 4))
    X = np.column_stack([X, 2 * X[:, 0]])
    found = select(X, 3, must_include=[0, 4])
    errors = held_out_errors(wrapped(X[:10]), found)[0]
    np.testing.assert_allclose(errors[0], errors[1])
    assert errors[2] < errors[1]


def test_round_sizes():
    assert round_sizes(1) == [1]
    assert round_sizes(1000) == [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]


def test_long_curves_are_thinned():
    curve = np.linspace(0, 1, 5000)
    about = about_sizes({"explained": curve, "bound": None, "held_out": curve[:70]}, [1234, None])
    points = about["curves"]["n_select"]
    assert len(points) < 400
    assert {1, 1234, 5000} <= set(points)
    assert about["curves"]["bound"] is None
    for n, value, other in zip(
        points, about["curves"]["explained"], about["curves"]["held_out"], strict=True
    ):
        assert value == curve[n - 1]
        assert other == (curve[n - 1] if n <= 70 else None)
    sizes = [row["n_select"] for row in about["table"]]
    assert sizes == [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 1234, 2000, 5000]
