"""``colonnade demo``: the main job on data that everybody has."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from .. import io
from .certify import certified_answer
from .errors import InputError
from .options import Debug, Quiet
from .outputs import check_matplotlib, draw_error_paths
from .progress import Reporter, percent
from .screen import print_grid, print_lines
from .show import Answer, selection_table
from .treatment import Treatment

__all__ = ["command"]

METHODS_SHOWN: dict[str, tuple[str, dict[str, Any]]] = {
    "greedy, refined": ("greedy", {"refine": True}),
    "greedy": ("greedy", {}),
    "pivoted-qr": ("pivoted-qr", {}),
    "uniform": ("uniform", {"random_state": 0}),
}
SIZE = 20
CLUSTERS = 10
FILES = {
    "the selection": "selection.json",
    "the data of the chosen pixels": "reduced.csv",
    "the picture of the error path": "error-path.png",
}


def command(
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the results.")] = Path(
        "demo-output"
    ),
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Run the command."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{out}: this folder cannot be made ({error.strerror})") from error
    files = [out / name for name in FILES.values()]
    for path in files:
        io.check_target(path, extensions=(path.suffix,))
    check_matplotlib()
    with Reporter() as report, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the first lines say that some pixels are constant
        report.phase("choosing pixels")
        from .. import METHODS, datasets, metrics, select

        data = datasets.load("digits")
        table = io.Table(data.X, data.feature_names, data.y, "digit")
        treated = Treatment().of(table)
        found = {
            name: select(data.X, SIZE, method=method, center=True, **params)
            for name, (method, params) in METHODS_SHOWN.items()
        }
        accuracy = {name: metrics.relative_accuracy(data.X, s) for name, s in found.items()}
        losses = {name: metrics.reconstruction_error(data.X, s) for name, s in found.items()}
        answer = Answer(
            "digits", table, found["greedy, refined"], METHODS["greedy"], False, treated,
            treated.preparation.A,
        )  # fmt: skip
        answer = answer.beside_others(0)
        answer = certified_answer(answer, CLUSTERS, 0)
        report.phase("writing")
        io.write(files[0], table, selection=answer.to_dict())
        io.write(files[1], answer.reduced)
        squares = np.linalg.svd(data.X - data.X.mean(axis=0), compute_uv=False) ** 2
        draw_error_paths(files[2], found, "pixels", 1 - np.cumsum(squares) / squares.sum())
    print_lines(
        f"The handwritten digits of scikit-learn: {len(data.X)} images of 8 × 8 pixels.",
        f"Which {SIZE} pixels say most about all 64? Chosen greedily, then refined by swaps:",
        *treated.lines(),
    )
    print_grid(selection_table(answer))
    print_lines(
        answer.sentence(),
        "",
        f"Accuracy, where 100 % is the best that any {SIZE} dimensions could do (the SVD):",
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
        *(f"  {name:<18}{what}" for what, name in FILES.items()),
    )
