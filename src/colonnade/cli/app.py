"""The program and its list of commands; ``__init__.py`` turns errors into lines and exit codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, cast

import typer
import typer.main
from rich.console import Console

from .. import io
from ..formats.binary import to_json
from . import classify, cluster, demo, project, select
from .input import InputError, settable
from .options import Debug, Json
from .show import methods_table

__all__ = ["InputError", "app", "run"]

# newer versions of typer carry a copy of click, older ones use it: ask the class itself
_UsageError: type[Exception] = next(
    cast(type[Exception], kind)
    for kind in typer.BadParameter.__mro__
    if kind.__name__ == "ClickException"
)


app = typer.Typer(
    name="colonnade",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Pick the few actual columns or rows that hold a data matrix up, and see what is lost.",
)


def run(arguments: Sequence[str]) -> int:
    """Run a command and return the exit code; raises :class:`InputError` for the user's errors."""
    command = typer.main.get_command(app)
    try:
        code = command.main(args=list(arguments), prog_name="colonnade", standalone_mode=False)
    except typer.Abort as error:  # how older versions of typer report Ctrl-C
        raise KeyboardInterrupt from error
    except io.FileError as error:
        raise InputError(str(error)) from error
    except _UsageError as error:
        context = getattr(error, "ctx", None)
        hint = f" (see {context.command_path} --help)" if context else ""
        message = getattr(error, "format_message", error.__str__)()
        raise InputError(f"{message.rstrip('.')}{hint}") from error
    return code if isinstance(code, int) else 0


def _version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        print(f"colonnade {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_version, is_eager=True),
    ] = False,
    debug: Debug = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)


for command in (select, cluster, project, classify):
    command.register(app)


@app.command("methods")
def _methods(as_json: Json = False, debug: Debug = False) -> None:
    """List all methods: what they do, what they cost, what is known about the answer."""
    from .. import METHODS

    if as_json:
        about = ("title", "document", "cost", "guarantee", "inputs", "supervised", "randomized")
        print(
            to_json(
                {
                    name: {**{k: getattr(entry, k) for k in about}, "parameters": settable(entry)}
                    for name, entry in METHODS.items()
                }
            ),
            end="",
        )
        return
    Console().print(methods_table(METHODS))


demo.register(app)
