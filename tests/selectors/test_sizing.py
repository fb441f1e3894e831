"""``n_select="auto"``: planted sizes are found, and what cannot be told is refused."""

from __future__ import annotations

import json
import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_digits

from colonnade import (
    METHODS,
    Covariance,
    DataWarning,
    GreedySelector,
    Kernel,
    PivotedQRSelector,
    ReducedKMeans,
    RowSelector,
    Selection,
    select,
)
from colonnade.datasets import make_plant_table

STANDARD = {"center": True, "scale": "std"}
SEEDS = range(20)
PATHLESS = (
    "sparse-approximation", "hybrid-greedy", "whitened-greedy", "approx-svd", "strong-rrqr",
    "adaptive-randomized-pivoting", "adaptive-sampling", "hybrid-css", "pfa", "fsfs",
    "jolliffe-b3", "mcfs", "medoids", "facility-location", "coverage",
)  # fmt: skip
RULES = ("parallel", "elbow", "held_out")


def planted(seed, m=1000, n=40, signals=9, noise=(0.05, 0.3)):
    """Columns that follow one signal, with a part of all others, in units from 1e-3 to 1e5."""
    rng = np.random.RandomState(seed)
    L = 0.3 * rng.standard_normal((signals, n))
    L[rng.permutation(np.arange(n) % signals), np.arange(n)] += rng.choice([-1, 1], n)
    X = rng.standard_normal((m, signals)) @ L
    X /= X.std(axis=0)
    X += rng.uniform(*noise, n) * rng.standard_normal((m, n))
    return (X + 3 * rng.standard_normal(n)) * 10.0 ** rng.uniform(-3, 5, n)


def size_of(X, n_select="auto", **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return select(X, n_select, **{**STANDARD, **params})


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("noise", [(0.02, 0.1), (0.05, 0.3), (0.4, 0.4)])
def test_planted_signals(seed, noise):
    assert abs(len(size_of(planted(seed, noise=noise))) - 9) <= 1


@pytest.mark.parametrize("seed", SEEDS)
def test_noise_as_large_as_the_signals_is_averaged(seed):
    """A chosen column is half noise, so that a few more are worth it: as documented."""
    assert 10 <= len(size_of(planted(seed, noise=(1.0, 1.0)))) <= 14


@pytest.mark.parametrize("seed", SEEDS)
def test_few_rows(seed):
    assert abs(len(size_of(planted(seed, m=80))) - 9) <= 1


@pytest.mark.parametrize("seed", SEEDS)
def test_signals_of_a_plant(seed):
    signals = 3 + seed % 10
    plant = make_plant_table(n_samples=1000, n_signals=signals, random_state=seed)
    assert abs(len(size_of(plant.X)) - signals) <= 1


@pytest.mark.parametrize("shape", [(500, 20), (60, 100)])
def test_independent_columns(shape):
    tables = [np.random.RandomState(seed).standard_normal(shape) for seed in SEEDS]
    sizes = [size_of(X).info["size"] for X in tables]
    found = [size["parallel"] for size in sizes]
    assert found.count(0) >= 17  # the test has a level of 0.05
    assert max(found) <= 1
    with pytest.warns(DataWarning, match="independent"):
        one = select(tables[found.index(0)], "auto", **STANDARD)
    assert len(one) == one.info["size"]["n_select"] == 1
    assert np.median([size["held_out"] for size in sizes]) <= 2


def test_what_is_said():
    X = planted(0)
    found = size_of(X)
    size = found.info["size"]
    assert list(size) == [
        "rule", "n_select", *RULES, "explored", "n_folds", "table", "curves",
    ]  # fmt: skip
    assert (size["rule"], size["n_select"], size["explored"]) == ("parallel", 9, 40)
    assert (size["parallel"], size["elbow"], size["n_folds"]) == (9, 9, 3)
    sizes = [row["n_select"] for row in size["table"]]
    assert sizes == sorted({1, 2, 5, 10, 20, 40, 9, size["held_out"]})
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    squares = np.square(np.linalg.svd(Z, compute_uv=False))
    path = size_of(X, 39)
    for row in size["table"][:-1]:
        n = row["n_select"]
        np.testing.assert_allclose(row["bound"], squares[:n].sum() / squares.sum(), rtol=1e-9)
        np.testing.assert_allclose(row["explained"], 1 - path.relative_errors[n - 1], rtol=1e-9)
        assert row["random"] <= row["explained"] <= row["bound"]
        assert abs(row["held_out"] - row["explained"]) < 0.03
    again = Selection.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.info["size"] == size


def test_held_out_shares_are_those_of_scores():
    X = planted(1, m=200)
    row = next(r for r in size_of(X).info["size"]["table"] if r["n_select"] == 5)
    order = np.random.RandomState(0).permutation(200)
    shares = []
    for k in range(3):
        out = order[k::3]
        model = GreedySelector(5, **STANDARD).fit(np.delete(X, out, axis=0))
        missed = 1 - model.score(X[out])
        # a score compares with the mean of the rows themselves, a path with that of the fit
        means, units = model.selection_.means, model.selection_.units
        about = np.square((X[out] - means) / units).sum()
        own = np.square((X[out] - X[out].mean(axis=0)) / units).sum()
        shares.append(1 - missed * own / about)
    np.testing.assert_allclose(row["held_out"], np.mean(shares), rtol=1e-9)


def test_random_columns_are_followed_with_dependent_ones_too():
    for X in (planted(0, m=100), np.tile(planted(0, m=100, n=10, signals=3), 3)):
        curves = size_of(X, "elbow", random_state=0).info["size"]["curves"]
        rng, n = np.random.RandomState(0), X.shape[1]
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
        orders = [rng.permutation(n) for _ in range(30)]
        for t in (1, 4, 8):
            shares = [
                np.square(np.linalg.lstsq(Z[:, S], Z, rcond=None)[0].T @ Z[:, S].T).sum()
                / np.square(Z).sum()
                for S in (order[:t] for order in orders)
            ]
            np.testing.assert_allclose(curves["random"][t - 1], np.mean(shares), rtol=1e-7)


@pytest.mark.parametrize("rule", ["parallel", "elbow", "held-out"])
def test_the_rule_decides_and_the_choice_is_that_of_its_number(rule):
    X = planted(2)
    found = size_of(X, rule)
    size = found.info["size"]
    assert size["rule"] == rule.replace("-", "_")
    assert len(found) == size["n_select"] == size[size["rule"]]
    np.testing.assert_array_equal(found.indices, size_of(X, len(found)).indices)


def test_auto_is_parallel():
    X = planted(3)
    assert size_of(X).info["size"] == size_of(X, "parallel").info["size"]


def test_same_answer_for_the_same_seed():
    X = planted(4, m=200)
    for method in ("greedy", "sgma"):
        infos = [size_of(X, method=method, random_state=7).info["size"] for _ in range(2)]
        assert infos[0] == infos[1]
    # exploring uses copies of a random state
    state = np.random.RandomState(7)
    found = size_of(X, method="uniform", random_state=state)
    plain = size_of(X, len(found), method="uniform", random_state=7)
    np.testing.assert_array_equal(found.indices, plain.indices)


def test_order_of_rows_and_columns_does_not_matter():
    X, rng = planted(5), np.random.RandomState(0)
    sizes = size_of(X).info["size"]
    for other in (X[rng.permutation(len(X))], X[:, rng.permutation(40)], X * 1e-9):
        again = size_of(other).info["size"]
        assert (again["parallel"], again["elbow"]) == (sizes["parallel"], sizes["elbow"])


def test_sparse_data():
    rng = np.random.RandomState(0)
    base = sp.random(400, 5, 0.2, random_state=rng).toarray()
    X = base[:, rng.randint(5, size=30)] * rng.uniform(0.5, 2, 30)
    X = X * (1 + 0.1 * rng.standard_normal(X.shape))
    for center in (False, True):
        dense = select(X, "auto", center=center).info["size"]
        sparse = select(sp.csr_array(X), "auto", center=center).info["size"]
        assert {k: dense[k] for k in RULES} == {k: sparse[k] for k in RULES}
        assert abs(dense["parallel"] - 5) <= 1
        for one, other in zip(dense["table"], sparse["table"], strict=True):
            np.testing.assert_allclose(list(one.values()), list(other.values()), atol=1e-9)


def test_sparse_data_is_not_filled():
    X = sp.random(3000, 6000, 0.002, random_state=0, format="csc")
    select(X[:, :50], "auto", center=True)
    tracemalloc.start()
    try:
        select(X, "auto", center=True)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.5 * 8 * 3000 * 6000


def test_long_paths_are_not_explored():
    X = planted(0, m=300, n=900)
    size = size_of(X).info["size"]
    assert size["explored"] == 64
    assert abs(size["parallel"] - 9) <= 2


def test_more_is_explored_if_need_be():
    X = planted(0, m=600, n=300, signals=50, noise=(0.05, 0.05))
    size = size_of(X).info["size"]
    assert size["explored"] == 256
    assert abs(size["parallel"] - 50) <= 1


def test_gaps():
    plant = make_plant_table(n_samples=1000, missing=0.03)
    for missing in ("mean", "median", "pairwise"):
        size = size_of(plant.X, missing=missing).info["size"]
        assert abs(size["parallel"] - 8) <= 1
        assert size["held_out"] is not None


def test_weights_of_rows():
    X = planted(6, m=400)
    plain = size_of(X).info["size"]
    even = size_of(X, sample_weight=np.full(400, 1000.5)).info["size"]
    assert {k: plain[k] for k in RULES} == {k: even[k] for k in RULES}
    for one, other in zip(plain["table"], even["table"], strict=True):
        np.testing.assert_allclose(list(one.values()), list(other.values()), rtol=1e-9)
    # whole weights are so many equal rows
    counts = np.random.default_rng(0).integers(1, 4, 400)
    weighted = size_of(X, sample_weight=counts).info["size"]
    repeated = size_of(np.repeat(X, counts, axis=0)).info["size"]
    assert weighted["parallel"] == repeated["parallel"]
    np.testing.assert_allclose(
        weighted["curves"]["independent"], repeated["curves"]["independent"], rtol=1e-9
    )
    # rows without weight do not count
    weights = np.r_[np.ones(200), np.zeros(200)]
    some = size_of(X, sample_weight=weights).info["size"]
    half = size_of(X[:200]).info["size"]
    for key in ("explained", "bound", "independent"):
        np.testing.assert_allclose(some["curves"][key][:20], half["curves"][key][:20], rtol=1e-9)


def test_included_and_excluded_columns():
    X = planted(7)
    plain = size_of(X)
    found = size_of(X, must_include=[3, 5], exclude=plain.indices[:1])
    assert found.indices[:2].tolist() == [3, 5]
    assert plain.indices[0] not in found.indices
    assert abs(len(found) - 9) <= 2
    many = size_of(X, must_include=range(20))
    assert len(many) == 20


def test_swaps_come_after_the_size():
    X = planted(8)
    found = size_of(X, refine=True)
    assert len(found) == len(size_of(X))
    np.testing.assert_array_equal(found.indices, size_of(X, len(found), refine=True).indices)


def test_constant_columns_and_one_column():
    X = np.column_stack([planted(9, m=200), np.ones(200)])
    with pytest.warns(DataWarning, match="constant"):
        found = select(X, "auto", **STANDARD)
    assert abs(len(found) - 9) <= 1
    assert len(size_of(planted(0)[:, :1])) == 1


def test_few_rows_to_hold_out():
    X = np.random.RandomState(0).standard_normal((3, 5))
    assert size_of(X, "elbow").info["size"]["held_out"] is None
    with pytest.raises(ValueError, match="needs rows to hold out, and 3"):
        size_of(X, "held-out")
    one_row_differs = np.zeros((20, 4))
    one_row_differs[3] = [1, 2, 3, 4]
    assert size_of(one_row_differs, "elbow").info["size"]["elbow"] == 1


@pytest.mark.parametrize("method", METHODS)
def test_methods_propose_or_say_why_not(method):
    X, entry = planted(0, m=150, n=15, signals=4), METHODS[method]
    y = {"labels": np.arange(150) % 3, "target": X[:, 0]}
    params = {entry.supervised: y[entry.supervised]} if entry.supervised else {}
    if entry.randomized:
        params["random_state"] = 0
    path = method not in PATHLESS and not hasattr(entry.selector, "rescale")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if path:
            found = select(X, "auto", method=method, **params)
            assert found.info["size"]["n_select"] >= len(found) >= 1
        else:
            with pytest.raises(ValueError, match=r"^n_select='auto' .*; choose a number"):
                select(X, "auto", method=method, **params)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"max_error": 0.1}, "max_error=0.1 both say where to stop"),
        ({"method": "pfa"}, "'pfa' clusters the columns anew"),
        ({"method": "bss"}, "'bss' chooses all columns at once"),
        ({"method": "hybrid-greedy"}, "draws more columns"),
        ({"method": "approx-svd"}, "as many components in its target"),
        ({"method": "jolliffe-b3"}, "as many components as are chosen"),
    ],
)
def test_refused(params, message):
    with pytest.raises(ValueError, match=message):
        select(planted(0, m=50), "auto", **params)


def test_unknown_rules():
    with pytest.raises(TypeError, match=r"one of auto, .*got 'elbo' \(did you mean 'elbow'\?\)"):
        select(np.eye(3), "elbo")


def test_kernels_and_targets_have_an_elbow_alone():
    X = planted(0, m=60)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    for A, params in (
        (Kernel(Z.T @ Z), {}),
        (Covariance(np.corrcoef(X.T)), {}),
        (Z, {"target": Z[:, :3], "method": "greedy"}),
    ):
        for rule in ("auto", "held-out"):
            with pytest.raises(ValueError, match="n_select='elbow'"):
                select(A, rule, **params)
        size = select(A, "elbow", **params).info["size"]
        assert size["parallel"] is None
        assert size["held_out"] is None
        assert size["n_select"] == size["elbow"]
    assert abs(select(Kernel(Z.T @ Z), "elbow").info["size"]["elbow"] - 9) <= 1


def test_a_rank_makes_a_path_of_components():
    found = size_of(planted(0), method="approx-svd", rank=9, random_state=0)
    assert abs(len(found) - 9) <= 1


def test_rows():
    X = load_digits().data[:200]
    with pytest.raises(ValueError, match="about features"):
        RowSelector(GreedySelector("auto")).fit(X)
    rows = RowSelector(GreedySelector("elbow")).fit(X)
    assert 2 <= len(rows.indices_) <= 40


def test_estimators_and_learners():
    X = planted(0)
    selector = clone(PivotedQRSelector("auto", **STANDARD)).fit(X)
    assert selector.transform(X).shape == (1000, len(selector.indices_))
    assert selector.selection_.info["size"]["n_select"] == len(selector.indices_)
    model = ReducedKMeans(3, reducer=GreedySelector("auto", **STANDARD), random_state=0).fit(X)
    assert abs(model.reducer_.transform(X).shape[1] - 9) <= 1
