"""The command line: ``colonnade select``, ``cluster``, ``project``, ``classify`` and more.

This file starts it and turns whatever happens into a line and an exit code: 0 fine, 1 unexpected,
2 wrong usage or input, 130 interrupted. ``app.py`` lists the commands, each in a file of its own;
they need packages that may be missing.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn, cast

__all__ = ["main"]

FINE, UNEXPECTED, WRONG_INPUT, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; those of the process by default.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        # a name that the terminal cannot show must not cost the answer
        with contextlib.suppress(AttributeError, ValueError):
            cast(Any, stream).reconfigure(errors="backslashreplace")
    with _one_line_warnings(), _terminated_like_interrupted():
        sys.exit(_run(arguments, debug="--debug" in arguments))


def _run(arguments: list[str], debug: bool) -> int:
    try:
        from .app import InputError, run
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("typer", "rich", "click"):
            raise
        _say(
            f"error: the command line needs {error.name}; install it with "
            'pip install "colonnade[cli]"'
        )
        return WRONG_INPUT
    except KeyboardInterrupt:
        return _interrupted()
    try:
        code = run(arguments)
    except KeyboardInterrupt:
        return _interrupted()
    except Exception as error:
        if debug:
            traceback.print_exc()
        if isinstance(error, InputError):
            _say(f"error: {error}")
            return WRONG_INPUT
        if isinstance(error, BrokenPipeError):  # the reader, such as head, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return UNEXPECTED
        what = "not enough memory" if isinstance(error, MemoryError) else type(error).__name__
        hint = "" if debug else "; run it again with --debug to see where"
        _say(f"error: {what}: {error}{hint}" if str(error) else f"error: {what}{hint}")
        return UNEXPECTED
    return _interrupted() if code == INTERRUPTED else code


def _interrupted() -> int:
    _say("interrupted")
    return INTERRUPTED


def _say(message: str) -> None:
    print(f"colonnade: {' '.join(message.split())}", file=sys.stderr)


@contextlib.contextmanager
def _one_line_warnings() -> Iterator[None]:
    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        _say(f"warning: {message}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield


@contextlib.contextmanager
def _terminated_like_interrupted() -> Iterator[None]:
    """Let a request to end, as a batch system sends it, clean up like Ctrl-C does."""

    def stop(*_: Any) -> NoReturn:
        raise SystemExit(TERMINATED)

    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may handle signals
        return
    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
