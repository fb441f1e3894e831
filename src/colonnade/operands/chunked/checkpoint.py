"""What is kept of long work in a folder, and whether it is about the same data."""

from __future__ import annotations

import hashlib
import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from weakref import WeakSet
from zipfile import BadZipFile

import numpy as np
import scipy.sparse as sp

from ...foundation.atomic import atomic
from ...foundation.typing import Floats
from ..sums import Sums, Tile
from .engine import computed, task
from .grid import stamp_of_all
from .resources import current
from .source import Source
from .tasks import Part, as_numbers, mark_of_blocks

__all__ = ["Kept", "digest_of", "keep_all"]

PAUSE = 20.0
"""How many seconds pass at least between two times that unfinished work is saved."""
FIELDS = ("means", "squares", "low", "high")
SUMS = ""
"""Under what name unfinished sums wait to be saved."""

_begun: WeakSet[Kept] = WeakSet()
"""The work of this process."""


def keep_all() -> None:
    """Save what is done of all work in a process that is about to end at once."""
    for kept in list(_begun):
        with suppress(OSError):  # there is nobody left to tell
            kept.keep()


class Kept:
    """A part of the work that is kept in the folder of :func:`colonnade.resources`.

    Parameters
    ----------
    folder : Path
        Where.
    name : str
        What part of the work it is: the name of its files.
    about : dict
        What it depends on; work that was kept with anything else is refused.
    """

    def __init__(self, folder: Path, name: str, about: dict[str, Any]):
        self.folder, self.name = folder, name
        self.about = about
        self._stamp = self._known_stamp = ""
        self._saved = time.monotonic()
        self._unsaved: dict[str, Any] = {}
        _begun.add(self)

    @classmethod
    def of(
        cls,
        source: Source,
        name: str,
        settings: dict[str, Any],
        weights: Floats | None,
        *,
        every: bool = False,
    ) -> Kept | None:
        """Return where to keep a part of the work on some data; None if nobody asks for that.

        Parameters
        ----------
        source : Source
            The data.
        name : str
            What part of the work it is.
        settings : dict
            What else it depends on.
        weights : ndarray of shape (m,) or None
            Weights of the rows.
        every : bool
            Whether all blocks are told from others now, which may take a pass; otherwise
            :meth:`check_lines` has to be called.

        Raises
        ------
        ValueError
            If the folder holds the same part of the work on other data or with other settings.
        """
        folder = current().checkpoint
        if folder is None:
            return None
        kept = cls(folder, name, {})
        kept._check_folder()
        kept._stamp = stamp_of_all(source.array) or ""
        data = fingerprint(source)
        if every:
            data["values"].append(kept._stamp or _mark_of_all(source))
        # what is called the same would be an error, and not one in place of the other
        about = dict(**data, weights=digest_of(weights), **settings)
        kept.about = json.loads(json.dumps(about))
        kept._claim()
        return kept

    def _claim(self) -> None:
        """Take the name, or one of its own if this call has given it to other work before.

        A learner does several pieces of work of a kind, such as sums of the data and of what it
        made of it, and the same call does them in the same order.
        """
        works = current().works.setdefault(self.name, [])
        number = works.index(self.about) if self.about in works else len(works)
        if number:
            self.name = f"{self.name}-{number + 1}"
        self._check()
        if number == len(works):  # not before it is known to be the same work
            works.append(self.about)

    def _check_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(
                f"checkpoint={str(self.folder)!r} cannot be used as a folder ({error.strerror})"
            ) from error

    def _check(self) -> None:
        path = self.folder / f"{self.name}.json"
        if not path.exists():
            with atomic(path) as file:
                file.write(json.dumps(self.about, indent=1).encode())
            return
        try:
            before = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise _damaged(path, error) from error
        if not isinstance(before, dict):
            raise _damaged(path, "it holds no table")
        wrong = [key for key in self.about if before.get(key) != self.about[key]]
        if wrong:
            raise self._other(wrong)

    def _other(self, wrong: list[str]) -> ValueError:
        return ValueError(
            f"the checkpoint in {str(self.folder)!r} is of other work: it differs in "
            f"{', '.join(wrong)}; give another folder, or delete this one to begin anew"
        )

    def check_lines(self, source: Source, lines: list[tuple[int, int]]) -> None:
        """Raise ValueError if the lines of blocks that are done had other entries.

        They are read for that, unless they come from files of this package that were not written
        since.
        """
        if self._stamp and self._known_stamp == self._stamp:
            return
        tasks = [
            task(mark_of_blocks, source.panel(i, 0), source.where_panel(i, 0))
            for i in range(len(lines))
        ]
        found = source.run(tasks, "what was done")
        source.end_pass(len(lines) / source.n_blocks[0])
        if [part.value for part in found] != lines:
            raise self._other(["values"])

    def load(self, part: str = "") -> dict[str, Any] | None:
        """Return the arrays that were saved, by name; None if there are none."""
        path = self._path(part)
        if not path.exists():
            return None
        try:
            # opened here: NumPy leaves a damaged file open
            with path.open("rb") as file, np.load(file, allow_pickle=False) as found:
                return {key: found[key] for key in found.files}
        except (OSError, ValueError, EOFError, BadZipFile) as error:
            raise _damaged(path, error) from error

    def save(self, arrays: dict[str, Any], part: str = "") -> None:
        """Keep arrays by name, in place of what was there."""
        with atomic(self._path(part)) as file:
            np.savez(file, **arrays)
        self._saved = time.monotonic()
        self._unsaved.pop(part, None)

    def keep(self) -> None:
        """Save what is done and waits to be saved."""
        for part, found in list(self._unsaved.items()):
            if part == SUMS:
                self.save_sums(*found, now=True)
            else:
                self.save(found, part)

    def _path(self, part: str) -> Path:
        return self.folder / f"{self.name}{'-' if part else ''}{part}.npz"

    def sums(self, groups: list[list[Tile]]) -> tuple[int, list[Part]] | None:
        """Return how many rows of blocks are done, and what they add up to."""
        found = self.load()
        try:
            return None if found is None else self._as_sums(found, groups)
        except (KeyError, TypeError) as error:
            raise _damaged(self._path(""), error) from error

    def _as_sums(self, found: dict[str, Any], groups: list[list[Tile]]) -> tuple[int, list[Part]]:
        lines = [(int(height), int(mark)) for height, mark in found["lines"].tolist()]
        self._known_stamp = str(found["stamp"])
        weighted = bool(found["weighted"])
        totals = []
        for g, group in enumerate(groups):
            sums = None
            if found["weight"] > 0:
                parts = tuple(found[f"part {g} {k}"] for k in range(len(group)))
                head = {name: found[name] for name in FIELDS}
                sums = Sums(
                    n_rows=int(found["n_rows"]), weight=float(found["weight"]), **head,
                    tiles=tuple(group), parts=parts, weighted=weighted,
                )  # fmt: skip
            totals.append(Part((sums, lines), 0))
        return int(found["done"]), totals

    def save_now_and_then(self, arrays: dict[str, Any], part: str, *, last: bool) -> None:
        """Keep arrays, if it is the end of them or a while since anything was kept."""
        self._unsaved[part] = arrays
        if last or time.monotonic() - self._saved >= PAUSE:
            self.save(arrays, part)

    def save_sums(self, done: int, totals: list[Part], *, now: bool) -> None:
        """Keep sums, if they are asked for now or it is a while since they were kept."""
        self._unsaved[SUMS] = (done, totals)
        if not now and time.monotonic() - self._saved < PAUSE:
            return
        head, lines = totals[0].value
        arrays: dict[str, Any] = {"done": done, "lines": np.array(lines), "weighted": False}
        arrays |= {"n_rows": 0, "weight": 0.0}
        if head is not None:
            arrays |= {"n_rows": head.n_rows, "weight": head.weight, "weighted": head.weighted}
            arrays |= {name: getattr(head, name) for name in FIELDS}
            for g, total in enumerate(totals):
                parts = total.value[0].parts
                arrays |= {f"part {g} {k}": part for k, part in enumerate(parts)}
        arrays["stamp"] = np.array(self._stamp)
        self.save(arrays)


def fingerprint(source: Source) -> dict[str, Any]:
    """Return what tells data from other data.

    Its chunks, and digests of some of its blocks; the others are compared elsewhere.
    """
    rows, columns = source.n_blocks
    places = sorted({(0, 0), (rows // 2, columns // 2), (rows - 1, columns - 1)})
    # made where the blocks are, which then need not be sent
    digests = computed([task(_digest_of_block, source.grid[place], place) for place in places])
    heights = [None if np.isnan(height) else int(height) for height in source.array.chunks[0]]
    more = {} if source.targets is None else {"targets": digest_of(source.targets)}
    return {
        **more,
        "chunks": [heights, list(source.widths)],
        "dtype": str(source.array.dtype),
        "values": digests,
    }


def _mark_of_all(source: Source) -> str:
    """Return a short text that arrays with other blocks would hardly have; takes a pass."""
    places = np.ndindex(*source.n_blocks)
    tasks = [task(mark_of_blocks, [[source.grid[i, j]]], source.where(i, j)) for i, j in places]
    marks = [part.value for part in source.run(tasks, "marks of all blocks")]
    checked = source.checked
    source.end_pass()
    source.checked = checked  # a mark is made of whatever there is
    return hashlib.sha256(repr(marks).encode()).hexdigest()[:32]


def _digest_of_block(block: Any, place: tuple[int, int]) -> str | None:
    return digest_of(as_numbers(block, place))


def digest_of(values: Any) -> str | None:
    """Return a short text that other values would hardly have."""
    if values is None:
        return None
    found = hashlib.sha256()
    arrays = (values.data, values.indices, values.indptr) if sp.issparse(values) else (values,)
    for array in arrays:
        plain = np.ascontiguousarray(array)
        found.update(f"{plain.dtype} {plain.shape}".encode())
        found.update(plain.tobytes())
    return found.hexdigest()[:32]


def _damaged(path: Path, why: object) -> ValueError:
    return ValueError(
        f"the checkpoint {str(path)!r} is damaged ({why}); delete its folder to begin anew"
    )
