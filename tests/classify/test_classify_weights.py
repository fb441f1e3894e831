"""Weights of rows and classes, and units of features, in least-squares classification."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, RobustScaler, StandardScaler

from colonnade import RLSClassifier
from colonnade.foundation.alerts import DataWarning

CONTAINERS = [np.asarray, sp.csr_array]


def table(seed=0, shape=(40, 6), n_classes=3):
    """Rows around a centre for each class, with units far apart, weights and new rows."""
    rng = np.random.default_rng(seed)
    n, d = shape
    codes = np.r_[np.arange(n) % n_classes, rng.integers(n_classes, size=15)]
    X = rng.standard_normal((n + 15, d)) + rng.standard_normal((n_classes, d))[codes] + 0.5
    return X[:n], codes[:n], rng.uniform(0.2, 3.0, n), X[n:]


def signs(codes):
    k = codes.max() + 1
    return np.where(codes[:, None] == (np.arange(k) if k > 2 else [1]), 1.0, -1.0)


# --- weights ------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["direct", "lsqr"])
@pytest.mark.parametrize("alpha", [0.7, [0.7]])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("class_weight", [None, {0: 3.0, 2: 0.5}])
@pytest.mark.parametrize("shape", [(40, 6), (20, 50)])
@pytest.mark.parametrize("put", CONTAINERS)
def test_agrees_with_ridge_classifier(put, shape, class_weight, intercept, alpha, solver):
    X, y, w, _ = table(shape=shape)
    mine = RLSClassifier(
        alpha, fit_intercept=intercept, class_weight=class_weight, solver=solver
    ).fit(put(X), y, sample_weight=w)
    theirs = RidgeClassifier(
        0.7, fit_intercept=intercept, class_weight=class_weight, solver="cholesky"
    ).fit(X, y, sample_weight=w)
    atol = 1e-6 if solver == "lsqr" else 1e-10
    np.testing.assert_allclose(mine.coef_, theirs.coef_, atol=atol)
    np.testing.assert_allclose(mine.intercept_, theirs.intercept_, atol=atol)


@pytest.mark.parametrize("alpha", [0.0, 1e-11])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("put", CONTAINERS)
def test_hardly_any_ridge(put, intercept, alpha):
    """Where no inner products are formed: weighted least squares."""
    X, y, w, new = table()
    model = RLSClassifier(alpha, fit_intercept=intercept).fit(put(X), y, sample_weight=w)
    D = np.hstack([X, np.ones((len(X), 1))]) if intercept else X
    root = np.sqrt(w)[:, None]
    expected = np.linalg.lstsq(D * root, signs(y) * root, rcond=None)[0]
    new = np.hstack([new, np.ones((len(new), 1))]) if intercept else new
    found = model.decision_function(new[:, : X.shape[1]])
    np.testing.assert_allclose(found, new @ expected, atol=1e-8)


@pytest.mark.parametrize("alpha", [0.3, [0.3]])
@pytest.mark.parametrize("kernel", ["rbf", "poly", "precomputed"])
def test_agrees_with_kernel_ridge(kernel, alpha):
    X, y, w, new = table()
    K, K_new = X, new
    if kernel == "precomputed":
        K, K_new = rbf_kernel(X), rbf_kernel(new, X)
    params = {} if kernel == "precomputed" else {"gamma": 0.1, "degree": 2}
    mine = RLSClassifier(alpha, kernel=kernel, **params).fit(K, y, sample_weight=w)
    theirs = KernelRidge(alpha=0.3, kernel=kernel, **params)
    theirs.fit(K, signs(y), sample_weight=w)
    expected = theirs.predict(K_new)
    np.testing.assert_allclose(mine.decision_function(K_new), expected, atol=1e-9)
    np.testing.assert_allclose(mine.dual_coef_, theirs.dual_coef_, atol=1e-8)


@pytest.mark.parametrize("alpha", [0.3, [0.3]])
def test_a_kernel_with_an_intercept(alpha):
    """``(K + λW⁻¹)c + b = y`` and ``1ᵀc = 0``, from the bordered system."""
    X, y, w, _ = table()
    K, n = rbf_kernel(X, gamma=0.1), len(X)
    M = np.block([[K + 0.3 * np.diag(1 / w), np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    c = np.linalg.solve(M, np.vstack([signs(y), np.zeros((1, 3))]))
    model = RLSClassifier(alpha, kernel="rbf", gamma=0.1, fit_intercept=True)
    model.fit(X, y, sample_weight=w)
    np.testing.assert_allclose(model.dual_coef_, c[:n], atol=1e-9)
    np.testing.assert_allclose(model.intercept_, c[n], atol=1e-9)


MODELS = st.fixed_dictionaries(
    {
        "alpha": st.sampled_from([0.5, [0.5], 0.0]),
        "kernel": st.sampled_from(["linear", "linear", "rbf"]),
        "fit_intercept": st.booleans(),
        "scale": st.sampled_from([None, "std", "robust", "max"]),
        "class_weight": st.sampled_from([None, "balanced", {0: 2.0, 1: 0.25}]),
    }
)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(MODELS, st.integers(0, 2**32 - 1), st.sampled_from(CONTAINERS), st.integers(2, 3))
def test_whole_weights_are_repeated_rows(params, seed, put, n_classes):
    X, y, _, new = table(seed, (25, 4), n_classes)
    w = np.random.default_rng(seed).integers(1, 4, len(X))
    if params["kernel"] == "rbf" and params["alpha"] == 0.0:
        params["alpha"] = 1e-2  # repeated rows make a kernel singular
    weighted = RLSClassifier(**params).fit(put(X), y, sample_weight=w)
    repeated = RLSClassifier(**params).fit(put(np.repeat(X, w, axis=0)), np.repeat(y, w))
    expected = repeated.decision_function(put(new))
    np.testing.assert_allclose(weighted.decision_function(put(new)), expected, atol=1e-8)
    if params["scale"] is not None:
        np.testing.assert_allclose(weighted.units_, repeated.units_, rtol=1e-12)
    if params["kernel"] == "linear":
        np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-8)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(
    MODELS, st.integers(0, 2**32 - 1), st.sampled_from(CONTAINERS),
    st.sampled_from([None, 3, KFold(4)]),
)  # fmt: skip
def test_rows_without_weight_are_as_if_they_were_not_there(params, seed, put, cv):
    X, y, w, new = table(seed, (30, 4))
    w[np.random.default_rng(seed).random(len(X)) < 0.3] = 0.0
    w[:6] = 1.0
    there = w > 0
    X[~there] *= 100.0
    params = {**params, "alpha": [0.5, 5.0], "cv": cv}
    weighted = RLSClassifier(**params).fit(put(X), y, sample_weight=w)
    fewer = RLSClassifier(**params).fit(put(X[there]), y[there], sample_weight=w[there])
    np.testing.assert_array_equal(weighted.cv_scores_, fewer.cv_scores_)
    np.testing.assert_allclose(weighted.cv_losses_, fewer.cv_losses_, rtol=1e-10)
    expected = fewer.decision_function(new)
    np.testing.assert_allclose(weighted.decision_function(new), expected, rtol=1e-12, atol=1e-13)


def test_a_precomputed_kernel_with_rows_without_weight():
    X, y, w, new = table()
    w[::4] = 0.0
    there = w > 0
    model = RLSClassifier([0.5, 5.0], kernel="precomputed").fit(rbf_kernel(X), y, w)
    fewer = RLSClassifier([0.5, 5.0], kernel="precomputed").fit(
        rbf_kernel(X[there]), y[there], w[there]
    )
    assert model.dual_coef_.shape == (len(X), 3)
    assert not model.dual_coef_[~there].any()
    found = model.decision_function(rbf_kernel(new, X))
    np.testing.assert_allclose(found, fewer.decision_function(rbf_kernel(new, X[there])))


def test_a_class_without_weight_is_none():
    X, y, w, _ = table()
    model = RLSClassifier().fit(X, y, sample_weight=w * (y != 1))
    assert model.classes_.tolist() == [0, 2]
    with pytest.raises(ValueError, match="y holds one class only, 2"):
        RLSClassifier().fit(X, y, sample_weight=w * (y == 2))


def refitted(model, X, y, w, folds, put):
    """Weighted accuracy and loss of fits without each fold."""
    hits = losses = total = 0.0
    for train, test in folds:
        fit = model.fit(put(X[train]), y[train], sample_weight=w[train])
        F = fit.decision_function(put(X[test])).reshape(len(test), -1)
        hits += w[test] @ (fit.predict(put(X[test])) == y[test])
        losses += w[test] @ np.square(F - signs(y)[test]).mean(axis=1)
        total += w[test].sum()
    return hits / total, losses / total


@pytest.mark.parametrize("put", CONTAINERS)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("cv", [None, 4])
@pytest.mark.parametrize(
    ("kernel", "shape"), [("linear", (40, 6)), ("linear", (20, 50)), ("rbf", (40, 6))]
)
def test_left_out_scores_are_those_of_refitting(kernel, shape, cv, intercept, put):
    X, y, w, _ = table(shape=shape)
    w[3] = 1e-4
    alphas = [1e-8, 0.1, 3.0] if kernel == "linear" else [0.1, 3.0]
    params = {"kernel": kernel, "gamma": 0.05, "fit_intercept": intercept}
    model = RLSClassifier(alphas, cv=cv, **params).fit(put(X), y, sample_weight=w)
    n = len(X)
    folds = [(np.delete(np.arange(n), i), np.array([i])) for i in range(n)]
    if cv is not None:
        folds = list(StratifiedKFold(cv).split(X, y))
    for alpha, score, loss in zip(alphas, model.cv_scores_, model.cv_losses_, strict=True):
        expected = refitted(RLSClassifier(alpha, **params), X, y, w, folds, put)
        # with hardly any λ wide data leaves 1e-16 / 1e-8 of digits
        rtol = 1e-5 if alpha < 1e-6 else 1e-8
        np.testing.assert_allclose((score, loss), expected, rtol=rtol)


def test_given_folds_are_of_all_rows():
    X, y, w, _ = table()
    w[::4] = 0.0
    folds = list(KFold(3).split(X))
    model = RLSClassifier([0.1, 3.0], cv=folds).fit(X, y, sample_weight=w)
    expected = refitted(RLSClassifier(3.0), X, y, w, folds, np.asarray)
    np.testing.assert_allclose((model.cv_scores_[1], model.cv_losses_[1]), expected, rtol=1e-9)
    w[:20] = 0.0
    halves = [(np.arange(20), np.arange(20, 40)), (np.arange(20, 40), np.arange(20))]
    with pytest.raises(ValueError, match=r"in fold 0 of 2 no training row has a positive"):
        RLSClassifier([0.1, 3.0], cv=halves).fit(X, y, sample_weight=w)


def test_balanced_classes_count_alike():
    X, y, w, _ = table(shape=(60, 4), n_classes=2)
    few = np.r_[np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:6]]
    X, y, w = X[few], y[few], w[few]
    sums = np.bincount(y, w)
    balanced = RLSClassifier(class_weight="balanced").fit(X, y, sample_weight=w)
    by_hand = RLSClassifier().fit(X, y, sample_weight=w * (w.sum() / (2 * sums))[y])
    np.testing.assert_allclose(balanced.coef_, by_hand.coef_, rtol=1e-10)
    # scikit-learn counts rows, which is the same without weights
    theirs = RidgeClassifier(class_weight="balanced").fit(X, y)
    mine = RLSClassifier(class_weight="balanced", fit_intercept=True).fit(X, y)
    np.testing.assert_allclose(mine.coef_[0], theirs.coef_, atol=1e-10)


@pytest.mark.parametrize("unit", [1e250, 1e-250, 3.0])
def test_a_common_weight_is_a_smaller_ridge(unit):
    X, y, w, new = table()
    expected = RLSClassifier(0.5, fit_intercept=True).fit(X, y, w).decision_function(new)
    model = RLSClassifier(0.5 * unit, fit_intercept=True).fit(X, y, sample_weight=w * unit)
    np.testing.assert_allclose(model.decision_function(new), expected, rtol=1e-9)


def test_weights_can_be_routed_and_are_not_changed():
    X, y, w, _ = table()
    before = w.copy()
    with sklearn.config_context(enable_metadata_routing=True):
        model = RLSClassifier().set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"alpha": [0.1, 1000.0]}).fit(X, y, sample_weight=w)
    expected = RLSClassifier(search.best_params_["alpha"]).fit(X, y, w)
    np.testing.assert_allclose(search.best_estimator_.coef_, expected.coef_, rtol=1e-10)
    np.testing.assert_array_equal(w, before)
    assert RLSClassifier().fit(X, y, pd.Series(w)).coef_.tolist() == (
        RLSClassifier().fit(X, y, w.tolist()).coef_.tolist()
    )


# --- units --------------------------------------------------------------------------------------

SCALERS = {
    "std": StandardScaler(),
    "robust": RobustScaler(),
    "max": make_pipeline(StandardScaler(with_std=False), MaxAbsScaler()),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("put", CONTAINERS)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("scale", SCALERS)
def test_scaling_is_that_of_scikit_learn(scale, kernel, put, dtype):
    X, y, _, new = table(shape=(41, 6))  # quartiles are rows
    units = 10.0 ** np.arange(-3, 3)
    X, new = (X * units).astype(dtype), (new * units).astype(dtype)
    params = {"kernel": kernel, "fit_intercept": True}
    model = RLSClassifier(0.5, scale=scale, **params).fit(put(X), y)
    scaler = SCALERS[scale].fit(X.astype(float))
    plain = RLSClassifier(0.5, **params).fit(scaler.transform(X), y)
    rtol = 1e-9 if dtype is np.float64 else 2e-5
    found = model.decision_function(put(new))
    np.testing.assert_allclose(found, plain.decision_function(scaler.transform(new)), atol=rtol)
    assert model.intercept_.dtype == dtype
    if kernel == "linear":
        assert model.coef_.dtype == dtype
        np.testing.assert_allclose(model.coef_ * model.units_, plain.coef_, atol=rtol)
    else:
        assert sp.issparse(model.X_fit_) == (put is sp.csr_array)
        assert model.X_fit_.dtype == dtype


def test_without_an_intercept_zero_is_the_origin():
    X, y, _, _ = table()
    model = RLSClassifier(scale="max").fit(X + 5.0, y)
    np.testing.assert_allclose(model.units_, np.abs(X + 5.0).max(axis=0))
    assert RLSClassifier().fit(X, y).units_ is None


@pytest.mark.parametrize("put", CONTAINERS)
def test_features_that_do_not_vary_take_no_part(put):
    X, y, _, new = table()
    more = np.insert(X, 2, 7.0, axis=1)
    with pytest.warns(DataWarning, match=r"1 column is constant .*: 2$"):
        model = RLSClassifier(scale="std", fit_intercept=True).fit(put(more), y)
    few = RLSClassifier(scale="std", fit_intercept=True).fit(X, y)
    assert model.units_[2] == 0
    assert not model.coef_[:, 2].any()
    np.testing.assert_allclose(np.delete(model.coef_, 2, axis=1), few.coef_, atol=1e-12)
    found = model.decision_function(np.insert(new, 2, -1e9, axis=1))
    np.testing.assert_allclose(found, few.decision_function(new), atol=1e-12)


@pytest.mark.parametrize("put", CONTAINERS)
def test_given_units(put):
    X, y, _, new = table()
    units = np.array([1.0, 2.0, 5.0, 0.1, 1e-60, 1e60])
    model = RLSClassifier(scale=units).fit(put(X * units), y)
    plain = RLSClassifier().fit(X, y)
    np.testing.assert_allclose(model.units_, units)
    found = model.decision_function(put(new * units))
    np.testing.assert_allclose(found, plain.decision_function(new), rtol=1e-8)
    narrow = RLSClassifier(scale=[*units[:4].tolist(), 1e-40, 1.0], kernel="rbf")
    narrow.fit(put(X.astype(np.float32)), y)
    assert np.isfinite(narrow.decision_function(new.astype(np.float32))).all()


def test_units_make_few_columns_tell_more():
    X, y = load_wine(return_X_y=True)
    X = X[:, [0, 6, 9, 12]]
    plain = cross_val_score(RLSClassifier(fit_intercept=True, alpha=100.0), X, y, cv=5).mean()
    scaled = RLSClassifier(fit_intercept=True, alpha=100.0, scale="std")
    assert cross_val_score(scaled, X, y, cv=5).mean() > plain + 0.03


def test_a_frame_names_its_constants():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X["same"] = 1.0
    with pytest.warns(DataWarning, match="'same'"):
        RLSClassifier(scale="std").fit(X, y)


# --- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "error", "words"),
    [
        (-np.ones(40), ValueError, r"sample_weight\[0\] = -1.0; weights must be finite"),
        (np.r_[np.ones(39), np.nan], ValueError, r"sample_weight\[39\] = nan"),
        (np.zeros(40), ValueError, "sample_weight is zero for every row"),
        (np.ones(39), ValueError, r"shape \(39,\), but the data has 40 rows"),
        (np.ones((40, 1)), ValueError, r"shape \(40, 1\)"),
        (["a"] * 40, TypeError, "must hold numbers"),
    ],
)
def test_weights_that_are_none(weights, error, words):
    X, y, _, _ = table()
    with pytest.raises(error, match=words):
        RLSClassifier().fit(X, y, sample_weight=weights)


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ({"class_weight": "even"}, TypeError, 'must be None, "balanced", or a dict'),
        ({"class_weight": [1, 2, 3]}, TypeError, "must be None"),
        ({"class_weight": {0: 0.0}}, ValueError, "gives the class 0 the weight 0; weights of"),
        ({"class_weight": {1: np.nan}}, ValueError, "gives the class 1 the weight nan"),
        ({"class_weight": {"a": 2.0}}, ValueError, "class_weight"),
        ({"scale": "mean"}, ValueError, "scale='mean'; choose one of std, robust, max"),
        ({"scale": [1.0, 2.0]}, ValueError, "scale holds 2 units, but the data has 6 columns"),
        ({"scale": [1.0] * 5 + [0.0]}, ValueError, r"scale\[5\] = 0.0; a unit must be"),
        ({"scale": [1.0] * 5 + [1e-200]}, ValueError, r"scale\[5\] = 1e-200, .* out of range"),
        ({"scale": 2.0}, TypeError, "scale must be None, one of"),
    ],
)
def test_parameters_that_are_none(params, error, words):
    X, y, _, _ = table()
    with pytest.raises(error, match=words):
        RLSClassifier(**params).fit(X, y)


def test_a_precomputed_kernel_has_no_units():
    X, y, _, _ = table()
    with pytest.raises(ValueError, match="scale the data that the kernel is computed from"):
        RLSClassifier(kernel="precomputed", scale="std").fit(X @ X.T, y)


def test_nothing_that_varies_has_no_units():
    with pytest.raises(ValueError, match="nothing varies"):
        RLSClassifier(scale="std").fit(np.ones((4, 3)), [0, 1, 0, 1])
