"""What a description says, and what it advises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from shlex import quote
from typing import Any

from ..foundation.tabular import as_html

__all__ = ["Description"]

LABELS = ("target", "label", "labels", "class", "species", "y")
"""What columns that are labels are often called."""
GIVEN = "as here"
"""Why an option is advised that the user gave already."""
FEW_OF_MANY = 20
"""Counts of which so many times fewer columns hold the variance are better transformed."""
NEARLY_EMPTY = 0.5
"""Columns with a larger share of gaps are better left out than filled."""


@dataclass(frozen=True)
class Description:
    """What is in a table, see :func:`colonnade.describe`.

    Attributes
    ----------
    n_rows, n_columns : int
        The shape, with columns that are no numbers.
    container : {"dense", "sparse"}
        What the numbers are kept in.
    density : float or None
        The share of entries that are not zero, for sparse data.
    types : dict of int
        How many columns hold what.
    others : dict of str
        The columns that hold no numbers, with the name of their type.
    gaps : dict of int
        How many entries are missing, for columns with gaps; the worst first.
    rows_with_gaps : int
        How many rows have a gap.
    constants : tuple of str
        Columns that do not vary.
    duplicates : tuple of tuples of str
        Groups of columns, other than constants, that are equal to the last bit.
    largest_scale, smallest_scale : tuple of str and float, or None
        The columns of the largest and the smallest standard deviation, and these.
    share_of_largest : float
        The share of all variance that the column of the largest scale holds.
    effective_columns : float
        About how many columns hold the variance: ``(Σv)² / Σv²`` of their variances v.
    scale, scale_reason : str or None, and str
        What ``scale="auto"`` would do, and why.
    counts : bool
        Whether all entries are whole numbers from 0 on.
    n_varying : int
        How many columns of numbers vary.
    share_of_means : float
        The share of the squared size of the data that is in the means of its columns.
    effective_rank : float or None
        About how many independent directions the standardized data has.
    rank_is_bound : bool
        Whether that is an upper bound.
    components_90 : int or None
        How many principal components hold 90 % of the variance of the standardized data; None if
        more than were looked at.
    label : str or None
        The column that was left out as the label.
    names : tuple of str
        The columns of numbers.

    Examples
    --------
    >>> from colonnade import describe
    >>> found = describe([[1.0, 5.0, 1.0], [2.0, 5.0, 2.0], [4.0, 5.0, 4.0]])
    >>> found.constants, found.duplicates
    (('x1',), (('x0', 'x2'),))
    >>> print(str(found).splitlines()[0])
    3 rows, 3 columns: 3 of whole numbers
    """

    n_rows: int
    n_columns: int
    container: str = "dense"
    density: float | None = None
    types: Mapping[str, int] = field(default_factory=dict)
    others: Mapping[str, str] = field(default_factory=dict)
    gaps: Mapping[str, int] = field(default_factory=dict)
    rows_with_gaps: int = 0
    constants: tuple[str, ...] = ()
    duplicates: tuple[tuple[str, ...], ...] = ()
    largest_scale: tuple[str, float] | None = None
    smallest_scale: tuple[str, float] | None = None
    share_of_largest: float = 0.0
    effective_columns: float = 0.0
    scale: str | None = None
    scale_reason: str = ""
    counts: bool = False
    n_varying: int = 0
    share_of_means: float = 0.0
    effective_rank: float | None = None
    rank_is_bound: bool = False
    components_90: int | None = None
    label: str | None = None
    names: tuple[str, ...] = ()

    @property
    def scale_ratio(self) -> float:
        """The largest standard deviation over the smallest of the columns that vary."""
        if self.largest_scale is None or self.smallest_scale is None:
            return 1.0
        return self.largest_scale[1] / self.smallest_scale[1]

    def flags(self) -> dict[str, str]:
        """Return the options that are advised for ``colonnade select``, each with its reason."""
        out: dict[str, str] = {}
        label = self.label or next((name for name in self._all() if name.lower() in LABELS), None)
        if label is not None and self.label is None:
            out[f"--label {quote(label)}"] = f"{label!r} looks like a label"
        elif label is not None:
            out[f"--label {quote(label)}"] = GIVEN
        if set(self.others) - {label}:
            out["--numeric-only"] = f"{_few(list(self.others))} cannot be computed with"
        if self.gaps:
            out |= self._gap_flags()
        if self.counts and FEW_OF_MANY * self.effective_columns < self.n_varying:
            out["--transform log1p"] = (
                f"counts, of which about {self.effective_columns:.0f} of {self.n_varying} columns "
                "hold the variance; logarithms give others a say (tfidf for documents)"
            )
        return out

    def _gap_flags(self) -> dict[str, str]:
        worst = [name for name, count in self.gaps.items() if count > NEARLY_EMPTY * self.n_rows]
        out = {}
        if worst:
            drop = ",".join(f'"{name}"' if "," in name else name for name in worst[:10])
            out[f"--drop {quote(drop)}"] = f"more than half of {_few(worst)} is missing"
        if len(worst) < len(self.gaps):
            few = self.rows_with_gaps <= 0.05 * self.n_rows and not worst
            how = "drop-rows" if few else "median"
            rows = f"{self.rows_with_gaps} of {self.n_rows} rows have gaps"
            out[f"--missing {how}"] = rows
        return out

    def _all(self) -> tuple[str, ...]:
        return (*self.names, *self.others)

    def command(self, file: str = "FILE", given: Sequence[str] = ()) -> str:
        """Return the command to run next.

        Parameters
        ----------
        file : str
            The name of the file; ``-`` is standard input.
        given : sequence of str
            Options that the file was read with, as they are written, each with its value. They go
            before what is advised; of the same option, only ``--drop`` is there twice.
        """
        if file.startswith("-") and file != "-":
            file = f"./{file}"  # it would be taken for an option
        known = {_flag(option) for option in given} - {"--drop"}
        advised = [option for option in self.flags() if _flag(option) not in known]
        return " ".join(["colonnade select", quote(file), "-n auto", *given, *advised])

    def advice(self) -> list[str]:
        """Return sentences on what is worth doing, the most important first."""
        out = [f"{flag}: {why}" for flag, why in self.flags().items() if why != GIVEN]
        if self.constants:
            out.append(f"constant columns hold nothing: {_few(self.constants)}")
        if self.duplicates:
            groups = ["=".join(map(repr, group[:4])) for group in self.duplicates[:3]]
            more = f" and {len(self.duplicates) - 3} more" if len(self.duplicates) > 3 else ""
            out.append(f"one of each is enough: {', '.join(groups)}{more}")
        return out

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold, with the advice."""
        out = asdict(self)
        del out["names"]
        return {**out, "scale_ratio": self.scale_ratio, "advice": self.advice()}

    def lines(self) -> dict[str, str]:
        """Return what there is to say, by topic."""
        types = ", ".join(f"{count} of {kind}" for kind, count in self.types.items())
        columns = "1 column" if self.n_columns == 1 else f"{self.n_columns} columns"
        rows = "1 row" if self.n_rows == 1 else f"{self.n_rows} rows"
        out = {"shape": f"{rows}, {columns}: {types}"}
        if self.density is not None:
            out["sparse"] = f"{100 * self.density:.2g} % of the entries are not zero"
        if self.gaps:
            shown = [
                f"{name!r} {100 * count / self.n_rows:.1f} %"
                for name, count in list(self.gaps.items())[:5]
            ]
            more = f" and {len(self.gaps) - 5} more columns" if len(self.gaps) > 5 else ""
            out["gaps"] = (
                f"{sum(self.gaps.values())} in {self.rows_with_gaps} rows: {', '.join(shown)}{more}"
            )
        else:
            out["gaps"] = "none"
        out["constant"] = _few(self.constants) or "none"
        out["repeated"] = (
            "; ".join(" = ".join(map(repr, group[:4])) for group in self.duplicates[:3]) or "none"
        )
        if len(self.duplicates) > 3:
            out["repeated"] += f"; and {len(self.duplicates) - 3} more groups"
        if self.largest_scale is not None and self.smallest_scale is not None:
            (high, most), (low, least) = self.largest_scale, self.smallest_scale
            out["scales"] = (
                f"standard deviations from {least:.3g} ({low!r}) to {most:.3g} ({high!r}), a "
                f"factor of {self.scale_ratio:.2g}; {high!r} holds "
                f"{100 * self.share_of_largest:.1f} % of the variance"
            )
        if self.scale_reason:
            how = "standardize" if self.scale == "std" else "centre, not scale,"
            out["scaling"] = f"--scale auto would {how} columns, since {self.scale_reason}"
        out["means"] = f"{100 * self.share_of_means:.1f} % of the squared size"
        if self.effective_rank is not None:
            bound = "at most" if self.rank_is_bound else "about"
            out["rank"] = f"{bound} {self.effective_rank:.1f} directions in standard units"
            if self.components_90 is not None:
                out["rank"] += f"; {self.components_90} principal components hold 90 %"
        return out

    def __str__(self) -> str:
        shape, *rest = self.lines().items()
        told = [shape[1], *(f"{topic + ':':<10}{text}" for topic, text in rest)]
        advice = [f"- {line}" for line in self.advice()]
        return "\n".join([*told, *(["advice:"] if advice else []), *advice])

    def _repr_html_(self) -> str:
        """Return a small table, for notebooks."""
        lines = {**self.lines(), "advice": "; ".join(self.advice())}
        return as_html({"": list(lines), "what there is": list(lines.values())})


def _few(names: Any, most: int = 5) -> str:
    shown = ", ".join(repr(name) for name in list(names)[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def _flag(option: str) -> str:
    """Return an option without its value."""
    return option.split(" ")[0].split("=")[0]
