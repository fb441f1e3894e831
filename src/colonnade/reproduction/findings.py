"""What an experiment found: figures beside the printed ones, curves, and what became of claims."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, Self

from ..comparison.pictured import Curve
from ..comparison.significance import Summary

__all__ = [
    "Case",
    "Cells",
    "Claim",
    "Figure",
    "Findings",
    "Verdict",
    "absent",
    "majority",
    "mean_difference",
    "verdict_of",
]

Verdict = Literal["confirmed", "partly", "not confirmed", "not testable"]

Case = tuple[str, str, str]
"""What a claim speaks of: a data set, a method and a size, as readers know them."""


@dataclass(frozen=True)
class Figure:
    """One number of a table, printed and ours.

    Attributes
    ----------
    row, column : str
        Where it stands; ``group`` is the part of the table, such as the data set.
    ours : Summary or None
        What the runs gave; None where it could not be computed.
    printed : float or None
        What the document says, if it does.
    printed_deviation : float or None
        The deviation that is printed with it.
    measure : str
        What is measured, where a table has several measures.
    """

    group: str
    row: str
    column: str
    ours: Summary | None
    printed: float | None = None
    printed_deviation: float | None = None
    measure: str = ""

    @property
    def difference(self) -> float | None:
        """Ours less the printed one."""
        if self.ours is None or self.printed is None:
            return None
        return self.ours.mean - self.printed


@dataclass(frozen=True)
class Claim:
    """Something that a document says about its results, and what became of it.

    Attributes
    ----------
    text : str
        The claim, in our words.
    verdict : {"confirmed", "partly", "not confirmed", "not testable"}
    figure : str
        The numbers that decide it.
    """

    text: str
    verdict: Verdict
    figure: str

    def without(self, missing: Iterable[str]) -> Self:
        """Return the claim as it stands if some of what it names was not run.

        It is confirmed in part at most, and says what is missing; if nothing is, it is as it was.

        Parameters
        ----------
        missing : iterable of str
            What was not run, such as :func:`absent` tells it.

        Examples
        --------
        >>> from colonnade.reproduction.findings import Claim
        >>> Claim("A is better on P and Q", "confirmed", "4 of 4").without(["Q (no data)"])
        Claim(text='A is better on P and Q', verdict='partly', figure='4 of 4; without Q (no data)')
        """
        told = ", ".join(dict.fromkeys(missing))
        if not told:
            return self
        verdict: Verdict = "partly" if self.verdict == "confirmed" else self.verdict
        figure = "; ".join(part for part in (self.figure, f"without {told}") if part)
        return replace(self, verdict=verdict, figure=figure)


@dataclass(frozen=True)
class Findings:
    """What an experiment found.

    Attributes
    ----------
    figures : tuple of Figure
        The table, in the order in which it is shown.
    claims : tuple of Claim
        What the document claims, and what became of it.
    curves : tuple of Curve
        What is drawn.
    axes : (str, str)
        What is drawn against what.
    notes : tuple of str
        What a reader must know: what was tried, what differs and why.
    digits : int
        With how many decimals figures are shown.
    larger_is_better : bool
        For the groups of methods that differ significantly.
    smaller : tuple of str
        Measures of which small values are good, whatever ``larger_is_better`` says.
    """

    figures: tuple[Figure, ...] = ()
    claims: tuple[Claim, ...] = ()
    curves: tuple[Curve, ...] = ()
    axes: tuple[str, str] = ("", "")
    notes: tuple[str, ...] = ()
    digits: int = 3
    larger_is_better: bool = True
    smaller: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON has it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Return what :meth:`to_dict` was made of."""
        figures = tuple(
            Figure(**{**f, "ours": None if f["ours"] is None else Summary(**f["ours"])})
            for f in content["figures"]
        )
        curves = tuple(
            Curve(c["panel"], c["label"], tuple(c["x"]), tuple(c["y"]), tuple(c["deviation"]))
            for c in content["curves"]
        )
        return cls(
            figures,
            tuple(Claim(**claim) for claim in content["claims"]),
            curves,
            tuple(content["axes"]),
            tuple(content["notes"]),
            content["digits"],
            content["larger_is_better"],
            tuple(content.get("smaller", ())),
        )


@dataclass
class Cells:
    """Values of runs, gathered by where they belong."""

    values: dict[tuple[Any, ...], list[float]] = field(default_factory=dict)

    def add(self, *place: Any, value: float) -> None:
        """Take note of a value."""
        self.values.setdefault(place, []).append(value)

    def summary(self, *place: Any) -> Summary | None:
        """Return what the runs at a place gave, None if there were none."""
        values = self.values.get(place)
        return None if values is None else Summary.of(values)

    def mean(self, *place: Any) -> float:
        """Return the mean at a place, NaN if there was no run."""
        return Summary.of(self.values.get(place, ())).mean


def mean_difference(figures: Iterable[Figure]) -> float:
    """Return the mean of absolute differences between ours and what is printed, NaN of none."""
    found = [abs(f.difference) for f in figures if f.difference is not None]
    return sum(found) / len(found) if found else float("nan")


def verdict_of(verdicts: Sequence[bool]) -> Verdict:
    """Return "confirmed" if all hold, "partly" if more than half, else "not confirmed"."""
    if not verdicts:
        return "not testable"
    if all(verdicts):
        return "confirmed"
    return "partly" if sum(verdicts) > len(verdicts) / 2 else "not confirmed"


def majority(verdicts: Sequence[bool]) -> Verdict:
    """Return the verdict on a claim about most of some cases: more than half are enough."""
    if not verdicts:
        return "not testable"
    return "confirmed" if sum(verdicts) > len(verdicts) / 2 else "not confirmed"


def absent(named: Iterable[Case], ran: Collection[Case]) -> list[str]:
    """Return in words which of the cases that a claim names were not run.

    Parameters
    ----------
    named : iterable of Case
        All that the claim speaks of.
    ran : collection of Case
        All that was run, also of what the claim does not speak of: a data set of which nothing
        was run is not there.

    Examples
    --------
    >>> from colonnade.reproduction.findings import absent
    >>> ran = [("P", "A", "1 %"), ("P", "A", "4 %"), ("P", "B", "1 %")]
    >>> absent([("P", "A", "1 %"), ("P", "A", "4 %")], ran)
    []
    >>> absent([("P", "B", "1 %"), ("P", "B", "4 %"), ("Q", "B", "1 %")], ran)
    ['Q (no data)', 'B at 4 % on P (not run)']
    """
    asked = list(dict.fromkeys(named))
    there = {data for data, _, _ in ran}
    told = [f"{data} (no data)" for data in dict.fromkeys(c[0] for c in asked) if data not in there]
    lacking: dict[tuple[str, str], list[str]] = {}
    for data, method, size in asked:
        if data in there and (data, method, size) not in ran:
            lacking.setdefault((data, method), []).append(size)
    where: dict[str, list[str]] = {}
    for (data, method), sizes in lacking.items():
        every = [size for one, other, size in asked if (one, other) == (data, method)]
        what = method if sizes == every else f"{method} at {', '.join(sizes)}"
        where.setdefault(what, []).append(data)
    return told + [f"{what} on {', '.join(datas)} (not run)" for what, datas in where.items()]
