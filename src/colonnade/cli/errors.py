"""What is wrong with what the user asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["InputError", "input_errors"]


class InputError(ValueError):
    """The user asked for something that cannot be done; the message says what and why."""


@contextmanager
def input_errors(**flags: str) -> Iterator[None]:
    """Report what the library says about its arguments as the user's error.

    ``flags`` are the options that gave parameters; a message that names one of these explains it.
    """
    try:
        yield
    except InputError:
        raise
    except (ValueError, TypeError) as error:
        text = str(error)
        named = [f"{n} is {flag}" for n, flag in flags.items() if re.search(rf"\b{n}\b", text)]
        raise InputError(f"{text} ({', '.join(named)} here)" if named else text) from error
