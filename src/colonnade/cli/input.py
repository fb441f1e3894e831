"""From the words of the command line to values, or a sentence on what is wrong with them."""

from __future__ import annotations

import ast
import csv
import difflib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..formats import Table
from ..formats.table import is_integer
from ..registry import Method

__all__ = ["InputError"]


class InputError(ValueError):
    """The user asked for something that cannot be done; the message says what and why."""


@contextmanager
def input_errors() -> Iterator[None]:
    """Report what the library says about its arguments as the user's error."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise InputError(str(error)) from error


def parse_size(text: str | None) -> int | float | None:
    if text is None:
        return None
    if is_integer(text):
        if int(text) < 1:
            raise InputError(f"-n {text}: choose at least 1")
        return int(text)
    share = parse_share("-n", text)
    if not 0 < share <= 1:
        raise InputError(f"-n {text}: a fraction lies above 0 and is at most 1")
    return share


def parse_share(option: str, text: str) -> float:
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        also = "a number (20), " if option == "-n" else ""
        raise InputError(
            f"{option} {text!r}: give {also}a fraction (0.1) or a percentage (10%)"
        ) from None


def find_method(name: str) -> Method:
    from .. import METHODS

    if name in METHODS:
        return METHODS[name]
    close = difflib.get_close_matches(name, METHODS, 1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    raise InputError(f"unknown method {name!r}{hint}; there are {', '.join(METHODS)}")


def settable(entry: Method) -> list[str]:
    """Return the parameters that --param may set; the others have an option of their own."""
    own = {"progress", "must_include", "exclude"} | {entry.supervised}
    return [name for name in entry.parameters if name not in own]


def parse_params(
    entry: Method,
    given: list[str],
    wishes: Mapping[str, Any],
    must_include: bool,
    exclude: bool,
    rows: bool,
) -> dict[str, Any]:
    """Return the parameters of the method, or say which do not exist."""
    wishes = {name: value for name, value in wishes.items() if value is not None}
    asked = [*wishes, *["must_include"] * must_include, *["exclude"] * exclude]
    for name in asked:
        if name not in entry.parameters:
            raise InputError(f"method {entry.name!r} has no --{name.replace('_', '-')}")
    if entry.supervised and rows:
        raise InputError(f"method {entry.name!r} explains a label of the rows; leave --rows out")
    return parse_values(entry.name, given, settable(entry), wishes)


def parse_values(
    method: str, given: list[str], allowed: list[str], others: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return what --param sets, beside what options set."""
    params = dict(others or {})
    for text in given:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise InputError(f"--param {text!r}: give NAME=VALUE")
        if name not in allowed:
            raise InputError(
                f"method {method!r} has no parameter {name!r} for --param; it takes "
                + ", ".join(allowed)
            )
        if name in params:
            raise InputError(f"{name!r} is given twice")
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
    """Split at commas; a name with a comma in it goes in double quotes."""
    rows = csv.reader(given or [], skipinitialspace=True)
    return [item.strip() for row in rows for item in row if item.strip()]


def known_names(table: Table, rows: bool) -> list[str] | None:
    if not rows:
        return table.names
    return None if table.row_names is None else [str(name) for name in table.row_names]


def target_of(entry: Method, table: Table) -> Any:
    """Return the label; as a target, classes become one column of zeros and ones each."""
    if table.labels is None:
        raise InputError(
            f"method {entry.name!r} needs a {entry.supervised.rstrip('s')}; name its column "
            "with --label"
        )
    empty = table.labels == "" if table.labels.dtype.kind in "OU" else table.labels != table.labels
    if np.any(empty):
        row = int(np.argmax(empty))
        raise InputError(f"row {row} has no {table.label_name!r}; leave such rows out")
    if entry.supervised == "labels" or table.labels.dtype.kind in "fiub":
        return table.labels
    return (table.labels[:, None] == np.unique(table.labels)).astype(float)
