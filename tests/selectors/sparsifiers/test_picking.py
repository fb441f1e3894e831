"""Weights of methods that rescale, on columns of very different scales."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from colonnade import certify, select
from colonnade.linalg.svd import right_singular_vectors
from colonnade.operands.entrance import as_operand

LABELS = np.arange(10) % 3
METHODS = {
    "bss": lambda X, size: select(X, size, method="bss"),
    "bss of rank 4": lambda X, size: select(X, size, method="bss", rank=4),
    "dual-set": lambda X, size: select(X, size, method="dual-set", n_clusters=4),
    "randomized-dual-set": lambda X, size: select(
        X, size, method="randomized-dual-set", n_clusters=4, random_state=0
    ),
    "supervised-dual-set": lambda X, size: select(
        X, size, method="supervised-dual-set", labels=LABELS
    ),
}


def mixed(kind, rng):
    X = rng.standard_normal((10, 40))
    if kind == "graded":
        return X * np.geomspace(1e-6, 1e6, 40)
    if kind == "steep":
        return X * np.geomspace(1e-10, 1e10, 40)
    if kind == "tiny":
        X[:, 12:] *= 1e-14
    if kind == "zero":
        X[:, 12:] = 0.0
    if kind == "apart":  # the second half of the columns is not in the leading directions
        X[:5, 20:] = X[5:, :20] = 0.0
        X[5:] *= 1e-3
    return X


@pytest.mark.parametrize("convert", [np.array, sp.csc_array])
@pytest.mark.parametrize("kind", ["graded", "steep", "tiny", "zero", "apart"])
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.slow
def test_rows_of_V_that_are_rounding_are_not_magnified(name, kind, convert):
    for seed in range(4):
        X = mixed(kind, np.random.default_rng(seed))
        for size in (11, 20, 35):
            found = METHODS[name](convert(X), size)
            _, V = right_singular_vectors(as_operand(convert(X)), found.info["rank"])
            lengths = np.linalg.norm(V[found.indices], axis=1)
            assert lengths.min() > 1e-6 / np.sqrt(40)
            # none is longer than the whole, which both barriers bound or the weights themselves
            assert found.weights.max() < 3e6 * np.sqrt(40)
            assert certify(convert(X), found, labels=LABELS).holds
