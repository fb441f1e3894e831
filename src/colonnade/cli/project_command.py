"""``colonnade project``: the rows of a file on few directions."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

import numpy as np
import typer

from .. import io
from ..io.phrases import counted
from ..operands.containers import dense
from .errors import InputError, input_errors
from .groups import flattened
from .input import parse_share, parse_size
from .options import (
    Debug,
    Json,
    Out,
    Quiet,
    SafeCsv,
    Seed,
    whole,
)
from .outputs import Files, check_data_target
from .progress import Reporter, percent
from .reading import Reading
from .reducers import (
    PROJECTION_NAMES,
    check_projection,
    n_directions,
    projection_class,
    projection_values,
)
from .screen import print_json, print_lines
from .treatment import ADJUST, Treatment

__all__ = ["command"]

FLAGS = {"n_components": "-n", "n_clusters": "-k", "eps": "--eps", **ADJUST}
"""Parameters of projections that have an option of their own."""


@flattened
def command(
    source: Reading,
    treatment: Treatment,
    number: Annotated[
        str | None, typer.Option("-n", "--n-components", help="To how many directions.")
    ] = None,
    method: Annotated[str, typer.Option("-m", "--method", help=f"{PROJECTION_NAMES}.")] = "sign",
    clusters: Annotated[
        int | None,
        whole("-k", "--clusters", low=1, help="Without -n: enough for so many clusters."),
    ] = None,
    eps: Annotated[
        str | None,
        typer.Option(help="With -k: the relative error for these, 0.5 or 50%."),
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A parameter of the projection; repeatable."),
    ] = None,
    seed: Seed = 0,
    out: Out = None,
    safe_csv: SafeCsv = False,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Run the command."""
    file = source.file
    check_projection(method)
    treatment.check()
    size = parse_size(number)
    if isinstance(size, str):
        raise InputError(f"-n {size} is for columns; give a number of directions, or -k")
    given = _sizing(size, clusters, eps) | projection_values(method, param, size, FLAGS)
    given.setdefault("random_state", seed)
    if out is None:
        raise InputError("say with --out where to write the projected data")
    check_data_target(out, source.sources, safe_csv)
    files = Files()
    with Reporter() as report:
        table = source.complete_table(report)
        io.check_content(out, table)
        if size is not None:
            given["n_components"] = n_directions(method, size, table, file)
        report.phase("looking at the data")
        treated = treatment.of(table)
        given |= {"center": treated.center, "scale": treated.scale}
        report.phase("projecting")
        with treated.told(), input_errors(**FLAGS):
            projection = projection_class(method)(**given)
            Z = dense(projection.fit_transform(table.X))
            kept = _kept(table.X, projection) if method == "svd" else None
        report.phase("writing")
        names = projection.get_feature_names_out().tolist()
        reduced = dataclasses.replace(table, X=Z, columns=names)
        files.write(out, lambda path: io.write(path, reduced, safe_csv=safe_csv))
    found: dict[str, Any] = {
        "source": str(file),
        "method": method,
        "shape": list(Z.shape),
        "seed": seed,
    }
    if kept is not None:
        found["explained"] = kept
    if as_json:
        print_json({**found, "data": treated.to_dict()})
    else:
        became = f"{counted(table.X.shape[1], 'column')} became {Z.shape[1]}"
        if kept is not None:
            explain = "explains" if Z.shape[1] == 1 else "explain"
            became += f", which {explain} {percent(kept)} % of the {treated.quantity} of the data"
        print_lines(*treated.lines(), became, *files.lines())
    files.raise_problem()


def _sizing(size: int | float | None, clusters: int | None, eps: str | None) -> dict[str, Any]:
    """Return the parameters from which a projection finds its size, if there is no -n."""
    if size is not None:
        for option, value in (("-k", clusters), ("--eps", eps)):
            if value is not None:
                raise InputError(f"-n gives the number of directions; leave {option} out")
        return {}
    if clusters is None:
        raise InputError(
            "say to how many directions with -n (20 or 10%), or for how many clusters with -k"
        )
    given: dict[str, Any] = {"n_components": "auto", "n_clusters": clusters}
    if eps is not None:
        given["eps"] = parse_share("--eps", eps)
        if not 0 < given["eps"] < 1:
            raise InputError(f"--eps {eps}: choose a relative error above 0 and below 1")
    return given


def _kept(X: Any, projection: Any) -> float:
    """Return the share that singular vectors explain of the data as the projection sees it."""
    A = projection.operand(X)
    unit = A.max_abs()  # squares of very large and very small entries are out of range
    total = float(A.scaled(1.0 / unit).sq_norms().sum())
    return float(np.square(projection.singular_values_ / unit).sum() / total)
