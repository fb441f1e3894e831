"""``colonnade classify``: what a selection costs a classifier, on a file."""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
import typer

from .. import io
from ..io.formats import Table
from ..io.phrases import counted
from ..registry import Method
from .data import (
    FILLING,
    about_classes,
    about_filled,
    check_limit,
    gap_fills,
    target_of,
    with_fills,
)
from .errors import InputError, input_errors
from .groups import flattened
from .input import find_method, parse_params, parse_size
from .options import (
    Debug,
    Json,
    Out,
    Param,
    Quiet,
    SafeCsv,
    Seed,
    whole,
)
from .outputs import Files, check_data_target
from .progress import Reporter
from .reading import PANEL, Reading
from .screen import grid, note, print_grid, print_json, print_lines
from .treatment import ADJUST, Treatment

__all__ = ["command"]

DEFAULT_METHOD = "bss"
TARGET = "--target"


@dataclass(frozen=True)
class Source(Reading):
    """A file with classes."""

    label_flag: ClassVar[str] = TARGET

    label: Annotated[
        str | None,
        typer.Option(
            TARGET,
            "--label",
            help="The column that holds the classes: a name, or a number from 0 (-1 is the "
            "last). In an NPZ file also the name of an array.",
            rich_help_panel=PANEL,
        ),
    ] = None


@flattened
def command(
    source: Source,
    treatment: Treatment,
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
        bool,
        typer.Option(
            "--intercept",
            help="Add a constant that is not regularized; centred data has one in any case.",
        ),
    ] = False,
    folds: Annotated[
        int, whole("--folds", low=2, help="How often a part is left out and classified.")
    ] = 10,
    seed: Seed = 0,
    out: Out = None,
    safe_csv: SafeCsv = False,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Run the command."""
    file = source.file
    alphas = _parse_alphas(alpha)
    size = parse_size(number)
    if size is None and (method is not None or param):
        raise InputError("say with -n how many columns to choose (20, 0.1 or 10%)")
    entry = None if size is None else find_method(method or DEFAULT_METHOD)
    params = {} if entry is None else parse_params(entry, param, flags=ADJUST, label_flag=TARGET)
    treatment.check()
    check_data_target(out, source.sources, safe_csv)
    files = Files()
    source.check_fillable()
    with Reporter() as report:
        table = source.table(report)
        if source.missing in FILLING and gap_fills(table, source.missing) is not None:
            note(about_filled(table, source.missing))
        trials = [Trial("all", missing=source.missing)]
        if entry is not None:
            check_limit("-n", size, file, table.X.shape[1], "column")
            if "random_state" in entry.parameters:
                params.setdefault("random_state", seed)
            trials.append(Trial(entry.name, entry, size, params, missing=source.missing))
        splits = _split(table, folds, seed)
        if out is not None:
            io.check_content(out, _predicted(table, [table.labels for _ in trials], trials))
        report.phase("looking at the data")
        treated = treatment.of(
            table, missing=source.missing if source.missing in FILLING else "error"
        )
        classifier = {
            "alpha": alphas,
            "fit_intercept": intercept or treated.center,
            "scale": treated.scale,
        }
        for trial in trials[1:]:
            trial.params |= {"center": treated.center, "scale": treated.scale}
        with treated.told(), input_errors(n_select="-n", alpha="--alpha"):
            for trial in trials:
                trial.run(table, splits, classifier, report)
        report.phase("writing")
        predictions = _predicted(table, [trial.predictions for trial in trials], trials)
        files.write(out, lambda path: io.write(path, predictions, safe_csv=safe_csv))
    if as_json:
        found = _as_dict(file, table, folds, seed, alphas, trials)
        print_json({**found, "data": treated.to_dict()})
    else:
        print_lines(*treated.lines())
        _show(table, folds, trials, files)
    files.raise_problem()


@dataclass
class Trial:
    """One way to get features, and how well the classifier does with them.

    Attributes
    ----------
    name : str
        What to call it.
    method : Method or None
        How columns are chosen; None takes all.
    size : int, float, str or None
        How many.
    params : dict
        Parameters of the method.
    accuracies, alphas : list of float
        For each fold, the share of rows classified correctly and the λ that was found.
    predictions : ndarray
        The class of each row, as predicted while the row was left out.
    columns : list of int
        The columns chosen from all rows, in the order of choice.
    alpha : float
        The λ for all rows.
    missing : str
        What becomes of gaps; rows that are left out are filled by what is known of the others.
    """

    name: str
    method: Method | None = None
    size: int | float | str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    accuracies: list[float] = field(default_factory=list)
    alphas: list[float] = field(default_factory=list)
    predictions: Any = None
    columns: list[int] = field(default_factory=list)
    alpha: float = 0.0
    missing: str = "error"

    def run(
        self, table: Table, splits: list[Any], classifier: dict[str, Any], report: Reporter
    ) -> None:
        """Classify each fold by the others, then learn from all rows."""
        labels = np.asarray(table.labels)
        self.predictions = labels.copy()
        for k, (train, test) in enumerate(splits, 1):
            report.phase(f"{self.name} columns, fold {k} of {len(splits)}")
            known, new = self._filled(table.take(rows=train), table.take(rows=test))
            model, selection = self._learn(known, classifier, report)
            data = new.X if selection is None else selection.apply(new.X)
            self.predictions[test] = model.predict(data)
            self.accuracies.append(float(np.mean(self.predictions[test] == labels[test])))
            self.alphas.append(model.alpha_)
        report.phase(f"{self.name} columns, all rows")
        (table,) = self._filled(table)
        model, selection = self._learn(table, classifier, report)
        self.alpha = model.alpha_
        every = range(table.X.shape[1])
        self.columns = list(every) if selection is None else selection.indices.tolist()

    def _filled(self, known: Table, *others: Table) -> list[Table]:
        """Return tables whose gaps are filled by the statistics of the first."""
        fills = gap_fills(known, self.missing) if self.missing in FILLING else None
        return [with_fills(table, fills) for table in (known, *others)]

    def _learn(self, table: Table, classifier: dict[str, Any], report: Reporter) -> Any:
        from .. import RLSClassifier

        selection, X = None, table.X
        if self.method is not None:
            params = dict(self.params)
            if self.method.supervised:
                kind = self.method.supervised
                params[kind] = target_of(self.name, kind, table, TARGET)
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


def _split(table: Table, folds: int, seed: int) -> list[Any]:
    from sklearn.model_selection import StratifiedKFold

    if table.labels is None:
        raise InputError("say with --target which column holds the classes")
    labels, what = np.asarray(table.labels), f"the target {table.label_name!r}"
    problem = about_classes(table)
    if problem:
        raise InputError(f"{what} {problem}")
    classes, counts = np.unique(labels, return_counts=True)
    if len(classes) < 2:
        raise InputError(f"{what} holds one class only ({classes[0]}); there must be two or more")
    if counts.min() < folds:
        few = counts.argmin()
        rows = counted(counts[few], "row")
        advice = (
            f"choose --folds {counts[few]} or fewer"
            if counts[few] > 1
            else "a class needs two or more"
        )
        raise InputError(f"class {classes[few]} of {what} has {rows}; {advice}")
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    return list(splitter.split(np.zeros(len(labels)), labels))


def _predicted(table: Table, predictions: list[Any], trials: list[Trial]) -> Table:
    """Return a table of the predicted classes, with the true ones and the names of the rows."""
    names = [f"predicted_{trial.name}" for trial in trials]
    return dataclasses.replace(table, X=np.column_stack(predictions), columns=names)


def _as_dict(
    file: Path, table: Table, folds: int, seed: int, alphas: list[float], trials: list[Trial]
) -> dict[str, Any]:
    names = table.names
    return {
        "source": str(file),
        "target": table.label_name,
        "n_rows": int(table.X.shape[0]),
        "classes": np.unique(np.asarray(table.labels)).tolist(),
        "folds": folds,
        "seed": seed,
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


def _show(table: Table, folds: int, trials: list[Trial], files: Files) -> None:
    titles = ("columns", "number", "accuracy, %", "± over folds", "λ", "λ in most folds")
    rows = []
    for trial in trials:
        (usual, times), *_ = Counter(trial.alphas).most_common()
        rows.append(
            (
                trial.name,
                len(trial.columns),
                f"{100 * np.mean(trial.accuracies):.1f}",
                f"{100 * np.std(trial.accuracies):.1f}",
                f"{trial.alpha:g}",
                f"{usual:g} ({times} of {folds})",
            )
        )
    print_grid(grid(titles, rows, left=titles[:1], whole=titles[:1]))
    classes = len(np.unique(np.asarray(table.labels)))
    print_lines(
        f"Regularized least squares on {table.X.shape[0]} rows of {classes} classes; accuracy on "
        f"rows left out, {folds} folds.",
        *files.lines(),
    )
