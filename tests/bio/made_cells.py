"""Made cells: a few types, each with genes of its own, of different depth."""

from __future__ import annotations

import anndata as ad
import numpy as np
import pandas as pd
import scipy.sparse as sp


def words(values):
    """An index of text that every release of anndata can write."""
    return pd.Index([str(value) for value in values], dtype=object)


def categories(values):
    found, codes = np.unique(np.asarray(values, dtype=str), return_inverse=True)
    return pd.Categorical.from_codes(codes, words(found))


def cells(m=200, n=80, n_types=4, seed=0, sparse=True):
    """AnnData with types, batches that shift some genes, and a layer of logarithms."""
    rng = np.random.default_rng(seed)
    types = np.sort(rng.integers(n_types, size=m))
    rates = rng.gamma(0.3, 3.0, (n_types, n))
    X = rng.poisson(rates[types] * rng.lognormal(0.0, 0.4, (m, 1))).astype(np.float32)
    X[:, 5] = 0.0
    obs = {"kind": categories(types), "batch": categories(np.arange(m) % 2)}
    adata = ad.AnnData(
        sp.csr_matrix(X) if sparse else X,
        obs=pd.DataFrame(obs, index=words(f"cell{i}" for i in range(m))),
        var=pd.DataFrame(index=words(f"gene{j}" for j in range(n))),
    )
    adata.layers["counts"] = adata.X.copy()
    adata.layers["log"] = adata.X.log1p() if sparse else np.log1p(adata.X)
    return adata
