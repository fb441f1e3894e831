"""Regularized least-squares classification against its formulas, refits and scikit-learn."""

from __future__ import annotations

import functools
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
)  # fmt: skip
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import colonnade.classify
from colonnade import PivotedQRSelector, RLSClassifier, as_operand, datasets, select
from colonnade.linalg import ridge

ESTIMATORS = [
    RLSClassifier(),
    RLSClassifier(0),
    RLSClassifier(solver="lsqr"),
    RLSClassifier(fit_intercept=True),
    RLSClassifier([0.1, 1.0, 10.0]),
    RLSClassifier([0.0, 1.0], cv=3, fit_intercept=True),
    RLSClassifier(scale="std", fit_intercept=True, class_weight="balanced"),
    RLSClassifier(kernel="rbf"),
    RLSClassifier([0.0, 0.5], kernel="rbf"),
    RLSClassifier([0.0, 0.5], kernel="poly", fit_intercept=True, cv=3),
    # the checks subtract a constant from the kernel, which an intercept makes up for
    RLSClassifier(10.0, kernel="precomputed", fit_intercept=True),
]
SHAPES = {"tall": (60, 9), "square": (25, 25), "wide": (20, 70)}


def expected_failures(estimator):
    """What fails by design, as scikit-learn wants it declared, with the reason."""
    if estimator.fit_intercept:
        return {}
    # as for RidgeClassifier(fit_intercept=False)
    reason = "without an intercept no weight makes one class win everywhere"
    return {"check_class_weight_classifiers": reason}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_scikit_learn_contract(estimator):
    results = check_estimator(
        estimator, on_skip=None, on_fail=None, expected_failed_checks=expected_failures(estimator)
    )
    failed = [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"]
    assert failed == []
    assert sum(r["status"] == "passed" for r in results) > 50


def test_scikit_learn_contract_of_precomputed_kernels():
    """Two checks pass indefinite matrices as kernels, which are refused."""
    model = RLSClassifier(kernel="precomputed")
    results = check_estimator(
        model, on_skip=None, on_fail=None, expected_failed_checks=expected_failures(model)
    )
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    assert set(failed) <= {"check_positive_only_tag_during_fit", "check_estimators_dtypes"}
    for error in failed.values():
        assert "not positive semidefinite" in f"{error} {error.__cause__}"


def problem(shape, n_classes=2, seed=0):
    """Rows around a centre for each class, far from separable, and new rows."""
    rng = np.random.default_rng(seed)
    n, d = SHAPES[shape]
    codes = np.r_[np.arange(n) % n_classes, rng.integers(n_classes, size=40)]
    X = rng.normal(size=(n + 40, d)) + 0.5 * rng.normal(size=(n_classes, d))[codes] + 0.3
    return X[:n], codes[:n], X[n:]


def signs(codes):
    k = codes.max() + 1
    return np.where(codes[:, None] == (np.arange(k) if k > 2 else [1]), 1.0, -1.0)


def explicit(K, K_new, Y, alpha, intercept):
    """Values on new rows from the full system with its border of ones."""
    n = len(K)
    if not intercept:
        return K_new @ np.linalg.solve(K + alpha * np.eye(n), Y)
    ones = np.ones((n, 1))
    M = np.block([[K + alpha * np.eye(n), ones], [ones.T, np.zeros((1, 1))]])
    c = np.linalg.solve(M, np.vstack([Y, np.zeros((1, Y.shape[1]))]))
    return K_new @ c[:n] + c[n]


# --- the solution -------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["direct", "lsqr"])
@pytest.mark.parametrize("alpha", [1e-3, 0.7, [30.0]])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("shape", SHAPES)
def test_linear_solution(shape, n_classes, intercept, alpha, solver):
    X, y, new = problem(shape, n_classes)
    model = RLSClassifier(alpha, fit_intercept=intercept, solver=solver).fit(X, y)
    expected = explicit(X @ X.T, new @ X.T, signs(y), np.max(alpha), intercept)
    found = model.decision_function(new).reshape(len(new), -1)
    # LSQR with hardly any regularization needs many digits to get these
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6 if solver == "lsqr" else 1e-9)
    assert model.form_ == ("lsqr" if solver == "lsqr" else "dual" if shape == "wide" else "primal")
    assert model.coef_.shape == (1 if n_classes == 2 else 3, X.shape[1])
    np.testing.assert_allclose(new @ model.coef_.T + model.intercept_, found, atol=1e-12)


def test_the_formula_of_the_document():
    """x = V(Σ² + λI)⁻¹Vᵀy and f(q) = xᵀXᵀq; the document's X has points as columns."""
    X, y, new = problem("wide")
    _, sigma, Vt = np.linalg.svd(X.T, full_matrices=False)
    for alpha in (0.0, 0.1, 0.9):
        x_opt = Vt.T @ np.diag(1 / (sigma**2 + alpha)) @ Vt @ (2.0 * y - 1)
        model = RLSClassifier(alpha).fit(X, y)
        np.testing.assert_allclose(model.decision_function(new), new @ X.T @ x_opt, atol=1e-11)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer, load_digits])
def test_agrees_with_ridge_classifier(load, intercept):
    X, y = load(return_X_y=True)
    for step in (1, 40):
        data, labels = X[::step], y[::step]
        for alpha in (0.1, 100.0):
            mine = RLSClassifier(alpha, fit_intercept=intercept).fit(data, labels)
            theirs = RidgeClassifier(alpha, fit_intercept=intercept, solver="svd")
            theirs.fit(data, labels)
            coef = np.atleast_2d(theirs.coef_)
            scale = np.abs(coef).max()
            np.testing.assert_allclose(mine.coef_, coef, rtol=1e-7, atol=1e-7 * scale)
            np.testing.assert_allclose(mine.intercept_, theirs.intercept_, atol=1e-7)
            np.testing.assert_array_equal(mine.predict(X), theirs.predict(X))


KERNELS = {
    "rbf": {"gamma": 0.05},
    "poly": {"degree": 2, "gamma": 0.1, "coef0": 2.0},
    "sigmoid": {"gamma": 0.01, "coef0": 0.0},
    "laplacian": {},
    "cosine": {},
}


@pytest.mark.parametrize("alpha", [0.5, [0.5]])
@pytest.mark.parametrize("kernel", KERNELS)
def test_agrees_with_kernel_ridge(kernel, alpha):
    X, y, new = problem("tall", 3)
    mine = RLSClassifier(alpha, kernel=kernel, **KERNELS[kernel]).fit(X, y)
    theirs = KernelRidge(alpha=0.5, kernel=kernel, **KERNELS[kernel]).fit(X, signs(y))
    np.testing.assert_allclose(mine.dual_coef_, theirs.dual_coef_, atol=1e-11)
    np.testing.assert_allclose(mine.decision_function(new), theirs.predict(new), atol=1e-10)
    assert not hasattr(mine, "coef_")
    bordered = RLSClassifier(alpha, kernel=kernel, fit_intercept=True, **KERNELS[kernel]).fit(X, y)
    K, K_new = (
        pairwise_kernels(Z, X, metric=kernel, filter_params=True, **KERNELS[kernel])
        for Z in (X, new)
    )
    expected = explicit(K, K_new, signs(y), 0.5, True)
    np.testing.assert_allclose(bordered.decision_function(new), expected, atol=1e-9)


def test_callable_and_precomputed_kernels_are_the_named_ones():
    X, y, new = problem("wide")
    expected = RLSClassifier(0.3, kernel="rbf", gamma=0.02).fit(X, y).decision_function(new)

    def rbf(x, z, width):
        return np.exp(-width * np.sum((x - z) ** 2))

    called = RLSClassifier(0.3, kernel=rbf, kernel_params={"width": 0.02}).fit(X, y)
    np.testing.assert_allclose(called.decision_function(new), expected, atol=1e-12)
    K, K_new = (pairwise_kernels(Z, X, metric="rbf", gamma=0.02) for Z in (X, new))
    given = RLSClassifier(0.3, kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(given.decision_function(K_new), expected, atol=1e-12)
    linear = RLSClassifier(0.3, kernel="precomputed").fit(X @ X.T, y).decision_function(new @ X.T)
    np.testing.assert_allclose(linear, RLSClassifier(0.3).fit(X, y).decision_function(new))


def test_a_grid_search_cuts_rows_and_columns_of_a_precomputed_kernel():
    X, y, _ = problem("tall")
    K, Y = pairwise_kernels(X, metric="rbf", gamma=0.02), signs(y)
    alphas = [0.01, 0.1]
    search = GridSearchCV(RLSClassifier(kernel="precomputed"), {"alpha": alphas}, cv=3).fit(K, y)
    scores = []
    for alpha in alphas:
        hits = [
            np.sign(explicit(K[train][:, train], K[test][:, train], Y[train], alpha, False))
            == Y[test]
            for train, test in StratifiedKFold(3).split(K, y)
        ]
        scores.append(np.mean([fold.mean() for fold in hits]))
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], scores)
    assert search.best_score_ == pytest.approx(max(scores))
    assert 0.5 < scores[0] < scores[1] < 0.9


@pytest.mark.parametrize("alpha", [0.0, [0.0], 1e-14])
@pytest.mark.parametrize("shape", SHAPES)
def test_without_regularization_the_norm_is_minimal(shape, alpha):
    X, y, _ = problem(shape)
    X[:, 3] = X[:, 1]
    X[7] = X[5]
    np.testing.assert_allclose(
        RLSClassifier(alpha).fit(X, y).coef_[0], np.linalg.pinv(X) @ (2.0 * y - 1), atol=1e-9
    )
    np.testing.assert_allclose(
        RLSClassifier(alpha).fit(sp.csr_array(X), y).coef_[0],
        np.linalg.pinv(X) @ (2.0 * y - 1),
        atol=1e-7,
    )
    if alpha != 1e-14:
        K = X @ X.T
        kernel = RLSClassifier(alpha, kernel="precomputed").fit(K, y)
        expected = np.linalg.pinv(K, rcond=1e-12, hermitian=True) @ (2.0 * y - 1)
        np.testing.assert_allclose(kernel.decision_function(K), K @ expected, atol=1e-9)


def test_ill_conditioned_data_is_not_squared():
    data = datasets.load("graded", n_samples=60, n_features=30, smallest=1e-9)
    truth = np.random.default_rng(0).normal(size=30)
    y = (data.X @ truth > 0).astype(int)
    model = RLSClassifier(0.0).fit(data.X, y)
    expected = np.linalg.lstsq(data.X, 2.0 * y - 1, rcond=None)[0]
    scale = np.abs(expected).max()
    np.testing.assert_allclose(model.coef_[0], expected, atol=1e-6 * scale)
    for share in (1e-15, 1e-13, 1e-11):
        alpha = share * np.sum(data.X**2)
        longer = np.vstack([data.X, np.sqrt(alpha) * np.eye(30)])
        expected = np.linalg.lstsq(longer, np.r_[2.0 * y - 1, np.zeros(30)], rcond=None)[0]
        for kind in (np.asarray, sp.csr_array):
            model = RLSClassifier(alpha).fit(kind(data.X), y)
            scale = np.abs(expected).max()
            np.testing.assert_allclose(model.coef_[0], expected, atol=1e-8 * scale)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("shape", [(700, 10), (40, 10), (13, 12), (12, 12), (10, 40), (10, 700)])
def test_sparse_data_is_not_squared_either(shape, intercept):
    """Graded columns or rows, λ from none to little: CSR is as exact as dense data."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        grades = np.geomspace(1, 1e-7, min(shape))
        X = rng.standard_normal(shape) * (grades if shape[1] <= shape[0] else grades[:, None])
        w = rng.standard_normal(shape[1])
        y = (X / np.abs(X).max(axis=0) @ w > 0).astype(int)
        y[:2] = 0, 1
        for alpha in (0.0, 1e-15, 1e-12, [0.0, 1e-15], [1e-13, 1e-3]):
            dense, sparse = (
                RLSClassifier(alpha, fit_intercept=intercept).fit(data, y)
                for data in (X, sp.csr_array(X))
            )
            np.testing.assert_allclose(
                sparse.decision_function(X), dense.decision_function(X), atol=1e-6
            )
            scale = np.abs(dense.coef_).max()
            np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-6 * scale)
            if np.ndim(alpha):
                assert sparse.alpha_ == dense.alpha_
                np.testing.assert_allclose(sparse.cv_losses_, dense.cv_losses_, rtol=1e-5)


def test_the_last_of_graded_columns_decides_in_sparse_data_too():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((40, 10)) * np.geomspace(1, 1e-8, 10)
    y = (A[:, -1] > 0).astype(int)
    for data in (A, sp.csr_array(A)):
        assert RLSClassifier(0).fit(data, y).score(data, y) == 1.0
        model = RLSClassifier([0.0], fit_intercept=True).fit(data, y)
        folds = list(LeaveOneOut().split(A))
        (F,) = refitted(A, y, [0.0], folds, fit_intercept=True)
        np.testing.assert_allclose(model.cv_losses_, np.mean((F - signs(y)) ** 2), rtol=1e-5)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("shape", [(3000, 6), (6, 3000)])
def test_sparse_data_is_made_dense_in_strips(shape, intercept, monkeypatch):
    X = sp.random_array(shape, density=0.2, rng=np.random.default_rng(0), format="csr")
    largest = []
    for kind in (sp.csr_array, sp.csc_array):
        make = kind.toarray
        monkeypatch.setattr(
            kind, "toarray", lambda self, *a, m=make, **k: largest.append(self.shape) or m(self, *a)
        )
    RLSClassifier(0.0, fit_intercept=intercept).fit(X, np.arange(shape[0]) % 2)
    assert max(np.prod(size) for size in largest) <= 256 * 6


# --- λ by cross-validation ----------------------------------------------------------------------


def refitted(X, y, alphas, folds, **params):
    """Values on left-out rows, by fitting again and again."""
    values = []
    for alpha in alphas:
        rows = [
            RLSClassifier(alpha, **params)
            .fit(X[a], y[a])
            .decision_function(X[b])
            .reshape(len(b), -1)
            for a, b in folds
        ]
        values.append(np.vstack(rows))
    return values


SPLITTERS = [4, KFold(5), RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)]
SEARCHES = [
    (cv, kind, n_classes)
    for cv in [None, *SPLITTERS]
    for kind in ("linear", "rbf", "lsqr")
    for n_classes in (2, 3)
    # iterations leave out groups only
    if kind != "lsqr" or cv is not None
]


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("cv", "kind", "n_classes"), SEARCHES)
@pytest.mark.slow
def test_scores_are_those_of_refitting(cv, shape, n_classes, intercept, kind, monkeypatch):
    X, y, new = problem(shape, n_classes)
    monkeypatch.setattr(ridge, "ROUGH", ridge.EXACT)
    alphas = [20.0, 0.0, 0.01, 1.0, 20.0]
    params = {"fit_intercept": intercept}
    params |= {"kernel": "rbf", "gamma": 0.02} if kind == "rbf" else {}
    params |= {"solver": "lsqr"} if kind == "lsqr" else {}
    model = RLSClassifier(alphas, cv=cv, **params).fit(X, y)
    splitter = LeaveOneOut() if cv is None else StratifiedKFold(4) if cv == 4 else cv
    folds = list(splitter.split(X, y))
    tested = np.concatenate([b for _, b in folds])
    values = refitted(X, y, alphas, folds, **params)
    decided = [(F[:, 0] > 0).astype(int) if n_classes == 2 else F.argmax(1) for F in values]
    scores = [np.mean(d == y[tested]) for d in decided]
    losses = [np.mean((F - signs(y)[tested]) ** 2) for F in values]
    np.testing.assert_allclose(model.cv_losses_, losses, rtol=1e-6)
    np.testing.assert_allclose(model.cv_scores_, scores, atol=1e-12)
    best = max(zip(scores, -np.array(losses).round(9), alphas, strict=True))
    assert model.alpha_ == best[2]
    chosen = RLSClassifier(model.alpha_, **params).fit(X, y)
    np.testing.assert_allclose(
        model.decision_function(new), chosen.decision_function(new), atol=1e-8
    )


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.slow
def test_a_rough_search_chooses_as_an_exact_one(intercept, monkeypatch):
    """Iterations stop early where only predictions count: enough to tell one λ from another."""
    rng = np.random.default_rng(0)
    shares = 1.0 / np.arange(1, 301)
    topics = rng.dirichlet(50 * shares, size=4)
    codes = np.arange(400) % 4
    counts = np.array([rng.multinomial(60, 0.5 * topics[c] + 0.5 * shares / shares.sum())
                       for c in codes])  # fmt: skip
    alphas = [1e-3, 0.1, 10.0, 1000.0, 1e5]
    direct = RLSClassifier(alphas, cv=5, fit_intercept=intercept).fit(counts, codes)
    rough = RLSClassifier(alphas, solver="lsqr", fit_intercept=intercept).fit(counts, codes)
    assert rough.alpha_ == direct.alpha_
    assert len(set(direct.cv_scores_)) > 2
    np.testing.assert_allclose(rough.cv_scores_, direct.cv_scores_, atol=0.01)
    np.testing.assert_allclose(rough.cv_losses_, direct.cv_losses_, rtol=0.01)
    np.testing.assert_allclose(rough.coef_, direct.coef_, atol=1e-6 * np.abs(direct.coef_).max())
    assert np.abs(rough.cv_losses_ / direct.cv_losses_ - 1).max() > 1e-9  # it did end early
    monkeypatch.setattr(ridge, "ROUGH", 1.0)
    wrong = RLSClassifier(alphas, solver="lsqr", fit_intercept=intercept).fit(counts, codes)
    assert np.abs(wrong.cv_losses_ / direct.cv_losses_ - 1).max() > 0.01


@pytest.mark.parametrize("cv", [None, 3])
@pytest.mark.parametrize("kernel", ["rbf", "poly", "laplacian", "cosine", "linear"])
@pytest.mark.slow
def test_scores_of_many_small_samples_with_an_intercept(kernel, cv):
    """The ones have no part in a centred kernel, whatever rounding makes of their eigenvalue."""
    for seed in range(120):
        rng = np.random.default_rng(seed)
        n = 5 + seed % 28
        X, y = rng.standard_normal((n, 20)), np.arange(n) % 2
        K = pairwise_kernels(X, metric=kernel)
        splitter = LeaveOneOut() if cv is None else KFold(cv)
        folds = list(splitter.split(X))
        tested = np.concatenate([b for _, b in folds])
        losses = []
        for alpha in (0.1, 1.0):
            parts = [
                explicit(K[np.ix_(a, a)], K[np.ix_(b, a)], signs(y)[a], alpha, True)
                for a, b in folds
            ]
            losses.append(np.mean((np.vstack(parts) - signs(y)[tested]) ** 2))
        for name, data in ((kernel, X), ("precomputed", K)):
            params = {"kernel": name, "fit_intercept": True, "cv": cv and splitter}
            model = RLSClassifier([0.1, 1.0], **params).fit(data, y)
            np.testing.assert_allclose(model.cv_losses_, losses, rtol=1e-6, err_msg=f"{seed}")


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_two_rows_leave_one_to_learn_from(kernel):
    model = RLSClassifier([0.0, 1.0], kernel=kernel, fit_intercept=True, cv=KFold(2))
    model.fit([[1.0, 2.0], [3.0, 5.0]], [0, 1])
    np.testing.assert_allclose(model.cv_losses_, 4.0)  # a row alone makes a constant


@pytest.mark.parametrize("intercept", [False, True])
def test_hardly_any_regularization_of_a_kernel_of_full_rank(intercept):
    X, y, _ = problem("wide")
    exact, nearly = (
        RLSClassifier(alpha, kernel="rbf", gamma=0.02, fit_intercept=intercept).fit(X, y)
        for alpha in (0.0, 1e-14)
    )
    np.testing.assert_allclose(nearly.dual_coef_, exact.dual_coef_, atol=1e-10)


@pytest.mark.parametrize("intercept", [False, True])
def test_leaving_out_a_row_that_nothing_else_spans(intercept):
    """Leverage one: the fit without the row is the limit λ → 0, not a division by zero."""
    X, y, _ = problem("tall")
    X = np.hstack([X, np.zeros((len(X), 2))])
    X[4, 9] = 3.0
    X[8, 10] = -2.0
    for alpha in (0.0, 1e-12, 1e-3):
        model = RLSClassifier([alpha], fit_intercept=intercept).fit(X, y)
        folds = list(LeaveOneOut().split(X))
        (F,) = refitted(X, y, [alpha], folds, fit_intercept=intercept)
        np.testing.assert_allclose(model.cv_losses_, np.mean((F - signs(y)) ** 2), rtol=1e-7)


@pytest.mark.parametrize("intercept", [False, True])
def test_groups_of_wide_data_with_hardly_any_regularization(intercept):
    """Where the rows span everything, what is kept of them must not be taken from one."""
    X, y, _ = problem("wide")
    alpha = 1e-9 * np.sum(X**2)
    model = RLSClassifier([alpha], cv=4, fit_intercept=intercept).fit(X, y)
    folds = list(StratifiedKFold(4).split(X, y))
    (F,) = refitted(X, y, [alpha], folds, fit_intercept=intercept)
    truth = signs(y)[np.concatenate([b for _, b in folds])]
    np.testing.assert_allclose(model.cv_losses_, np.mean((F - truth) ** 2), rtol=1e-10)


def test_constant_features_count_for_nothing_beside_an_intercept():
    X, y, new = problem("tall")
    constants = np.array([0.1, 1234.1, -7e5 / 3, 1e-3])
    wide = np.hstack([X, np.tile(constants, (60, 1))])
    for kind in (np.asarray, sp.csr_array):
        for alpha in (0.0, [0.0]):
            few = RLSClassifier(alpha, fit_intercept=True).fit(X, y)
            many = RLSClassifier(alpha, fit_intercept=True).fit(kind(wide), y)
            found = many.decision_function(np.hstack([new, np.tile(constants, (40, 1))]))
            np.testing.assert_allclose(found, few.decision_function(new), atol=1e-3)
            if alpha:
                np.testing.assert_allclose(many.cv_losses_, few.cv_losses_, rtol=1e-3)


def test_large_constants_do_not_look_like_rows_that_are_spanned():
    """What subtracting means leaves of a constant is rounding, however it is turned."""
    rng = np.random.default_rng(0)
    X, y = np.full((13, 12), 1e10) * np.arange(1, 13), np.arange(13) % 2
    X[:, 0] = rng.standard_normal(13)
    alphas = [1e14, 1e15]
    dense, sparse = (
        RLSClassifier(alphas, fit_intercept=True).fit(kind(X), y)
        for kind in (np.asarray, sp.csr_array)
    )
    signed = np.where(y, 1.0, -1.0)
    means = (signed.sum() - signed) / 12
    for model in (dense, sparse):
        np.testing.assert_allclose(model.cv_losses_, np.mean((signed - means) ** 2), rtol=1e-6)


def test_folds_of_groups_are_passed_as_pairs():
    X, y, _ = problem("tall")
    folds = list(GroupKFold(3).split(X, y, groups=np.arange(60) // 5))
    found = RLSClassifier([0.1, 1.0], cv=folds).fit(X, y)
    values = refitted(X, y, [0.1, 1.0], folds)
    truth = signs(y)[np.concatenate([b for _, b in folds])]
    np.testing.assert_allclose(found.cv_losses_, [np.mean((F - truth) ** 2) for F in values])


def test_ties_go_to_the_smaller_loss_then_to_the_larger_alpha():
    data = datasets.load("rlsc")
    model = RLSClassifier([1e-3, 5e4, 1e-1]).fit(data.X, data.y)
    assert set(model.cv_scores_) == {1.0}
    assert model.alpha_ == [1e-3, 5e4, 1e-1][model.cv_losses_.argmin()]
    zero = RLSClassifier([1.0, 3.0, 2.0]).fit(np.zeros((4, 2)), [0, 1, 0, 1])
    assert zero.alpha_ == 3.0
    np.testing.assert_array_equal(zero.predict(np.ones((2, 2))), [0, 0])


# --- containers, types, pipelines ---------------------------------------------------------------


def entries(data):
    """The bytes of what data holds, without what SciPy notes about it."""
    if not sp.issparse(data):
        return pickle.dumps(data)
    places = data.coords if data.format == "coo" else (data.indices, data.indptr)
    return [part.tobytes() for part in (data.data, *places)]


@pytest.mark.parametrize("params", [
    {}, {"fit_intercept": True}, {"alpha": [0.1, 1.0]}, {"alpha": [0.1], "cv": 3},
    {"alpha": [0.1, 1.0], "fit_intercept": True}, {"solver": "lsqr", "fit_intercept": True},
    {"kernel": "rbf"},
], ids=repr)  # fmt: skip
@pytest.mark.parametrize("shape", SHAPES)
def test_every_container_gives_the_dense_answer(shape, params, container):
    X, y, new = problem(shape, 3)
    X, new = np.where(X > 0.4, X, 0.0), np.where(new > 0.4, new, 0.0)
    expected = RLSClassifier(**params).fit(X, y)
    data = container(X)
    before = entries(data)
    found = RLSClassifier(**params).fit(data, y)
    assert entries(data) == before
    np.testing.assert_allclose(
        found.decision_function(container(new)), expected.decision_function(new), atol=1e-7
    )
    if "cv_losses_" in vars(expected):
        np.testing.assert_allclose(found.cv_losses_, expected.cv_losses_)


def test_large_sparse_data_is_iterated_on_and_never_dense(monkeypatch):
    X, y, new = problem("square", 3)
    data, expected = sp.csr_array(X), RLSClassifier([0.1, 1.0], cv=5, fit_intercept=True).fit(X, y)
    monkeypatch.setattr(colonnade.classify.rls, "EXACT_SIDE", 10)
    for kind in (sp.csr_array, sp.csc_array):
        monkeypatch.setattr(kind, "toarray", lambda *_, **__: pytest.fail("made dense"))
    found = RLSClassifier([0.1, 1.0], fit_intercept=True).fit(data, y)
    assert found.form_ == "lsqr"
    np.testing.assert_allclose(found.cv_losses_, expected.cv_losses_, rtol=1e-7)
    assert found.alpha_ == expected.alpha_
    np.testing.assert_allclose(found.decision_function(new), expected.decision_function(new))
    assert RLSClassifier().fit(X, y).form_ == "primal"


def test_the_shorter_side_decides_what_is_iterated_on(monkeypatch):
    monkeypatch.setattr(colonnade.classify.rls, "EXACT_SIDE", 10)
    for shape, form in (("tall", "primal"), ("wide", "lsqr")):  # the shorter side: 9 and 20
        X, y, _ = problem(shape)
        assert RLSClassifier(solver="auto").fit(sp.csr_array(X), y).form_ == form
    assert RLSClassifier(solver="direct").fit(sp.csr_array(X), y).form_ == "dual"


def test_float32_stays_float32():
    X, y, new = problem("tall", 3)
    for params in ({}, {"alpha": [0.1, 1.0]}, {"kernel": "rbf"}, {"fit_intercept": True}):
        wide = RLSClassifier(**params).fit(X, y).decision_function(new)
        for make in (np.asarray, sp.csr_array):
            model = RLSClassifier(**params).fit(make(X.astype(np.float32)), y)
            found = model.decision_function(make(new.astype(np.float32)))
            assert found.dtype == np.float32
            np.testing.assert_allclose(found, wide, atol=1e-4)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(
    "kernel", ["linear", "poly", "polynomial", "rbf", "laplacian", "cosine", "chi2"]
)
def test_positive_semidefinite_kernels_work_as_they_are(kernel, intercept):
    X, y, new = problem("tall")
    X, new = np.abs(X), np.abs(new)  # chi2 is for counts
    model = RLSClassifier(0.5, kernel=kernel, fit_intercept=intercept).fit(X, y)
    K, K_new = (pairwise_kernels(Z, X, metric=kernel) for Z in (X, new))
    expected = explicit(K, K_new, signs(y), 0.5, intercept)[:, 0]
    np.testing.assert_allclose(model.decision_function(new), expected, rtol=1e-6, atol=1e-8)
    assert RLSClassifier([0.5, 5.0], kernel=kernel).fit(X, y).cv_scores_.shape == (2,)


def test_kernels_of_float32_data_are_computed_in_float64():
    X, y, new = problem("tall")
    X, new = X.astype(np.float32), new.astype(np.float32)
    params = {"kernel": "rbf", "gamma": 1e-3, "alpha": [1e-9]}
    found = RLSClassifier(**params).fit(X, y)
    wide = RLSClassifier(**params).fit(X.astype(float), y)
    np.testing.assert_allclose(found.cv_losses_, wide.cv_losses_, rtol=1e-6)


def test_a_second_fit_leaves_nothing_of_the_first():
    X, y, new = problem("tall")
    model = RLSClassifier([0.1, 1.0], kernel="rbf").fit(X, y)
    model.set_params(alpha=np.array(1.0), kernel="linear").fit(X, y)
    fresh = RLSClassifier(1.0).fit(X, y)
    assert set(vars(model)) == set(vars(fresh))
    expected = fresh.decision_function(new)
    model.set_params(kernel="rbf", kernel_params={"a": 1})
    np.testing.assert_allclose(model.decision_function(new), expected)
    model = RLSClassifier(kernel="rbf", gamma=0.1).fit(X, y)
    before = model.decision_function(new)
    np.testing.assert_array_equal(model.set_params(gamma=2.0).decision_function(new), before)
    model.set_params(kernel="linear")
    np.testing.assert_array_equal(model.decision_function(new), before)


def test_labels_of_any_kind_names_and_pipelines():
    X, y = load_iris(return_X_y=True, as_frame=True)
    words = np.array(["setosa", "versicolor", "virginica"])[y]
    model = make_pipeline(PivotedQRSelector(3), RLSClassifier([0.01, 1.0], fit_intercept=True))
    assert model.fit(X, words).score(X, words) > 0.8
    assert model[-1].classes_.tolist() == ["setosa", "versicolor", "virginica"]
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert not hasattr(clone(model[-1]), "coef_")
    for frame in (X, pl.from_pandas(X)):
        named = RLSClassifier().fit(frame, y)
        assert named.feature_names_in_.tolist() == list(X.columns)
    with pytest.raises(ValueError, match="feature names should match"):
        named.predict(pd.DataFrame(X.to_numpy(), columns=list("abcd")))
    two = RLSClassifier().fit(X[:100], words[:100])
    assert two.decision_function(X[:5]).shape == (5,)
    assert (two.predict(X) == np.where(two.decision_function(X) > 0, *words[[50, 0]])).all()


# --- the document -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", ["gauss", "graded", "rlsc"])
@pytest.mark.slow
def test_theorems_on_rows_in_the_span(kind, seed):
    """Paul & Drineas, Theorem 1 with β = 0, and Theorem 2: how far selection moves f."""
    rng = np.random.default_rng(seed)
    if kind == "gauss":
        X = rng.normal(size=(8, 500)) * rng.gamma(1.0, 1.0, 500)
    elif kind == "graded":
        X = datasets.load("graded", n_samples=8, n_features=500, smallest=1e-3, random_state=seed).X
    else:
        X = datasets.load(
            "rlsc", n_samples=8, n_features=500, n_informative=60, random_state=seed
        ).X
    y = np.where(np.arange(8) % 2, 1, -1)
    selection = select(X, 400, method="bss")
    reduced = selection.apply(X)
    left, sigma, right = np.linalg.svd(X, full_matrices=False)
    R = selection.apply(right)
    eps = np.linalg.norm(np.eye(8) - R @ R.T, 2)
    assert eps <= min(0.5, 3 * np.sqrt(8 / 400))
    kappa = sigma[0] / sigma[-1]
    a = rng.normal(size=(50, 8))
    for alpha in (0.0, 0.1, 0.9, 100.0):
        full = RLSClassifier(alpha).fit(X, y).decision_function(a @ X)
        moved = np.abs(RLSClassifier(alpha).fit(reduced, y).decision_function(a @ reduced) - full)
        slack = 1e-9 * kappa
        if alpha == 0:
            assert (moved <= slack).all()
            continue
        assert (moved <= 2 * eps * kappa * np.linalg.norm(a, axis=1) * np.sqrt(8) + slack).all()
        shrunk = np.linalg.norm((a @ left) / (1 + alpha / sigma**2), axis=1)
        omega = shrunk * np.linalg.norm(y) / np.abs(full)
        assert (moved <= 2 * eps * omega * kappa * np.abs(full) + slack).all()
        assert moved.max() > slack or kind == "rlsc"


@pytest.mark.parametrize(("n_select", "n_informative"), [(80, 100), (90, 90)])
def test_synthetic_experiment_of_the_document(n_select, n_informative):
    """Paul & Drineas, §6.3: no out-of-sample error, and the features that tell are preferred.

    Table 1 names the five features that were chosen most often: 89 .. 84 of 90 and 100 .. 95
    of 100. As many singular vectors as rows are mostly noise, and with them a feature that tells
    is chosen some four times as often as another; with the leading one alone, all five always.
    """
    data = datasets.load("rlsc", n_informative=n_informative)
    chosen = {None: np.zeros(1000), 1: np.zeros(1000)}
    for train, test in StratifiedKFold(10, shuffle=True, random_state=0).split(data.X, data.y):
        for rank, counts in chosen.items():
            selection = select(data.X[train], n_select, method="bss", rank=rank)
            counts[selection.indices] += 1
            reduced = selection.apply(data.X)
            for alpha in (0.0, 0.1, 0.3, 0.5, 0.7, 0.9):
                model = RLSClassifier(alpha).fit(reduced[train], data.y[train])
                assert model.score(reduced[train], data.y[train]) == 1.0
                assert model.score(reduced[test], data.y[test]) == 1.0
    tells, noise = np.split(chosen[None], [n_informative])
    assert tells.mean() > 3 * noise.mean()
    table = {90: [89, 88, 87, 86, 85, 84], 100: [100, 99, 98, 97, 95]}[n_informative]
    assert (chosen[1][np.array(table) - 1] == 10).all()
    assert chosen[1][n_informative:].sum() <= 0.01 * chosen[1].sum()


# --- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"alpha": -1.0}, ValueError, r"alpha=-1\.0; λ must be at least 0 and finite"),
        ({"alpha": [1.0, -2.0]}, ValueError, r"alpha=-2\.0; λ must be at least 0"),
        ({"alpha": np.nan}, ValueError, "alpha=nan; λ must be at least 0 and finite"),
        ({"alpha": [np.inf]}, ValueError, "alpha=inf; λ must be at least 0 and finite"),
        ({"alpha": []}, ValueError, "alpha is an empty sequence; give at least one"),
        ({"alpha": "large"}, TypeError, "alpha must be a number or a sequence .* got 'large'"),
        ({"alpha": True}, TypeError, "alpha must be a number or a sequence .* got True"),
        ({"alpha": [[1.0, 2.0]]}, TypeError, "alpha must be a number or a sequence of numbers"),
        ({"alpha": None}, TypeError, "alpha must be a number or a sequence .* got None"),
        ({"kernel": "rbg"}, ValueError, "kernel='rbg' is unknown .did you mean 'rbf'"),
        ({"kernel_params": {"a": 1}}, ValueError, "kernel_params=.* are for a callable kernel"),
        ({"solver": "qr"}, ValueError, "solver='qr'; choose one of .*lsqr"),
        ({"solver": "lsqr", "kernel": "rbf"}, ValueError, 'solver="lsqr" is for the linear'),
        ({"alpha": [1.0], "cv": 1}, ValueError, "cv=1 folds; choose at least 2"),
        ({"cv": 1}, ValueError, "cv=1 folds; choose at least 2"),
        ({"cv": "loo"}, TypeError, "cv='loo' must be None .*, a number of folds, a splitter"),
        ({"cv": 2.5}, TypeError, "cv=2.5 must be None .*, a number of folds, a splitter"),
        ({"fit_intercept": "no"}, TypeError, "fit_intercept must be True or False, got 'no'"),
        ({"fit_intercept": 1}, TypeError, "fit_intercept must be True or False, got 1"),
        ({"kernel": ["rbf"]}, ValueError, r"kernel=\['rbf'\] is unknown; choose one of"),
        ({"kernel": None}, ValueError, "kernel=None is unknown; choose one of"),
        ({"kernel": "rbf", "gamma": "x"}, TypeError, "gamma must be a number .* got 'x'"),
        ({"kernel": "rbf", "gamma": -1.0}, ValueError, "gamma=-1.0; choose a number of at least 0"),
        ({"kernel": "poly", "degree": None}, TypeError, "degree must be a number .* got None"),
        ({"kernel": "poly", "coef0": np.nan}, ValueError, "coef0=nan; choose"),
        ({"kernel": max, "kernel_params": [1]}, TypeError, r"kernel_params=\[1\] must be a dict"),
        ({"kernel": np.multiply}, TypeError, r"must return one real number .* got shape \(9,\)"),
        ({"kernel": zip}, TypeError, "must return one real number .* got <zip"),
        ({"alpha": [1.0], "cv": 40}, ValueError, "n_splits=40"),
        ({"alpha": [1.0], "cv": ShuffleSplit(2, test_size=0.2, train_size=0.2)}, ValueError,
         "12 training and 12 test rows do not add up to all 60; use folds that do"),
        ({"alpha": [1.0], "cv": [(range(30), range(30, 60)), (range(30), range(31, 60))]},
         ValueError, "^cv: in fold 1 of 2 the 30 training and 29 test rows do not add up to all"),
        ({"alpha": [1.0], "cv": [1, 2]}, TypeError, "^cv: fold 0 of 2 is not a pair of training"),
        ({"alpha": [1.0], "cv": GroupKFold(3)}, ValueError,
         r"cv=GroupKFold\(.* groups .* pass its folds instead: cv=list\(GroupKFold\("),
        ({"kernel": "precomputed"}, ValueError, r"must be square, got shape \(60, 9\)"),
    ],
    ids=repr,
)  # fmt: skip
def test_bad_parameters(params, error, message):
    X, y, _ = problem("tall")
    with pytest.raises(error, match=message):
        RLSClassifier(**params).fit(X, y)


def test_bad_data():
    X, y, new = problem("tall")
    with pytest.raises(ValueError, match=r"one class only, .*7.*; a classifier needs .* two"):
        RLSClassifier().fit(X, np.full(60, 7))
    with pytest.raises(ValueError, match="Unknown label type"):
        RLSClassifier().fit(X, X[:, 0])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        RLSClassifier().fit(X, y[:-1])
    with pytest.raises(ValueError, match="requires y to be passed"):
        RLSClassifier().fit(X, None)
    with pytest.raises(ValueError, match="contains NaN"):
        RLSClassifier().fit(np.where(X > 1, np.nan, X), y)
    with pytest.raises(ValueError, match="contains NaN"):
        RLSClassifier().fit(X, np.where(y, np.nan, 1.0))
    with pytest.raises(ValueError, match="contains infinity"):
        RLSClassifier().fit(X, y).predict(np.where(new > 1, np.inf, new))
    with pytest.raises(ValueError, match="X has 8 features, but RLSClassifier is expecting 9"):
        RLSClassifier().fit(X, y).predict(new[:, :8])
    with pytest.raises(TypeError, match=r"takes data, not an operand; .*precomputed"):
        RLSClassifier().fit(as_operand(X), y)
    words = np.array(["a", "b"], dtype=object)[y]
    for gap in (None, np.nan, pd.NA):
        words[4] = words[7] = gap
        for labels in (words, words.tolist()):
            with pytest.raises(ValueError, match=r"y has 2 missing labels, first in row 4 \("):
                RLSClassifier().fit(X, labels)
    words[4], words[7] = 3, "a"
    with pytest.raises(TypeError, match=r"labels are of types that cannot be sorted: .*int"):
        RLSClassifier().fit(X, words)


@pytest.mark.parametrize("alpha", [0.0, [0.0, 1e-3], 1.0])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_very_large_and_very_small_data(kind, alpha):
    X, y, new = problem("tall", 3)
    expected = RLSClassifier(alpha, fit_intercept=True).fit(X, y)
    for size in (2.0**-460, 2.0**-300, 2.0**-90, 2.0**300, 2.0**460):
        with np.errstate(under="ignore"):
            alphas = np.multiply(alpha, size) * size
        model = RLSClassifier(alphas, fit_intercept=True).fit(kind(X * size), y)
        np.testing.assert_allclose(
            model.decision_function(new * size), expected.decision_function(new), atol=1e-9
        )
        assert model.alpha_ == expected.alpha_ * size * size
        if np.ndim(alpha):
            np.testing.assert_allclose(model.cv_losses_, expected.cv_losses_)
    nothing = RLSClassifier(1e200).fit(kind(X * 1e-138), y)
    assert np.isfinite(nothing.decision_function(X)).all()
    for size in (1e-160, 1e-200, 1e160, 1e200):
        with pytest.raises(ValueError, match=r"largest absolute entry is .* multiply the data by"):
            RLSClassifier(alpha).fit(kind(X * size), y)


def test_small_float32_data_has_coefficients_beyond_float32():
    X, y, _ = problem("tall")
    small = (X * 2.0**-140).astype(np.float32)
    model = RLSClassifier(0.0).fit(small, y)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.decision_function(small)).all()
    K = np.eye(60) * 1e-310
    with pytest.raises(ValueError, match="the coefficients overflow; multiply X, or the kernel"):
        RLSClassifier(0.0, kernel="precomputed").fit(K, y)


def test_bad_kernels():
    X, y, _ = problem("tall")
    K = X @ X.T
    skew = K.copy()
    skew[2, 5] += 1
    model = RLSClassifier(kernel="precomputed")
    with pytest.raises(ValueError, match=r"must be symmetric, but K\[(2, 5|5, 2)\] = "):
        model.fit(skew, y)
    for gap in (1e-11, 1e-7):
        skew[2, 5] = K[2, 5] + gap * np.abs(K).max()
        with pytest.raises(ValueError, match="must be symmetric"):
            model.fit(skew, y)
    skew[2, 5] = K[2, 5] + 1e-14 * np.abs(K).max()
    model.fit(skew, y)  # as far as products of rows may differ
    with pytest.raises(TypeError, match=r"kernel must not be sparse; pass X\.toarray"):
        model.fit(sp.csr_array(K), y)
    with pytest.raises(ValueError, match=r"X has 9 features, but .* expecting 60"):
        model.fit(K, y).predict(X)
    for alpha in (0.0, 1.0, [1.0, 5.0]):
        with pytest.raises(ValueError, match=r"smallest eigenvalue is -3.*, and alpha=.* larger"):
            RLSClassifier(alpha, kernel="precomputed").fit(K - 3 * np.eye(60), y)
    with pytest.raises(ValueError, match="has values that are not finite, such as inf"):
        RLSClassifier(kernel="poly", degree=200, gamma=10.0).fit(100 * X, y)


@pytest.mark.parametrize("alpha", [0.1, [0.1, 1e9]])
def test_iteration_that_does_not_converge_says_so(alpha, monkeypatch):
    X, y, _ = problem("tall")
    short = functools.partial(ridge.lsqr, limit=2)
    monkeypatch.setattr(ridge, "lsqr", lambda *args, limit, **params: short(*args, **params))
    message = "LSQR has not converged after 190 steps for alpha=0.1;"
    with pytest.warns(ConvergenceWarning, match=message) as warned:
        model = RLSClassifier(alpha, solver="lsqr").fit(X, y)
    assert model.alpha_ == 0.1
    assert len(warned) == (1 if alpha == 0.1 else 6)  # the fit, and each of five folds


# -- data far from zero, and λ at the ends of the range ------------------------------------------


@pytest.mark.parametrize("offset", [1e6, 1e8])
def test_iteration_far_from_zero(offset):
    rng = np.random.default_rng(0)
    steps = rng.integers(-9, 10, (40, 4)).astype(float)
    y = np.arange(40) % 2
    near = RLSClassifier(1.0, fit_intercept=True).fit(steps, y)
    far = RLSClassifier(1.0, fit_intercept=True, solver="lsqr").fit(sp.csr_array(steps + offset), y)
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-6, atol=1e-6)


def test_a_kernel_far_from_zero_with_an_intercept_and_no_ridge():
    """What the constant leaves of a large kernel is rounded as the kernel was."""
    X = np.random.default_rng(0).standard_normal((12, 3))
    K = X @ X.T
    model = RLSClassifier(0.0, kernel="precomputed", fit_intercept=True)
    found = model.fit(K + 1e10, np.arange(12) % 2).decision_function(K + 1e10)
    expected = RLSClassifier(0.0, fit_intercept=True).fit(X, np.arange(12) % 2)
    np.testing.assert_allclose(found, expected.decision_function(X), atol=1e-3)


def test_a_ridge_beyond_all_numbers_leaves_coefficients_that_are_not_zero():
    X = 1e-130 * np.random.default_rng(0).standard_normal((6, 3))
    coef = RLSClassifier(1e150).fit(X, [0, 1] * 3).coef_
    assert np.isfinite(coef).all()
    assert coef.any()
