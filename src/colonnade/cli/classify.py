"""``colonnade classify``: what a selection costs a classifier, on a file."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from .. import io
from ..formats import Table
from ..formats.binary import to_json
from ..registry import Method
from .input import (
    InputError,
    find_method,
    input_errors,
    parse_params,
    parse_size,
    split_names,
    target_of,
)
from .options import Debug, Delimiter, Drop, File, Header, Json, Key, Param
from .show import Reporter

__all__ = ["register"]

DEFAULT_METHOD = "bss"


def register(app: typer.Typer) -> None:
    """Add the command to the others."""
    app.command("classify", no_args_is_help=False)(_classify)


def _classify(
    file: File,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "--label",
            help="The column that holds the classes: a name, or a number from 0 (-1 is the "
            "last). In an NPZ file also the name of an array.",
        ),
    ] = None,
    number: Annotated[
        str | None,
        typer.Option("-n", "--n-select", help="How many columns to choose: 20, or 0.1, or 10%."),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            "-m",
            "--method",
            help=f"How to choose, see [bold]colonnade methods[/bold]; {DEFAULT_METHOD} if only -n "
            "is given.",
        ),
    ] = None,
    param: Param = None,
    alpha: Annotated[
        str,
        typer.Option(help="λ, the regularization. Of several, the best is found anew each time."),
    ] = "0.01,0.1,1,10,100",
    intercept: Annotated[
        bool, typer.Option("--intercept", help="Add a constant that is not regularized.")
    ] = False,
    folds: Annotated[int, typer.Option(help="How often a part is left out and classified.")] = 10,
    seed: Annotated[int, typer.Option(help="For the folds and for methods that draw lots.")] = 0,
    drop: Drop = None,
    header: Header = None,
    delimiter: Delimiter = None,
    key: Key = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Classify rows by regularized least squares, with all columns and with chosen ones.

    Columns are chosen, and λ is found, without the rows that are then classified.
    """
    alphas = _parse_alphas(alpha)
    size = parse_size(number)
    if size is None and (method is not None or param):
        raise InputError("say with -n how many columns to choose (20, 0.1 or 10%)")
    entry = None if size is None else find_method(method or DEFAULT_METHOD)
    params = {} if entry is None else parse_params(entry, param or [], {}, False, False, False)
    if folds < 2:
        raise InputError(f"--folds {folds}: choose at least 2")
    if not 0 <= seed < 2**32:
        raise InputError(f"--seed {seed}: choose a whole number from 0 to {2**32 - 1}")
    with Reporter() as report:
        report.phase(f"reading {file.name}")
        try:
            table = io.read(
                file, label=target, drop=split_names(drop), header=header, delimiter=delimiter,
                key=key,
            )  # fmt: skip
        except io.FileError as error:
            raise InputError(_about_reading(str(error), target)) from error
        if entry is not None:
            if isinstance(size, int) and size > table.X.shape[1]:
                raise InputError(
                    f"-n {number}, but {file} has {table.X.shape[1]} columns; choose 1 to "
                    f"{table.X.shape[1]}"
                )
            if table.sparse and "sparse" not in entry.inputs:
                raise InputError(f"method {entry.name!r} does not take sparse data such as {file}")
            if "random_state" in entry.parameters:
                params.setdefault("random_state", seed)
        splits = _split(table, folds, seed)
        classifier = {"alpha": alphas, "fit_intercept": intercept}
        trials = [Trial("all")]
        if entry is not None:
            trials.append(Trial(entry.name, entry, size, params))
        with input_errors():
            for trial in trials:
                trial.run(table, splits, classifier, report)
    if as_json:
        print(to_json(_as_dict(file, table, folds, alphas, trials)), end="")
    else:
        _show(table, folds, trials)


@dataclass
class Trial:
    """One way to get features, and how well the classifier does with them.

    Attributes
    ----------
    name : str
        What to call it.
    method : Method or None
        How columns are chosen; None takes all.
    size : int, float or None
        How many.
    params : dict
        Parameters of the method.
    accuracies, alphas : list of float
        For each fold, the share of rows classified correctly and the λ that was found.
    columns : list of int
        The columns chosen from all rows, in the order of choice.
    alpha : float
        The λ for all rows.
    """

    name: str
    method: Method | None = None
    size: int | float | None = None
    params: dict[str, Any] = field(default_factory=dict)
    accuracies: list[float] = field(default_factory=list)
    alphas: list[float] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    alpha: float = 0.0

    def run(
        self, table: Table, splits: list[Any], classifier: dict[str, Any], report: Reporter
    ) -> None:
        """Classify each fold by the others, then learn from all rows."""
        for k, (train, test) in enumerate(splits, 1):
            report.phase(f"{self.name} columns, fold {k} of {len(splits)}")
            known, new = table.take(rows=train), table.take(rows=test)
            model, selection = self._learn(known, classifier, report)
            data = new.X if selection is None else selection.apply(new.X)
            self.accuracies.append(float(model.score(data, new.labels)))
            self.alphas.append(model.alpha_)
        report.phase(f"{self.name} columns, all rows")
        model, selection = self._learn(table, classifier, report)
        self.alpha = model.alpha_
        every = range(table.X.shape[1])
        self.columns = list(every) if selection is None else selection.indices.tolist()

    def _learn(self, table: Table, classifier: dict[str, Any], report: Reporter) -> Any:
        from .. import RLSClassifier

        selection, X = None, table.X
        if self.method is not None:
            params = dict(self.params)
            if self.method.supervised:
                params[self.method.supervised] = target_of(self.method, table)
            selection = self.method(X, self.size, progress=report, **params)
            X = selection.apply(X)
        return RLSClassifier(**classifier).fit(X, table.labels), selection


def _parse_alphas(text: str) -> list[float]:
    try:
        alphas = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        alphas = []
    if not alphas or not all(0 <= value < np.inf for value in alphas):
        raise InputError(f"--alpha {text!r}: give one or more numbers from 0 on, such as 0.1,1,10")
    return alphas


def _about_reading(message: str, target: str | None) -> str:
    """Return what is wrong with a file in terms of the options of this command."""
    if "--label" not in message:
        return message
    if target is None:
        return f"say with --target which column holds the classes; {message}".replace(
            "--label", "--target"
        )
    return re.sub("--label .* or (?=--drop)", "", message)


def _split(table: Table, folds: int, seed: int) -> list[Any]:
    from sklearn.model_selection import StratifiedKFold

    if table.labels is None:
        raise InputError("say with --target which column holds the classes")
    labels, what = np.asarray(table.labels), f"the target {table.label_name!r}"
    gaps = np.flatnonzero(
        labels != labels if labels.dtype.kind == "f" else labels.astype(str) == ""
    )
    if len(gaps):
        raise InputError(
            f"{what} has {len(gaps)} missing value{'s' * (len(gaps) > 1)}, first in row {gaps[0]} "
            "of the data, counted from 0; fill them in or leave those rows out"
        )
    if labels.dtype.kind == "f" and (labels != np.round(labels)).any():
        raise InputError(
            f"{what} holds fractions, such as {labels[labels != np.round(labels)][0]:g}; classes "
            "are whole numbers or words"
        )
    classes, counts = np.unique(labels, return_counts=True)
    if len(classes) < 2:
        raise InputError(f"{what} holds one class only ({classes[0]}); there must be two or more")
    if counts.min() < folds:
        few = counts.argmin()
        rows = f"{counts[few]} row{'' if counts[few] == 1 else 's'}"
        advice = (
            f"choose --folds {counts[few]} or fewer"
            if counts[few] > 1
            else "a class needs two or more"
        )
        raise InputError(f"class {classes[few]} of {what} has {rows}; {advice}")
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    return list(splitter.split(np.zeros(len(labels)), labels))


def _as_dict(
    file: Path, table: Table, folds: int, alphas: list[float], trials: list[Trial]
) -> dict[str, Any]:
    names = table.names
    return {
        "source": str(file),
        "target": table.label_name,
        "n_rows": int(table.X.shape[0]),
        "classes": np.unique(np.asarray(table.labels)).tolist(),
        "folds": folds,
        "alphas": alphas,
        "results": [
            {
                "features": trial.name,
                "n_features": len(trial.columns),
                "accuracy": float(np.mean(trial.accuracies)),
                "accuracy_std": float(np.std(trial.accuracies)),
                "accuracies": trial.accuracies,
                "alpha": trial.alpha,
                "fold_alphas": trial.alphas,
                "columns": None if trial.method is None else [names[j] for j in trial.columns],
            }
            for trial in trials
        ],
    }


def _show(table: Table, folds: int, trials: list[Trial]) -> None:
    shown = RichTable()
    for title in ("columns", "number", "accuracy, %", "± over folds", "λ", "λ in most folds"):
        shown.add_column(title, justify="left" if title == "columns" else "right")
    for trial in trials:
        (usual, times), *_ = Counter(trial.alphas).most_common()
        shown.add_row(
            Text(trial.name),
            str(len(trial.columns)),
            f"{100 * np.mean(trial.accuracies):.1f}",
            f"{100 * np.std(trial.accuracies):.1f}",
            f"{trial.alpha:g}",
            f"{usual:g} ({times} of {folds})",
        )
    console = Console()
    console.print(shown)
    classes = len(np.unique(np.asarray(table.labels)))
    console.print(
        f"Regularized least squares on {table.X.shape[0]} rows of {classes} classes; accuracy on "
        f"rows left out, {folds} folds.",
        highlight=False, markup=False, soft_wrap=True,
    )  # fmt: skip
