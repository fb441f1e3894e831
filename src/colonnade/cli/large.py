"""A choice from a file that is read in parts: its plan, the choice, what was used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ..foundation.parameters import check_parameters
from ..io.kinds import FileError
from ..operands.chunked.array import Chunked
from ..operands.chunked.checkpoint import keep_all
from ..operands.chunked.planning import Plan, check_plan
from ..operands.chunked.resources import Used, resources, size_text
from ..operands.entrance import as_columns, as_operand
from ..operands.interface import Columns
from ..operands.kernel import Kernel
from ..registry import Method
from ..selectors.chunks import check_chunks
from .beside import beside
from .beyond import Beyond, as_plain_table, plain_plans
from .cluster_of_workers import working
from .data import check_limit, find_all
from .ending import before_the_end
from .errors import InputError, input_errors
from .progress import Reporter
from .reading import Reading
from .screen import note
from .show import Answer
from .treatment import Treated, Treatment

__all__ = ["LargeAnswer", "Wish", "check_wish", "choose"]


@dataclass(frozen=True)
class Wish:
    """What is asked for, as the options of ``select`` say it."""

    entry: Method
    size: Any
    limit: float | None
    params: dict[str, Any]
    named: dict[str, list[str] | None]
    flags: dict[str, str]
    rows: bool
    seed: int
    rescale: bool

    @property
    def unit(self) -> str:
        """What is chosen."""
        return "row" if self.rows else "column"


@dataclass(frozen=True)
class LargeAnswer:
    """An answer, with what it took."""

    answer: Answer
    plans: Sequence[Plan]
    used: Used
    compared: bool

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON is to hold."""
        found = self.answer.to_dict()
        found["data"]["copies"] = None  # nobody has looked for them
        return {**found, "plan": plain_plans(self.plans), "used": asdict(self.used)}

    def lines(self, written: bool) -> list[str]:
        """Return what was used, and what is not told.

        Parameters
        ----------
        written : bool
            Whether the data was read once more, to write what was chosen of it.
        """
        used = self.used
        passes = f"{used.passes:.3g} {'pass' if used.passes == 1 else 'passes'}"
        text = (
            f"{passes} over the data: {size_text(used.bytes_read)} read, "
            f"{size_text(used.bytes_sent)} sent"
        )
        if written:
            text += ", and one pass for --out"
        if not self.compared:
            text += "; the best possible and random choices would take more passes"
        return [text]


def check_wish(wish: Wish, treatment: Treatment, certified: bool, covariance: bool) -> None:
    """Raise InputError for what cannot be asked of a file that is read in parts."""
    if isinstance(wish.size, str):
        raise InputError(
            "-n: say how many to choose, such as -n 100; proposing a number would read a file in "
            "parts many times"
        )
    if wish.rows:
        _check_number(wish)
    if treatment.scale == "robust":
        raise InputError(
            "--scale robust needs quantiles of whole columns, which are read in parts here; choose "
            "auto, none, std or max"
        )
    for option, given in (("--certify", certified), ("--covariance", covariance)):
        if given:
            raise InputError(
                f"{option} needs the whole file, which is read in parts here; leave out {option}, "
                "or --memory and what else reads it in parts"
            )
    kinds = ["wide dask"] if wish.rows else ["tall dask", "wide dask"]
    if not set(kinds) & {*wish.entry.inputs}:
        _refuse_method(wish)


def _check_number(wish: Wish) -> None:
    """Raise InputError if nothing says how many parts of the file should send."""
    if wish.size is None:
        raise InputError(
            f"--max-error {wish.limit} alone does not say how many {wish.unit}s each part of the "
            "file should send; add -n, such as -n 100: choosing ends at what is reached first"
        )


def _refuse_method(wish: Wish) -> None:
    from .. import METHODS

    kind = "wide dask" if wish.rows else "tall dask"
    others = [name for name, entry in METHODS.items() if kind in entry.inputs]
    raise InputError(
        f"method {wish.entry.name!r} cannot choose {wish.unit}s of a file that is read in parts; "
        f"those that can: {', '.join(others)}"
    )


@contextmanager
def choose(
    wish: Wish, source: Reading, treatment: Treatment, beyond: Beyond, report: Reporter
) -> Iterator[LargeAnswer]:
    """Yield a choice from a file that is read in parts, while its workers are still there."""
    report.phase(f"opening {source.file.name}")
    learns = treatment.center or treatment.scale != "none"
    found = beyond.opened(source) if wish.rows else beyond.opened_for_columns(source, learns=learns)
    table = as_plain_table(found, source)
    shape = table.X.shape[::-1] if wish.rows else table.X.shape
    check_limit("-n", wish.size, source.file, shape[1], wish.unit)
    params = dict(wish.params)
    for name, given in wish.named.items():
        if given:
            params[name] = find_all(wish.flags[name], given, table, wish.rows)
    if "random_state" in wish.entry.parameters:
        params.setdefault("random_state", wish.seed)
    A = as_operand(table.X)
    assert isinstance(A, Chunked)
    if not A.condenses:
        _check_number(wish)
    flags = {"n_select": "-n", "max_error": "--max-error", **wish.flags}
    with input_errors(**flags):
        selector = wish.entry.selector(wish.size, **{**wish.entry.preset, **params})
        check_parameters(selector)
        check_chunks(selector, A.transposed() if wish.rows else A)
    report.phase("starting workers")
    with (
        working(beyond.who, beyond.n_tasks, beyond.memory_bytes),
        resources(
            memory=beyond.memory_bytes, checkpoint=beyond.checkpoint, progress=report.blocks
        ) as resource,
        before_the_end(keep_all),
    ):
        plans = _checked_plans(wish, A, treatment)
        report.phase("looking at the data")
        with _about_file(source.file, table.names):
            treated = treatment.of(table, A, candidates=not wish.rows)
            report.phase(f"choosing {wish.unit}s")
            with treated.told(), input_errors(**flags):
                answer = _chosen(wish, source, treated, A, params, report)
        report.phase("comparing")
        answer = _compared(answer, wish.seed)
        yield LargeAnswer(answer, plans, resource.used, answer.compared is not None)


def _chosen(
    wish: Wish, source: Reading, treated: Treated, A: Chunked, params: Any, report: Reporter
) -> Answer:
    seen = as_columns(treated.preparation.A)
    if wish.rows:
        B = seen.transposed()
        adjust: dict[str, Any] = {"center": False, "scale": None}
        selection = wish.entry(B, wish.size, progress=report, **params, **adjust)
    else:
        treated.check_left(wish.size, params.get("exclude", ()))
        selection = wish.entry(
            A, wish.size, names=treated.table.names, prepared=treated.preparation,
            progress=report, center=treated.center, scale=treated.scale, **params,
        )  # fmt: skip
    return Answer(
        str(source.file), treated.table, selection, wish.entry, wish.rows, treated, seen,
        wish.limit, wish.rescale,
    )  # fmt: skip


def _compared(answer: Answer, seed: int) -> Answer:
    """Return the answer beside others, if inner products of all columns are there to tell."""
    if answer.rows or not (isinstance(answer.A, Columns) and answer.A.gram_is_held):
        return answer
    # of the columns themselves there is nothing in memory, and another pass would be needed
    K = Kernel(answer.A.gram(), check=False)
    answer = replace(answer, A=K)
    varying = answer.treated.preparation.varying
    return replace(answer, compared=beside(K, len(answer.selection), varying, seed))


def _checked_plans(wish: Wish, A: Chunked, treatment: Treatment) -> list[Plan]:
    """Say what the work will take, and raise InputError if it is more than it may be."""
    from ..selectors.planned import plan

    with input_errors(n_select="-n"):
        found = plan(
            A, wish.size, axis=0 if wish.rows else 1, center=treatment.center,
            scale=None if treatment.scale == "none" else treatment.scale, method=wish.entry.name,
        )  # fmt: skip
    for piece in found:
        note(f"plan: {piece}")
    for piece in found:
        try:
            check_plan(piece)
        except MemoryError as error:
            text = str(error).removesuffix(piece.cure).replace("memory=", "--memory ")
            raise InputError(f"{text}{_cure(wish, A)}") from error
    return found


def _cure(wish: Wish, A: Chunked) -> str:
    if wish.rows or A.condenses:
        return "give more with --memory, or make parts smaller (--chunk) or fewer (--workers)"
    return (
        "give more with --memory, make fewer at a time (--workers), or store the file in chunks "
        "of few columns that have all rows"
    )


@contextmanager
def _about_file(file: Path, names: Sequence[str] | None) -> Iterator[None]:
    """Name file and column where numbers are the problem; cures for Python are of no use here."""
    try:
        with input_errors():
            yield
    except InputError as error:
        if isinstance(error.__cause__, FileError):
            raise
        text = str(error).replace(", for example with dask.array.nan_to_num", "")
        place = re.search(r"column (\d+); fill or drop such entries first", text)
        name = names[int(place[1])] if place and names is not None else None
        if place and name not in (None, f"x{place[1]}"):  # columns without names are called so
            text = text.replace(
                place[0], f"column {name!r}; fill such entries, or leave it out: --drop {name}"
            )
        raise InputError(text if "X contains" not in text else f"{file}: {text}") from error
