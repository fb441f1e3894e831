"""Pearson residuals of counts as an operand: never all of them at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from ..foundation.typing import Array, Floats, Indices
from . import loops
from .blocks import BLOCK_BYTES
from .dense import Dense
from .interface import Columns

__all__ = ["PearsonResiduals"]

TILE = BLOCK_BYTES
"""How much of the residuals is made at a time."""


class PearsonResiduals(Columns):
    r"""Counts less what depth alone lets expect, in units of their spread, and clipped.

    .. math:: z_{ij} = \mathrm{clip}\Bigl(\frac{x_{ij} − μ_{ij}}{\sqrt{μ_{ij} + μ_{ij}^2/θ}},
              ±c\Bigr) − \bar z_j,\qquad μ_{ij} = \frac{s_i\, g_{bj}}{t_b}

    with the sum :math:`s_i` of row i (the depth of a cell), the sum :math:`g_{bj}` of column j
    over the rows of its batch b, and the sum :math:`t_b` of all of these: analytic Pearson
    residuals [1]_, as ``scanpy.experimental.pp.normalize_pearson_residuals`` computes them, less
    their means. Where :math:`μ_{ij} = 0` the residual is 0.

    An entry is not zero where its count is zero, so the residuals of sparse counts are dense.
    Only the counts are held; residuals are made for a few columns, or rows, at a time whenever
    a product needs them.

    Parameters
    ----------
    counts : ndarray or sparse matrix of shape (m, n)
        From 0 on; never written to. Sparse ones are held by columns.
    theta : float
        θ, the overdispersion of the negative binomial; infinity for Poisson.
    clip : float or None
        c; √m by default, infinity for none.
    batches : ndarray of int of shape (m,), optional
        The batch of each row, from 0 on; expectations and means are those of the batch.
    center : bool
        Whether to subtract the means.

    References
    ----------
    .. [1] Lause, Berens & Kobak, "Analytic Pearson residuals for normalization of single-cell
       RNA-seq UMI data", Genome Biology, 2021.

    Examples
    --------
    >>> import numpy as np
    >>> Z = PearsonResiduals(np.array([[4, 0], [0, 4]]), theta=np.inf, center=False)
    >>> Z.columns(slice(None)).round(3)
    array([[ 1.414, -1.414],
           [-1.414,  1.414]])
    """

    def __init__(
        self,
        counts: Any,
        *,
        theta: float = 100.0,
        clip: float | None = None,
        batches: Indices | None = None,
        center: bool = True,
    ):
        self.counts = sp.csc_array(counts) if sp.issparse(counts) else np.asarray(counts)
        m, n = self.shape = self.counts.shape
        self.dtype = np.dtype(np.float64)
        self.theta, self.clip = float(theta), float(np.sqrt(m) if clip is None else clip)
        self.batches = np.zeros(m, dtype=np.intp) if batches is None else batches
        self.turned, self.factor = False, 1.0
        self.depths: Floats = np.asarray(self.counts.sum(axis=1, dtype=np.float64)).ravel()
        n_batches = int(self.batches.max()) + 1
        member = sp.csr_array((np.ones(m), (self.batches, np.arange(m))), shape=(n_batches, m))
        if n_batches == 1:
            sums = np.asarray(self.counts.sum(axis=0, dtype=np.float64)).reshape(1, n)
        else:
            found: Any = member @ self.counts
            sums = np.asarray(found.toarray() if sp.issparse(found) else found, dtype=np.float64)
        totals = sums.sum(axis=1, keepdims=True)
        self.shares: Floats = np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0)
        """What share of the counts of a batch each column has."""
        self.means: Floats = np.zeros((n_batches, n))
        self._sq_norms: Floats | None = None
        if center:
            self._center(member)

    def _center(self, member: Any) -> None:
        """Find the means in each batch, and the squared norms of what is left, in one sweep."""
        sizes = np.maximum(member.sum(axis=1), 1.0)[:, None]
        squares = np.empty(self.shape[1])
        for cols in self._strips(self.shape[1], self.shape[0]):
            block = self._raw(slice(None), cols)
            sums = block.sum(axis=0)[None] if len(sizes) == 1 else member @ block
            self.means[:, cols] = sums / sizes
            self._subtract_means(block, slice(None), cols)
            squares[cols] = [float(column @ column) for column in block.T]
        self._sq_norms = squares

    def _subtract_means(self, block: Array, rows: Any, cols: Any) -> None:
        """Take the means of the batches out of a part, in place."""
        if len(self.means) == 1:
            block -= self.means[0, cols]
        else:
            block -= self.means[self.batches[rows]][:, cols]

    def _raw(self, rows: slice, cols: Indices | slice) -> Array:
        """Return clipped residuals of the counts, before means are subtracted, by columns."""
        batches, depths = self.batches[rows], self.depths[rows]
        if len(self.shares) == 1:
            out = np.multiply.outer(self.shares[0, cols], depths).T
        else:
            out = np.asfortranarray(self.shares[batches][:, cols] * depths[:, None])
        block: Any = self.counts[rows, cols]
        if not sp.issparse(block):
            spread = np.sqrt(out + np.square(out) / self.theta)
            np.subtract(block, out, out=out)
            np.divide(out, spread, out=out, where=spread > 0)
            return np.clip(out, -self.clip, self.clip, out=out)
        block = block.tocoo()
        i, j = block.coords
        mu = out[i, j]
        there = np.divide(
            block.data - mu, np.sqrt(mu + mu * mu / self.theta), out=np.zeros_like(mu), where=mu > 0
        )
        # for a count of zero the residual is −√(μ / (1 + μ/θ)): fewer sweeps, and above −√θ
        out /= 1.0 + out / self.theta
        np.sqrt(out, out=out)
        np.negative(out, out=out)
        if self.clip * self.clip < self.theta:
            np.maximum(out, -self.clip, out=out)
        out[i, j] = np.clip(there, -self.clip, self.clip)
        return out

    def part(self, rows: Indices | slice, cols: Indices | slice) -> Array:
        """Return a part of the matrix, dense."""
        samples, features = (cols, rows) if self.turned else (rows, cols)
        out = self._raw(samples, features)  # type: ignore[arg-type]
        self._subtract_means(out, samples, features)
        if self.factor != 1.0:
            out *= self.factor
        return out.T if self.turned else out

    def _strips(self, length: int, height: int) -> Iterator[slice]:
        width = max(1, TILE // (8 * max(1, height)))
        for start in range(0, length, width):
            yield slice(start, min(start + width, length))

    def _tiles(self) -> Iterator[tuple[slice, slice]]:
        """Cut the matrix along its features, by which counts are held."""
        m, n = self.shape
        if self.turned:
            yield from ((rows, slice(0, n)) for rows in self._strips(m, n))
        else:
            yield from ((slice(0, m), cols) for cols in self._strips(n, m))

    def matmat(self, V: Array) -> Array:
        out = np.zeros((self.shape[0], *V.shape[1:]))
        for rows, cols in self._tiles():
            out[rows] += self.part(rows, cols) @ V[cols]
        return out

    def matmat_part(self, j: slice, V: Any) -> Array:
        out = np.zeros((self.shape[0], V.shape[1]))
        for rows in self._strips(self.shape[0], j.stop - j.start):
            out[rows] = self.part(rows, j) @ V
        return out

    def rmatmat(self, U: Array) -> Array:
        out = np.zeros((self.shape[1], *U.shape[1:]))
        for rows, cols in self._tiles():
            out[cols] += self.part(rows, cols).T @ U[rows]
        return out

    def sweep(self, q: Array, z: Array | None, gain: float, f: Array, g: Array) -> Array:
        if z is None:
            return super().sweep(q, z, gain, f, g)
        # both products while the residuals are there
        omega, y = np.ascontiguousarray(self.rmatmat(np.column_stack([q, z])).T)
        loops.update_scores(omega, y, gain, f, g)
        return np.asarray(omega)

    def columns(self, j: Indices | slice) -> Array:
        return self.part(slice(None), j)

    def row_strips(self, height: int) -> Iterator[Array]:
        for start in range(0, self.shape[0], height):
            yield self.part(slice(start, start + height), slice(None))

    def points(self, *, unit_length: bool = False) -> Any:
        return self.in_memory().points(unit_length=unit_length)

    def in_memory(self) -> Dense:
        """Return all residuals at once, where there is room for them."""
        out = np.empty(self.shape, order="C" if self.turned else "F")
        for rows, cols in self._tiles():
            out[rows, cols] = self.part(rows, cols)
        return Dense(out)

    def _like(self) -> Self:
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def subset(self, j: Indices) -> Columns:
        """Return some columns; depths and expectations stay those of all."""
        made = self._like()
        norms = self._sq_norms
        made._sq_norms = None if norms is None else norms[j]
        if self.turned:
            made.counts, made.depths = self.counts[j], self.depths[j]
            made.batches = self.batches[j]
        else:
            made.counts = self.counts[:, j]
            made.shares, made.means = self.shares[:, j], self.means[:, j]
        features, samples = made.counts.shape[1], made.counts.shape[0]
        made.shape = (features, samples) if self.turned else (samples, features)
        return made

    def transposed(self) -> Columns:
        made = self._like()
        made.turned, made.shape, made._sq_norms = not self.turned, self.shape[::-1], None
        return made

    def scaled(self, factor: float) -> Columns:
        made = self._like()
        made.factor = self.factor * factor
        norms = self._sq_norms
        made._sq_norms = None if norms is None else norms * factor * factor
        return made

    def outer(self) -> Array:
        m, n = self.shape
        out = np.zeros((m, m))
        for cols in self._strips(n, m):
            block = self.part(slice(None), cols)
            out += block @ block.T
        return out

    def gram(self) -> Array:
        m, n = self.shape
        out = np.zeros((n, n))
        for rows in self._strips(m, n):
            block = self.part(rows, slice(None))
            out += block.T @ block
        return out.T

    def sq_norms(self) -> Array:
        if self._sq_norms is None:
            out = np.zeros(self.shape[1])
            for rows, cols in self._tiles():
                out[cols] += loops.column_sq_norms(self.part(rows, cols))
            self._sq_norms = out
        return self._sq_norms.copy()

    def max_abs(self) -> float:
        # the longest column tells the size as well, and is known
        return float(np.sqrt(self.sq_norms().max()))

    @property
    def pass_bytes(self) -> int:
        return 8 * self.shape[0] * self.shape[1]

    @property
    def square_flops(self) -> tuple[float, float]:
        m, n = self.shape
        return float(m) * n * n, float(m) * m * n
