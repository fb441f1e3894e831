"""What a certificate holds and how it is shown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

from ..foundation.typing import Floats
from ..foundation.wording import did_you_mean

__all__ = ["Certificate", "Check", "compare"]

Sense = Literal["≤", "≥", "="]
SLACK = 1e-9
"""By what share a promise may be missed before that is more than rounding."""


@dataclass(frozen=True)
class Check:
    """One measured number, with what was promised or assumed about it.

    Attributes
    ----------
    section : str
        What it is about.
    key : str
        What was measured, as a name that can be typed: ``certificate[key]`` is this check.
    label : str
        What was measured, as a formula or in words, for the table.
    measured : float
        Its value on the data.
    promised : float or None
        The bound, or None where nothing is promised.
    holds : bool
        Whether the bound holds, up to rounding; true where nothing is promised.
    sense : {"≤", "≥", "="}
        How measured and promised should compare.
    assumed : bool
        Whether the bound is not a promise but a condition of one.
    expected : bool
        Whether the bound is on the expectation over the random choices of the method. One draw
        may exceed it, so that ``holds`` of such a check says nothing about the certificate.
    """

    section: str
    key: str
    label: str
    measured: float
    promised: float | None = None
    holds: bool = True
    sense: Sense = "≤"
    assumed: bool = False
    expected: bool = False

    @property
    def verdict(self) -> str:
        """The last column of the table."""
        if self.promised is None:
            return ""
        if self.expected:
            return "expected"
        if self.assumed:
            return "met" if self.holds else "NOT MET"
        return "yes" if self.holds else "NO"


def compare(
    section: str,
    key: str,
    label: str,
    measured: float,
    promised: float | None,
    sense: Sense = "≤",
    *,
    slack: float = 0.0,
    assumed: bool = False,
    expected: bool = False,
) -> Check:
    """Return a check; ``slack`` is what rounding may add to a relative 1e-9."""
    if promised is None:
        return Check(section, key, label, float(measured))
    room = SLACK * abs(promised) + slack
    holds = {
        "≤": measured <= promised + room,
        "≥": measured >= promised - room,
        "=": abs(measured - promised) <= room,
    }[sense]
    return Check(
        section, key, label, float(measured), float(promised), bool(holds), sense, assumed, expected
    )


@dataclass(frozen=True, eq=False)
class Certificate:
    """What a selection lost, measured on the data and compared with what its theorem promises.

    Printing it gives a table; ``certificate["lost_share"]`` is one check of it, by its key.

    Attributes
    ----------
    method : str
        Which method made the selection.
    n_selected, n_candidates : int
        How many columns it has, and out of how many.
    checks : sequence of Check
        Everything that was measured. A promise that does not hold is a bug, or the certificate
        is for other data or other weights than the selection.
    notes : sequence of str
        Conditions that are not met, and what is only approximate.
    points : dict of ndarray
        For each test point, if there were any: ``decision`` with all columns, ``reduced`` with
        the chosen ones, their ``difference`` and the ``bound`` on it.
    clusters : ndarray of int or None
        The partition of the rows that was judged.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from colonnade import BSSSelector
    >>> X = load_iris().data
    >>> certificate = BSSSelector(3, rank=2).fit(X).certificate(X)
    >>> certificate.holds
    True
    >>> print(str(certificate).splitlines()[0])
    3 of 4 chosen by bss
    """

    method: str
    n_selected: int
    n_candidates: int
    checks: Sequence[Check]
    notes: Sequence[str] = ()
    points: Mapping[str, Floats] = field(default_factory=dict)
    clusters: Any = None

    @property
    def holds(self) -> bool:
        """Whether every promise holds.

        Conditions that are not met do not count, nor do bounds on an expectation.
        """
        return all(check.holds for check in self.checks if not (check.assumed or check.expected))

    def __getitem__(self, key: str) -> Check:
        """Return the check with that key."""
        for check in self.checks:
            if check.key == key:
                return check
        known = [check.key for check in self.checks]
        hint = did_you_mean(key, known)
        raise KeyError(f"{key!r} was not measured{hint}; choose one of {', '.join(known)}")

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers for JSON; numbers that are not finite become None."""
        return {
            "method": self.method,
            "n_selected": self.n_selected,
            "n_candidates": self.n_candidates,
            "holds": self.holds,
            "checks": [
                {k: _plain(v) if isinstance(v, float) else v for k, v in asdict(check).items()}
                for check in self.checks
            ],
            "notes": list(self.notes),
            "points": {
                name: [_plain(value) for value in values.tolist()]
                for name, values in self.points.items()
            },
            "clusters": None if self.clusters is None else np.asarray(self.clusters).tolist(),
        }

    def __str__(self) -> str:
        cells = [
            (
                check.section,
                f"  {check.label}",
                _number(check.measured),
                "" if check.promised is None else f"{check.sense} {_number(check.promised)}",
                check.verdict,
            )
            for check in self.checks
        ]
        heads = ("", "measured", "promised", "holds")
        widths = [max(len(row[i + 1]) for row in [("", *heads), *cells]) for i in range(4)]

        def line(label: str, *values: str) -> str:
            rest = (f"{v:>{w}}" for v, w in zip(values, widths[1:], strict=True))
            return f"{label:<{widths[0]}}  {'  '.join(rest)}".rstrip()

        title = f"{self.n_selected} of {self.n_candidates} chosen by {self.method}"
        lines, section = [title, line(*heads)], ""
        for part, *row in cells:
            if part != section:
                lines.append(part)
                section = part
            lines.append(line(*row))
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _number(value: float) -> str:
    if 1e-4 <= abs(value) < 1e7:
        return np.format_float_positional(value, 4, fractional=False, trim="-")
    return f"{value:.4g}"
