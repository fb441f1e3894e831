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
from colonnade.anndata import select_genes, sketch_cells


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
    chosen = [int(name.removeprefix("cell")) for name in adata.uns["colonnade_cells"]["names"]]
    assert chosen == select(P, 9, method=method, axis=0).indices.tolist()
    nearest = ((P[:, None] - P[chosen]) ** 2).sum(axis=2).argmin(axis=1)
    weights = adata.obs["colonnade_weight"].to_numpy()
    assert weights[chosen].tolist() == np.bincount(nearest, minlength=9).tolist()
    assert weights.sum() == adata.n_obs


def test_what_is_written(tmp_path):
    adata = cells()
    before = adata.copy()
    assert sketch_cells(adata, 5, key_added="few") is None
    obs, about = adata.obs, adata.uns["few_cells"]
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
    assert again.uns["few_cells"]["params"] == about["params"]
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
    assert "stratify" not in adata.uns["colonnade_cells"]["params"]
    _, counts = np.unique(kinds[adata.obs["colonnade"]], return_counts=True)
    assert counts.tolist() == [2, 2, 2, 2]


@pytest.mark.parametrize("n", [1, 200])
def test_one_and_all(n):
    assert sketch_cells(cells(), n, inplace=False)["colonnade"].sum() == n


@pytest.mark.parametrize("method", ["greedy", "random-pivot", "leverage-top", "uniform"])
def test_other_methods(method):
    frame = sketch_cells(cells(), 6, method=method, inplace=False)
    assert frame["colonnade"].sum() == 6
    assert list(frame) == ["colonnade", "colonnade_rank", "colonnade_weight"]
    assert not frame["colonnade_weight"].any()  # they do not know


def test_weights_of_an_earlier_call_do_not_stay():
    adata = cells()
    sketch_cells(adata, 6)
    sketch_cells(adata, 6, method="uniform")
    assert adata.obs["colonnade_weight"].tolist() == [0.0] * 200


def test_cells_and_genes_beside_each_other():
    """Both under the name that they have by default."""
    adata = cells()
    select_genes(adata, 4)
    genes = adata.uns["colonnade"]["names"].tolist()
    sketch_cells(adata, 5)
    assert adata.uns["colonnade"]["names"].tolist() == genes
    assert adata.var_names[adata.var["colonnade"]].tolist() == sorted(
        genes, key=adata.var_names.get_loc
    )
    assert len(adata.uns["colonnade_cells"]["names"]) == 5


def test_a_sparse_representation():
    adata = cells()
    adata.obsm["dense"] = np.maximum(points(adata, 5), 0.0)
    adata.obsm["sparse"] = sp.csr_matrix(adata.obsm["dense"])
    for method in ("medoids", "greedy"):
        dense, sparse = (
            sketch_cells(adata, 4, use_rep=key, method=method, inplace=False)
            for key in ("dense", "sparse")
        )
        assert dense["colonnade"].tolist() == sparse["colonnade"].tolist()


def test_what_a_representation_leaves_out():
    adata = cells()
    adata.obsm["X_pca"] = points(adata, 5)
    sketch_cells(adata, 4, use_rep="X_pca")
    params = adata.uns["colonnade_cells"]["params"]
    assert (params["use_rep"], params["normalization"]) == ("X_pca", "none")
    assert "n_components" not in params


def test_cells_by_name(tmp_path):
    adata = cells()
    sketch_cells(adata, 5)
    first = adata.uns["colonnade_cells"]["names"][0]
    wanted = ["cell71", "cell2"]
    sketch_cells(adata, 5, must_include=wanted, exclude=[first])
    assert adata.obs["colonnade_rank"][wanted].tolist() == [0.0, 1.0]
    assert not adata.obs["colonnade"][first]
    adata.write_h5ad(tmp_path / "a.h5ad")
    params = ad.read_h5ad(tmp_path / "a.h5ad").uns["colonnade_cells"]["params"]
    assert params["must_include"].tolist() == wanted
    assert params["exclude"].tolist() == [first]
    by_number = sketch_cells(adata, 5, must_include=[71, 2], exclude=[first], inplace=False)
    assert by_number["colonnade"].tolist() == adata.obs["colonnade"].tolist()


def test_types_by_the_name_of_their_column():
    adata = cells()
    given = sketch_cells(adata, 8, stratify=np.asarray(adata.obs["kind"]), inplace=False)
    sketch_cells(adata, 8, stratify="kind")
    assert adata.obs["colonnade"].tolist() == given["colonnade"].tolist()
    assert adata.uns["colonnade_cells"]["params"]["stratify"] == "kind"


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
        ({"key_added": ""}, "key_added=''; choose a name"),
        ({"key_added": "a/b"}, "key_added='a/b'; choose a name"),
        ({"key_added": "_index"}, "key_added='_index'; choose a name"),
        ({"key_added": None}, "key_added must be a str, got None"),
        ({"n_select": 4}, "n_select=4 has no place here: n says how many cells; leave it out"),
        ({"axis": 1}, "axis=1 has no place here"),
        (
            {"stratify": "kin"},
            r"stratify='kin': adata.obs has no such column \(did you mean 'kind'",
        ),
        ({"must_include": ["cel1"]}, "must_include names the cell 'cel1', which is not in"),
        ({"must_include": ["cell1"] * 2}, "must_include repeats a cell"),
        ({"must_include": range(4)}, "must_include holds 4 cells but n=3; choose n at least 4"),
        ({"exclude": 200}, "exclude holds 200; cells are numbered 0 to 199"),
        ({"use_rep": "rep", "normalization": "log"}, "use_rep='rep' and normalization='log'"),
    ],
)
def test_what_is_refused(options, text):
    adata = cells()
    if options.get("use_rep") == "rep":
        adata.obsm["rep"] = points(adata, 5)
    with pytest.raises((ValueError, TypeError), match=text):
        sketch_cells(adata, **{"n": 3, **options})
    assert list(adata.uns) == []


def test_a_name_of_several_cells():
    adata = cells()
    adata.obs_names = [*["same"] * 2, *adata.obs_names[2:]]
    cure = r"give numbers, or call adata.obs_names_make_unique\(\) before"
    with pytest.raises(ValueError, match=f"'same' is the name of 2 cells: 0 and 1; {cure}"):
        sketch_cells(adata, 3, exclude=["same"])


def test_other_data_and_no_package(monkeypatch):
    with pytest.raises(TypeError, match="adata must be an AnnData, got ndarray"):
        sketch_cells(np.ones((3, 4)), 2)
    adata = cells()
    monkeypatch.setitem(sys.modules, "anndata", None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "colonnade\[bio\]"'):
        sketch_cells(adata, 3)
