"""The program and its list of commands; ``select`` is in ``select_command.py``, and so on."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any, cast

import typer
import typer.core
import typer.main

from .errors import InputError
from .options import Debug, Quiet
from .screen import print_lines

__all__ = ["run_app"]

COMMANDS = {
    "select": "Choose the columns (or rows) of a file that best reconstruct all of it.",
    "compare": "Say which method is best on a file, by how much, and whether that may be chance.",
    "describe": "Say what is in a file: shape, gaps, constants, scales, rank, and what to do next.",
    "explain": "Say what the chosen columns stand for, and what each of them is worth.",
    "apply": "Take the chosen columns out of another file, or rebuild all columns from them.",
    "cluster": "Cluster the rows of a file by k-means on few directions, and say how good that is.",
    "project": "Project the rows of a file to few directions, at random or by singular vectors.",
    "classify": "Classify rows by regularized least squares, with all columns and with chosen "
    "ones.\n\nColumns are chosen, and λ is found, without the rows that are then classified.",
    "methods": "List all methods: what they do, what they cost, what is known about the answer.",
    "reproduce": "Compute the tables and figures of the documents anew, beside what is printed.",
    "demo": "Choose 20 of the 64 pixels of scikit-learn's handwritten digits.",
}
"""What commands do, in the order in which they are listed."""

ON_FILES = ("select", "compare", "cluster", "project", "classify")
"""Commands whose argument is a file to read."""

# newer versions of typer carry a copy of click, older ones use it: ask the class itself
_UsageError: type[Exception] = next(
    cast(type[Exception], kind)
    for kind in typer.BadParameter.__mro__
    if kind.__name__ == "ClickException"
)


class _Group(typer.core.TyperGroup):
    """Imports a command when it is asked for, so that help and small errors need not wait."""

    def resolve_command(self, ctx: Any, args: Any) -> Any:
        name, _, rest = super().resolve_command(ctx, args)
        if name in ON_FILES:
            _check_file(rest)
        found = _app()
        found.command(name, help=COMMANDS[str(name)])(
            import_module(f".{name}_command", __package__).command
        )
        return name, typer.main.get_command(found), rest


def run_app(arguments: Sequence[str]) -> int:
    """Run a command and return the exit code; raises :class:`InputError` for the user's errors."""
    app = _app(
        cls=_Group,
        help="Pick the few actual columns or rows that hold a data matrix up, and see what is "
        "lost.",
        context_settings={"help_option_names": ["-h", "--help"]},
        add_completion=True,
    )
    app.callback(invoke_without_command=True)(_root)
    for name, about in COMMANDS.items():
        app.command(name, help=about)(lambda: None)
    command = typer.main.get_command(app)
    try:
        code = command.main(args=list(arguments), prog_name="colonnade", standalone_mode=False)
    except typer.Abort as error:  # how older versions of typer report Ctrl-C
        raise KeyboardInterrupt from error
    except _UsageError as error:
        context = getattr(error, "ctx", None)
        hint = f" (see {context.command_path} --help)" if context else ""
        message = getattr(error, "format_message", error.__str__)()
        raise InputError(f"{message.rstrip('.')}{hint}") from error
    except ValueError as error:
        from ..io.kinds import FileError

        if not isinstance(error, FileError):
            raise
        raise InputError(str(error)) from error
    return code if isinstance(code, int) else 0


def _check_file(arguments: Sequence[str]) -> None:
    """Raise FileError for a file that cannot be read, before all that could read it is imported.

    An argument in first place that is no option is the file; elsewhere it could be a value.
    """
    asked = {argument.partition("=")[0] for argument in arguments}
    if not arguments or arguments[0].startswith("-") or asked & {"--format", "--help", "-h"}:
        return
    from pathlib import Path

    from ..io.kinds import check_source

    check_source(Path(arguments[0]), spelled=lambda option, value: f"--{option} {value}")


def _app(**about: Any) -> typer.Typer:
    return typer.Typer(
        name="colonnade",
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        **{"add_completion": False, **about},
    )


def _version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        print_lines(f"colonnade {__version__}")
        raise typer.Exit


def _root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_version, is_eager=True),
    ] = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)
