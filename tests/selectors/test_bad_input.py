"""Bad input: each message names the value and what to do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import config_context

from colonnade import (
    METHODS,
    GreedySelector,
    Kernel,
    RowSelector,
    Selection,
    as_operand,
    low_rank,
    metrics,
    select,
)

GOOD = np.random.default_rng(0).standard_normal((8, 5))


def changed(value):
    A = GOOD.copy()
    A[3, 2] = value
    return A


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        (changed(np.nan), ValueError, "X contains NaN; choose missing="),
        (changed(np.inf), ValueError, "X contains infinity"),
        (changed(-np.inf), ValueError, "X contains infinity"),
        (sp.csr_array(changed(np.nan)), ValueError, "X contains NaN"),
        (np.empty((0, 3)), ValueError, r"X is empty: shape \(0, 3\)"),
        (np.empty((3, 0)), ValueError, r"X is empty: shape \(3, 0\)"),
        (np.zeros((4, 3)), ValueError, "zero everywhere"),
        (sp.csr_array((4, 3)), ValueError, "zero everywhere"),
        (GOOD.astype(complex), TypeError, "complex128; only real numbers"),
        (GOOD.astype(object), TypeError, "object; only real numbers"),
        ([["a", "b"], ["c", "d"]], TypeError, "only real numbers"),
        (GOOD[0], ValueError, r"two dimensions, got 1 with shape \(5,\)"),
        (GOOD[None], ValueError, "two dimensions, got 3"),
        (np.ma.masked_less(GOOD, 0), TypeError, "masked array"),
        (GOOD * 1e200, ValueError, "e[+]200, whose .* multiply the data by 1e-200"),
        (GOOD * 1e-200, ValueError, "e-200, whose .* multiply the data by 1e"),
    ],
)  # fmt: skip
def test_data(X, error, words):
    with pytest.raises(error, match=words):
        select(X, 1)


@pytest.mark.parametrize(
    ("n_select", "error", "words"),
    [
        (6, ValueError, "n_select=6 but there are 5 columns to choose from; choose 1 to 5"),
        (0, ValueError, "n_select=0 but there are 5"),
        (-2, ValueError, "n_select=-2 but there are 5"),
        (0.0, ValueError, "n_select=0.0; a fraction must be above 0"),
        (1.5, ValueError, "n_select=1.5; a fraction must be above 0 and at most 1"),
        (-0.1, ValueError, "n_select=-0.1"),
        (float("nan"), ValueError, "n_select=nan"),
        (True, TypeError, "got True"),
        ("3", TypeError, "got '3'"),
        ([3], TypeError, r"got \[3\]"),
    ],
)
def test_size(n_select, error, words):
    for method in METHODS.values():
        if not method.supervised:
            with pytest.raises(error, match=words):
                method(GOOD, n_select)
    with pytest.raises(error, match=words):
        GreedySelector(n_select).fit(GOOD)


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ({"max_error": 1.0}, ValueError, "max_error=1.0; choose a share"),
        ({"max_error": -0.1}, ValueError, "max_error=-0.1"),
        ({"max_error": "a"}, TypeError, "max_error must be a number from 0 to 1, got 'a'"),
        ({"max_error": float("nan")}, ValueError, "max_error=nan"),
        ({"must_include": [7]}, ValueError, "must_include holds 7; columns are numbered 0 to 4"),
        ({"must_include": [-1]}, ValueError, "must_include holds -1"),
        ({"must_include": [1, 1]}, ValueError, r"must_include repeats a column: \[1, 1\]"),
        ({"must_include": [1.5]}, TypeError, "must_include must hold column numbers or names"),
        ({"must_include": [0, 1, 2]}, ValueError, "must_include holds 3 columns but n_select=2"),
        ({"must_include": [1], "exclude": [1]}, ValueError, "column 1 is in must_include and in"),
        ({"exclude": [0, 1, 2, 3]}, ValueError, "exclude leaves 1 columns; choose 1 to 1"),
        ({"exclude": range(5)}, ValueError, "exclude leaves no columns"),
        ({"presample": float("inf")}, ValueError, "presample=inf"),
        ({"refine": -1}, ValueError, "refine=-1"),
        ({"refine": "yes"}, TypeError, "got 'yes'"),
        ({"target": "pca"}, ValueError, "target='pca' is unknown; choose 'data', 'groups'"),
        ({"target": None}, TypeError, "target=None"),
        ({"target": np.ones(3)}, ValueError, r"shape \(3,\); it must have 8 rows"),
        ({"target": np.zeros(8)}, ValueError, "the target is zero everywhere"),
        ({"target": [np.nan] * 8}, ValueError, "the target contains NaN"),
        ({"target": ["a"] * 8}, TypeError, "must be numeric; encode"),
        ({"target": sp.csr_array(np.ones((8, 1)))}, TypeError, "dense array"),
        ({"target": "groups", "n_groups": 0}, ValueError, "n_groups=0; choose at least 1"),
        ({"target": "svd", "rank": 9}, ValueError, "rank=9 for data of shape"),
        ({"target": "svd", "rank": 2.0}, TypeError, "rank must be an integer"),
        ({"n_candidates": 0}, ValueError, "n_candidates=0"),
        ({"presample": 0}, ValueError, "presample=0"),
        ({"presample": "x"}, TypeError, "presample must be a positive number, got 'x'"),
    ],
)
def test_parameters(params, error, words):
    with pytest.raises(error, match=words):
        select(GOOD, 2, **params)


def test_sizes_that_need_each_other():
    with pytest.raises(ValueError, match="presample needs n_select"):
        select(GOOD, None, max_error=0.1, presample=1)
    with pytest.raises(ValueError, match="target='svd' needs a rank when n_select is None"):
        select(GOOD, None, max_error=0.1, target="svd")


def test_names_of_methods_and_parameters():
    with pytest.raises(ValueError, match=r"'gredy' is unknown .did you mean 'greedy'"):
        select(GOOD, 2, method="gredy")
    with pytest.raises(TypeError, match="'pivoted-qr' has no parameter 'rank'; it takes max_error"):
        select(GOOD, 2, method="pivoted-qr", rank=3)
    with pytest.raises(TypeError, match="has no parameter 'target'"):
        select(GOOD, 2, method="partition-greedy", target="svd")
    with pytest.raises(ValueError, match="requires y to be passed"):
        GreedySelector(2, target="y").fit(GOOD)


K = GOOD @ GOOD.T


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: Kernel(GOOD), ValueError, r"square, got shape \(8, 5\)"),
        (lambda: Kernel(GOOD, ["rbf"]), ValueError, r"^kernel=\['rbf'\] is unknown; choose one of"),
        (
            lambda: Kernel(GOOD, "chi"),
            ValueError,
            r"did you mean 'chi2'\?\); choose one of additive_chi2, chi2, .* precomputed, rbf, si",
        ),
        (lambda: Kernel(K + np.triu(np.ones((8, 8)), 1)), ValueError, "symmetric, but K"),
        (lambda: Kernel(-K), ValueError, "positive semidefinite, but its smallest eigenvalue is -"),
        (lambda: Kernel(np.array([[1.0, 2.0], [2.0, 1.0]])), ValueError, "eigenvalue is -1"),
        (lambda: Kernel(K, gamma=1.0), ValueError, "takes no parameters, got gamma"),
        (lambda: Kernel(sp.csr_array(K)), TypeError, "must be dense"),
        (lambda: Kernel(np.full((3, 3), np.nan)), ValueError, "the kernel contains NaN"),
        (lambda: Kernel(GOOD, kernel="rfb"), ValueError, "kernel='rfb'"),
        (
            lambda: Kernel(GOOD, kernel="rbf", gama=1.0),
            ValueError,
            "^the kernel 'rbf' with gama=1.0 cannot be evaluated",
        ),
        (lambda: select(Kernel(K), 2, target=np.ones(8)), TypeError, "^a target needs the columns"),
        (lambda: low_rank(Kernel(K), [0]), TypeError, "only their inner products"),
    ],
)
def test_kernels(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_kernel_that_turns_out_not_positive():
    """A named kernel is not checked beforehand; the loop notices."""
    X = np.random.default_rng(1).standard_normal((40, 3))
    with pytest.raises(ValueError, match=r"not positive semidefinite: after .* choices"):
        select(Kernel(X, kernel="sigmoid", gamma=2.0, coef0=-1.0), 30)
    with pytest.raises(ValueError, match="not positive semidefinite"):
        select(Kernel(-K, check=False), 3)


def test_selection_checks_itself():
    with pytest.raises(ValueError, match="indices must lie in 0 to 3, got 0 to 4"):
        Selection(np.array([0, 4]), 4)
    with pytest.raises(ValueError, match="indices repeat"):
        Selection(np.array([1, 1]), 4)
    with pytest.raises(ValueError, match="errors has length 3, indices 2"):
        Selection(np.array([0, 1]), 4, errors=np.zeros(3))
    with pytest.raises(ValueError, match="one-dimensional"):
        Selection(np.zeros((2, 2)), 4)
    with pytest.raises(ValueError, match="X has 7 columns, but this selection is from 5"):
        select(GOOD, 2).apply(np.ones((2, 7)))
    with pytest.raises(ValueError, match="not a selection"):
        Selection.from_dict({"indices": [1]})
    with pytest.raises(ValueError, match="version 99 is unknown"):
        Selection.from_dict({"format": "colonnade-selection", "version": 99})


def test_other_functions():
    with pytest.raises(ValueError, match="rank=4 but the chosen columns have rank 2"):
        low_rank(GOOD, [0, 1], rank=4)
    with pytest.raises(ValueError, match="svd='fast'; choose"):
        metrics.best_rank_error(GOOD, 2, svd="fast")
    with pytest.raises(ValueError, match="0 to 4"):
        metrics.reconstruction_error(GOOD, [9])
    with pytest.raises(ValueError, match="n_select=9 but there are 8 columns"):
        RowSelector(GreedySelector(9)).fit(GOOD)


def test_allowed_though_unusual():
    assert select(GOOD[:, :1], 1).indices.tolist() == [0]
    assert select([[0.0, 3.0]], 1).indices.tolist() == [1]
    constant = np.hstack([np.full((8, 2), 4.0), GOOD])
    assert select(constant, 2).indices[0] == 0
    assert len(select(GOOD, 1.0)) == 5
    assert len(select(GOOD, 0.01)) == 1
    assert len(select(GOOD)) == 2
    assert len(select(GOOD, np.int64(3))) == 3
    assert len(select(GOOD, None, max_error=0)) == 5


def test_finiteness_is_assumed_where_scikit_learn_is_told_so():
    bad = np.array([[1.0, np.nan], [2.0, 3.0]])
    with pytest.raises(ValueError, match="NaN"):
        as_operand(bad)
    with config_context(assume_finite=True):
        assert as_operand(bad).shape == (2, 2)


@pytest.mark.parametrize("parameter", ["must_include", "exclude"])
def test_a_name_of_several_columns(parameter):
    """It could mean any of them; those that are called otherwise are as good as ever."""
    frame = pd.DataFrame(GOOD, columns=["MT", "MT", "a", "b", "c"])
    with pytest.raises(
        ValueError, match=f"{parameter}: 'MT' is the name of 2 columns: 0 and 1; give numbers"
    ):
        select(frame, 2, **{parameter: ["MT"]})
    assert (1 in select(frame, 2, **{parameter: ["a", 1]}).indices) == (parameter != "exclude")
    same = pd.DataFrame(GOOD, columns=["x"] * 5)
    with pytest.raises(ValueError, match="of 5 columns: 0, 1, 2 and 2 more; give numbers"):
        select(same, 2, **{parameter: "x"})
