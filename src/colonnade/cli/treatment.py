"""What is done to the data before anything else, and the first lines that say so."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
import typer

from ..foundation.alerts import DataWarning
from ..foundation.wording import did_you_mean, listed
from ..io.formats import Table
from ..io.phrases import counted
from ..operands.advice import advise
from ..operands.covariance import Covariance
from ..operands.duplicates import equal_columns
from ..operands.entrance import as_operand
from ..operands.interface import Columns, Operand
from ..operands.preparing import Preparation, prepare
from .errors import InputError, input_errors

__all__ = ["ADJUST", "Treated", "Treatment"]

ADJUST = {"center": "--center", "scale": "--scale", "missing": "--missing"}
"""Parameters that say what is done to the data, with their options."""

SCALES = {
    "auto": "standardize where units would decide",
    "none": "not at all",
    "std": "the standard deviation",
    "robust": "the interquartile range",
    "max": "the largest absolute value",
}
"""What ``--scale`` may be."""
DONE = {
    "std": "divided by their standard deviations",
    "robust": "divided by their interquartile ranges",
    "max": "divided by their largest absolute values",
}
MOST_NAMES = 8
"""How many columns a line names."""


@dataclass(frozen=True)
class Treatment:
    """The options that say what is done to the columns."""

    center: Annotated[
        bool,
        typer.Option(
            "--center/--no-center", help="Whether to subtract the mean of each column first."
        ),
    ] = True
    scale: Annotated[
        str,
        typer.Option(
            metavar="HOW",
            help="What to divide each column by first: auto (its standard deviation, where a few "
            "columns would decide by their units), none, std, robust (its interquartile range) or "
            "max.",
        ),
    ] = "auto"

    def check(self) -> None:
        """Raise InputError if there is no such scale."""
        if self.scale not in SCALES:
            raise InputError(
                f"--scale {self.scale!r}{did_you_mean(self.scale, SCALES)}; choose one of "
                f"{', '.join(SCALES)}"
            )

    @property
    def as_is(self) -> bool:
        """Whether nothing is done."""
        return not self.center and self.scale == "none"

    def of(
        self, table: Table, data: Any = None, *, missing: str = "error", candidates: bool = True
    ) -> Treated:
        """Look at a table and say what is done to it; warn where that should be more.

        Parameters
        ----------
        table : Table
            What was read.
        data : Operand, optional
            What the table stands for, if that is not its own data.
        missing : str
            What becomes of gaps.
        candidates : bool
            Whether columns are the candidates; matters to data in chunks, of which few columns
            become their inner products.
        """
        A = as_operand(table.X if data is None else data, gaps=missing != "error")
        scale = None if self.scale == "none" else self.scale
        with input_errors(center="--center", scale="--scale", missing="--missing"):
            try:
                found = prepare(
                    A, center=self.center, scale=scale, missing=missing, names=table.names,
                    quiet=True, candidates=candidates,
                )  # fmt: skip
            except ValueError as error:
                if "nothing varies" not in str(error):
                    raise
                what = "there is one row" if A.shape[0] == 1 else "all columns are constant"
                raise InputError(
                    f"{what}: nothing varies, so there is no variance to explain; give rows that "
                    "differ, or take the data as it is with --no-center --scale none"
                ) from error
        if found.scaled is not None:
            scale = found.scaled.scale
        if self.scale == "none" and self.center:
            self._warn_of_units(A, missing, table)
        if self.as_is:
            spelled = {"scale": "--scale std", "center": "--center"}
            with np.errstate(over="ignore"):  # whoever needs squares says that they are too large
                advise(A, names=table.names, spelled=spelled)
        return Treated(
            table,
            found,
            scale,
            reason="" if found.scaled is None else found.scaled.reason,
            copies=_copies(A, found),
            missing=missing,
        )

    def _warn_of_units(self, A: Operand, missing: str, table: Table) -> None:
        """Warn where the rule would have scaled columns that are left in their units."""
        ruled = prepare(
            A, center=True, scale="auto", missing=missing, names=table.names, quiet=True,
            candidates=False,  # of data in chunks what is known of columns is enough
        ).scaled  # fmt: skip
        if ruled is not None and ruled.scale is not None:
            what = ruled.reason.removeprefix("otherwise ").replace("would hold", "hold")
            warnings.warn(f"{what}; --scale std gives all columns the same say", stacklevel=3)


def _copies(A: Operand, found: Preparation) -> dict[int, int]:
    """Return which columns are copies of earlier ones, constant ones apart.

    Not of data in chunks, which would take another pass.
    """
    if not isinstance(A, Columns) or A.out_of_core:
        return {}
    groups = equal_columns(A)
    varies = found.varying
    return {
        copy: group[0] for group in groups for copy in group[1:] if varies is None or varies[copy]
    }


@dataclass(frozen=True)
class Treated:
    """What was done to the data, for methods, for metrics and for the reader.

    Attributes
    ----------
    table : Table
        The data.
    preparation : Preparation
        What a method sees of it.
    scale : str or None
        How columns are scaled, as methods take it.
    reason : str
        Why, if a rule decided; goes on from "since".
    copies : dict of int to int
        Columns that are copies of others, with these.
    missing : str
        What becomes of gaps, as methods take it.
    """

    table: Table
    preparation: Preparation
    scale: str | None
    reason: str = ""
    copies: dict[int, int] = field(default_factory=dict)
    missing: str = "error"

    @property
    def center(self) -> bool:
        """Whether means are subtracted."""
        return self.preparation.center

    @property
    def constant(self) -> list[int]:
        """The columns that do not vary."""
        varies = self.preparation.varying
        return [] if varies is None else [j for j, so in enumerate(varies.tolist()) if not so]

    def spare(self, wanted: Collection[int], unwanted: Collection[int]) -> list[int]:
        """Return the columns not to choose, as others that may be chosen have the same entries.

        Parameters
        ----------
        wanted, unwanted : collection of int
            Columns that are chosen in any case, and never.
        """
        groups: dict[int, list[int]] = {}
        for copy, first in self.copies.items():
            groups.setdefault(first, [first]).append(copy)
        out = []
        for group in groups.values():
            free = [j for j in group if j not in unwanted]
            asked = [j for j in free if j in wanted]
            out += [j for j in free if j not in (asked or free[:1])]
        return sorted(out)

    def check_left(self, size: Any, unwanted: Collection[int]) -> None:
        """Raise InputError if more columns are asked for than differ from each other."""
        n = self.table.X.shape[1]
        left = n - len({*self.constant, *unwanted})
        if isinstance(size, int) and size > left:
            raise InputError(
                f"-n {size}, but of {n} columns {left} can be chosen: others are constant, "
                f"excluded or copies; choose 1{f' to {left}' if left > 1 else ''}"
            )

    @property
    def quantity(self) -> str:
        """What is explained, or lost."""
        return "variance" if self.center else "squared size"

    def lines(self) -> list[str]:
        """Return what was done and why, and which columns are left out."""
        rows, columns = self.table.X.shape
        size = f"{rows:,} {'row' if rows == 1 else 'rows'} × {counted(columns, 'column')}"
        if isinstance(self.preparation.A, Covariance):
            size = f"covariances of {counted(columns, 'column')}"
        out = [f"{size}, {self._done()}"]
        names = self.table.names
        if self.constant:
            verb = "is constant and" if len(self.constant) == 1 else "are constant and"
            out.append(
                f"{counted(len(self.constant), 'column')} {verb} left out: "
                f"{listed(self.constant, names, MOST_NAMES)}"
            )
        if self.copies:
            some = list(self.copies.items())[:MOST_NAMES]
            more = f" and {len(self.copies) - len(some)} more" if len(self.copies) > 8 else ""
            pairs = ", ".join(f"{names[j]!r} = {names[first]!r}" for j, first in some)
            verb = "is a copy of another" if len(self.copies) == 1 else "are copies of others"
            out.append(f"{counted(len(self.copies), 'column')} {verb}: {pairs}{more}")
        return out

    def _done(self) -> str:
        """Return what was done to columns, and how to have them as they are."""
        since = f", since {self.reason}" if self.reason else ""
        if self.scale is None and not self.center:
            return f"taken as they are{since}"
        centred = "centred" if self.center else "not centred"
        if self.scale is None:
            done = f"{centred}, not scaled{since}"
        elif self.center and self.scale == "std":
            done = f"standardized{since}"
        else:
            done = f"{centred}, {DONE[self.scale]}{since}"
        return f"{done} (--no-center --scale none takes them as they are)"

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain values."""
        names = self.table.names
        return {
            "shape": list(self.table.X.shape),
            "center": self.center,
            "scale": self.scale or "none",
            "reason": self.reason or None,
            "constant": [names[j] for j in self.constant],
            "copies": {names[j]: names[first] for j, first in self.copies.items()},
            "left_out": dict(self.table.left_out),
        }

    @contextmanager
    def told(self) -> Iterator[None]:
        """Leave out what the first lines say: which columns are constant."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*constant and no candidates", DataWarning)
            yield
