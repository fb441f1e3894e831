"""Leading eigenpairs of matrices with eigenvalues of high multiplicity."""

from __future__ import annotations

import numpy as np
import pytest

from colonnade import Kernel, Nystroem, select
from colonnade.linalg.eigen import largest_eigenpairs

SHARES = [0.0, 1e-12, 0.1, float(np.exp(-2.0)), 0.5, 0.9]


def equal_points(n, share):
    """The kernel of n points that all have the same inner product."""
    M = np.full((n, n), share)
    np.fill_diagonal(M, 1.0)
    return M


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.slow
def test_all_that_were_asked_for(share):
    for n in range(1, 40):
        M = equal_points(n, share)
        for count in range(1, n + 2):
            values, vectors = largest_eigenpairs(M, count)
            size = min(n, count)
            assert vectors.shape == (n, size)
            np.testing.assert_allclose(
                values, [1 + (n - 1) * share] + [1 - share] * (size - 1), atol=1e-12
            )
            np.testing.assert_allclose(vectors.T @ vectors, np.eye(size), atol=1e-12)
            np.testing.assert_allclose(M @ vectors, vectors * values, atol=1e-12)


@pytest.mark.parametrize("method", ["dual-set", "bss", "leverage-top", "approx-svd"])
def test_methods_on_points_that_are_all_alike(method):
    params = {"n_clusters": 2} if method == "dual-set" else {"rank": 2}
    for n in range(5, 40):
        for share in SHARES[1:]:
            found = select(Kernel(equal_points(n, share)), 4, method=method, **params)
            assert 1 <= len(found) <= 4


def test_ranks_of_maps_of_points_that_are_all_alike():
    for n in range(3, 40):
        K = equal_points(n, 0.1)
        for rank in (2, n // 2):
            mapped = Nystroem("precomputed", n_components=n, landmarks=np.arange(n), rank=rank)
            Z = mapped.fit_transform(K)
            left = 0.9 * (n - max(1, rank))
            assert n - np.square(Z).sum() == pytest.approx(left, rel=1e-9)
