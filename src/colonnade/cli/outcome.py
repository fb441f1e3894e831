"""From any outcome to a line and an exit code.

0 fine, 1 unexpected, 2 wrong usage or input, 130 interrupted.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import traceback
import warnings
from collections.abc import Iterator
from typing import Any, cast

from ..foundation.alerts import ProcessesLostError
from .errors import InputError
from .screen import STANDARD_OUTPUT, be_quiet, note, say, say_lines

__all__ = ["run"]

FINE, UNEXPECTED, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130
NEEDED = ("typer", "rich", "click")
"""Packages without which there is no command line."""


def run(arguments: list[str]) -> int:
    """Run a command and return the exit code, whatever happens."""
    _prepare_streams()
    if sys.stdout is None:
        say(f"error: {STANDARD_OUTPUT} is closed; send it to {os.devnull} to do without an answer")
        return WRONG_INPUT
    debug = "--debug" in arguments
    be_quiet("--quiet" in arguments)
    try:
        with _one_line_warnings():
            from . import app

            code = app.run_app(arguments)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except Exception as error:
        if debug:
            say_lines(traceback.format_exc())
        code = _explain(error, debug)
    if code == INTERRUPTED:
        say("interrupted")
    return _flushed(code)


def _explain(error: Exception, debug: bool) -> int:
    """Print what went wrong, and return the exit code."""
    if isinstance(error, InputError):
        say(f"error: {error}")
        return WRONG_INPUT
    if isinstance(error, ModuleNotFoundError) and (error.name or "").split(".")[0] in NEEDED:
        say(
            f"error: the command line needs {error.name}; install it with "
            'pip install "colonnade[cli]"'
        )
        return WRONG_INPUT
    if isinstance(error, BrokenPipeError):  # the reader, such as head, has seen enough
        return UNEXPECTED
    if isinstance(error, ProcessesLostError):
        say(f"error: {error}")
        return UNEXPECTED
    # writers name their files; help, which typer prints, has no name
    full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EFBIG)
    if isinstance(error, OSError) and (error.filename is not None or full):
        say(f"error: {error.filename or STANDARD_OUTPUT}: {error.strerror or error}")
        return UNEXPECTED
    what = "not enough memory" if isinstance(error, MemoryError) else type(error).__name__
    hint = "" if debug else "; run it again with --debug to see where"
    say(f"error: {what}: {error}{hint}" if str(error) else f"error: {what}{hint}")
    return UNEXPECTED


def _prepare_streams() -> None:
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # closed; a file that is opened must not be taken for that stream
            os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # a name that the terminal cannot show must not cost the answer
        with contextlib.suppress(AttributeError, ValueError):
            cast(Any, stream).reconfigure(errors="backslashreplace")


def _flushed(code: int) -> int:
    """Return the exit code, which is not 0 if the answer did not get through."""
    try:
        sys.stdout.flush()
    except OSError as error:
        # what is left in the buffer would be tried, and complained about, again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if code == FINE:
            error.filename = STANDARD_OUTPUT
            return _explain(error, debug=False)
    return code


@contextlib.contextmanager
def _one_line_warnings() -> Iterator[None]:
    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        note(f"warning: {message}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield
