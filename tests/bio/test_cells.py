"""Cells of AnnData that stand for others."""

from __future__ import annotations

import sys

import anndata as ad
import numpy as np
import pytest
import scipy.sparse as sp
from made_cells import cells
from sklearn.decomposition import PCA

from colonnade import select
from colonnade.anndata import sketch_cells


def points(adata, k):
    """Principal components of logarithms, by scikit-learn and NumPy alone."""
    X = np.asarray(adata.X.todense() if sp.issparse(adata.X) else adata.X, dtype=float)
    sums = X.sum(axis=1, keepdims=True)
    return PCA(k, svd_solver="full").fit_transform(np.log1p(X / sums * np.median(sums)))


@pytest.mark.parametrize("sparse", [True, False], ids=["sparse", "dense"])
@pytest.mark.parametrize("method", ["medoids", "coverage", "facility-location"])
def test_cells_are_chosen_among_components(method, sparse):
    adata = cells(sparse=sparse)
    P = points(adata, 6)
    sketch_cells(adata, 9, method=method, n_components=6)
    chosen = [int(name.removeprefix("cell")) for name in adata.uns["colonnade"]["names"]]
    assert chosen == select(P, 9, method=method, axis=0).indices.tolist()
    nearest = ((P[:, None] - P[chosen]) ** 2).sum(axis=2).argmin(axis=1)
    weights = adata.obs["colonnade_weight"].to_numpy()
    assert weights[chosen].tolist() == np.bincount(nearest, minlength=9).tolist()
    assert weights.sum() == adata.n_obs


def test_what_is_written(tmp_path):
    adata = cells()
    before = adata.copy()
    assert sketch_cells(adata, 5, key_added="few") is None
    obs, about = adata.obs, adata.uns["few"]
    assert set(obs) - set(before.obs) == {"few", "few_rank", "few_weight"}
    assert obs["few"].sum() == 5
    order = obs["few_rank"].dropna().sort_values()
    assert order.tolist() == list(range(5))
    assert order.index.tolist() == about["names"].tolist()
    assert 0 < about["objective"] < about["objective_of_random"]
    assert about["params"]["normalization"] == "log"
    assert (adata.X != before.X).nnz == 0
    assert list(adata.var) == []
    adata.write_h5ad(tmp_path / "a.h5ad")
    again = ad.read_h5ad(tmp_path / "a.h5ad")
    assert again.uns["few"]["params"] == about["params"]
    np.testing.assert_array_equal(again.obs["few_rank"], obs["few_rank"])


def test_a_frame_instead():
    adata = cells()
    frame = sketch_cells(adata, 5, inplace=False)
    assert list(frame) == ["colonnade", "colonnade_rank", "colonnade_weight"]
    assert list(adata.uns) == []
    assert "colonnade" not in adata.obs


def test_a_representation():
    adata = cells()
    adata.obsm["X_pca"] = points(adata, 20).astype(np.float32)
    mine = sketch_cells(adata, 6, inplace=False)
    given = sketch_cells(adata, 6, use_rep="X_pca", inplace=False)
    assert mine["colonnade"].tolist() == given["colonnade"].tolist()


def test_every_type_has_its_share():
    adata = cells()
    kinds = np.asarray(adata.obs["kind"].astype(str))
    sketch_cells(adata, 8, stratify=kinds)
    assert "stratify" not in adata.uns["colonnade"]["params"]
    _, counts = np.unique(kinds[adata.obs["colonnade"]], return_counts=True)
    assert counts.tolist() == [2, 2, 2, 2]


@pytest.mark.parametrize("n", [1, 200])
def test_one_and_all(n):
    assert sketch_cells(cells(), n, inplace=False)["colonnade"].sum() == n


@pytest.mark.parametrize("method", ["greedy", "random-pivot", "leverage-top", "uniform"])
def test_other_methods(method):
    frame = sketch_cells(cells(), 6, method=method, inplace=False)
    assert frame["colonnade"].sum() == 6
    assert list(frame) == ["colonnade", "colonnade_rank"]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"n": 0}, "n=0 but adata has 200 cells; choose 1 to 200"),
        ({"n": 201}, "n=201 but adata has 200 cells"),
        ({"layer": "raw"}, "layer='raw': adata has no such layer"),
        ({"use_rep": "X_umap"}, "use_rep='X_umap': adata.obsm has no such entry; there are: none"),
        ({"use_rep": "X_umap", "layer": "log"}, "give one of them"),
        ({"normalization": "pearson"}, "normalization='pearson'; choose one of auto, log, none"),
        ({"layer": "log", "normalization": "log"}, "needs counts, and there are fractions"),
        ({"n_components": 0}, "n_components=0"),
        ({"method": "medoid"}, "method='medoid' does not choose cells"),
        ({"wrong": 1}, "has no parameter 'wrong'"),
    ],
)
def test_what_is_refused(options, text):
    adata = cells()
    with pytest.raises((ValueError, TypeError), match=text):
        sketch_cells(adata, **{"n": 3, **options})
    assert list(adata.uns) == []


def test_other_data_and_no_package(monkeypatch):
    with pytest.raises(TypeError, match="adata must be an AnnData, got ndarray"):
        sketch_cells(np.ones((3, 4)), 2)
    adata = cells()
    monkeypatch.setitem(sys.modules, "anndata", None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "colonnade\[bio\]"'):
        sketch_cells(adata, 3)
