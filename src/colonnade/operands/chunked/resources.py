"""What work on chunks may use, where it may keep what it has done, and what it used."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Any

__all__ = ["Resources", "Used", "as_bytes", "current", "nbytes", "resources", "size_text"]

UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


@dataclass
class Used:
    """What was used so far.

    Attributes
    ----------
    passes : float
        How often all data was read; a part of the blocks counts as a part of a pass.
    bytes_read : int
        The bytes of the blocks that were read.
    bytes_sent : int
        The bytes of what went to the tasks and of what came back from them.
    tasks : int
        How many tasks ran on blocks.
    """

    passes: float = 0.0
    bytes_read: int = 0
    bytes_sent: int = 0
    tasks: int = 0

    def add(self, other: Used) -> None:
        """Count what was used elsewhere as well."""
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))


@dataclass
class Resources:
    """What a :func:`resources` context sets, and what was used and kept inside of it."""

    memory: int | None = None
    checkpoint: Path | None = None
    progress: Callable[[str, int, int], None] | None = None
    used: Used = field(default_factory=Used)
    works: dict[str, list[dict[str, Any]]] = field(default_factory=dict, repr=False)


_current: ContextVar[Resources] = ContextVar("colonnade_resources", default=Resources())  # noqa: B039


def current() -> Resources:
    """Return the resources of the innermost context."""
    return _current.get()


@contextmanager
def resources(
    *,
    memory: int | str | None = None,
    checkpoint: str | Path | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Iterator[Resources]:
    """Limit what work on dask arrays may use, keep what it has done, and count what it used.

    Inside of another such context what is not given is as it is there, and what is used counts
    there as well when this one ends. Threads that are started inside are outside of it, as of all
    context variables: call ``contextvars.copy_context().run(work)`` in them, or open a context in
    each.

    Parameters
    ----------
    memory : int or str, optional
        How many bytes all processes together may take, such as ``"4GiB"``. Work whose plan says
        that it will take more is refused before it begins.
    checkpoint : str or Path, optional
        A folder in which parts of the work that are done are kept. The same calls on the same data,
        in the same order, go on from there, after whatever ended the first.
    progress : callable, optional
        Called as ``progress(what, done, wanted)`` whenever some blocks are done.

    Yields
    ------
    Resources
        ``used`` has passes over the data, bytes read and sent, and tasks.

    Examples
    --------
    >>> import dask.array as da
    >>> from colonnade import GreedySelector, resources
    >>> X = da.random.default_rng(0).normal(size=(2000, 30), chunks=(500, 30))
    >>> with resources(memory="1GiB") as given:
    ...     selector = GreedySelector(5).fit(X)
    >>> given.used.passes
    1.0
    """
    if not (checkpoint is None or isinstance(checkpoint, str | PathLike)):
        raise TypeError(f"checkpoint must be the path of a folder, got {checkpoint!r}")
    if not (progress is None or callable(progress)):
        raise TypeError(f"progress must be a function, got {progress!r}")
    if checkpoint is not None and not str(checkpoint).strip():
        raise ValueError(f"checkpoint={checkpoint!r} names no folder; '.' is the current one")
    outer = current()
    given = Resources(
        outer.memory if memory is None else as_bytes(memory, "memory"),
        outer.checkpoint if checkpoint is None else Path(checkpoint),
        outer.progress if progress is None else progress,
    )
    if checkpoint is None:
        given.works = outer.works  # names of the folder that are taken
    token = _current.set(given)
    try:
        yield given
    finally:
        _current.reset(token)
        outer.used.add(given.used)


def as_bytes(size: Any, name: str = "size") -> int:
    """Return a number of bytes from a number or from text such as "4GiB".

    Examples
    --------
    >>> as_bytes("4GiB"), as_bytes("1.5 MB"), as_bytes(1000)
    (4294967296, 1500000, 1000)
    """
    if isinstance(size, bool) or not isinstance(size, Real | str):
        raise TypeError(f"{name} must be a number of bytes or text such as '4GiB', got {size!r}")
    number, unit = size, ""
    if isinstance(size, str):
        match = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*([A-Za-z]*)\s*", size)
        number, unit = (match[1], match[2].upper()) if match else ("", "?")
    if unit not in UNITS:
        raise ValueError(
            f"{name}={size!r} is no size; give a number of bytes, or one with a unit such as "
            "'500MB' or '4GiB'"
        )
    count = float(number) * UNITS[unit]
    if not 1 <= count < math.inf:
        raise ValueError(f"{name}={size!r}; give a number of bytes, at least 1")
    return int(count)


def size_text(count: float) -> str:
    """Return a number of bytes as people read it.

    Examples
    --------
    >>> size_text(3 * 2**30), size_text(2**20 * 1.5), size_text(800)
    ('3.0 GiB', '1.5 MiB', '800 B')
    """
    for power, unit in ((50, "PiB"), (40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")):
        if count >= 2**power * (1 - 0.05 / 1024):  # or there were 1024.0 of the unit below
            return f"{count / 2**power:.1f} {unit}"
    return f"{int(count)} B"


def nbytes(value: Any) -> int:
    """Return how many bytes of numbers a result holds."""
    if isinstance(value, type):
        return 0
    if hasattr(value, "nbytes"):
        return int(value.nbytes)
    if hasattr(value, "__dict__"):
        return sum(nbytes(item) for item in vars(value).values())
    if isinstance(value, tuple | list):
        return sum(nbytes(item) for item in value)
    if hasattr(value, "indptr"):
        return int(value.data.nbytes + value.indices.nbytes + value.indptr.nbytes)
    return 0
