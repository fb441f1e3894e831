"""AnnData files on the command line."""

from __future__ import annotations

import anndata as ad
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

KINDS = [*"xyz"] * 4


def text(values):
    return pd.Index(list(values), dtype=object)


@pytest.fixture
def cells(tmp_path):
    X = np.random.default_rng(0).poisson(2.0, (12, 6)).astype(np.float32)
    kinds = pd.Categorical.from_codes([0, 1, 2] * 4, text("xyz"))
    adata = ad.AnnData(
        sp.csr_matrix(X),
        obs=pd.DataFrame({"cell_type": kinds}, index=text(f"cell{i}" for i in range(12))),
        var=pd.DataFrame(index=text(f"gene{j}" for j in range(6))),
    )
    adata.layers["log"] = adata.X.log1p()
    adata.write_h5ad(tmp_path / "cells.h5ad")
    return tmp_path / "cells.h5ad"


def test_genes(run, cells, tmp_path):
    out = tmp_path / "few.h5ad"
    asked = ("--layer", "log", "--label", "obs:cell_type", "--out", out)
    done = run("select", cells, "-n", 3, *asked)
    assert done.code == 0, done.err
    few = ad.read_h5ad(out)
    assert few.shape == (12, 3)
    assert few.obs["cell_type"].tolist() == KINDS
    assert few.obs_names[0] == "cell0"
    for gene in few.var_names:
        assert gene in done.out
    whole = ad.read_h5ad(cells)
    log = whole.layers["log"].toarray()[:, whole.var_names.get_indexer(few.var_names)]
    np.testing.assert_array_equal(few.X.toarray(), log)


def test_cells(run, cells):
    done = run("select", cells, "-n", 2, "--rows", "--method", "medoids")
    assert done.code == 0, done.err
    assert done.out.count("cell") >= 2


def test_messages_spell_options(run, cells):
    wrong = run("select", cells, "-n", 3, "--label", "cell_type")
    assert wrong.code != 0
    assert "say --label obs:cell_type" in wrong.err
    assert "--layer raw: there is no such layer" in run("select", cells, "--layer", "raw").err
