"""Which eight sensors tell all others, in the same file and after the plant has drifted."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score

from colonnade import DataWarning, GreedySelector, PFASelector, PivotedQRSelector
from colonnade.datasets import make_plant_table

SEEDS = 10
K = 8
FIGURES = ("same mean", "same worst", "new mean", "new worst")


def standardized(selector, X):
    """Return what the selector chooses of standardized columns."""
    return selector.set_params(center=True, scale="std").fit(X).indices_


def uncorrelated(X, limit=0.9):
    """Return the first columns that correlate with no earlier one of them above the limit."""
    r = np.abs(np.corrcoef(X, rowvar=False))
    kept = []
    for j in range(len(r)):
        if len(kept) < K and (r[j, kept] <= limit).all():
            kept.append(j)
    return kept


GREEDY = "standardized greedy"
METHODS = {
    GREEDY: lambda X: standardized(GreedySelector(K), X),
    "raw greedy": lambda X: GreedySelector(K).fit(X).selection_.indices,
    "pivoted QR": lambda X: standardized(PivotedQRSelector(K), X),
    "PFA": lambda X: standardized(PFASelector(K, random_state=0), X),
    "drop |r| > 0.9": uncorrelated,
}


def test_the_whole_table_with_its_constants_is_enough():
    """GreedySelector(8, center=True, scale="std") alone, as its owner would call it."""
    for seed in range(SEEDS):
        plant = make_plant_table(random_state=seed)
        with pytest.warns(DataWarning, match="2 columns are constant and no candidates"):
            selector = GreedySelector(8, center=True, scale="std").fit(plant.X)
        varying = np.setdiff1d(np.arange(61), plant.truth["constants"])
        without = standardized(GreedySelector(8), plant.X[:, varying])
        assert selector.indices_.tolist() == varying[without].tolist()
        new = plant.truth["X_new"]
        rebuilt = selector.reconstruct(selector.transform(new))
        scores = r2_score(new[:, varying], rebuilt[:, varying], multioutput="raw_values")
        expected = figures(without, plant.X[:, varying], new[:, varying])
        assert [scores.mean(), scores.min()] == pytest.approx(expected[2:], abs=1e-6)
        assert scores.min() >= 0.6


def figures(chosen, X, X_new):
    """R² of all columns by least squares on the chosen ones of X: mean and worst, same and new."""
    model = LinearRegression().fit(X[:, chosen], X)
    scores = [
        r2_score(Y, model.predict(Y[:, chosen]), multioutput="raw_values") for Y in (X, X_new)
    ]
    return [figure for r2 in scores for figure in (r2.mean(), r2.min())]


@pytest.fixture(scope="module")
def tables():
    """The figures by method, a row for each seed."""
    rows = {name: [] for name in (*METHODS, "random")}
    for seed in range(SEEDS):
        plant = make_plant_table(random_state=seed)
        X, X_new = (np.delete(Y, plant.truth["constants"], axis=1)
                    for Y in (plant.X, plant.truth["X_new"]))  # fmt: skip
        for name, choose in METHODS.items():
            chosen = choose(X)
            assert len(set(chosen)) == K
            rows[name].append(figures(chosen, X, X_new))
        rng = np.random.RandomState(seed)
        draws = [figures(rng.permutation(X.shape[1])[:K], X, X_new) for _ in range(20)]
        rows["random"].append(np.mean(draws, axis=0))
    return {name: np.array(table) for name, table in rows.items()}


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("other", [*(name for name in METHODS if name != GREEDY), "random"])
def test_standardized_greedy_is_the_best(tables, other, figure):
    place = FIGURES.index(figure)
    ours, theirs = (tables[name][:, place].mean() for name in (GREEDY, other))
    assert ours > theirs + 1e-3


def test_no_column_is_lost_after_drift(tables):
    assert tables[GREEDY][:, FIGURES.index("new worst")].min() >= 0.6


def test_where_units_decide_some_column_is_told_worse_than_by_its_mean(tables):
    assert tables["raw greedy"][:, FIGURES.index("new worst")].mean() < 0
