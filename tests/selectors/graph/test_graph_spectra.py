"""Eigenvectors of graphs: how many, and those of graphs that hang together by threads."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from oracles import BY_KIND
from scipy.linalg import block_diag, eigh
from scipy.sparse.linalg import ArpackNoConvergence
from sklearn.datasets import load_digits

from colonnade import select
from colonnade.selectors.graph import laplacians, mcfs

ORACLE = BY_KIND["graph"]
THREADS = (1e-8, 1e-10, 1e-11, 3e-9, 2e-11)
SIZES = (8, 11, 9, 12, 10, 13)


def threaded():
    """A chain of complete graphs, joined by edges of very different weights."""
    W = block_diag(*(np.ones((size, size)) - np.eye(size) for size in SIZES))
    starts = np.cumsum((0, *SIZES))
    for at, weight in zip(starts[1:-1], THREADS, strict=True):
        W[at - 1, at] = W[at, at - 1] = weight
    return W


def contracted():
    """Each complete graph as one sample: right but for terms of the square of the threads."""
    W = np.diag(THREADS, 1) + np.diag(THREADS, -1)
    volumes = [size * (size - 1.0) for size in SIZES]
    return eigh(np.diag(W.sum(axis=1)) - W, np.diag(volumes))


def test_threads_are_those_of_the_contracted_graph():
    W = threaded()
    root = np.sqrt(W.sum(axis=1))
    N = sp.csr_array(W / root[:, None] / root)
    start = np.random.default_rng(0).uniform(-1.0, 1.0, len(W))
    values, vectors = laplacians._smoothest(N, 6, start)
    expected, parts = contracted()
    order = np.argsort(values)
    np.testing.assert_allclose(values[order], expected, atol=1e-15)
    vectors = vectors[:, order]
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(6), atol=1e-10)
    spread = root[:, None] * np.repeat(parts, SIZES, axis=0)
    np.testing.assert_allclose(np.abs(vectors.T @ spread), np.eye(6), atol=1e-2)


@pytest.mark.parametrize("factored", [10, 100])
def test_what_cannot_be_told_apart_names_the_cure(factored, monkeypatch):
    def in_vain(*args, **params):
        raise ArpackNoConvergence("no convergence", np.empty(0), np.empty((0, 0)))

    X = np.random.default_rng(0).standard_normal((63, 4))
    monkeypatch.setattr(laplacians, "SMALL", 0)
    monkeypatch.setattr(laplacians, "FACTORED", factored)
    monkeypatch.setattr(laplacians, "eigsh", in_vain)
    with pytest.raises(ValueError, match=r"the 4 smallest .* 63 samples .*; choose a larger width"):
        select(X, 2, method="mcfs", affinity=sp.csr_array(threaded()), n_clusters=3)


@pytest.mark.filterwarnings("ignore:the graph of the samples has 2 components")
def test_a_narrow_heat_kernel_on_real_data():
    """Lanczos on the graph of the digits itself does not converge."""
    found = select(load_digits().data, 5, method="mcfs", affinity="heat", width=5.0, n_clusters=5)
    assert len(set(found.indices.tolist())) == 5


def grouped(n_groups, seed=0):
    """Groups of samples around the corners of a simplex, in noise."""
    rng = np.random.default_rng(seed)
    corners = np.repeat(4.0 * np.eye(n_groups, 15), 10, axis=0)
    return corners + rng.standard_normal(corners.shape)


@pytest.mark.parametrize("n_groups", [3, 7, 12])
def test_as_many_eigenvectors_as_the_ratio_of_eigenvalues_says(n_groups):
    X = grouped(n_groups)
    found = select(X, 6, method="mcfs", n_neighbors=7)
    W = ORACLE.graph(X, 7)[0]
    values = np.linalg.eigvalsh(ORACLE.normalized_laplacian(W))
    ratios = {count: values[count + 1] / values[count] for count in range(5, 21)}
    expected = max(ratios, key=ratios.get)
    assert found.info["n_clusters"] == expected
    if n_groups > 5:
        assert expected == n_groups - 1  # the first eigenvector is the constant one
    given = select(X, 6, method="mcfs", n_neighbors=7, n_clusters=expected)
    assert given.indices.tolist() == found.indices.tolist()
    assert given.info["n_clusters"] == expected


@pytest.mark.parametrize(("n_samples", "count"), [(2, 1), (3, 2), (5, 4), (6, 5), (7, 5)])
@pytest.mark.filterwarnings("ignore:the graph of the samples has")
def test_few_samples_have_few_eigenvectors(n_samples, count):
    X = np.random.default_rng(0).standard_normal((n_samples, 4))
    assert select(X, 2, method="mcfs", n_neighbors=1).info["n_clusters"] == count


def test_the_rise_is_a_ratio_within_bounds():
    low = np.linspace(0.0, 0.01, 8)  # seven beside the first, then three times as large
    values = np.concatenate([low, np.linspace(0.03, 0.04, 5), [0.4, 0.41], np.full(9, 0.9)])
    assert mcfs._until_the_rise(values) == 12
    values[13:15] = 0.07  # less than twice as large, though by more than after the seventh
    assert mcfs._until_the_rise(values[:15]) == 7
    assert mcfs._until_the_rise(np.concatenate([[0.0, 1e-9], np.full(20, 0.5)])) == 5
    assert mcfs._until_the_rise(np.concatenate([np.geomspace(1e-30, 1e-20, 9), np.ones(9)])) == 8


@pytest.mark.parametrize("seed", range(3))
def test_eigenvectors_are_those_of_the_degrees(seed):
    """``L y = λ D y``, not that of the normalized Laplacian: a column that is y comes first."""
    rng = np.random.default_rng(seed)
    sizes = np.geomspace(1.0, 30.0, 20)  # degrees are very different
    W = rng.uniform(0.5, 1.0, (20, 20)) * np.multiply.outer(sizes, sizes)
    W = np.tril(W, -1) + np.tril(W, -1).T
    degrees = W.sum(axis=1)
    y = eigh(np.diag(degrees) - W, np.diag(degrees))[1][:, 1]
    X = np.column_stack([np.sqrt(degrees) * y, y, degrees * y])
    X -= X.mean(axis=0)
    X /= np.sqrt((X**2).sum(axis=0))
    found = select(X, 1, method="mcfs", n_clusters=1, affinity=sp.csr_array(W))
    assert found.indices.tolist() == [1]
