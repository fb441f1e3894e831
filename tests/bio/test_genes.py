"""Genes of AnnData: the recipe against a slow one of its own, and what is refused."""

from __future__ import annotations

import sys

import anndata as ad
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from made_cells import cells, words

from colonnade import select
from colonnade.anndata import genes, select_genes


def residuals(X, batches, clip, theta=100.0):
    """Clipped Pearson residuals less their means, batch by batch, of a dense array."""
    Z = np.zeros(X.shape)
    for b in np.unique(batches):
        part = X[batches == b]
        mu = np.outer(part.sum(axis=1), part.sum(axis=0)) / part.sum()
        with np.errstate(invalid="ignore"):
            z = np.where(mu > 0, (part - mu) / np.sqrt(mu + mu**2 / theta), 0.0)
        z = np.clip(z, -clip, clip)
        Z[batches == b] = z - z.mean(axis=0)
    return Z


def logarithms(X, batches):
    sums = X.sum(axis=1, keepdims=True)
    L = np.log1p(X / sums * np.median(sums))
    for b in np.unique(batches):
        L[batches == b] -= L[batches == b].mean(axis=0)
    return L


def textbook(Z, among, n, rank):
    """Greedy for the leading part of the candidates, by projections computed anew each time."""
    E = Z[:, among].copy()
    U, s, _ = np.linalg.svd(E, full_matrices=False)
    B = U[:, :rank] * s[:rank]
    chosen = []
    for _ in range(n):
        lengths = (E**2).sum(axis=0)
        live = lengths > 1e-9
        gains = np.where(live, ((B.T @ E) ** 2).sum(axis=0) / np.where(live, lengths, 1.0), -1.0)
        p = int(np.argmax(gains))
        chosen.append(p)
        q = E[:, p] / np.sqrt(lengths[p])
        E, B = E - np.outer(q, q @ E), B - np.outer(q, q @ B)
    return [f"gene{among[p]}" for p in chosen]


def expected(Z, X, n, rank, pool, min_cells=3):
    spread = (Z**2).sum(axis=0)
    able = np.flatnonzero(((X > 0).sum(axis=0) >= min_cells) & (spread > 1e-9))
    among = np.sort(able[np.argsort(-spread[able], kind="stable")[:pool]])
    return textbook(Z, among, n, rank)


@pytest.mark.parametrize("memory", [0, genes.IN_MEMORY], ids=["blocks", "held"])
@pytest.mark.parametrize("batch_key", [None, "batch"])
@pytest.mark.parametrize("normalization", ["pearson", "log", "none"])
@pytest.mark.parametrize("sparse", [True, False], ids=["sparse", "dense"])
def test_the_recipe(sparse, normalization, batch_key, memory, monkeypatch):
    monkeypatch.setattr(genes, "IN_MEMORY", memory)
    adata = cells(sparse=sparse)
    X = np.asarray(adata.X.todense() if sparse else adata.X, dtype=float)
    batches = np.asarray(adata.obs["batch"].astype(str)) if batch_key else np.zeros(len(X))
    if normalization == "pearson":
        Z = residuals(X, batches, 6.0)
    elif normalization == "log":
        Z = logarithms(X, batches)
    else:
        L = np.log1p(X)
        Z = np.array(L)
        for b in np.unique(batches):
            Z[batches == b] -= L[batches == b].mean(axis=0)
    layer = "log" if normalization == "none" else "counts"
    select_genes(adata, 6, layer, batch_key, normalization=normalization, clip=6.0, rank=5, pool=30)
    assert adata.uns["colonnade"]["names"].tolist() == expected(Z, X, 6, 5, 30)


def test_what_is_written(tmp_path):
    adata = cells()
    before = adata.copy()
    assert select_genes(adata, 7) is None
    about, var = adata.uns["colonnade"], adata.var
    assert var["colonnade"].dtype == bool
    assert var["colonnade"].sum() == 7
    order = var["colonnade_rank"].dropna().sort_values()
    assert order.tolist() == list(range(7))
    assert order.index.tolist() == about["names"].tolist()
    assert var.index[var["colonnade"]].tolist() == sorted(about["names"], key=var.index.get_loc)
    assert len(about["errors"]) == 7
    assert (np.diff(about["errors"]) < 0).all()
    assert about["params"]["normalization"] == "pearson"
    # nothing else
    assert set(var) == {"colonnade", "colonnade_rank"}
    assert list(adata.obs) == list(before.obs)
    assert list(adata.uns) == ["colonnade"]
    assert (adata.X != before.X).nnz == 0
    # and it comes back from a file
    adata.write_h5ad(tmp_path / "a.h5ad")
    again = ad.read_h5ad(tmp_path / "a.h5ad")
    assert again.uns["colonnade"]["params"] == about["params"]
    np.testing.assert_array_equal(again.uns["colonnade"]["names"], about["names"])
    np.testing.assert_array_equal(again.uns["colonnade"]["errors"], about["errors"])
    np.testing.assert_array_equal(again.var["colonnade_rank"], var["colonnade_rank"])


def test_another_key_and_no_key():
    adata = cells()
    frame = select_genes(adata, 4, key_added="few", inplace=False)
    assert list(frame) == ["few", "few_rank"]
    assert frame.index.equals(adata.var_names)
    assert (list(adata.var), list(adata.uns)) == ([], [])
    select_genes(adata, 4, key_added="few")
    pd.testing.assert_frame_equal(adata.var, frame)


def test_counts_are_told_from_logarithms():
    adata = cells()
    select_genes(adata, 3, key_added="a")
    select_genes(adata, 3, "log", key_added="b")
    adata.layers["scaled"] = adata.X.toarray() - 1.0
    select_genes(adata, 3, "scaled", key_added="c")
    kinds = [adata.uns[key]["params"]["normalization"] for key in "abc"]
    assert kinds == ["pearson", "pearson-of-log", "none"]
    assert ["clip" in adata.uns[key]["params"] for key in "abc"] == [True, True, False]


@pytest.mark.parametrize("base", [None, 2.0])
@pytest.mark.parametrize("sparse", [True, False])
def test_logarithms_are_counts_again(sparse, base):
    """Whatever the factor was, the choice is that of the counts."""
    adata = cells(sparse=sparse)
    X = np.asarray(adata.X.todense() if sparse else adata.X, dtype=float)
    X[:, 7] += X.sum(axis=1) == 0
    adata.layers["counts"] = sp.csr_matrix(X) if sparse else X
    L = np.log1p(X / X.sum(axis=1, keepdims=True) * 1e4)
    if base is not None:
        L /= np.log(base)
        adata.uns["log1p"] = {"base": base}
    adata.X = sp.csr_matrix(L.astype(np.float32)) if sparse else L.astype(np.float32)
    select_genes(adata, 6, "counts", key_added="a")
    select_genes(adata, 6, key_added="b")
    assert adata.uns["b"]["params"]["normalization"] == "pearson-of-log"
    assert adata.uns["b"]["names"].tolist() == adata.uns["a"]["names"].tolist()
    np.testing.assert_allclose(adata.uns["b"]["errors"], adata.uns["a"]["errors"], rtol=1e-4)


def test_batches_do_not_decide():
    """A gene that tells nothing but the batch is chosen only if nobody says that it is one."""
    adata = cells(m=300)
    shifted = np.asarray(adata.obs["batch"].astype(str) == "1")
    X = adata.X.toarray()
    X[:, 9] = np.random.default_rng(0).poisson(np.where(shifted, 30.0, 0.5))
    adata.X = sp.csr_matrix(X)
    for normalization in ("pearson", "log"):
        for key, wanted in ((None, True), ("batch", False)):
            frame = select_genes(
                adata, 5, batch_key=key, normalization=normalization, inplace=False
            )
            assert frame["colonnade"]["gene9"] == wanted, (normalization, key)


def test_genes_by_name():
    adata = cells()
    select_genes(adata, 5)
    first = adata.uns["colonnade"]["names"][0]
    wanted = ["gene71", "gene2"]
    frame = select_genes(adata, 5, must_include=wanted, exclude=[first], inplace=False, pool=10)
    assert frame["colonnade"].sum() == 5
    assert frame["colonnade_rank"][wanted].tolist() == [0.0, 1.0]
    assert not frame["colonnade"][first]


def test_the_same_again():
    """Also by methods that draw, unless another seed is given."""
    adata = cells()

    def drawn(**how):
        frame = select_genes(adata, 5, method="uniform", inplace=False, **how)
        return frame.index[frame["colonnade"]].tolist()

    assert drawn() == drawn() == drawn(random_state=0)
    assert drawn(random_state=1) != drawn()


def test_other_methods():
    adata = cells()
    for method in ("greedy", "pivoted-qr", "leverage-top", "uniform"):
        frame = select_genes(adata, 5, method=method, inplace=False)
        assert frame["colonnade"].sum() == 5


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"n": 0}, "n=0 but only 79 of 80 genes"),
        ({"n": 80}, "n=80 but only 79 of 80 genes vary, are found in min_cells=3 cells"),
        ({"n": 2.5}, "n must be an integer, got 2.5"),
        ({"layer": "count"}, r"layer='count': adata has no such layer \(did you mean 'counts'"),
        ({"batch_key": "bach"}, r"adata.obs has no such column \(did you mean 'batch'\?\)"),
        (
            {"normalization": "clr"},
            "normalization='clr'; choose one of auto, pearson, pearson-of-log",
        ),
        ({"layer": "minus", "normalization": "pearson-of-log"}, "and there are negative entries"),
        ({"layer": "log", "normalization": "pearson"}, "needs counts, and there are fractions"),
        ({"layer": "minus", "normalization": "log"}, "negative entries, the lowest -"),
        ({"layer": "gap"}, "contains NaN"),
        ({"method": "gredy"}, "method='gredy' does not choose genes"),
        ({"method": "information-gain"}, "does not choose genes"),
        ({"must_include": ["gen1"]}, "must_include names the gene 'gen1', which is not in"),
        ({"must_include": ["gene5"]}, "'gene5', which does not vary"),
        ({"must_include": ["gene1"], "exclude": ["gene1"]}, "is in must_include and in exclude"),
        ({"min_cells": 1000}, "0 of 80 genes vary, are found in min_cells=1000 cells and are not"),
        ({"batch_key": "own"}, "no gene of adata.X varies within a batch of batch_key='own'"),
        ({"batch_key": "own", "normalization": "log"}, "no gene of adata.X varies within a batch"),
        ({"layer": "zero"}, r"no gene of adata.layers\['zero'\] varies; "),
        ({"must_include": range(4)}, "must_include holds 4 genes but n=3; choose n at least 4"),
        ({"theta": None}, "theta must be a positive number, got None"),
        ({"n_select": 4}, "n_select=4 has no place here: n says how many genes; leave it out"),
        ({"key_added": ""}, "key_added=''; choose a name"),
        ({"key_added": "a/b"}, "key_added='a/b'; choose a name"),
        ({"key_added": "_index"}, "key_added='_index'; choose a name"),
        ({"key_added": 3}, "key_added must be a str, got 3"),
        ({"theta": 0}, "theta=0"),
        ({"clip": -1.0}, "clip=-1"),
        ({"rank": 0}, "rank=0"),
        ({"pool": 0}, "pool=0"),
        ({"wrong": 1}, "has no parameter 'wrong'"),
    ],
)
def test_what_is_refused(options, text):
    adata = cells()
    adata.layers["minus"] = -adata.X
    gap = adata.X.toarray()
    gap[3, 4] = np.nan
    adata.layers["gap"] = gap
    adata.layers["zero"] = adata.X * 0.0
    adata.obs["own"] = words(range(200))
    with pytest.raises((ValueError, TypeError), match=text):
        select_genes(adata, **{"n": 3, **options})
    assert (list(adata.var), list(adata.uns)) == ([], [])


@pytest.mark.parametrize("parameter", ["must_include", "exclude"])
def test_a_name_of_several_genes(parameter):
    adata = cells()
    adata.var_names = words(["MT", "MT", *adata.var_names[2:]])
    cure = r"give numbers, or call adata.var_names_make_unique\(\) before"
    with pytest.raises(ValueError, match=f"'MT' is the name of 2 genes: 0 and 1; {cure}"):
        select_genes(adata, 3, **{parameter: ["MT"]})
    adata.var_names_make_unique()
    frame = select_genes(adata, 3, inplace=False, **{parameter: ["MT", "MT-1"]})
    assert frame["colonnade"][["MT", "MT-1"]].tolist() == [parameter == "must_include"] * 2


def test_what_was_asked_for_is_noted(tmp_path):
    """Names however many, and as many candidates as there were."""
    adata = cells(n=200)
    never = [f"gene{j}" for j in range(20, 140)]
    select_genes(adata, 6, must_include=["gene3", "gene2"], exclude=never, pool=2)
    adata.write_h5ad(tmp_path / "a.h5ad")
    params = ad.read_h5ad(tmp_path / "a.h5ad").uns["colonnade"]["params"]
    assert params["must_include"].tolist() == ["gene3", "gene2"]
    assert params["exclude"].tolist() == never
    assert params["pool"] >= 6
    select_genes(adata, 6)
    params = adata.uns["colonnade"]["params"]
    assert params["pool"] <= 200
    assert not {"must_include", "exclude"} & set(params)


@pytest.mark.parametrize("sparse", [True, False], ids=["sparse", "dense"])
@pytest.mark.parametrize("normalization", ["log", "none"])
def test_batches_by_methods_that_need_columns(normalization, sparse, monkeypatch):
    """The data that they get is that of batches, each about its own means."""
    adata = cells(sparse=sparse)
    X = np.asarray(adata.X.todense() if sparse else adata.X, dtype=float)
    batches = np.asarray(adata.obs["batch"].astype(str))
    Z = logarithms(X, batches) if normalization == "log" else X.copy()
    for b in np.unique(batches):
        Z[batches == b] -= Z[batches == b].mean(axis=0)
    Z[:, 5] = 0.0
    able = np.flatnonzero(((X > 0).sum(axis=0) >= 3) & ((Z**2).sum(axis=0) > 1e-9))
    how = {"batch_key": "batch", "normalization": normalization, "method": "medoids"}
    select_genes(adata, 4, **how)
    chosen = select(Z[:, able], 4, method="medoids", random_state=0).indices
    assert adata.uns["colonnade"]["names"].tolist() == [f"gene{able[j]}" for j in chosen]
    monkeypatch.setattr(genes, "IN_MEMORY", 1000)
    with pytest.raises(
        ValueError, match=r"method='medoids' needs .* or one of the methods greedy, "
    ):
        select_genes(adata, 4, **how)


def test_cells_without_a_batch():
    adata = cells()
    adata.obs["batch"] = [None, *"ab" * 99, "a"]
    with pytest.raises(ValueError, match="1 cells have no batch"):
        select_genes(adata, 3, batch_key="batch")


@pytest.mark.parametrize("what", [np.ones((3, 4)), pd.DataFrame(np.ones((3, 4))), None])
def test_other_data(what):
    with pytest.raises(TypeError, match="adata must be an AnnData, got"):
        select_genes(what, 2)


def test_no_matrix(tmp_path):
    empty = ad.AnnData(var=pd.DataFrame(index=words("abc")))
    with pytest.raises(ValueError, match="adata has no X; choose a layer, there is none"):
        select_genes(empty, 2)
    cells().write_h5ad(tmp_path / "a.h5ad")
    with pytest.raises(TypeError, match="adata is in a file"):
        select_genes(ad.read_h5ad(tmp_path / "a.h5ad", backed="r"), 2)


def test_without_the_package(monkeypatch):
    adata = cells()
    monkeypatch.setitem(sys.modules, "anndata", None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "colonnade\[bio\]"'):
        select_genes(adata, 3)
