"""Parameters as data: what is allowed, and one place that checks it.

A parameter of a method is a field of its class. What it allows stands in its annotation, such as
``Annotated[int, Count(1)]``; a ``bool`` is True or False; None is allowed where it is the default.
Messages give the name, the value, what is allowed and what to do.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Protocol, get_origin, get_type_hints

import numpy as np

from .typing import Indices

__all__ = [
    "INTEGERS",
    "REALS",
    "Choice",
    "Count",
    "Flag",
    "Real",
    "Sweeps",
    "check_columns",
    "check_count",
    "check_number",
    "check_parameters",
]

INTEGERS = (int, np.integer)
REALS = (int, float, np.integer, np.floating)


class Allowed(Protocol):
    """What a parameter may be."""

    def check(self, name: str, value: Any) -> None:
        """Raise TypeError or ValueError if the value is not allowed."""


@dataclass(frozen=True)
class Count:
    """A whole number between two bounds."""

    low: int = 1
    high: int | None = None

    def check(self, name: str, value: Any) -> None:
        """Raise if the value is no such number."""
        check_count(name, value, self.low, self.high)


@dataclass(frozen=True)
class Real:
    """A finite number between two bounds, which it may reach unless ``above`` excludes the lower.

    Attributes
    ----------
    low, high : float
        The bounds.
    above : bool
        Whether it must be above the lower bound.
    example : float or None
        A value for the message.
    """

    low: float = -np.inf
    high: float = np.inf
    above: bool = False
    example: float | None = None

    def check(self, name: str, value: Any) -> None:
        """Raise if the value is no such number."""
        if isinstance(value, bool | np.bool_) or not isinstance(value, REALS):
            raise TypeError(f"{name} must be {self._words}, got {value!r}")
        inside = self.low < value if self.above else self.low <= value
        if not (inside and value <= self.high and np.isfinite(value)):
            example = "" if self.example is None else f", for example {self.example}"
            raise ValueError(f"{name}={value}; choose {self._words}{example}")

    @property
    def _words(self) -> str:
        if np.isfinite(self.high) and self.above:
            return f"a number above {self.low:g} and at most {self.high:g}"
        if np.isfinite(self.high):
            return f"a number from {self.low:g} to {self.high:g}"
        if self.above and self.low == 0:
            return "a positive number"
        if np.isfinite(self.low):
            return f"a number {'above' if self.above else 'of at least'} {self.low:g}"
        return "a finite number"


@dataclass(frozen=True, init=False)
class Choice:
    """One of several names."""

    names: tuple[str, ...]

    def __init__(self, *names: str):
        object.__setattr__(self, "names", names)

    def check(self, name: str, value: Any) -> None:
        """Raise if the value is none of the names."""
        if not isinstance(value, str) or value not in self.names:
            raise ValueError(f"{name}={value!r}; choose one of {', '.join(self.names)}")


@dataclass(frozen=True)
class Flag:
    """True or False."""

    def check(self, name: str, value: Any) -> None:
        """Raise if the value is neither."""
        if not isinstance(value, bool | np.bool_):
            raise TypeError(f"{name} must be True or False, got {value!r}")


@dataclass(frozen=True)
class Sweeps:
    """True, False, or a number of sweeps."""

    def check(self, name: str, value: Any) -> None:
        """Raise if the value is neither."""
        if isinstance(value, bool | np.bool_):
            return
        if not isinstance(value, INTEGERS):
            raise TypeError(f"{name} must be True, False or a number of sweeps, got {value!r}")
        if value < 0:
            raise ValueError(f"{name}={value}; choose 0 for none, or a number of sweeps")


@cache
def _allowed(cls: type) -> dict[str, Allowed]:
    """Return what the parameters of a class allow, by name."""
    hints = get_type_hints(cls, include_extras=True)
    plain = {item.name: Flag() for item in dataclasses.fields(cls) if hints[item.name] is bool}
    return plain | {
        item.name: hints[item.name].__metadata__[0]
        for item in dataclasses.fields(cls)
        if get_origin(hints[item.name]) is Annotated
    }


def check_parameters(estimator: Any) -> None:
    """Raise TypeError or ValueError if a parameter is not what its declaration allows."""
    defaults = {item.name: item.default for item in dataclasses.fields(estimator)}
    cls: Any = type(estimator)
    for name, allowed in _allowed(cls).items():
        value = getattr(estimator, name)
        if not (value is None and defaults[name] is None):
            allowed.check(name, value)


def check_count(name: str, value: Any, low: int, high: float | None, what: str = "") -> int:
    """Return an integer parameter; raise if it is none or out of range."""
    bounds = f"at least {low}" if high is None else f"{low} to {int(high)}"
    if isinstance(value, bool | np.bool_) or not isinstance(value, INTEGERS):
        raise TypeError(
            f"{name} must be an integer, got {value!r} ({type(value).__name__}); choose {bounds}"
        )
    if value < low or (high is not None and value > high):
        raise ValueError(f"{name}={value}{what}; choose {bounds}")
    return int(value)


def check_number(name: str, value: Any, low: float, high: float = np.inf) -> float:
    """Return a finite number between two bounds; raise if it is none."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, REALS):
        raise TypeError(f"{name} must be a number, got {value!r} ({type(value).__name__})")
    if not (low <= value <= high and np.isfinite(value)):
        bounds = f"at least {low:g}" if high == np.inf else f"{low:g} to {high:g}"
        raise ValueError(f"{name}={value}; choose {bounds}")
    return float(value)


def check_columns(
    name: str,
    columns: Iterable[Any] | None,
    n_candidates: int,
    names: Sequence[str] | None = None,
    *,
    what: str = "column",
    cure: str = "give numbers",
) -> Indices:
    """Return column numbers given as numbers or, where there are names, by name.

    Parameters
    ----------
    name : str
        Of the parameter.
    columns : iterable of int or str, or one of them, or None
        What was given; None is no column at all.
    n_candidates : int
        How many columns there are.
    names : sequence of str, optional
        What they are called.
    what : str, default="column"
        What messages call a column.
    cure : str, default="give numbers"
        What to do if several have the name that is given.

    Examples
    --------
    >>> check_columns("exclude", ["b", 0], 3, ["a", "b", "c"])
    array([1, 0])
    """
    if columns is None:
        return np.empty(0, dtype=np.intp)
    if isinstance(columns, str | int | np.integer):
        columns = [columns]
    out: list[int] = []
    for column in columns:
        if isinstance(column, str):
            column = _number_of(name, column, n_candidates, names, what, cure)
        if isinstance(column, bool | np.bool_) or not isinstance(column, INTEGERS):
            raise TypeError(f"{name} must hold {what} numbers or names, got {column!r}")
        if not 0 <= column < n_candidates:
            raise ValueError(f"{name} holds {column}; {what}s are numbered 0 to {n_candidates - 1}")
        out.append(int(column))
    if len(set(out)) != len(out):
        raise ValueError(f"{name} repeats a {what}: {out}")
    return np.array(out, dtype=np.intp)


def _number_of(
    name: str, column: str, n_candidates: int, names: Sequence[str] | None, what: str, cure: str
) -> int:
    """Return the number of the one column of this name."""
    if names is None:
        raise ValueError(
            f"{name} names the {what} {column!r}, but the data has no names; "
            f"give numbers from 0 to {n_candidates - 1}"
        )
    found = [j for j, other in enumerate(names) if other == column]
    if not found:
        raise ValueError(f"{name} names the {what} {column!r}, which is not in the data")
    if len(found) > 1:
        some = [str(j) for j in found[:3]] + [f"{len(found) - 3} more"] * (len(found) > 3)
        numbers = f"{', '.join(some[:-1])} and {some[-1]}"
        raise ValueError(
            f"{name}: {column!r} is the name of {len(found)} {what}s: {numbers}; {cure}"
        )
    return found[0]
