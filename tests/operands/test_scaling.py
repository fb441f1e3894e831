"""Whether columns are scaled when that is left to the data, and what is said of it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import datasets as sklearn_datasets
from sklearn.datasets import load_diabetes, load_wine

from colonnade import Covariance, Kernel, ReducedKMeans, as_operand, select
from colonnade.datasets import make_plant_table
from colonnade.operands.preparing import prepare
from colonnade.operands.scaling import decide_scale
from colonnade.operands.statistics import extremes


def decided(X, **options):
    found = prepare(as_operand(X, gaps=True), scale="auto", quiet=True, **options)
    return found.scaled.scale, found.scaled.reason


def log_counts():
    rng = np.random.default_rng(0)
    rates = rng.lognormal(-1, 2, 300)
    return np.log1p(rng.poisson(rates, (200, 300))).astype(np.float64)


def shop():
    """All columns begin at zero, as counts do, and yet have units."""
    rng = np.random.default_rng(0)
    scales = np.array([3.0, 1e5, 1.0, 40.0, 2e3])
    return rng.random((400, 5)) * scales * (rng.random((400, 5)) < 0.6)


def answers():
    """Answers to many questions, and one column in another unit."""
    rng = np.random.default_rng(1)
    return np.column_stack([rng.integers(1, 6, (200, 40)), rng.normal(4e5, 1e5, 200)])


NAMED = {
    name: getattr(sklearn_datasets, f"load_{name}")().data
    for name in ("wine", "breast_cancer", "iris", "linnerud", "diabetes", "digits")
}
CASES = {
    **{name: (X, name in ("wine", "breast_cancer")) for name, X in NAMED.items()},
    "diabetes in its units": (load_diabetes(scaled=False).data, True),
    "plant": (make_plant_table(random_state=0).X, True),
    "log counts": (log_counts(), False),
    "shop": (shop(), True),
    "answers": (answers(), True),
    "two columns": (np.random.default_rng(2).standard_normal((50, 2)) * [1, 1e3], True),
    "two alike": (np.random.default_rng(2).standard_normal((50, 2)) * [1, 2], False),
    "one column": (np.random.default_rng(2).standard_normal((50, 1)), False),
}


@pytest.mark.parametrize("unit", [1.0, 1e-30, 1e30])
@pytest.mark.parametrize("case", CASES)
def test_units_of_tables_are_taken_out_and_those_of_one_kind_are_left(case, unit):
    X, scaled = CASES[case]
    assert decided(unit * np.asarray(X))[0] == ("std" if scaled else None)


@pytest.mark.parametrize("case", ["wine", "log counts", "shop", "plant"])
def test_the_verdict_is_that_of_any_container_order_and_repetition(case):
    X, scaled = CASES[case]
    X = np.asarray(X, dtype=np.float64)
    expected = "std" if scaled else None
    rng = np.random.default_rng(3)
    assert decided(sp.csr_array(X))[0] == decided(sp.csc_array(X))[0] == expected
    assert decided(X[:, rng.permutation(X.shape[1])])[0] == expected
    assert decided(np.repeat(X, 2, axis=0)) == decided(X)
    assert decided(np.column_stack([X, np.full(len(X), 1e9)]))[0] == expected  # constants apart
    weights = np.ones(len(X) + 1)
    weights[-1] = 0
    far = np.vstack([X, np.full(X.shape[1], 1e6)])
    assert decided(far, weights=weights) == decided(X)


def test_gaps_count_as_no_value():
    X = np.asarray(CASES["log counts"][0]).copy()
    X[np.random.default_rng(4).random(X.shape) < 0.2] = np.nan
    assert decided(X, missing="mean")[0] is None
    assert decided(X, missing="pairwise", center=True)[0] is None


def test_reasons_hold_the_figures_that_decided():
    wine = load_wine()
    variances = wine.data.var(axis=0)
    scale, reason = decided(wine.data, names=wine.feature_names)
    share = 100 * variances.max() / variances.sum()
    assert scale == "std"
    assert f"1 of 13 columns would hold {share:.1f} % of the variance: 'proline'" in reason
    cancer = NAMED["breast_cancer"]
    spread = np.sort(cancer.var(axis=0))[::-1]
    assert (
        f"2 of 30 columns would hold {100 * spread[:2].sum() / spread.sum():.1f} %"
        in decided(cancer)[1]
    )
    assert decided(NAMED["digits"])[1].endswith("all 61 that vary have the smallest value 0")
    ranges = np.ptp(NAMED["iris"], axis=0)
    factor = ranges.max() / ranges.min()
    assert decided(NAMED["iris"])[1].endswith(f"within a factor of {factor:.2g}")
    tenths = np.logspace(0, 2.5, 30) * np.random.default_rng(5).standard_normal((80, 30))
    held = np.cumsum(np.sort(tenths.var(axis=0))[::-1]) / tenths.var(axis=0).sum()
    few = int(np.argmax(held >= 0.8)) + 1
    scale, reason = decided(tenths)
    assert scale == ("std" if few <= 10 else None)
    assert f"{few} of 30" in reason


@pytest.mark.parametrize("large", range(1, 10))
def test_few_columns_with_most_of_the_variance_are_at_most_a_third(large):
    rest = 10 - large
    for share, few in ((0.81, large), (0.79, large + 1)):
        squares = np.append(np.full(large, share / large), np.full(rest, (1 - share) / rest))
        found = decide_scale(None, squares, np.ones(10, dtype=bool))
        assert found.scale == ("std" if few <= 3 else None)


def test_auto_is_std_or_nothing():
    wine = load_wine().data
    found, expected = (select(wine, 4, center=True, scale=s) for s in ("auto", "std"))
    assert found.indices.tolist() == expected.indices.tolist() == [6, 9, 3, 4]
    np.testing.assert_allclose(found.errors, expected.errors)
    assert found.info["scale"] == "std"
    assert "proline" not in found.info["scale_reason"]  # an array has no names
    digits = NAMED["digits"]
    as_is = select(digits, 5, center=True, scale="auto")
    assert as_is.info["scale"] is None
    assert as_is.indices.tolist() == select(digits, 5, center=True).indices.tolist()
    model = ReducedKMeans(3, random_state=0, scale="auto").fit(wine)
    np.testing.assert_allclose(model.units_, wine.std(axis=0))


def test_covariances_and_kernels():
    wine = load_wine().data
    S = np.cov(wine.T, bias=True)
    found = select(Covariance(S, n_samples=178), 4, scale="auto")
    assert found.indices.tolist() == [6, 9, 3, 4]
    assert found.info["scale"] == "std"
    alike = select(Covariance(np.corrcoef(wine.T), n_samples=178), 4, scale="auto")
    assert alike.indices.tolist() == [6, 9, 3, 4]
    assert alike.info["scale"] is None
    points = select(Kernel(wine @ wine.T), 3, scale="auto")
    assert "inner products" in points.info["scale_reason"]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
def test_extremes(form, dtype):
    rng = np.random.default_rng(7)
    X = (20 * rng.standard_normal((30, 12)) * (rng.random((30, 12)) < 0.5)).astype(dtype)
    X[:, 3] = 5  # no zero in it
    X[:, 4] = 0
    weights = (rng.random(30) < 0.8).astype(np.float64)
    for w in (None, weights):
        rows = X if w is None else X[w > 0]
        low, high = extremes(as_operand(form(X)), w)
        np.testing.assert_array_equal(low, rows.min(axis=0))
        np.testing.assert_array_equal(high, rows.max(axis=0))
    if dtype != np.int16:
        X[2, 3] = X[5, 7] = np.nan
        low, high = extremes(as_operand(form(X), gaps=True))
        np.testing.assert_array_equal(low, np.nanmin(X, axis=0))
        np.testing.assert_array_equal(high, np.nanmax(X, axis=0))


@pytest.mark.parametrize("n", [10, 19, 20, 40])
@pytest.mark.parametrize("factor", [20.0, 100.0, 900.0, 1100.0])
def test_a_tenth_of_the_columns_does_not_decide(n, factor):
    X = np.random.default_rng(0).standard_normal((200, n))
    X[:, : max(1, n // 10)] *= factor
    assert decided(X + 30.0)[0] == "std"
    assert decided(np.abs(X))[0] == "std"  # all from about zero on
    floor = np.abs(X)
    floor[0] = 0
    assert decided(floor)[0] == "std"


def test_words_are_counted_by_the_thousands():
    rng = np.random.default_rng(1)
    rates = np.append(np.full(10, 20.0), np.full(490, 0.05))
    counts = rng.poisson(rates, (300, 500))
    counts[0] = 0
    assert decided(counts)[0] is None
    assert decided(counts[:, :150])[0] == "std"


@pytest.mark.parametrize(("widest", "scaled"), [(990.0, False), (1010.0, True)])
def test_a_range_far_above_the_others_is_of_another_kind(widest, scaled):
    X = np.tile(np.linspace(0, 1, 60)[:, None], (1, 250))
    X[:, -1] = np.linspace(0, 1, 60) ** 30 * widest  # hardly any variance but for one row
    X[:, :-1] *= 3.0 ** np.linspace(-1, 1, 249)
    X[:, :-1] /= np.median(np.ptp(X[:, :-1], axis=0))
    assert ("one kind" in decided(X)[1]) != scaled


@pytest.mark.parametrize(("shared", "kind"), [(45, True), (44, False)])
def test_nine_in_ten_columns_begin_at_one_value(shared, kind):
    rng = np.random.default_rng(2)
    X = rng.random((50, 50)) * np.logspace(0, 1.9, 50)
    X[0] = 0
    X[0, shared:] = -0.1
    assert ("smallest value 0" in decided(X)[1]) == kind
