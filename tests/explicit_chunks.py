"""What tests of chunks share: results of dask as arrays."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp


def dense(X):
    """Compute a dask array or frame; return an array."""
    X = X.compute()
    return X.toarray() if sp.issparse(X) else np.asarray(X)


def table(m=90, n=12, seed=0):
    """A matrix with zeros, with means, and with columns that depend on each other in part."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 5)) @ rng.normal(size=(5, n)) + 0.3 * rng.normal(size=(m, n))
    X[rng.random((m, n)) < 0.3] = 0.0
    X[:, 3] += 4.0
    return X
