"""Pearson residuals as an operand, against the formula on a dense matrix."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from colonnade import select
from colonnade.operands import pearson
from colonnade.operands.expression import counts_problem, expressed_in, log_normalized
from colonnade.operands.pearson import PearsonResiduals


def counts(m=50, n=30, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.poisson(rng.gamma(0.4, 3.0, (m, n)))
    X[:, 4] = 0  # a gene that nobody has
    X[7] = 0  # a cell without molecules
    X[3, 0] = 400  # one that is clipped
    X[:, 8] += 60
    X[9, 8] = 0  # and one from below
    return X


def formula(X, theta, clip, batches=None, center=True):
    """Entry by entry, as the paper has it."""
    m, n = X.shape
    batches = np.zeros(m, dtype=int) if batches is None else batches
    Z = np.zeros((m, n))
    for i in range(m):
        mates = X[batches == batches[i]]
        for j in range(n):
            mu = X[i].sum() * mates[:, j].sum() / mates.sum()
            if mu > 0:
                Z[i, j] = (X[i, j] - mu) / np.sqrt(mu + mu**2 / theta)
    Z = np.clip(Z, -clip, clip)
    if center:
        for b in np.unique(batches):
            Z[batches == b] -= Z[batches == b].mean(axis=0)
    return Z


CONTAINERS = {"array": np.asarray, "float32": np.float32, "csr": sp.csr_array, "csc": sp.csc_matrix}


@pytest.fixture(params=[2**12, 2**30], ids=["small tiles", "one tile"])
def _tile(request, monkeypatch):
    monkeypatch.setattr(pearson, "TILE", request.param)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("batched", [True, False])
@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.usefixtures("_tile")
def test_products(container, batched, center):
    X = counts()
    batches = np.arange(50) % 3 if batched else None
    Z = formula(X, 100.0, 4.0, batches, center)
    A = PearsonResiduals(
        CONTAINERS[container](X), theta=100.0, clip=4.0, batches=batches, center=center
    )
    rng = np.random.default_rng(1)
    few = np.array([5, 0, 11])
    cases = {
        "as it is": (A, Z),
        "turned": (A.transposed(), Z.T),
        "turned twice": (A.transposed().transposed(), Z),
        "some columns": (A.subset(few), Z[:, few]),
        "some rows": (A.transposed().subset(few), Z[few].T),
        "scaled": (A.scaled(-0.5), -0.5 * Z),
    }
    for name, (B, Y) in cases.items():
        m, n = Y.shape
        assert B.shape == (m, n), name
        V, U = rng.standard_normal((n, 2)), rng.standard_normal((m, 2))
        q, z = rng.standard_normal((2, m))
        f, g = rng.standard_normal((2, n))
        found = {
            "columns": (B.columns(slice(None)), Y),
            "matmat": (B.matmat(V), Y @ V),
            "vector": (B.matmat(V[:, 0]), Y @ V[:, 0]),
            "matmat_part": (B.matmat_part(slice(1, 3), V[1:3]), Y[:, 1:3] @ V[1:3]),
            "rmatmat": (B.rmatmat(U), Y.T @ U),
            "gram": (B.gram(), Y.T @ Y),
            "outer": (B.outer(), Y @ Y.T),
            "sq_norms": (B.sq_norms(), (Y**2).sum(axis=0)),
            "strips": (np.vstack(list(B.row_strips(7))), Y),
            "points": (B.points(), Y - Y.mean(axis=0)),
        }
        if hasattr(B, "in_memory"):
            found["in_memory"] = (B.in_memory().columns(slice(None)), Y)
        changed = f.copy(), g.copy()
        found["sweep"] = (B.sweep(q, z, 0.7, *changed), Y.T @ q)
        w, y = Y.T @ q, Y.T @ z
        found["f"] = (changed[0], f - 2 * w * y + 0.7 * w * w)
        found["g"] = (changed[1], g - w * w)
        for what, (ours, theirs) in found.items():
            np.testing.assert_allclose(ours, theirs, atol=1e-9, err_msg=f"{name}, {what}")


@pytest.mark.usefixtures("_tile")
@pytest.mark.parametrize("shape", [(50, 30), (30, 60)])
def test_greedy_on_residuals(shape):
    """The same picks and errors as on the dense matrix, whatever the loop holds."""
    X = counts(*shape, seed=2)
    Z = formula(X, 100.0, np.sqrt(shape[0]))
    ours, dense = select(PearsonResiduals(sp.csr_array(X)), 8), select(Z, 8)
    assert ours.indices.tolist() == dense.indices.tolist()
    np.testing.assert_allclose(ours.relative_errors, dense.relative_errors, rtol=1e-9)


def test_counts_are_left_alone():
    X = sp.csr_array(counts())
    before = X.copy()
    select(PearsonResiduals(X), 3)
    log_normalized(X)
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(X, part), getattr(before, part))


def test_limits():
    """Without clipping and for Poisson."""
    X = counts()
    got = PearsonResiduals(X, theta=np.inf, clip=np.inf).columns(slice(None))
    np.testing.assert_allclose(got, formula(X, np.inf, np.inf), atol=1e-9)
    assert np.abs(got).max() > np.sqrt(50)


@pytest.mark.parametrize("container", CONTAINERS)
def test_log_normalized(container):
    X = counts()
    sums = X.sum(axis=1)
    for total in (None, 1e4):
        wanted = np.median(sums[sums > 0]) if total is None else total
        dense = np.log1p(X / np.where(sums > 0, sums, 1)[:, None] * wanted)
        got = log_normalized(CONTAINERS[container](X), total)
        assert sp.issparse(got) == (container in ("csr", "csc"))
        got = got.toarray() if sp.issparse(got) else got
        np.testing.assert_allclose(got, dense, rtol=1e-5 if container == "float32" else 1e-12)


@pytest.mark.parametrize("container", CONTAINERS)
def test_what_counts_are(container):
    hold = CONTAINERS[container]
    X = counts()
    assert counts_problem(hold(X)) == ""
    assert counts_problem(hold(-X)) == "there are negative entries, the lowest -400"
    halves = hold(X + (X > 0) * 0.5) if container != "array" else X + (X > 0) * 0.5
    assert counts_problem(halves).startswith("there are fractions, such as ")
    assert counts_problem(halves).endswith(".5")
    np.testing.assert_array_equal(expressed_in(hold(X)), (X != 0).sum(axis=0))


@pytest.mark.filterwarnings("ignore")
def test_normalized_as_by_scanpy():
    """Where it is installed: it is no part of what the tests need."""
    scanpy = pytest.importorskip("scanpy")
    anndata = pytest.importorskip("anndata")
    X = counts()[np.arange(50) != 7].astype(np.float64)
    for clip in (None, 4.0):
        adata = anndata.AnnData(X.copy())
        scanpy.experimental.pp.normalize_pearson_residuals(adata, theta=100, clip=clip)
        ours = PearsonResiduals(sp.csr_array(X), clip=clip, center=False).columns(slice(None))
        theirs = np.nan_to_num(np.asarray(adata.X))  # 0/0 for a gene that nobody has
        np.testing.assert_allclose(ours, theirs, atol=1e-9)
    adata = anndata.AnnData(sp.csr_matrix(X))
    scanpy.pp.normalize_total(adata)
    scanpy.pp.log1p(adata)
    np.testing.assert_allclose(
        log_normalized(sp.csr_array(X)).toarray(), adata.X.toarray(), rtol=1e-12
    )
