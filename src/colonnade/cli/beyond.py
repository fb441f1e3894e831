"""Files that do not fit in memory: the options that have them read in parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from ..foundation.threads import cores
from ..io.formats import Options
from ..io.kinds import check_source, kind_of
from ..io.lazy_blocks import Layout
from ..io.limits import RoomError
from ..io.opening import OPENERS, open_with
from ..io.table import Table
from ..operands.chunked.array import Chunked
from ..operands.chunked.chunked_table import ChunkedTable
from ..operands.chunked.planning import Plan
from ..operands.chunked.resources import as_bytes
from ..operands.entrance import as_operand
from .errors import InputError
from .input import spelling, split_names
from .options import whole
from .reading import Reading

__all__ = ["Beyond", "InParts", "as_plain_table", "plain_plans"]

PANEL = "Files larger than memory"
"""Under which heading help lists these options."""
LARGEST_BLOCK = 64 * 2**20
SMALLEST_BLOCK = 2**20
BLOCKS_IN_MEMORY = 8
"""How many blocks should fit in the memory of a task: they are copied, and read ahead."""
SCHEDULERS = ("threads", "processes")

INSTEAD = {
    "sheet": "save the sheet as .csv or .parquet first",
    "row_names": "leave that column out with --drop",
    "transform": "transform the data before, and store that",
    "min_df": "name the columns to leave out with --drop",
    "max_df": "name the columns to leave out with --drop",
}
"""Options of the reader that need the whole file, with what to do instead."""


@dataclass(frozen=True)
class InParts:
    """How large the parts may be in which a file is read."""

    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Read the file in parts, and use no more than this: 4GiB, 500MB.",
            rich_help_panel=PANEL,
        ),
    ] = None
    chunk: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Read the file in parts of this size: 64MiB, or less if --memory is small.",
            rich_help_panel=PANEL,
        ),
    ] = None

    @property
    def asked(self) -> bool:
        """Whether the file is to be read in parts."""
        return self.memory is not None or self.chunk is not None

    @property
    def n_tasks(self) -> int:
        """How many parts are in memory at the same time, as far as is known here."""
        return cores()

    @property
    def memory_bytes(self) -> int | None:
        """What may be used, in bytes."""
        return None if self.memory is None else _size("--memory", self.memory)

    @property
    def chunk_bytes(self) -> int:
        """How large parts are, in bytes."""
        if self.chunk is not None:
            return _size("--chunk", self.chunk)
        if self.memory_bytes is None:
            return LARGEST_BLOCK
        room = self.memory_bytes // (BLOCKS_IN_MEMORY * self.n_tasks)
        return min(max(room, SMALLEST_BLOCK), LARGEST_BLOCK)

    def check(self, source: Reading) -> None:
        """Raise InputError for sizes that are none, and options that need the whole file."""
        assert self.chunk_bytes
        spelled = spelling(source.label_flag)
        for name, cure in INSTEAD.items():
            if getattr(source, name) is not None:
                raise InputError(
                    f"{spelled(name, getattr(source, name))} needs the whole file, which is read "
                    f"in parts here; {cure}"
                )
        if source.missing != "error":
            raise InputError(
                f"--missing {source.missing} looks at the whole file, which is read in parts "
                "here; fill the gaps before, or leave columns out with --drop"
            )

    def opened_for_columns(self, source: Reading, *, learns: bool) -> ChunkedTable:
        """Open a file to choose columns of it.

        Of many, each part has all rows of a few, if that can be read; where means and units have to
        be learned first, which takes a pass over all columns of a few rows, parts are smaller.
        """
        found = self.opened(source)
        A = as_operand(found.array)
        kind = check_source(source.file, source.format)  # which knows folders of Parquet
        if (isinstance(A, Chunked) and A.condenses) or "layout" not in OPENERS[kind].options:
            return found
        return self.opened(source, "both" if learns else "columns")

    def opened(self, source: Reading, layout: Layout = "as stored") -> ChunkedTable:
        """Open a file whose parts are read when they are needed."""
        options = Options(
            label=source.label,
            drop=tuple(split_names(source.drop)),
            header=source.header,
            delimiter=source.delimiter,
            key=source.key,
            layer=source.layer,
            format=source.format,
            names=source.names,
            numeric_only=source.numeric_only,
            spelled=spelling(source.label_flag),
        )
        return open_with(source.file, options, chunk_bytes=self.chunk_bytes, layout=layout)

    @contextmanager
    def named(self, source: Reading) -> Iterator[None]:
        """Name ``--memory`` where a file that could be read in parts does not fit in memory."""
        try:
            yield
        except (RoomError, MemoryError) as error:
            if kind_of(source.file, source.format, reading=True) not in OPENERS:
                raise
            text = str(error) if isinstance(error, RoomError) else _no_room(source, error)
            raise InputError(f"{text}; or read it in parts: --memory 4GiB") from error


@dataclass(frozen=True)
class Beyond(InParts):
    """How work on a file that does not fit in memory is done."""

    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="WHO",
            help="Who reads the parts: threads (of this process), processes (started here), or "
            "the address of a Dask scheduler, such as tcp://10.0.0.1:8786.",
            rich_help_panel=PANEL,
        ),
    ] = None
    workers: Annotated[
        int | None,
        whole(
            "--workers", low=1, help="How many threads or processes; one for each core by default.",
            rich_help_panel=PANEL,
        ),
    ] = None  # fmt: skip
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Keep what is done in this folder; the same command goes on from there.",
            rich_help_panel=PANEL,
        ),
    ] = None

    @property
    def asked(self) -> bool:
        return super().asked or self.scheduler is not None or self.checkpoint is not None

    @property
    def n_tasks(self) -> int:
        return self.workers or cores()

    @property
    def who(self) -> str:
        """The scheduler."""
        return self.scheduler or SCHEDULERS[0]

    def check_folder(self) -> None:
        """Raise InputError if what is done cannot be kept where it should be."""
        if self.checkpoint is None:
            return
        try:
            self.checkpoint.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"--checkpoint {self.checkpoint}: this cannot be used as a folder "
                f"({error.strerror}); name another"
            ) from error

    def check_workers(self) -> None:
        """Raise InputError for workers that nobody asks for, and for what is no scheduler."""
        if self.workers is not None and not self.asked:
            raise InputError(
                f"--workers {self.workers} says who reads a file in parts; add --memory, such as "
                "--memory 4GiB, or --scheduler processes"
            )
        if self.who in SCHEDULERS:
            return
        if not re.fullmatch(r"([a-z]+://)?[^/\s]+:\d+", self.who):
            raise InputError(
                f"--scheduler {self.who!r}: choose threads, processes, or the address of a "
                "scheduler such as tcp://10.0.0.1:8786"
            )
        if self.workers is not None:
            raise InputError(
                f"--workers {self.workers}: the cluster at {self.who} has workers of its own; "
                "leave it out"
            )


def as_plain_table(found: ChunkedTable, source: Reading) -> Table:
    """Return chunks as what a reader returns, for names, labels and sizes; nothing is read."""
    names = None if found.names is None else [str(name) for name in found.names]
    return Table(found.array, names, found.labels, source.label or "label")


def plain_plans(plans: Iterable[Plan]) -> list[dict[str, Any]]:
    """Return plans as plain values, without the cures, which are for Python."""
    out = []
    for plan in plans:
        values = {**asdict(plan), "peak_bytes": plan.peak_bytes}
        out.append({name: value for name, value in values.items() if name != "cure"})
    return out


def _size(option: str, text: str) -> int:
    try:
        return as_bytes(text)
    except ValueError as error:
        raise InputError(
            f"{option} {text!r}: give a number of bytes, or one with a unit such as 500MB or 4GiB"
        ) from error


def _no_room(source: Reading, error: MemoryError) -> str:
    detail = f" ({error})" if str(error) else ""
    return f"{source.file}: not enough memory{detail}; use a larger machine"
