"""The rule that follows the first principal component of what is left."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from ...foundation.lapack import svd
from ...foundation.typing import Array, Floats, Mask
from ...linalg.projecting import orthogonalize, project_out
from ...operands.blocks import block_slices
from ...operands.interface import Columns
from ...pivoting.residual import GrowingRows, Residual

__all__ = ["LeadingComponent"]

SMALL = 64
"""Up to this many rows or columns the residual is decomposed in full."""


class LeadingComponent:
    """The column whose residual correlates most with the first component of all residuals.

    It keeps an orthonormal basis of its own, because the engine may hold inner products alone.
    """

    keeps_scores = False
    asks_scores = False
    ends_at_rank = True
    in_rounds = False

    def __init__(self, A: Columns):
        self.A = A
        self.basis = GrowingRows(A.shape[0], 16)

    def choose(self, residual: Residual, candidates: Mask) -> int | None:
        """Return the candidate of largest squared correlation."""
        live = residual.live_candidates(candidates)
        for p in residual.chosen[len(self.basis.rows) :]:
            a = self.A.columns(slice(p, p + 1))[:, 0]
            q, length = orthogonalize(a, self.basis.rows)
            self.basis.append(q if length**2 > residual.limit[p] else np.zeros_like(q))
        Q, g = self.basis.rows, residual.g
        doubt = residual.drift + 64 * residual.eps * residual.g_start
        live &= g + doubt > residual.limit
        u = self._leading(Q)
        if not live.any() or u is None:
            return residual.best_length(candidates)
        squares = np.square(self.A.rmatmat(u))
        with np.errstate(divide="ignore", invalid="ignore"):
            least = np.where(live, squares / (g + doubt), -np.inf)
            most = np.where(live, squares / np.maximum(g - doubt, 0.0), -np.inf)
        rivals = np.flatnonzero(live & ~(most < least.max() * (1 - residual.tie)))
        scores, ok = self._exact(rivals, u, Q, residual.limit[rivals])
        if not ok.any():
            return residual.best_length(candidates)
        scores = np.where(ok, scores, -np.inf)
        return int(rivals[np.argmax(scores >= scores.max() * (1 - residual.tie))])

    def _exact(self, j: Array, u: Array, Q: Array, limit: Floats) -> tuple[Floats, Mask]:
        """Return squared correlations of columns with u, and which are more than rounding."""
        squares, lengths = np.empty(len(j)), np.empty(len(j))
        for part in block_slices(len(j), self.A.shape[0]):
            E = project_out(self.A.columns(j[part]), Q)
            lengths[part] = np.square(E).sum(axis=0)
            squares[part] = np.square(u @ E)
        ok: Mask = lengths > limit
        return squares / np.where(ok, lengths, 1.0), ok

    def _leading(self, Q: Array) -> Array | None:
        """Return the leading left singular vector of what the rows of Q leave of A."""
        m, n = self.A.shape
        if min(m, n) <= SMALL:
            vectors, values, _ = svd(
                project_out(self.A.columns(slice(None)), Q), full_matrices=False
            )
            return np.asarray(vectors[:, 0]) if values[0] > 0 else None

        def product(u: Array) -> Array:
            return project_out(self.A.matmat(self.A.rmatmat(project_out(u, Q))), Q)

        start = project_out(self.A.matmat(np.random.RandomState(0).standard_normal(n)), Q)
        if not start.any():
            return None
        outer = LinearOperator((m, m), matvec=product, dtype=np.float64)
        u = project_out(eigsh(outer, k=1, which="LA", v0=start)[1][:, 0], Q)
        return np.asarray(u / np.linalg.norm(u))
