"""What inner products allow, and what columns allow on top."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist

from colonnade import METHODS, Kernel, Operand, as_operand, low_rank, select
from colonnade.metrics import kmeans_objective
from colonnade.operands.adjusted import centered
from colonnade.operands.entrance import as_columns
from colonnade.operands.interface import Columns, Gram
from colonnade.operands.preparing import prepare
from colonnade.selectors.problem import Problem

X = np.random.default_rng(0).standard_normal((12, 5)) + 3.0
OPERANDS = {
    "dense": as_operand(X),
    "sparse": as_operand(sp.csr_array(X)),
    "centred": prepare(as_columns(sp.csr_array(X)), center=True, scale="std").A,
    "kernel": Kernel(X.T @ X),
}


def columns_of(A):
    return A.columns(slice(None)) if isinstance(A, Columns) else X


@pytest.mark.parametrize("name", OPERANDS)
def test_what_inner_products_allow(name):
    A = OPERANDS[name]
    assert isinstance(A, Operand)
    G = columns_of(A).T @ columns_of(A)
    V = np.random.default_rng(1).standard_normal((5, 2))
    j = np.array([3, 1])
    np.testing.assert_allclose(A.gram(), G, atol=1e-12)
    np.testing.assert_allclose(A.gram_columns(j), G[:, j], atol=1e-12)
    np.testing.assert_allclose(A.gram_matmat(V), G @ V, atol=1e-12)
    np.testing.assert_allclose(A.sq_norms(), G.diagonal(), atol=1e-12)
    np.testing.assert_allclose(A.gram_sq_norms(), np.square(G).sum(axis=0), atol=1e-9)
    np.testing.assert_allclose(A.subset(j).gram(), G[np.ix_(j, j)], atol=1e-12)
    np.testing.assert_allclose(A.scaled(0.5).gram(), G / 4, atol=1e-12)


def test_a_kernel_has_nothing_that_needs_columns():
    more = {name for name in vars(Columns) if not name.startswith("_")} - set(vars(Gram))
    assert {"matmat", "rmatmat", "columns", "outer", "sweep", "triangle"} <= more
    assert [name for name in more if hasattr(Kernel, name)] == []


def test_rows_of_centred_data_keep_their_distances():
    A = OPERANDS["centred"]
    np.testing.assert_allclose(pdist(A.points().toarray()), pdist(columns_of(A)))


@pytest.mark.parametrize("put", [np.asarray, sp.csr_array])
def test_inner_products_of_columns_far_from_zero_keep_their_digits(put):
    """Taken out of products of size 1e14, means would leave errors of 0.01."""
    steps = np.random.default_rng(2).integers(-8, 9, (32, 6)).astype(float)
    offset = np.array([1e7, 0.0, 1e6, 0.0, 3.0, 1e7])
    A = as_columns(put(steps + offset))
    Z = centered(A)
    expected = steps - steps.mean(axis=0)
    if put is sp.csr_array:
        assert Z.far.tolist() == [0, 2, 5]
    np.testing.assert_allclose(Z.gram(), expected.T @ expected, rtol=1e-9, atol=1e-6)
    np.testing.assert_allclose(Z.sq_norms(), np.square(expected).sum(axis=0), rtol=1e-9)


CHOICES = {name for name, entry in METHODS.items() if not entry.kernels}
NEEDS = "needs the columns themselves, and a kernel has only their inner products; "


@pytest.mark.parametrize("name", sorted(CHOICES))
def test_methods_say_that_they_need_columns(name):
    with pytest.raises(TypeError, match=f"method '{name}' {NEEDS}pass the data, or use"):
        select(OPERANDS["kernel"], 2, method=name)


def test_one_message_for_all_that_need_columns():
    K = OPERANDS["kernel"]
    with pytest.raises(TypeError, match=f"^this method {NEEDS}use a method for kernels"):
        _ = Problem(K, 2).columns
    with pytest.raises(TypeError, match=f"{NEEDS}pass the data itself"):
        low_rank(K, [0])
    with pytest.raises(TypeError, match=f"^a measure of a partition {NEEDS}"):
        kmeans_objective(K, [0] * 5)
    with pytest.raises(TypeError, match=f"^a target {NEEDS}leave target out"):
        select(K, 2, method="greedy", target=np.ones(5))
