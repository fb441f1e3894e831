"""The commands. ``cli.py`` starts them and turns errors into lines and exit codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np
import typer
import typer.main
from rich.console import Console

from .. import io
from ..formats.binary import to_json
from ..formats.table import position
from . import classify, reduce
from .certify import certified_answer, clusters_of
from .input import (
    InputError,
    find_method,
    input_errors,
    known_names,
    parse_params,
    parse_share,
    parse_size,
    settable,
    split_names,
    target_of,
)
from .options import Debug, Delimiter, Drop, File, Header, Json, Key, Label, Param, Seed
from .show import Answer, Reporter, methods_table, percent, selection_table

__all__ = ["InputError", "app", "run"]

PICTURES = (".png", ".svg", ".pdf")
DEMO_METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "greedy, refined": ("greedy", {"refine": True}),
    "greedy": ("greedy", {}),
    "pivoted-qr": ("pivoted-qr", {}),
    "uniform": ("uniform", {"random_state": 0}),
}
DEMO_SIZE = 20
DEMO_CLUSTERS = 10
DEMO_FILES = {
    "the selection": "selection.json",
    "the data of the chosen pixels": "reduced.csv",
    "the picture of the error path": "error-path.png",
}

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


@app.command("select", no_args_is_help=False)
def _select(
    file: File,
    number: Annotated[
        str | None,
        typer.Option("-n", "--n-select", help="How many: 20, or 0.1, or 10%."),
    ] = None,
    max_error: Annotated[
        str | None,
        typer.Option(help="Stop when this share of the squared size is lost: 0.05, or 5%."),
    ] = None,
    method: Annotated[
        str, typer.Option("-m", "--method", help="See [bold]colonnade methods[/bold].")
    ] = "greedy",
    rows: Annotated[bool, typer.Option("--rows", help="Choose rows, not columns.")] = False,
    refine: Annotated[
        bool, typer.Option("--refine", help="Exchange choices while that helps.")
    ] = False,
    must_include: Annotated[
        list[str] | None,
        typer.Option(help="Choose these first: names or numbers from 0, comma separated."),
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(help="Never choose these: names or numbers.")
    ] = None,
    param: Param = None,
    seed: Seed = 0,
    label: Label = None,
    drop: Drop = None,
    header: Header = None,
    delimiter: Delimiter = None,
    key: Key = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            help="Write the reduced data (.csv, .parquet, .npz, ...) or the selection (.json).",
        ),
    ] = None,
    rescale: Annotated[
        bool,
        typer.Option(
            "--rescale/--no-rescale", help="Whether --out applies the weights that a method gives."
        ),
    ] = True,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the error path (.png, .svg, .pdf).")
    ] = None,
    certified: Annotated[
        bool, typer.Option("--certify", help="Measure what was lost, beside what is promised.")
    ] = False,
    clusters: Annotated[
        int | None, typer.Option(help="With --certify: judge k-means with this many clusters.")
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Choose the columns (or rows) of a file that best reconstruct all of it."""
    size = parse_size(number)
    limit = None if max_error is None else parse_share("--max-error", max_error)
    if size is None and limit is None:
        raise InputError("say how many with -n (20, 0.1 or 10%), or how good with --max-error")
    entry = find_method(method)
    wishes = {"max_error": limit, "refine": refine or None}
    params = parse_params(entry, param or [], wishes, bool(must_include), bool(exclude), rows)
    if clusters is not None and not certified:
        raise InputError(f"--clusters {clusters} says what to certify; add --certify")
    _check_targets(out, plot, file)
    with Reporter() as report:
        report.phase(f"reading {file.name}")
        table = io.read(
            file, label=label, drop=split_names(drop), header=header, delimiter=delimiter, key=key
        )
        X = table.X.T if rows else table.X
        unit = "row" if rows else "column"
        if isinstance(size, int) and size > X.shape[1]:
            raise InputError(
                f"-n {number}, but {file} has {X.shape[1]} {unit}s; choose 1 to {X.shape[1]}"
            )
        if table.sparse and "sparse" not in entry.inputs:
            raise InputError(f"method {entry.name!r} does not take sparse data such as {file}")
        known = known_names(table, rows)
        for name, given in (("must_include", must_include), ("exclude", exclude)):
            if given:
                params[name] = [position(X.shape[1], known, c, unit) for c in split_names(given)]
        if entry.supervised:
            params[entry.supervised] = target_of(entry, table)
        if "random_state" in entry.parameters:
            params.setdefault("random_state", seed)
        report.phase(f"choosing {unit}s")
        with input_errors():
            from .. import select

            selection = select(X, size, method=entry.name, progress=report, **params)
        answer = Answer(str(file), table, selection, entry, rows, limit, rescale)
        if certified:
            report.phase("certifying")
            answer = certified_answer(answer, clusters_of(entry, params, clusters), seed)
        report.phase("writing")
        written: list[Path] = []
        problem: Exception | None = None
        try:
            _write(answer, out, plot, written)
        except (OSError, ValueError) as error:
            problem = error
    _print_answer(answer, written, as_json)
    # only now, so that a full disk does not cost the answer
    if problem is not None:
        raise problem


reduce.register(app)
classify.register(app)


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


@app.command("demo")
def _demo(
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the results.")] = Path(
        "demo-output"
    ),
    debug: Debug = False,
) -> None:
    """Choose 20 of the 64 pixels of scikit-learn's handwritten digits."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{out}: this folder cannot be made ({error.strerror})") from error
    files = [out / name for name in DEMO_FILES.values()]
    for path in files:
        io.check_target(path, extensions=(path.suffix,))
    _check_matplotlib()
    with Reporter() as report:
        report.phase("choosing pixels")
        from .. import METHODS, datasets, metrics, select

        data = datasets.load("digits")
        table = io.Table(data.X, data.feature_names, data.y, "digit")
        found = {
            name: select(data.X, DEMO_SIZE, method=method, **params)
            for name, (method, params) in DEMO_METHODS.items()
        }
        accuracy = {name: metrics.relative_accuracy(data.X, s) for name, s in found.items()}
        losses = {name: metrics.reconstruction_error(data.X, s) for name, s in found.items()}
        answer = Answer("digits", table, found["greedy, refined"], METHODS["greedy"], rows=False)
        answer = certified_answer(answer, DEMO_CLUSTERS, 0)
        report.phase("writing")
        io.write(files[0], table, selection=answer.to_dict())
        io.write(files[1], answer.reduced)
        squares = np.linalg.svd(data.X, compute_uv=False) ** 2
        _draw(files[2], found, "pixels", 1 - np.cumsum(squares) / squares.sum())
    console = Console()
    _print(
        console,
        f"The handwritten digits of scikit-learn: {len(data.X)} images of 8 × 8 pixels.",
        f"Which {DEMO_SIZE} pixels say most about all 64? Chosen greedily, then refined by swaps:",
    )
    console.print(selection_table(answer))
    _print(
        console,
        answer.sentence(),
        "",
        f"Accuracy, where 100 % is the best that any {DEMO_SIZE} dimensions could do (the SVD):",
        *(
            f"  {name:<16}{100 * value:6.1f} %   ({percent(losses[name])} % lost)"
            for name, value in accuracy.items()
        ),
        "",
        "What was lost, also for k-means with ten clusters (F is its objective, A the data, C the",
        "chosen pixels, X_out the clusters found on these, X_in the true digits):",
        *answer.certificate_lines(),
        "",
        f"Written to {out}:",
        *(f"  {name:<18}{what}" for what, name in DEMO_FILES.items()),
    )


def _check_targets(out: Path | None, plot: Path | None, source: Path) -> None:
    if out is not None:
        io.check_target(out, sources=[source])
    if plot is not None:
        io.check_target(plot, sources=[source], extensions=PICTURES)
        _check_matplotlib()


def _check_matplotlib() -> None:
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError as error:
        raise InputError(
            'pictures need matplotlib; install it with pip install "colonnade[plot]"'
        ) from error


def _write(answer: Answer, out: Path | None, plot: Path | None, written: list[Path]) -> None:
    if out is not None:
        io.write(out, answer.reduced, selection=answer.to_dict())
        written.append(out)
    if plot is not None:
        _draw(plot, {answer.method.name: answer.selection}, f"{answer.unit}s")
        written.append(plot)


def _draw(path: Path, selections: Mapping[str, Any], unit: str, floor: Any = None) -> None:
    from ..plots import error_path

    with input_errors():
        ax = error_path(selections, unit=unit, floor=floor)
    with io.atomic(path) as file:
        cast(Any, ax.figure).savefig(file, format=path.suffix[1:].lower())


def _print_answer(answer: Answer, written: list[Path], as_json: bool) -> None:
    if as_json:
        print(to_json(answer.to_dict()), end="")
        return
    console = Console()
    console.print(selection_table(answer))
    _print(console, answer.sentence(), *answer.certificate_lines())
    _print(console, *(f"Written: {path}" for path in written))


def _print(console: Console, *lines: str) -> None:
    for line in lines:
        # names of files and columns are no markup, and a path must survive being copied
        console.print(line, highlight=False, markup=False, emoji=False, soft_wrap=True)
