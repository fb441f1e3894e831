"""AnnData files: what is read of them, and what is wrong with them."""

from __future__ import annotations

import sys

import anndata as ad
import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from test_io import message, put

from colonnade.io import FileError, Table, read, write


def text(values):
    """An index of text that every release of anndata can write."""
    return pd.Index([str(value) for value in values], dtype=object)


def counts(m=12, n=6):
    return np.random.default_rng(0).poisson(1.0, (m, n)).astype(np.float32)


def made(path, hold=sp.csr_matrix, **more):
    m, n = 12, 6
    obs = pd.DataFrame(
        {
            "cell_type": pd.Categorical.from_codes([0, 1, 2] * 4, text("xyz")),
            "patchy": pd.Categorical.from_codes([0, -1, 1] * 4, text("xy")),
            "depth": np.arange(m) / 2,
            "batch": np.arange(m) % 2,
        },
        index=text(f"cell{i}" for i in range(m)),
    )
    var = pd.DataFrame(index=text(f"gene{j}" for j in range(n)))
    adata = ad.AnnData(hold(counts()), obs=obs, var=var)
    adata.layers["log"] = hold(np.log1p(counts()))
    adata.write_h5ad(path, **more)
    return path


HOLDERS = {"csr": sp.csr_matrix, "csc": sp.csc_matrix, "dense": np.asarray}


@pytest.mark.parametrize("compression", [None, "gzip"])
@pytest.mark.parametrize("kind", HOLDERS)
def test_what_is_read(tmp_path, kind, compression):
    path = made(tmp_path / "a.h5ad", HOLDERS[kind], compression=compression)
    table = read(path, label="obs:cell_type")
    assert table.sparse == (kind != "dense")
    X = table.X.toarray() if table.sparse else table.X
    np.testing.assert_array_equal(X, counts())
    assert table.columns == [f"gene{j}" for j in range(6)]
    assert table.row_names.tolist() == [f"cell{i}" for i in range(12)]
    assert (table.label_name, table.labels.tolist()) == ("cell_type", [*"xyz"] * 4)
    assert read(path).labels is None
    log = read(path, layer="log", drop=["gene1"]).X
    log = log.toarray() if table.sparse else log
    np.testing.assert_array_equal(log, np.log1p(counts())[:, [0, 2, 3, 4, 5]])


def test_labels(tmp_path):
    path = made(tmp_path / "a.h5ad")
    np.testing.assert_array_equal(read(path, label="obs:depth").labels, np.arange(12) / 2)
    np.testing.assert_array_equal(read(path, label="obs:batch").labels, np.arange(12) % 2)
    assert read(path, label="obs:patchy").labels.tolist() == ["x", "", "y"] * 4
    gene = read(path, label="gene2")
    np.testing.assert_array_equal(gene.labels, counts()[:, 2])
    assert gene.X.shape == (12, 5)
    said = message(path, label="obs:cel_type")
    assert "the cells have no annotation 'cel_type' (did you mean 'cell_type'?)" in said
    assert "say label='obs:cell_type'" in message(path, label="cell_type")


def test_what_is_not_there(tmp_path):
    path = made(tmp_path / "a.h5ad")
    assert "layer='lag': there is no such layer (did you mean 'log'?)" in message(path, layer="lag")
    assert "sheet='a' has no meaning for h5ad" in message(path, sheet="a")
    other = put(tmp_path / "a.csv", "a,b\n1,2\n")
    assert "layer='log' has no meaning for CSV, which has no layers" in message(other, layer="log")
    empty = tmp_path / "b.h5ad"
    ad.AnnData(obs=pd.DataFrame(index=text("ab")), var=pd.DataFrame(index=text("cd"))).write_h5ad(
        empty
    )
    assert "there is no X in this file" in message(empty)


def test_damaged_files(tmp_path):
    whole = made(tmp_path / "a.h5ad").read_bytes()
    path = tmp_path / "b.h5ad"
    assert "not a complete h5ad file" in message(put(path, b"no HDF5 at all"))
    for size in (4, 100, len(whole) // 2, len(whole) - 1):
        assert "not a complete h5ad file" in message(put(path, whole[:size]))
    with h5py.File(path, "w") as file:
        file["x"] = [1.0]
    assert "there is no table 'obs' as AnnData writes it" in message(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f: f["X/indices"].__setitem__(0, 99), "99"),
        (lambda f: f["X/indptr"].__setitem__(3, 10**6), "not a complete h5ad file"),
        (lambda f: f["X"].__delitem__("indices"), "the array 'indices' of a CSR matrix is missing"),
        (lambda f: f["X"].attrs.__setitem__("shape", [12, -6]), "two whole numbers from 0 on"),
        (lambda f: f["X"].attrs.__setitem__("shape", [12, 7]), "/var/_index holds 6 values"),
        (lambda f: f["X"].attrs.__setitem__("encoding-type", "dataframe"), "which is no matrix"),
        (lambda f: f["var"].__delitem__("_index"), "has no index '_index'"),
        (lambda f: f["X/data"].__setitem__(2, np.nan), "gene"),
    ],
)
def test_damaged_parts(tmp_path, change, said):
    path = made(tmp_path / "a.h5ad")
    with h5py.File(path, "a") as file:
        change(file)
    assert said in message(path)


def set_attribute(place, key, value):
    return lambda file: file[place].attrs.__setitem__(key, value)


def put_instead(place, value):
    def change(file):
        del file[place]
        ad.io.write_elem(file, place, value)

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            set_attribute("X", "encoding-type", 3),
            "'encoding-type' of /X should be text, and holds 3",
        ),
        (set_attribute("X", "encoding-type", np.arange(2.0)), "of /X should be text, and holds"),
        (
            set_attribute("X", "encoding-type", ["csr_matrix"] * 2),
            "be one word, and holds 2",
        ),
        (put_instead("layers", np.ones(2)), "/layers is an array, and should be a group"),
        (put_instead("layers", 1.0), "/layers is an array, and should be a group"),
        (set_attribute("obs", "column-order", [1, 2]), "'column-order' of /obs should be text"),
        (set_attribute("obs", "column-order", 7), "'column-order' of /obs should be text"),
        (set_attribute("obs", "column-order", ["gone"]), "there are none"),
        (set_attribute("obs", "_index", 5), "'_index' of /obs should be text, and holds"),
        (set_attribute("var", "_index", [0.5, 1.5]), "'_index' of /var should be text, and holds"),
        (put_instead("obs/_index", 3.0), "/obs/_index is no list of values"),
        (put_instead("obs/cell_type/codes", np.zeros(5, dtype=np.int8)), "/obs/cell_type holds 5"),
        (put_instead("obs/cell_type/codes", np.full(12, 99)), "/obs/cell_type is not as AnnData"),
        (put_instead("obs/cell_type", np.arange(13)), "/obs/cell_type holds 13 values, but the"),
        (put_instead("obs/cell_type", np.ones((12, 2))), "/obs/cell_type is no list of values"),
        (
            set_attribute("obs/cell_type", "encoding-type", "odd"),
            "/obs/cell_type is not as AnnData",
        ),
        (lambda f: f["X"].__delitem__("data"), "'data'"),
    ],
)
def test_damaged_words(tmp_path, change, said):
    """Whatever is wrong is told in a sentence that names the file and the place."""
    path = made(tmp_path / "a.h5ad")
    with h5py.File(path, "a") as file:
        change(file)
    assert said in message(path, label="obs:cell_type")


def test_words_of_older_releases(tmp_path):
    """Attributes may be bytes, and a frame without columns has an order of no numbers."""
    path = made(tmp_path / "a.h5ad")
    with h5py.File(path, "a") as file:
        file["X"].attrs["encoding-type"] = np.bytes_(b"csr_matrix")
        file["obs"].attrs["_index"] = np.bytes_(b"_index")
    assert read(path, label="obs:cell_type").labels.tolist() == [*"xyz"] * 4
    with h5py.File(path, "a") as file:
        file["obs"].attrs["column-order"] = np.zeros(0)
    assert "there are none" in message(path, label="obs:cell_type")


def test_sizes_are_looked_at_first(tmp_path):
    path = made(tmp_path / "a.h5ad")
    with h5py.File(path, "a") as file:
        del file["X"]
        file.create_dataset("X", shape=(12, 10**10), dtype="f8", chunks=(1, 10**5))
    assert "out of all proportion" in message(path)


@pytest.mark.parametrize("kind", HOLDERS)
def test_what_is_written(tmp_path, kind):
    table = Table(
        HOLDERS[kind](counts()), [*"pqrstu"], np.array([*"ab"] * 6), "kind", np.arange(12)
    )
    write(tmp_path / "a.h5ad", table)
    adata = ad.read_h5ad(tmp_path / "a.h5ad")
    assert sp.issparse(adata.X) == (kind != "dense")
    again = read(tmp_path / "a.h5ad", label="obs:kind")
    X = again.X.toarray() if again.sparse else again.X
    np.testing.assert_array_equal(X, counts())
    assert (again.columns, again.labels.tolist()) == ([*"pqrstu"], [*"ab"] * 6)
    write(tmp_path / "b.h5ad", Table(counts(), labels=np.arange(12)))
    np.testing.assert_array_equal(
        read(tmp_path / "b.h5ad", label="obs:label").labels, np.arange(12)
    )


def test_a_name_that_cannot_be_written(tmp_path):
    with pytest.raises(FileError, match="cannot be called 'a/b', with a slash; rename it"):
        write(tmp_path / "a.h5ad", Table(counts(), labels=np.arange(12), label_name="a/b"))
    assert not (tmp_path / "a.h5ad").exists()


def test_without_the_package(tmp_path, monkeypatch):
    path = made(tmp_path / "a.h5ad")
    monkeypatch.setitem(sys.modules, "anndata", None)
    with pytest.raises(FileError, match=r'pip install "colonnade\[bio\]"'):
        read(path)
