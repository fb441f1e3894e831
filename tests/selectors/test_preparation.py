"""Selectors on data as people have it: the answers of explicit preprocessing, without a copy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from calls import SEED, needs, run
from explicit import standardized
from hypothesis import given, settings
from hypothesis import strategies as st
from matrices import NASTY, nasty
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import has_fit_parameter

import colonnade
from colonnade import (
    METHODS,
    DataWarning,
    DualSetSelector,
    GreedySelector,
    LaplacianScoreSelector,
    LeverageSelector,
    PFASelector,
    PivotedQRSelector,
    RankReachedWarning,
    Selection,
    certify,
    low_rank,
    metrics,
    select,
)
from colonnade.operands.advice import ADVISED

PUT = {"C": np.ascontiguousarray, "F": np.asfortranarray, "csr": sp.csr_array, "csc": sp.csc_array}
PROFILE = settings(deadline=None, max_examples=6, derandomize=True)
TIES = ("duplicated", "near duplicates", "similar columns", "orthogonal", "one row")
VARIED = [name for name in NASTY if name not in TIES]
WEIGHED = [name for name, entry in METHODS.items() if entry.selector.weighs_rows]


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


def plain(name, Z, varying, n_select, **params):
    """What a method chooses of a matrix that was prepared explicitly, without constant columns."""
    if METHODS[name].selector.center:
        params |= {"center": False, "scale": None}
    found = run(name, Z[:, varying], n_select, data=Z[:, varying], **params)
    return np.flatnonzero(varying)[found.indices].tolist(), found


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("matrix", ["tall", "wide", "positive integers", "columns of all sizes"])
def test_every_method_chooses_as_from_explicit_preprocessing(name, matrix):
    A = nasty(matrix) + 3.0
    Z, varying = standardized(A, center=True, scale="std")
    params = needs(name, Z, 5)
    if METHODS[name].supervised == "target":
        params["target"] = params["target"] - params["target"].mean(axis=0)
    expected, explicit = plain(name, Z, varying, 5, **params)
    found = run(name, A, 5, data=Z, center=True, scale="std", **params)
    assert found.indices.tolist() == expected
    np.testing.assert_allclose(
        found.errors, explicit.errors, rtol=1e-8, atol=1e-10 * explicit.total
    )
    if explicit.weights is not None:
        np.testing.assert_allclose(found.weights, explicit.weights, rtol=1e-6)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("scale", ["std", "robust", "max", None])
@pytest.mark.parametrize("matrix", VARIED)
def test_every_container_and_type_gives_the_same(matrix, scale, center):
    A = nasty(matrix)
    if not center and scale is None:
        pytest.skip("nothing is done to the data")
    n_select = max(1, min(A.shape) // 2 - 1)
    names = ["greedy", "pivoted-qr"]
    tries = [(A, PUT)]
    if matrix not in ("huge", "tiny"):  # out of the range of other types
        tries += [(A.astype(np.float32), PUT), (np.round(A).astype(int), "CF")]
    for values, kinds in tries:
        Z, varying = standardized(values, center=center, scale=scale)
        if varying.sum() <= n_select:
            continue
        for name in names:
            expected, explicit = plain(name, Z, varying, n_select)
            for kind in kinds:
                found = run(name, PUT[kind](values), n_select, center=center, scale=scale)
                np.testing.assert_allclose(
                    found.relative_errors, explicit.relative_errors, atol=1e-8
                )
                if explicit.relative_errors[-1] > 1e-9:
                    assert found.indices.tolist() == expected


@pytest.mark.parametrize("put", PUT)
@pytest.mark.parametrize("shape", [(60, 25), (25, 60)])
def test_columns_of_a_million_plus_minus_one(put, shape):
    rng = np.random.default_rng(0)
    A = 1e6 + rng.standard_normal((shape[0], 6)) @ rng.standard_normal((6, shape[1]))
    A += 0.1 * rng.standard_normal(shape)
    A[:, ::3] -= 1e6
    Z, _ = standardized(A, center=True, scale="std")
    expected = select(Z, 10)
    found = select(PUT[put](A), 10, center=True, scale="std")
    assert found.indices.tolist() == expected.indices.tolist()
    np.testing.assert_allclose(found.relative_errors, expected.relative_errors, atol=1e-8)


@pytest.mark.parametrize("name", ["digits", "wine", "iris"])
def test_real_tables(name):
    X = {"digits": load_digits, "wine": load_wine, "iris": load_iris}[name]().data
    for center, scale in ((True, "std"), (True, None), (False, "std"), (True, "robust")):
        Z, varying = standardized(X, center=center, scale=scale)
        expected, explicit = plain("greedy", Z, varying, 3)
        for put in PUT.values():
            found = run("greedy", put(X), 3, center=center, scale=scale)
            assert found.indices.tolist() == expected
            np.testing.assert_allclose(found.relative_errors, explicit.relative_errors, atol=1e-8)


def test_wine_by_its_variance_not_by_its_units(wine):
    """Four columns explain 64.6 % of the variance, and no four directions more than 73.6 %."""
    X, _ = wine
    selector = GreedySelector(4, center=True, scale="std").fit(X)
    names = np.array(load_wine().feature_names)[selector.indices_].tolist()
    assert names == ["flavanoids", "color_intensity", "alcalinity_of_ash", "magnesium"]
    assert 1 - selector.relative_errors_[-1] == pytest.approx(0.646, abs=5e-4)
    best = metrics.best_rank_error(X, 4, center=True, scale="std") / 178 / 13
    assert 1 - best == pytest.approx(0.736, abs=5e-4)


# -- constant columns ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", METHODS)
def test_constant_columns_are_never_chosen(name):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((30, 12)) + 5.0
    A[:, [0, 4, 11]] = [7.0, 0.0, -1e6]
    entry = METHODS[name]
    params = needs(name, A, 6)
    with pytest.warns(DataWarning, match="3 columns are constant and no candidates: 0, 4, 11"):
        found = run(name, A, 6, center=True, scale="std", **params)
    assert not set(found.indices.tolist()) & {0, 4, 11}
    assert found.means[[0, 4, 11]].tolist() == [7.0, 0.0, -1e6]
    assert found.units[[0, 4, 11]].tolist() == [0.0, 0.0, 0.0]
    if not entry.weighted:
        with pytest.raises(
            ValueError, match="n_select=10 but there are 9 columns that vary to choose"
        ):
            select(A, 10, method=name, center=True, **params)


def test_how_many_half_of_the_columns_are():
    A = np.hstack([np.random.default_rng(0).standard_normal((30, 6)), np.ones((30, 6))])
    assert len(select(A, center=True)) == 3
    assert len(select(A, 0.5, scale="std")) == 3
    with pytest.raises(ValueError, match="must_include holds column 7, which is constant"):
        select(A, 3, center=True, must_include=[7])
    assert select(A, 3, center=True, exclude=[0]).indices.min() > 0


# -- weights of rows -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WEIGHED)
@PROFILE
@given(
    center=st.booleans(), scale=st.sampled_from([None, "std", "robust"]),
    put=st.sampled_from(["C", "csr"]), seed=st.integers(0, 99),
)  # fmt: skip
def test_whole_weights_are_repeats_and_zero_weights_are_gone(name, center, scale, put, seed):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((16, 8)) @ rng.standard_normal((8, 9)) + rng.standard_normal(9)
    w = rng.integers(0, 4, 16)
    w[:4] += 1
    repeated = np.repeat(A, w, axis=0)
    params = needs(name, A, 4)
    target = params.pop("target", None) if METHODS[name].supervised else None
    entry = METHODS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankReachedWarning)
        selector = entry.selector(4, **entry.preset, **params).set_params(
            center=center, scale=scale
        )
        found = selector.fit(PUT[put](A), target, sample_weight=w).selection_
        again = None if target is None else np.repeat(target, w, axis=0)
        expected = selector.fit(PUT[put](repeated), again).selection_
    assert found.indices.tolist() == expected.indices.tolist()
    np.testing.assert_allclose(found.errors, expected.errors, rtol=1e-6, atol=1e-9 * expected.total)
    if expected.units is not None:
        np.testing.assert_allclose(found.units, expected.units, rtol=1e-9)
        np.testing.assert_allclose(found.means, expected.means, rtol=1e-9, atol=1e-12)
    if expected.weights is not None:
        np.testing.assert_allclose(found.weights, expected.weights, rtol=1e-5)


def test_weights_count_by_their_ratios_but_for_the_size_of_errors():
    A = np.random.default_rng(0).standard_normal((20, 7))
    w = np.random.default_rng(1).random(20)
    one, other = (select(A, 3, scale="std", sample_weight=f * w) for f in (1.0, 1e-3))
    assert one.indices.tolist() == other.indices.tolist()
    np.testing.assert_allclose(one.errors * 1e-3, other.errors)


@pytest.mark.parametrize("name", sorted(set(METHODS) - set(WEIGHED)))
def test_methods_that_see_rows_refuse_weights_in_one_sentence(name, wine):
    X, y = wine
    entry = METHODS[name]
    message = "looks at each row by itself, so it takes no sample_weight; repeat rows instead"
    with pytest.raises(TypeError, match=message):
        entry.selector(3, **entry.preset).fit(X, y, sample_weight=np.ones(len(X)))
    with pytest.raises(TypeError, match=f"method '{name}' {message}"):
        select(X, 3, method=name, sample_weight=np.ones(len(X)))
    with pytest.raises(TypeError, match="fit takes X and y, got wait as well"):
        LaplacianScoreSelector(3).fit(X, wait=1)


def test_repeated_draws_judged_by_clusters_take_no_weights(wine):
    X, _ = wine
    with pytest.raises(ValueError, match="n_repeats=3 judges draws by clusters of the rows"):
        LeverageSelector(5, 3, n_repeats=3).fit(X, sample_weight=np.ones(len(X)))


def test_weights_are_routed():
    from sklearn import config_context

    X = np.random.default_rng(0).standard_normal((30, 6))
    w = np.random.default_rng(1).random(30)
    with config_context(enable_metadata_routing=True):
        step = PivotedQRSelector(2).set_fit_request(sample_weight=True)
        model = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), step)
        model.fit(X, sample_weight=w)
    expected = PivotedQRSelector(2).fit(StandardScaler().fit_transform(X), sample_weight=w)
    assert model[-1].indices_.tolist() == expected.indices_.tolist()
    assert not has_fit_parameter(LaplacianScoreSelector(), "sample_weight")


# -- gaps ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["mean", "median", "pairwise"])
@pytest.mark.parametrize("put", PUT)
def test_gaps_where_they_are_asked_for(put, missing):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((200, 4)) @ rng.standard_normal((4, 12)) + 3.0
    A += 0.3 * rng.standard_normal(A.shape)
    gaps = A.copy()
    gaps[rng.random(A.shape) < 0.1] = np.nan
    given = PUT[put](gaps)
    selector = GreedySelector(4, center=True, scale="std", missing=missing).fit(given)
    assert selector.__sklearn_tags__().input_tags.allow_nan
    full = GreedySelector(4, center=True, scale="std").fit(A)
    reached = metrics.reconstruction_error(A, selector.indices_, center=True, scale="std")
    assert reached < full.relative_errors_[-1] + 0.03
    assert selector.transform(given).shape == (200, 4)
    assert 0.7 < selector.score(given) < 1.0
    assert selector.certificate(given).holds is not None
    with pytest.raises(ValueError, match="Input X contains NaN; choose missing='pairwise' or 'me"):
        GreedySelector(4).fit(given)
    with pytest.raises(ValueError, match="Input X contains NaN; choose missing='mean' or 'median'"):
        PFASelector(4).fit(given)


def test_pairs_only_where_inner_products_are_enough():
    A = np.random.default_rng(0).standard_normal((20, 5))
    A[0, 0] = np.nan
    with pytest.raises(ValueError, match="this method needs the columns themselves; choose miss"):
        PFASelector(2, missing="pairwise").fit(A)
    assert len(PFASelector(2, missing="median", random_state=0).fit(A).indices_) == 2
    with pytest.raises(ValueError, match="missing='drop'; choose one of error, mean, median, pair"):
        GreedySelector(2, missing="drop").fit(A)


def test_too_many_columns_for_pairs(monkeypatch):
    monkeypatch.setattr("colonnade.operands.preparing.MOST_PAIRWISE", 4)
    A = np.random.default_rng(0).standard_normal((20, 5))
    A[0, 0] = np.nan
    with pytest.raises(ValueError, match="takes up to 4 columns, and there are 5; choose"):
        select(A, 2, missing="pairwise")


# -- using the choice ------------------------------------------------------------------------------


@pytest.mark.parametrize("put", PUT)
@pytest.mark.parametrize("weighted", [False, True])
def test_reconstruction_is_least_squares_in_the_units_of_the_data(put, weighted, wine):
    X, _ = wine
    w = np.random.default_rng(0).integers(1, 4, len(X)) if weighted else None
    selector = GreedySelector(4, center=True, scale="std").fit(PUT[put](X), sample_weight=w)
    chosen = np.sort(selector.indices_)
    model = LinearRegression().fit(X[:, chosen], X, sample_weight=w)
    new = X[::3] * 1.1
    found, std = selector.reconstruct(selector.transform(PUT[put](new)), return_std=True)
    np.testing.assert_allclose(found, model.predict(new[:, chosen]), rtol=1e-8)
    np.testing.assert_array_equal(found[:, chosen], new[:, chosen])
    left = np.average((X - model.predict(X[:, chosen])) ** 2, axis=0, weights=w)
    n = len(X) if w is None else w.sum()
    np.testing.assert_allclose(std, np.sqrt(left * n / (n - 5)), rtol=1e-6, atol=1e-6)
    assert (std[chosen] == 0).all()


@pytest.mark.parametrize("name", METHODS)
def test_the_score_of_the_data_is_what_the_error_path_says(name, wine):
    X, _ = wine
    params = needs(name, X, 5)
    entry = METHODS[name]
    target = params.pop(entry.supervised) if entry.supervised else None
    for center, scale in ((True, "std"), (False, None), (False, "max")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            selector = entry.selector(5, **entry.preset, **params)
            selector.set_params(center=center, scale=scale).fit(X, target)
        data = selector.selection_
        if data.info["errors_of"] == "data":
            assert selector.score(X) == pytest.approx(1 - data.relative_errors[-1], abs=1e-9)
        rebuilt = selector.reconstruct(selector.transform(X))
        Z, R = ((Y - data.means) / data.units if scale or center else Y for Y in (X, rebuilt))
        total = ((Z - Z.mean(axis=0)) ** 2).sum() if center else (Z**2).sum()
        assert selector.score(X) == pytest.approx(1 - ((Z - R) ** 2).sum() / total, abs=1e-9)


def test_scores_of_new_rows_by_columns(wine):
    """Of standardized columns the score is R² with the variances of the new rows as weights."""
    X, _ = wine
    train, new = X[::2], X[1::2]
    selector = GreedySelector(4, center=True, scale="std").fit(train)
    Z, R = (
        (Y - selector.selection_.means) / selector.selection_.units
        for Y in (new, selector.reconstruct(selector.transform(new)))
    )
    expected = r2_score(Z, R, multioutput="variance_weighted")
    assert selector.score(new) == pytest.approx(expected)
    w = np.random.default_rng(0).integers(0, 3, len(new))
    assert selector.score(new, sample_weight=w) == pytest.approx(
        selector.score(np.repeat(new, w, axis=0))
    )
    assert np.isnan(selector.score(new[:1]))


def test_selectors_in_searches(wine):
    X, _ = wine
    X = np.random.default_rng(0).permutation(X)
    search = GridSearchCV(
        GreedySelector(center=True, scale="std"), {"n_select": [1, 4, 8]}, cv=4
    ).fit(X)
    scores = search.cv_results_["mean_test_score"]
    assert (np.diff(scores) > 0).all()
    assert search.best_params_ == {"n_select": 8}
    assert cross_val_score(GreedySelector(4, center=True, scale="std"), X, cv=4).min() > 0.4


def test_reconstruction_after_weights_of_columns(wine):
    """What transform multiplied is divided again; weights are for the columns as they were seen."""
    X, _ = wine
    selector = DualSetSelector(6, 3, center=True, scale="std").fit(X)
    order = np.argsort(selector.indices_)
    Z, _ = standardized(X, center=False, scale="std")
    np.testing.assert_allclose(
        selector.transform(X), Z[:, selector.indices_[order]] * selector.weights_[order]
    )
    rebuilt = selector.reconstruct(selector.transform(X))
    chosen = np.sort(selector.indices_)
    np.testing.assert_allclose(
        rebuilt, LinearRegression().fit(X[:, chosen], X).predict(X[:, chosen]), rtol=1e-8
    )
    np.testing.assert_allclose(
        selector.inverse_transform(selector.transform(X))[:, chosen], X[:, chosen]
    )


def test_constant_and_dependent_columns_are_reconstructed():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((30, 3))
    A = np.column_stack([A, A[:, 0] * 2 - A[:, 1], np.full(30, 4.0), A[:, 2]])
    for center in (True, False):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankReachedWarning)
            selector = GreedySelector(5, center=center, scale="std").fit(A)
        np.testing.assert_allclose(selector.reconstruct(selector.transform(A)), A, atol=1e-9)
    few = GreedySelector(2, center=True).fit(A[:3])
    assert np.isnan(few.reconstruct(few.transform(A), return_std=True)[1]).all()
    with pytest.raises(ValueError, match="X has 3 columns, but 2 were chosen"):
        few.reconstruct(A[:, :3])


def test_certificates_and_metrics_see_what_the_method_saw(wine):
    X, y = wine
    Z, _ = standardized(X, center=True, scale="std")
    test = X[:9] + 0.5
    test_z = (test - X.mean(axis=0)) / X.std(axis=0)
    for put in PUT.values():
        found, expected = select(put(X), 5, method="bss", center=True, scale="std"), None
        expected = select(Z, 5, method="bss")
        options = {"n_clusters": 3, "labels": y == 1, "alpha": 0.5}
        ours = certify(put(X), found, test=put(test), **options)
        theirs = certify(Z, expected, test=test_z, **options)
        for check in theirs.checks:
            if check.measured is not None:
                assert ours[check.key].measured == pytest.approx(
                    check.measured, rel=1e-6, abs=1e-9
                ), check.key
        for measure in (metrics.reconstruction_error, metrics.relative_accuracy):
            assert measure(put(X), found) == pytest.approx(measure(Z, expected))
            asked = {"center": True, "scale": "std"}
            assert measure(put(X), found.indices, **asked) == pytest.approx(measure(Z, expected))
            assert measure(put(X), found, center=False) == pytest.approx(measure(X, found.indices))
        np.testing.assert_allclose(
            low_rank(put(X), found).toarray(), low_rank(Z, expected).toarray(), atol=1e-9
        )
    again = Selection.from_dict(found.to_dict())
    assert metrics.reconstruction_error(X, again) == metrics.reconstruction_error(X, found)


def test_certificates_with_weights(wine):
    X, _ = wine
    w = np.random.default_rng(0).integers(0, 3, len(X))
    found = select(X, 4, method="dual-set", n_clusters=3, scale="std", sample_weight=w)
    certificate = certify(X, found, sample_weight=w)
    assert certificate.holds
    assert certificate["sigma_min"].promised is not None
    without = certify(X, found)
    assert without.holds
    assert "pass sample_weight to compare" in without.notes[0]
    assert without["lost_share"].promised is None
    repeated = certify(np.repeat(X, w, axis=0), found)
    assert certificate["lost_share"].measured == pytest.approx(repeated["lost_share"].measured)
    with pytest.raises(ValueError, match="leave clusters, n_clusters, labels and test out"):
        certify(X, found, sample_weight=w, n_clusters=3)


# -- advice ----------------------------------------------------------------------------------------


def test_advice_where_units_or_means_decide(wine):
    X, _ = wine
    with pytest.warns(DataWarning, match=r"column 12 holds 98.4 % of the squared size of the data"):
        GreedySelector(2).fit(X)
    with pytest.warns(DataWarning, match="the means of the columns hold 9.*center=True subtracts"):
        select(load_iris().data, 2)
    named = load_wine(as_frame=True).data
    for put in PUT.values():
        ADVISED.clear()
        with pytest.warns(DataWarning, match="column 12 holds"):
            select(put(X), 2)
    ADVISED.clear()
    with pytest.warns(DataWarning, match="column 'proline' holds"):
        GreedySelector(2).fit(named)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        GreedySelector(2, center=True, scale="std").fit(X)
        GreedySelector(2).fit(load_digits().data)
        select(sp.csr_array(load_digits().data), 2)
        colonnade.RowSelector(GreedySelector(2)).fit(X)


def test_names_of_constant_columns():
    frame = load_wine(as_frame=True).data.assign(firmware=3)
    with pytest.warns(DataWarning, match="1 column is constant and no candidates: 'firmware'"):
        GreedySelector(2, center=True, scale="std").fit(frame)


def test_the_users_data_is_never_written_to(wine):
    X, _ = wine
    for put in PUT.values():
        given = put(X)
        for part in (given,) if isinstance(given, np.ndarray) else (given.data, given.indices):
            part.setflags(write=False)
        selector = GreedySelector(3, center=True, scale="std").fit(given, sample_weight=X[:, 0])
        selector.score(given)
        rebuilt = selector.reconstruct(selector.transform(given))
        np.testing.assert_array_equal(rebuilt[:, selector.indices_], X[:, selector.indices_])


def test_seeds_of_random_methods_mean_the_same():
    A = np.random.default_rng(0).standard_normal((30, 8)) + 4
    Z, _ = standardized(A, center=True, scale="std")
    found = select(A, 3, method="uniform", center=True, scale="std", random_state=SEED)
    assert (
        found.indices.tolist() == select(Z, 3, method="uniform", random_state=SEED).indices.tolist()
    )


# -- at the edges ----------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [1e-300, 1e-290, 1e169, 1e200, 1e300])
def test_weights_of_any_size(factor):
    A = np.random.default_rng(0).standard_normal((150, 8))
    w = np.random.default_rng(1).integers(1, 3, 150)
    expected = select(A, 3, center=True, scale="std", sample_weight=w)
    found = select(A, 3, center=True, scale="std", sample_weight=w * factor)
    assert found.indices.tolist() == expected.indices.tolist()
    np.testing.assert_allclose(found.relative_errors, expected.relative_errors)
    np.testing.assert_allclose(found.errors, expected.errors * factor, rtol=1e-9)
    np.testing.assert_allclose(found.embedding**2, expected.embedding**2 * factor, rtol=1e-6)


@pytest.mark.parametrize("put", PUT)
def test_gaps_are_no_zeros(put):
    X = np.array([[1001, 2.0], [999, 1.0], [1000, np.nan], [np.nan, 3.0]])
    found = select(PUT[put](X), 1, center=True, scale="max", missing="pairwise")
    assert found.units.tolist() == [1.0, 1.0]


def test_columns_of_1e12_plus_minus_one_vary():
    A = 1e12 + np.random.default_rng(0).integers(-1, 2, (60, 6))
    assert len(select(A, 6, center=True)) == 6


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", ["mean", "median", "pairwise"])
def test_the_score_with_gaps_by_definition(missing, weighted):
    """A chosen column counts as its mean where it is missing; others take no part there."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((60, 3)) @ rng.standard_normal((3, 8)) + 5.0
    A += 0.5 * rng.standard_normal(A.shape)
    A[rng.random(A.shape) < 0.2] = np.nan
    w = rng.integers(1, 4, 60) if weighted else np.ones(60)
    selector = GreedySelector(3, center=True, scale="std", missing=missing)
    selector.fit(A, sample_weight=w if weighted else None)
    found = selector.selection_
    Z = (A - found.means) / found.units
    rebuilt = np.where(np.isnan(Z), 0.0, Z)[:, found.indices] @ found.coefficients
    middle = np.array([np.average(z[~np.isnan(z)], weights=w[~np.isnan(z)]) for z in Z.T])
    missed = np.nansum(w[:, None] * (Z - rebuilt) ** 2)
    total = np.nansum(w[:, None] * (Z - middle) ** 2)
    given = {"sample_weight": w} if weighted else {}
    assert selector.score(A, **given) == pytest.approx(1 - missed / total, rel=1e-9)
    inverse = selector.reconstruct(selector.transform(A))
    np.testing.assert_allclose(
        inverse[:, ~found.mask], (rebuilt * found.units + found.means)[:, ~found.mask]
    )
    assert np.isfinite(inverse).all()


def test_units_of_pairs_are_weighted():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((50, 5)) * [1, 2, 3, 4, 5]
    A[rng.random(A.shape) < 0.1] = np.nan
    w = rng.integers(0, 5, 50)
    found = select(A, 2, center=True, scale="std", missing="pairwise", sample_weight=w)
    repeated = np.repeat(A, w, axis=0)
    np.testing.assert_allclose(found.units, np.nanstd(repeated, axis=0))
    np.testing.assert_allclose(found.means, np.nanmean(repeated, axis=0))
    certificate = certify(A, found, sample_weight=w)
    assert certificate.holds
    assert "products of pairs" in certificate.notes[0]
    filled = np.where(np.isnan(A), found.means, A)
    expected = metrics.reconstruction_error(
        filled, found.indices, center=True, scale=found.units, sample_weight=w
    )
    assert certificate["lost_share"].measured == pytest.approx(expected, rel=1e-6)


def test_selections_from_covariances_are_measured_on_centred_data(wine):
    X, _ = wine
    S = colonnade.Covariance(np.cov(X.T, ddof=0), n_samples=len(X))
    for scale in (None, "std"):
        found = select(S, 4, scale=scale)
        assert found.info["n_rows"] == 178
        for data in (X, S):
            error = metrics.reconstruction_error(data, found)
            assert error == pytest.approx(found.relative_errors[-1], rel=1e-6)
            assert certify(data, found).holds


def test_constant_columns_of_covariances():
    X = np.random.default_rng(0).standard_normal((40, 6))
    X[:, 2] = 0.1
    with pytest.warns(DataWarning, match="1 column is constant and no candidates: 2"):
        found = select(colonnade.Covariance(np.cov(X.T)), 5, scale="std")
    assert 2 not in found.indices
    with pytest.raises(ValueError, match="all columns are constant"):
        select(colonnade.Covariance(np.zeros((3, 3))), 1, scale="std")


@pytest.mark.parametrize("put", ["C", "csr"])
def test_advice_at_the_edge_of_ninety_per_cent(put):
    for share in (0.89, 0.91):
        A = np.zeros((100, 2))
        A[::2, 0], A[1::2, 0] = 1.0, -1.0
        A[::4, 1], A[2::4, 1] = np.sqrt(2 * (1 / share - 1)), -np.sqrt(2 * (1 / share - 1))
        B = np.column_stack([A[:, 0], -A[:, 0]]) * np.sqrt(1 / share - 1) + [[1.0, 1.0]]
        for X, what in ((A, "column 0 holds"), (B, "the means of the columns hold")):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                select(PUT[put](X), 1)
            said = [str(w.message) for w in caught if w.category is DataWarning]
            assert len(said) == (share > 0.9), (share, said)
            assert all(what in text for text in said)


def test_advice_knows_weights_and_gaps_and_is_given_once():
    X = np.random.default_rng(0).standard_normal((150, 8))
    X[0, 3] = 1e6
    w = np.ones(150)
    w[0] = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        select(X, 3, sample_weight=w)
    X[5, 1] = np.nan
    with pytest.warns(DataWarning, match="column 3 holds 100.0 %"):
        select(X, 3, missing="mean")
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        select(X, 3, missing="mean")
    periodic = np.random.default_rng(0).standard_normal((20000, 20))
    periodic[1::20, 3] = 1e4
    ADVISED.clear()
    with pytest.warns(DataWarning, match="column 3 holds"):
        select(periodic, 3)


def test_chosen_columns_are_the_same_by_every_way(wine):
    X, _ = wine
    selector = colonnade.BSSSelector(5, center=True, scale="std").fit(X)
    order = np.argsort(selector.indices_)
    np.testing.assert_allclose(selector.selection_.apply(X)[:, order], selector.transform(X))
