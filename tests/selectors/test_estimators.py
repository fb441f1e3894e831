"""The scikit-learn side: contracts, pipelines, names, containers of output."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from calls import needs
from sklearn.base import BaseEstimator, clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import colonnade
from colonnade import (
    METHODS,
    BSSSelector,
    FacilityLocationSelector,
    GreedySelector,
    HybridCSSSelector,
    InformationGainSelector,
    JolliffeSelector,
    LeverageSelector,
    MedoidSelector,
    PivotedQRSelector,
    RankReachedWarning,
    ReducedKMeans,
    RLSClassifier,
    RowSelector,
    SPECSelector,
    SphericalKMeans,
    certify,
    select,
)

PUBLIC = [getattr(colonnade, name) for name in colonnade.__all__]
PUBLIC = [item for item in PUBLIC if inspect.isclass(item)]
PLAIN = [item for item in PUBLIC if issubclass(item, BaseEstimator)]

# beside all public estimators as they come
OTHERS = [
    GreedySelector(target="groups", n_groups=3, random_state=0),
    GreedySelector(target="svd"),
    GreedySelector(target="y"),
    GreedySelector(n_candidates=3, presample=2, refine=True, random_state=0),
    BSSSelector(rank=1, rescale=False),
    LeverageSelector(approximate=True, n_repeats=2, random_state=0),
    LeverageSelector(deterministic=True),
    HybridCSSSelector(factor=1.5, n_repeats=3, refine=True, random_state=0),
    InformationGainSelector(bins=3),
    JolliffeSelector(variant="B1"),
    JolliffeSelector(variant="B2"),
    RowSelector(PivotedQRSelector(n_select=1)),
    RowSelector(MedoidSelector(n_select=2, random_state=0), center=True),
    FacilityLocationSelector(similarity="cosine", algorithm="stochastic", random_state=0),
    SPECSelector(style="phi2", affinity="binary"),
]


_DRAWN = "starts are drawn among the rows, which are others if rows are repeated or removed"
_FEW = "eight clusters of four distinct points are refused"
_KMEANS = {
    f"check_sample_weight_equivalence_on_{kind}_data": _DRAWN for kind in ("dense", "sparse")
}
_KMEANS |= {f"check_sample_weights_{what}": _FEW for what in ("shape", "not_overwritten")}
_JUDGED = "draws that are judged by clusters of the rows take no weights"
_STREAMED = "draws that are judged by clusters need the rows: no partial_fit"
_WEIGHTS = ("pandas_series", "not_an_array", "list", "shape", "not_overwritten")


def expected_failures(estimator):
    """What fails by design, as scikit-learn wants it declared, with the reason."""
    if isinstance(estimator, ReducedKMeans | SphericalKMeans):
        return _KMEANS  # the first two as for scikit-learn's own k-means
    if isinstance(estimator, RLSClassifier):
        reason = "without an intercept no weight makes one class win everywhere"
        return {"check_class_weight_classifiers": reason}
    if isinstance(estimator, LeverageSelector) and estimator.n_repeats > 1:
        streamed = ("check_fit_score_takes_y", "check_n_features_in_after_fitting")
        weighted = (*_KMEANS, *(f"check_sample_weights_{w}" for w in _WEIGHTS))
        return dict.fromkeys(weighted, _JUDGED) | dict.fromkeys(streamed, _STREAMED)
    return {}


@pytest.mark.filterwarnings("ignore::UserWarning")  # the data is tiny, and some say so
@pytest.mark.parametrize("estimator", [*(make() for make in PLAIN), *OTHERS], ids=repr)
@pytest.mark.slow
def test_scikit_learn_contract(estimator):
    expected = expected_failures(estimator)
    results = check_estimator(
        estimator, on_skip=None, on_fail=None, expected_failed_checks=expected
    )
    assert {r["check_name"] for r in results if r["status"] == "xfail"} == set(expected)
    failed = [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"]
    assert failed == []
    assert sum(r["status"] == "passed" for r in results) > 40


@pytest.fixture(scope="module")
def digits():
    return load_digits().data


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.filterwarnings("ignore:the graph of the samples")
def test_select_runs_the_estimator(name, digits):
    """What select does with its parameters, the class does with the same."""
    method = METHODS[name]
    estimator_class = getattr(colonnade, method.estimator)
    parameters = set(inspect.signature(estimator_class).parameters)
    own = {"n_select", "verbose", "rescale"}  # the estimator's alone
    others = {"labels", "progress", "sample_weight"} | ({"target"} if method.supervised else set())
    assert parameters - own - set(method.preset) == set(method.parameters) - others
    # one class may run several methods, some with weights and some without
    weighted = [m.weighted for m in METHODS.values() if m.estimator == method.estimator]
    assert ("rescale" in parameters) == any(weighted)
    params = needs(name, digits, 6)
    expected = select(digits, 6, method=name, **params)
    y = params.pop(method.supervised) if method.supervised else None
    found = estimator_class(6, **method.preset, **params).fit(digits, y)
    assert found.indices_.tolist() == expected.indices.tolist()
    np.testing.assert_allclose(found.relative_errors_, expected.relative_errors)
    assert len(found.relative_errors_) == len(expected)
    if method.weighted:
        np.testing.assert_array_equal(found.weights_, expected.weights)
    else:
        assert found.weights_ is None


@pytest.mark.filterwarnings("ignore:the graph of the samples has")
@pytest.mark.parametrize("name", METHODS)
def test_a_selection_says_which_method_it_is_from(name, digits):
    """By its parameters, whoever called: select, the class, and a certificate."""
    method = METHODS[name]
    params = needs(name, digits, 6)
    assert select(digits, 6, method=name, **params).info["method"] == name
    y = params.pop(method.supervised) if method.supervised else None
    fitted = getattr(colonnade, method.estimator)(6, **method.preset, **params).fit(digits, y)
    assert fitted.selection_.info["method"] == name
    assert fitted.selection_.to_dict()["info"]["method"] == name
    assert certify(digits, fitted.selection_).to_dict()["method"] == name


def test_names_where_several_presets_or_none_are_met(digits):
    both = {"target": "svd", "n_candidates": 59}
    assert select(digits, 3, **both, random_state=0).info["method"] in ("approx-svd", "sgma")
    for name, rest in (("approx-svd", {"n_candidates": 59}), ("sgma", {"target": "svd"})):
        found = select(digits, 3, method=name, random_state=0, **rest)
        assert found.info["method"] == name
    assert select(digits, 3, n_candidates=30, random_state=0).info["method"] == "greedy"
    assert select(digits, 3, method="jolliffe-b4", variant="B2").info["method"] == "jolliffe-b2"
    for column in (digits[:, 20], digits[:, [20, 30]], digits[:, 20].tolist()):
        assert select(digits, 1, target=column).info["method"] == "sparse-approximation"


def test_transform_gives_columns_in_column_order(digits):
    selector = GreedySelector(8).fit(digits)
    np.testing.assert_array_equal(selector.transform(digits), digits[:, np.sort(selector.indices_)])
    assert selector.indices_.tolist() != sorted(selector.indices_)
    back = selector.inverse_transform(selector.transform(digits))
    np.testing.assert_array_equal(back[:, selector.indices_], digits[:, selector.indices_])
    assert (back[:, ~selector.get_support()] == 0).all()


def test_sparse_stays_sparse(digits):
    selector = GreedySelector(8).fit(digits)
    for make in (sp.csr_matrix, sp.csc_array):
        reduced = GreedySelector(8).fit(make(digits)).transform(make(digits))
        assert sp.issparse(reduced)
        np.testing.assert_array_equal(reduced.toarray(), selector.transform(digits))


def test_names_pandas_and_polars():
    X, _ = load_iris(return_X_y=True, as_frame=True)
    selector = GreedySelector(2).set_output(transform="pandas").fit(X)
    reduced = selector.transform(X)
    assert isinstance(reduced, pd.DataFrame)
    names = [X.columns[i] for i in sorted(selector.indices_)]
    assert list(reduced.columns) == names == selector.get_feature_names_out().tolist()
    frame = pl.from_pandas(X)
    out = GreedySelector(2).set_output(transform="polars").fit_transform(frame)
    assert isinstance(out, pl.DataFrame)
    assert out.columns == names
    by_name = GreedySelector(2, must_include=[X.columns[1]], exclude=[X.columns[2]]).fit(X)
    assert by_name.indices_[0] == 1
    assert 2 not in by_name.indices_
    with pytest.raises(ValueError, match="names the column 'height', which is not in the data"):
        GreedySelector(2, must_include=["height"]).fit(X)
    with pytest.raises(ValueError, match="names the column 'height', but the data has no names"):
        GreedySelector(2, exclude=["height"]).fit(X.to_numpy())


def test_pipeline_search_clone_and_pickle(digits):
    y = load_digits().target
    pipeline = make_pipeline(GreedySelector(5), LogisticRegression(max_iter=2000))
    search = GridSearchCV(pipeline, {"greedyselector__n_select": [2, 20]}, cv=3)
    search.fit(digits[:300] / 16.0, y[:300])
    assert search.best_params_ == {"greedyselector__n_select": 20}
    fitted = GreedySelector(5).fit(digits)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(digits), fitted.transform(digits))
    assert not hasattr(clone(fitted), "indices_")


@pytest.mark.slow
def test_parallel_search_gives_the_serial_answer(digits):
    y = load_digits().target[:200]
    scores = []
    for jobs in (1, 2):
        pipeline = make_pipeline(GreedySelector(), KMeans(10, n_init=1, random_state=0))
        grid = {"greedyselector__n_select": [2, 5, 10]}
        search = GridSearchCV(pipeline, grid, cv=2, n_jobs=jobs).fit(digits[:200], y)
        scores.append(search.cv_results_["mean_test_score"])
    np.testing.assert_allclose(scores[0], scores[1], rtol=1e-9)


def test_rows_are_columns_of_the_transpose(digits):
    X = digits[:200]
    rows = RowSelector(GreedySelector(7)).fit(X)
    expected = select(X.T, 7)
    assert rows.indices_.tolist() == expected.indices.tolist()
    np.testing.assert_array_equal(rows.representatives_, X[rows.indices_])
    np.testing.assert_allclose(rows.transform(X), expected.embedding.T, atol=1e-9)
    Q = rows.components_
    np.testing.assert_allclose(Q @ Q.T, np.eye(7), atol=1e-12)
    # new rows: the coordinates are those of the projection on the span of the representatives
    new = digits[200:230]
    projected = rows.inverse_transform(rows.transform(new))
    coefficients = np.linalg.lstsq(rows.representatives_.T, new.T, rcond=None)[0]
    np.testing.assert_allclose(projected, (rows.representatives_.T @ coefficients).T, atol=1e-8)
    assert rows.get_feature_names_out().tolist() == [f"rowselector{i}" for i in range(7)]


def test_rows_of_sparse_data(digits):
    X = sp.csr_matrix(digits[:150])
    sparse = RowSelector(PivotedQRSelector(5)).fit(X)
    dense = RowSelector(PivotedQRSelector(5)).fit(digits[:150])
    assert sparse.indices_.tolist() == dense.indices_.tolist()
    assert sp.issparse(sparse.representatives_)
    np.testing.assert_allclose(sparse.transform(X), dense.transform(digits[:150]), atol=1e-9)


def test_float32_stays_float32(digits):
    X = digits.astype(np.float32)
    assert GreedySelector(5).fit_transform(X).dtype == np.float32
    assert RowSelector(GreedySelector(5)).fit_transform(X).dtype == np.float32
    assert GreedySelector(5).fit(X).indices_.tolist() == select(digits, 5).indices.tolist()


def test_verbose_prints_progress(digits, capsys):
    GreedySelector(12, verbose=True).fit(digits)
    shown = capsys.readouterr().err.splitlines()
    assert shown[0].startswith("[GreedySelector] 1 of 12 chosen")
    assert shown[-1].startswith("[GreedySelector] 12 of 12 chosen")
    GreedySelector(12).fit(digits)
    assert capsys.readouterr().err == ""


def test_rank_warning_points_at_the_caller(digits):
    with pytest.warns(RankReachedWarning, match="choices asked for") as caught:
        GreedySelector(64).fit(digits)
    assert caught[0].filename == __file__


def test_public_methods_are_documented():
    """Objective, cost, use, parameters, reference and an example, as promised."""
    for name in colonnade.__all__:
        item = getattr(colonnade, name)
        if inspect.isclass(item) or inspect.isfunction(item):
            assert item.__doc__, name
    for selector in {method.selector for method in METHODS.values()}:
        doc = inspect.getdoc(selector)
        for part in (
            "**Objective.**", "**Algorithm.**", "**Cost.**", "**When to use it.**",
            "Parameters\n", "Attributes\n", "References\n", "Examples\n",
        ):  # fmt: skip
            assert doc.count(part) == 1, (selector, part)
        for parameter in inspect.signature(selector).parameters:
            assert doc.count(f"\n{parameter} : ") == 1, (selector, parameter)


def test_a_subclass_is_the_method_that_it_is_derived_from(digits):
    class Mine(GreedySelector):
        """Ten columns, unless others are asked for."""

        def __init__(self, n_select=10, *, target="data"):
            super().__init__(n_select, target=target)

    found = make_pipeline(Mine()).fit(digits)[0]
    assert found.indices_.tolist() == GreedySelector(10).fit(digits).indices_.tolist()
    assert found.selection_.info["method"] == "greedy"
    assert clone(Mine(3, target="svd")).fit(digits).selection_.info["method"] == "approx-svd"


def test_a_seed_that_is_none_is_refused_even_if_it_is_not_needed(digits):
    for seed in ("a", -1, np.random.default_rng(0)):
        with pytest.raises(ValueError, match=r"[sS]eed"):
            GreedySelector(2, random_state=seed).fit(digits)


def test_flags_are_true_or_false(digits):
    with pytest.raises(TypeError, match="center must be True or False, got 'no'"):
        JolliffeSelector(2, center="no").fit(digits)
    with pytest.raises(TypeError, match="deterministic must be True or False, got 1"):
        LeverageSelector(4, 2, deterministic=1).fit(digits)
