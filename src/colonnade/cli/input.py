"""From the words of the command line to values, or a sentence on what is wrong with them."""

from __future__ import annotations

import ast
import csv
from collections.abc import Collection, Iterable, Mapping
from shlex import quote
from typing import Any

from ..foundation.wording import did_you_mean
from ..io.phrases import Spelling, is_integer
from ..registry import Method
from .errors import InputError
from .size_table import RULES

__all__ = [
    "find_method",
    "no_such",
    "parse_frequency",
    "parse_params",
    "parse_share",
    "parse_size",
    "parse_values",
    "parse_whole",
    "settable",
    "spelling",
    "split_names",
]


def spelling(label: str = "--label") -> Spelling:
    """Return how the options of the reader are spelled here; commands name the label differently.

    Examples
    --------
    >>> spelled = spelling("--target")
    >>> spelled("label", "my kind"), spelled("drop", ("a", "b")), spelled("header", False)
    ("--target 'my kind'", '--drop a,b', '--no-header')
    >>> spelled("numeric_only", True), spelled("row_names", "name")
    ('--numeric-only', '--row-names name')
    """

    def spelled(option: str, value: Any) -> str:
        if option == "header":
            return "--header" if value else "--no-header"
        if value is True:
            return f"--{option.replace('_', '-')}"
        if option == "drop":
            value = ",".join(_field(str(name)) for name in value)
        flag = label if option == "label" else f"--{option.replace('_', '-')}"
        # a value that looks like an option must not stand alone
        between = "=" if str(value).startswith("-") and not is_integer(value) else " "
        return f"{flag}{between}{quote(str(value))}"

    return spelled


def _field(name: str) -> str:
    """Return a name as :func:`split_names` reads it: in quotes if need be, as in CSV."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"' if any(mark in name for mark in ',"\r\n') else name


def parse_whole(option: str, text: str, low: int, high: int | None = None) -> int:
    """Return a whole number."""
    if is_integer(text) and low <= int(text) and (high is None or int(text) <= high):
        return int(text)
    allowed = f"{low} on" if high is None else f"{low} to {high}"
    shown = text if is_integer(text) else repr(text)
    raise InputError(f"{option} {shown}: choose a whole number from {allowed}")


def parse_frequency(option: str, text: str | None) -> int | float | None:
    """Return in how many rows, or in which share of them, something occurs."""
    if text is None:
        return None
    return int(text) if is_integer(text) else parse_share(option, text)


def parse_size(text: str | None) -> int | float | str | None:
    """Return what -n asks for: a number, a share, or a rule."""
    if text is None or text in RULES:
        return text
    if is_integer(text):
        if int(text) < 1:
            raise InputError(f"-n {text}: choose at least 1")
        return int(text)
    share = parse_share("-n", text)
    if not 0 < share <= 1:
        raise InputError(f"-n {text}: a fraction lies above 0 and is at most 1")
    return share


def parse_share(option: str, text: str) -> float:
    """Return a fraction, given as such or in percent."""
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise InputError(f"{option} {text!r}: give {_ways(option, text)}") from None


def _ways(option: str, text: str) -> str:
    """Return what an option for a share takes; -n takes more."""
    if option in ("--min-df", "--max-df"):
        return "a number (20), a fraction (0.1) or a percentage (10%)"
    if option != "-n":
        return "a fraction (0.1) or a percentage (10%)"
    return f"a number (20), a fraction (0.1), a percentage (10%) or auto{did_you_mean(text, RULES)}"


def no_such(kind: str, name: str, known: Iterable[str], listed: str = "") -> InputError:
    """Return the error for a name that means nothing, with the nearest that does."""
    known = list(known)
    hint = did_you_mean(name, known)
    return InputError(f"unknown {kind} {name!r}{hint}; there are {listed or ', '.join(known)}")


def find_method(name: str) -> Method:
    """Return a method, or say which there are."""
    from .. import METHODS

    if name not in METHODS:
        raise no_such("method", name, METHODS)
    return METHODS[name]


def settable(entry: Method) -> list[str]:
    """Return the parameters that --param may set; the others have an option of their own."""
    own = {"progress", "must_include", "exclude"} | {entry.supervised}
    return [name for name in entry.parameters if name not in own]


def parse_params(
    entry: Method,
    given: list[str] | None,
    *,
    options: Mapping[str, Any] | None = None,
    columns: Collection[str] = (),
    flags: Mapping[str, str] | None = None,
    label_flag: str = "--label",
    rows: bool = False,
) -> dict[str, Any]:
    """Return the parameters of the method, or say which do not exist.

    Parameters
    ----------
    entry : Method
        The method.
    given : list of str or None
        What ``--param`` says.
    options : dict, optional
        Parameters that have an option of their own; None for those that were not given.
    columns : collection of str
        Parameters that take columns and will be set once the file is read.
    flags : dict, optional
        The options that set parameters which ``--param`` may not set.
    label_flag : str
        The option that names the label.
    rows : bool
        Whether rows are chosen.
    """
    set_already = {name: value for name, value in (options or {}).items() if value is not None}
    for name in (*set_already, *columns):
        if name not in entry.parameters:
            raise InputError(f"method {entry.name!r} has no --{name.replace('_', '-')}")
    if entry.supervised and rows:
        raise InputError(f"method {entry.name!r} explains a label of the rows; leave --rows out")
    flags = {**(flags or {}), **({entry.supervised: label_flag} if entry.supervised else {})}
    allowed = [name for name in settable(entry) if name not in flags]
    return parse_values(f"method {entry.name!r}", given, allowed, set_already, flags)


def parse_values(
    what: str,
    given: list[str] | None,
    allowed: Collection[str],
    set_already: Mapping[str, Any] | None = None,
    flags: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return what --param sets, together with what options set."""
    params = dict(set_already or {})
    for text in given or []:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise InputError(f"--param {text!r}: give NAME=VALUE")
        if name not in allowed:
            if flags and name in flags:
                raise InputError(f"--param {text!r}: set {name} with {flags[name]}")
            raise InputError(
                f"{what} has no parameter {name!r} for --param; it takes "
                + (", ".join(allowed) or "none")
            )
        if name in params:
            raise InputError(f"--param {text!r}: {name!r} is given twice")
        params[name] = _value(value.strip())
    return params


def _value(text: str) -> Any:
    """Return a number, truth value or list as such, anything else as text."""
    named = {"true": True, "false": False, "none": None}
    if text.lower() in named:
        return named[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def split_names(given: list[str] | None) -> list[str]:
    """Split at commas; a name with a comma in it goes in double quotes, quotes in it twice.

    Examples
    --------
    >>> split_names(['a,"b, c"', '"5"" disk"'])
    ['a', 'b, c', '5" disk']
    """
    rows = csv.reader(given or [], skipinitialspace=True)
    return [item.strip() for row in rows for item in row if item.strip()]
