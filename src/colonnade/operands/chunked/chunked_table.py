"""Chunks with names: what a large file becomes when it is opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["ChunkedTable"]


@dataclass(frozen=True)
class ChunkedTable:
    """A dask array of numbers and what its columns are called.

    Whatever takes a dask array takes this, and keeps the names.

    Attributes
    ----------
    array : dask.array.Array
        The numbers; its blocks are arrays or CSR matrices that are made when they are needed.
    names : list of str or None
        What the columns are called.
    labels : ndarray or None
        The class of each row, if a column of the source holds it.
    source : str
        Where the data comes from, for messages.

    See Also
    --------
    colonnade.open_data : Open a file as such a table.

    Examples
    --------
    >>> import dask.array as da
    >>> from colonnade import ChunkedTable
    >>> ChunkedTable(da.ones((6, 2), chunks=(3, 2)), names=["a", "b"], source="ones")
    ChunkedTable('ones': 6 × 2, float64, 2×1 chunks)
    """

    array: Any
    names: Sequence[str] | None = None
    labels: Any = None
    source: str = ""

    def __post_init__(self) -> None:
        if not (hasattr(self.array, "__dask_graph__") and hasattr(self.array, "numblocks")):
            kind = type(self.array)
            raise TypeError(
                f"array must be a dask array, got a {kind.__module__}.{kind.__qualname__}; an "
                "array in memory needs no chunks, and dask.array.from_array makes some of it"
            )

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns; rows may be NaN, which is: not known yet."""
        return self.array.shape

    @property
    def dtype(self) -> Any:
        """What the entries are stored as."""
        return self.array.dtype

    def __repr__(self) -> str:
        rows, columns = self.shape
        parts = "×".join(str(count) for count in self.array.numblocks)
        return f"ChunkedTable({self.source!r}: {rows} × {columns}, {self.dtype}, {parts} chunks)"
