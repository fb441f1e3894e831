"""Dask arrays as operands: every product is a pass over the blocks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...foundation.typing import Array, Floats, Indices
from ..adjusted import over
from ..interface import Columns, stacked_triangle
from ..preparing import Preparation
from ..sums import Sums
from . import block_work
from .condensed import Condensed
from .engine import shared
from .planning import Found
from .source import Source, Treatments
from .summing import WHOLE, summed, triangle_of

__all__ = ["MOST_PRODUCTS", "Chunked"]

MOST_PRODUCTS = 23_170
"""Up to how many columns inner products of all of them are formed: 4 GiB."""


class Chunked(Columns):
    """A dask array whose columns are the candidates, or its rows if it is turned.

    Nothing is kept of the blocks; what is asked for is computed by pure tasks, one for each block
    or for each row or column of blocks, on the client that is active or on threads.

    Parameters
    ----------
    source : Source
        The blocks.
    means, factors : ndarray of shape (n,) or None
        What is subtracted from each column of the array, and what it is multiplied by then.
    roots : ndarray of shape (m,) or None
        Square roots of the weights of its rows.
    turned : bool
        Whether rows are the candidates.
    """

    out_of_core = True
    has_rows = False

    def __init__(
        self,
        source: Source,
        means: Floats | None = None,
        factors: Floats | None = None,
        roots: Floats | None = None,
        turned: bool = False,
    ):
        self.source = source
        self.turned = turned
        self._treatments = Treatments(source, means, factors, roots, turned)
        kept = source.array.dtype in (np.float16, np.float32) and not self.treated
        self.dtype = np.dtype(np.float32 if kept else np.float64)

    @property  # rows may be counted later
    def shape(self) -> tuple[int, int]:  # type: ignore[override]
        m, n = self.source.shape
        return (n, m) if self.turned else (m, n)

    @property
    def condenses(self) -> bool:
        """Whether there are so few columns that their inner products take the place of all."""
        m, n = self.source.shape
        # of many columns that are short, inner products take far more room than the data
        short = n > WHOLE and 0 <= 4 * m < n
        return not self.turned and n <= MOST_PRODUCTS and not short

    @property
    def treated(self) -> bool:
        """Whether anything was done to the entries."""
        t = self._treatments
        return not (t.means is None and t.factors is None and t.roots is None)

    def treatment_bytes(self, *, parts: bool) -> int:
        """Return what a pass sends of means, factors and weights: to parts, or to all blocks."""
        return self._treatments.nbytes((0 if self.turned else 1) if parts else None)

    def _with(self, **changes: Any) -> Chunked:
        t = self._treatments
        given = {"means": t.means, "factors": t.factors, "roots": t.roots, "turned": t.turned}
        return Chunked(self.source, **{**given, **changes})

    def treated_by(self, done: Preparation, weights: Floats | None) -> Chunked:
        """Return the operand with means and units of columns, and weights of rows."""
        factors = None if done.units is None else over(done.units)
        return self.adjusted_by(done.means, factors, None if weights is None else np.sqrt(weights))

    def adjusted_by(
        self, means: Floats | None, factors: Floats | None, roots: Floats | None
    ) -> Chunked:
        assert not self.treated
        assert not self.turned
        return self._with(means=means, factors=factors, roots=roots)

    def with_array(self, array: Any) -> Chunked:
        """Return the operand of an array that was made of this one, entry by entry."""
        assert not self.treated
        source = Source(array)
        source.checked = self.source.checked
        return Chunked(source, turned=self.turned)

    # -- sums over all rows of the array, in one pass -------------------------------------------

    def sums(self, weights: Floats | None, *, products: bool) -> Sums:
        """Return the sums over the rows as they are given; what is known is not summed again."""
        key = None if weights is None else weights.tobytes()
        known = self.source.sums
        if known is not None and known[0] == key and (known[1].tiles or not products):
            return known[1]
        found = summed(self.source, weights, products=products)
        self.source.sums = (key, replace(found, tiles=(), parts=()))
        return found

    def known_sums(self) -> tuple[float, Floats, Floats] | None:
        if self.source.sums is None or self.turned:
            return None
        found: Sums = self.source.sums[1]
        squares = found.squares + found.weight * np.square(found.means)
        return found.weight, found.weight * found.means, squares

    def condensed(self, sums: Sums, done: Preparation, weights: Floats | None) -> Condensed:
        """Return inner products of treated columns, in place of the data."""
        treated = self.treated_by(done, weights)
        n = self.source.shape[1]
        return Condensed(
            sums.gram(done),
            lambda: triangle_of(treated.source, treated._treatments),
            self.dtype,
            n,
        )

    # -- products -------------------------------------------------------------------------------

    def _rows(
        self, function: Any, what: str, arguments: Any, *, listed: int, each: int = 8
    ) -> Array:
        """Add results of blocks along one axis of the operand and stack them along the other.

        For each row, or column, that is listed a result has so many bytes.
        """
        axis = 1 - listed if self.turned else listed
        found = self.source.over_blocks(
            function, what, self._treatments, arguments, listed=axis,
            found=Found.of(self._sizes(axis), each),
        )  # fmt: skip
        return np.concatenate(found)

    def _sizes(self, side: int) -> Sequence[int] | None:
        """Return how many rows (0), or columns (1), of the array each line of blocks has."""
        return self.source.widths if side else self.source.heights

    def _cuts(self, axis: int, what: str) -> list[slice]:
        """Return which candidates (1), or what runs along them (0), each line of blocks holds."""
        side = 1 - axis if self.turned else axis
        if side == 0:
            self.source.counted(what)
        starts = self.source.starts(side)
        assert starts is not None
        return [slice(a, b) for a, b in pairwise(starts)]

    def _sliced(self, V: Array, axis: int, what: str) -> Any:
        """Return the arguments of blocks: to each the part of V along an axis of the operand."""
        parts = [shared(V[cut]) for cut in self._cuts(axis, what)]
        side = 1 - axis if self.turned else axis
        return lambda i, j: (parts[(i, j)[side]],)

    def matmat(self, V: Any) -> Array:
        cut = self._sliced(V, 1, "a product")
        return self._rows(
            block_work.matmat, "products", cut, listed=0, each=8 * block_work.width_of(V)
        )

    def rmatmat(self, U: Array) -> Array:
        cut = self._sliced(U, 0, "a product")
        return self._rows(
            block_work.rmatmat, "products", cut, listed=1, each=8 * block_work.width_of(U)
        )

    def sq_norms(self) -> Array:
        return self._rows(block_work.sq_norms, "lengths", lambda i, j: (), listed=1)

    def group_sums(self, groups: Indices, n_groups: int, weights: Floats | None = None) -> Array:
        cuts = self._cuts(0, "a sum over groups of rows")
        side = 1 if self.turned else 0
        loads = [None if weights is None else weights[cut] for cut in cuts]
        found = self._rows(
            block_work.group_sums, "sums of groups",
            lambda i, j: (groups[cuts[(i, j)[side]]], n_groups, loads[(i, j)[side]]), listed=1,
            each=8 * n_groups,
        )  # fmt: skip
        return found.T

    def row_sq_distances(self, centers: Array, groups: Indices) -> Array:
        rows, columns = self._cuts(0, "a distance of rows"), self._cuts(1, "a distance of rows")
        side = 1 if self.turned else 0
        some = [shared(centers[:, cut]) for cut in columns]
        return self._rows(
            block_work.row_sq_distances, "distances",
            lambda i, j: (some[(i, j)[1 - side]], groups[rows[(i, j)[side]]]), listed=0,
        )  # fmt: skip

    def top_products(self, V: Array, offsets: Floats) -> tuple[Indices, Floats, Floats]:
        V, offsets = shared(V), shared(offsets)
        found = self._panels(
            block_work.top_products, "nearest", lambda number: (V, offsets), axis=0, each=24
        )
        where, best, second = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return where, best, second

    def _panels(
        self,
        function: Any,
        what: str,
        arguments: Any,
        *,
        axis: int,
        among: Any = None,
        done: Any = None,
        each: int = 0,
        fixed: int = 0,
        needs: Found | None = None,
    ) -> list[Any]:
        """Apply a function to all of each line of blocks, along an axis of the operand.

        What is found takes ``each`` bytes for each row, or column, and ``fixed`` more of each task;
        or what ``needs`` says.
        """
        side = 1 - axis if self.turned else axis
        sizes = self._sizes(side)
        if sizes is not None and among is not None:
            sizes = [sizes[number] for number in among]
        return self.source.over_panels(
            function, what, self._treatments, arguments, axis=side, among=among, done=done,
            found=Found.of(sizes, each, fixed) if needs is None else needs,
        )  # fmt: skip

    def over_rows(
        self, function: Any, what: str, arguments: Any, *, each: int = 0, fixed: int = 0
    ) -> list[Any]:
        return self._panels(function, what, arguments, axis=0, each=each, fixed=fixed)

    def row_parts(self, what: str) -> list[slice]:
        return self._cuts(0, what)

    def over_columns(
        self,
        function: Any,
        what: str,
        arguments: Any,
        among: Any = None,
        done: Any = None,
        needs: Found | None = None,
    ) -> list[Any]:
        """Return ``function(part, *arguments(number))`` for parts that hold whole columns.

        Parameters
        ----------
        function : callable
            Importable and pure; gets an operand of some of the columns.
        what : str
            What this is, for progress.
        arguments : callable
            Of the number of a part; returns a tuple.
        among : sequence of int, optional
            Only for these parts.
        done : callable, optional
            Called with the number of a part and what was found, as soon as that is there.
        needs : Found, optional
            What is found takes so much, and what a task takes to find it.
        """
        return self._panels(function, what, arguments, axis=1, among=among, done=done, needs=needs)

    @staticmethod
    def shared(value: Any) -> Any:
        """Return an argument for many parts, which is then sent once."""
        return shared(value)

    def digest(self) -> str:
        """Return a short text that other means, factors or weights would hardly give."""
        t = self._treatments
        found = hashlib.sha256()
        for array in (t.means, t.factors, t.roots):
            found.update(b"none" if array is None else array.tobytes())
        return found.hexdigest()[:32]

    def signed_sums(self, size: int, rng: np.random.RandomState) -> Array:
        """Return the sums of random groups of columns with random signs: a sketch, m × size."""
        n = self.shape[1]
        groups = rng.permutation(np.arange(n) % size)  # no group is empty
        signs = rng.choice([-1.0, 1.0], size=n)
        C = sp.csr_array((signs, (np.arange(n), groups)), shape=(n, size))
        return self.matmat(C)

    def column_parts(self) -> list[slice]:
        """Return which columns each part holds."""
        return self._cuts(1, "a choice of rows" if self.turned else "a choice of columns")

    def columns(self, j: Indices | slice) -> Array:
        numbers = np.arange(self.shape[1])[j]
        cuts = self.column_parts()
        out = np.empty((self.shape[0], len(numbers)), order="F")
        places = {
            part: np.flatnonzero((numbers >= cut.start) & (numbers < cut.stop))
            for part, cut in enumerate(cuts)
        }
        column = 8 * self.shape[0]
        among = [part for part, there in places.items() if len(there)]
        found = self.over_columns(
            block_work.columns, "columns", lambda p: (numbers[places[p]] - cuts[p].start,), among,
            needs=Found(column * max(map(len, places.values())), column * len(numbers)),
        )  # fmt: skip
        for part, values in zip(among, found, strict=True):
            out[:, places[part]] = values
        return out

    def row_strips(self, height: int) -> Iterator[Array]:
        # a line of blocks at a time, so that no more is held
        for number in range(self.source.n_blocks[1 if self.turned else 0]):
            (rows,) = self._panels(
                block_work.all_rows,
                "rows",
                lambda _: (),
                axis=0,
                among=[number],
                each=8 * self.shape[1],
            )
            for start in range(0, len(rows), height):
                yield rows[start : start + height]

    def points(self, *, unit_length: bool = False) -> Any:
        raise TypeError(
            "this looks at all rows together, and data in chunks never is in memory together; "
            "pass an array, such as some of the rows"
        )

    def subset(self, j: Indices) -> Chunked:
        t = self._treatments
        if self.turned:
            roots = None if t.roots is None else t.roots[j]
            return Chunked(Source(self.source.array[j]), t.means, t.factors, roots, turned=True)
        means = None if t.means is None else t.means[j]
        factors = None if t.factors is None else t.factors[j]
        return Chunked(Source(self.source.array[:, j]), means, factors, t.roots)

    def transposed(self) -> Chunked:
        return self._with(turned=not self.turned)

    def outer(self) -> Array:
        side = 0 if self.turned else 1
        square = 8 * max(self.shape[0], 0) ** 2
        found = self.source.added_panels(
            block_work.outer, "products", self._treatments, axis=side, found=Found(square, square)
        )
        return np.asarray(found)

    def gram(self) -> Array:
        return self.transposed().outer()

    def scaled(self, factor: float) -> Chunked:
        n = self.source.shape[1]
        t = self._treatments
        factors = np.full(n, factor) if t.factors is None else t.factors * factor
        return self._with(means=np.zeros(n) if t.means is None else t.means, factors=factors)

    def max_abs(self) -> float:
        found = self.source.over_blocks(
            block_work.max_abs, "sizes", self._treatments, lambda i, j: (), listed=0
        )
        return float(np.max([part.value for part in found]))

    def triangle(self) -> Floats:
        m, n = self.shape
        counted = self.source.heights is not None
        if counted and self.turned == (n <= m):  # the longer side are the columns of the array
            lying = self if self.turned else self.transposed()
            return stacked_triangle(lying.row_strips(max(2 * min(m, n), 256)))
        upright = self.transposed() if self.turned else self
        return triangle_of(self.source, upright._treatments)

    @property
    def pass_bytes(self) -> int:
        m, n = self.shape
        return max(m, 1) * n * self.source.array.dtype.itemsize

    @property
    def square_flops(self) -> tuple[float, float]:
        m, n = self.shape
        return float(m) * n * n, float(m) * m * n
