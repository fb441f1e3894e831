"""``colonnade cluster`` and ``colonnade project``: files by few directions."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table as RichTable

from .. import io
from ..formats import Table
from ..formats.binary import to_json
from .input import (
    InputError,
    find_method,
    input_errors,
    parse_params,
    parse_size,
    parse_values,
    split_names,
)
from .options import (
    Debug,
    Delimiter,
    Drop,
    File,
    Header,
    Json,
    Key,
    Label,
    Out,
    Param,
    Seed,
)
from .show import Reporter, percent

__all__ = ["register"]

PROJECTIONS = {
    "sign": "SignProjection",
    "gaussian": "GaussianProjection",
    "sparse-sign": "SparseSignProjection",
    "hadamard": "HadamardProjection",
    "svd": "SVDProjection",
}
"""What the projections are called on the command line."""

_NAMES = ", ".join(PROJECTIONS)


def register(app: typer.Typer) -> None:
    """Add the commands to the others."""
    app.command("cluster", no_args_is_help=False)(_cluster)
    app.command("project", no_args_is_help=False)(_project)


def _cluster(
    file: File,
    clusters: Annotated[
        int | None, typer.Option("-k", "--clusters", help="How many clusters.")
    ] = None,
    reducer: Annotated[
        str,
        typer.Option(
            help=f"{_NAMES}, none, or a method that chooses columns, see "
            "[bold]colonnade methods[/bold]; auto is svd to ten directions more than clusters."
        ),
    ] = "auto",
    number: Annotated[
        str | None,
        typer.Option("-n", "--n-select", help="To how many columns or directions: 50, or 10%."),
    ] = None,
    param: Param = None,
    polish: Annotated[int, typer.Option(help="Iterations on all columns afterwards.")] = 3,
    starts: Annotated[int, typer.Option(help="How often k-means is started.")] = 5,
    seed: Seed = 0,
    label: Label = None,
    drop: Drop = None,
    header: Header = None,
    delimiter: Delimiter = None,
    key: Key = None,
    out: Out = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Cluster the rows of a file by k-means on few directions, and say how good that is."""
    if clusters is None:
        raise InputError("say with -k how many clusters there shall be")
    if out is not None:
        _check_table(out, file)
    with Reporter() as report:
        table = _read(report, file, label, drop, header, delimiter, key)
        made = _reducer(reducer, number, param, clusters, table)
        report.phase("clustering rows")
        with input_errors():
            from .. import ReducedKMeans

            model = ReducedKMeans(
                clusters, made, n_init=starts, n_polish=polish, random_state=seed
            ).fit(table.X, table.labels)
            report.phase("measuring")
            found = _measures(model, table)
        written = []
        if out is not None:
            report.phase("writing")
            io.write(out, _labelled(table, model.labels_))
            written.append(out)
    found |= {"source": str(file), "reducer": reducer, "n_clusters": clusters}
    if as_json:
        print(to_json({**found, "labels": model.labels_.tolist()}), end="")
        return
    _show_clusters(found, table, written)


def _reducer(
    name: str, number: str | None, param: list[str] | None, clusters: int, table: Table
) -> Any:
    from sklearn.preprocessing import FunctionTransformer

    import colonnade

    size = parse_size(number)
    if name == "auto":
        if size is None and not param:
            return None
        name = "svd"
    if name == "none":
        if number is not None or param:
            raise InputError("--reducer none keeps all columns; leave -n and --param out")
        return FunctionTransformer(accept_sparse=True)
    if name in PROJECTIONS:
        if size is None:
            raise InputError(f"say with -n to how many directions {name!r} shall go (20 or 10%)")
        if isinstance(size, float):
            size = max(1, round(size * table.X.shape[1]))
        make = getattr(colonnade, PROJECTIONS[name])
        taken = [n for n in inspect.signature(make).parameters if n != "n_components"]
        return make(size, **parse_values(name, param or [], taken))
    if name not in colonnade.METHODS:
        known = f"auto, {_NAMES}, none and the methods of `colonnade methods`"
        raise InputError(f"unknown reducer {name!r}; there are {known}")
    entry = find_method(name)
    params = parse_params(entry, param or [], {}, False, False, False)
    if table.sparse and "sparse" not in entry.inputs:
        raise InputError(f"method {name!r} does not take sparse data")
    if entry.supervised and table.labels is None:
        raise InputError(f"method {name!r} needs labels; name their column with --label")
    if "n_clusters" in entry.parameters:
        params.setdefault("n_clusters", clusters)
    if entry.supervised == "target":
        params["target"] = "y"
    return getattr(colonnade, entry.estimator)(size, **{**entry.preset, **params})


def _measures(model: Any, table: Table) -> dict[str, Any]:
    from .. import metrics

    out: dict[str, Any] = {
        "sizes": np.bincount(model.labels_).tolist(),
        "objective": model.inertia_,
        "normalized_objective": metrics.normalized_objective(table.X, model.labels_),
        "approximation_ratio": _known(model.approximation_ratio(table.X)),
    }
    if table.labels is not None:
        out["nmi"] = metrics.nmi(table.labels, model.labels_)
        out["matched_accuracy"] = metrics.matched_accuracy(table.labels, model.labels_)
    return out


def _known(bound: float) -> float | None:
    """Return None for a bound that says nothing."""
    return bound if np.isfinite(bound) else None


def _labelled(table: Table, labels: Any) -> Table:
    """Return a table of the clusters beside what named the rows."""
    return dataclasses.replace(table, X=labels[:, None].astype(np.int64), columns=["cluster"])


def _show_clusters(found: dict[str, Any], table: Table, written: list[Path]) -> None:
    grid = RichTable("cluster", "rows")
    for cluster, size in enumerate(found["sizes"]):
        grid.add_row(str(cluster), str(size))
    console = Console()
    console.print(grid)
    share, ratio = found["normalized_objective"], found["approximation_ratio"]
    lines = [f"{percent(share)} % of the squared size of the data is within the clusters"]
    if ratio is not None:
        lines[0] += (
            f": at most {ratio:.3g} times what the best {found['n_clusters']} clusters leave"
        )
    if "nmi" in found:
        lines.append(
            f"beside {table.label_name!r}: mutual information (NMI) {found['nmi']:.3f}, "
            f"accuracy {found['matched_accuracy']:.3f}"
        )
    for line in [*lines, *(f"Written: {path}" for path in written)]:
        console.print(line, highlight=False, markup=False, emoji=False, soft_wrap=True)


def _project(
    file: File,
    number: Annotated[
        str | None, typer.Option("-n", "--n-components", help="To how many directions.")
    ] = None,
    method: Annotated[str, typer.Option("-m", "--method", help=f"{_NAMES}.")] = "sign",
    clusters: Annotated[
        int | None,
        typer.Option("-k", "--clusters", help="Without -n: enough for so many clusters."),
    ] = None,
    seed: Seed = 0,
    label: Label = None,
    drop: Drop = None,
    header: Header = None,
    delimiter: Delimiter = None,
    key: Key = None,
    out: Out = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Project the rows of a file to few directions, at random or by singular vectors."""
    if method not in PROJECTIONS:
        raise InputError(f"unknown projection {method!r}; there are {_NAMES}")
    size = parse_size(number)
    if size is None and (clusters is None or method == "svd"):
        also = "" if method == "svd" else ", or for how many clusters with -k"
        raise InputError(f"say to how many directions with -n (20 or 10%){also}")
    if out is None:
        raise InputError("say with --out where to write the projected data")
    _check_table(out, file)
    if size is not None and clusters is not None:
        raise InputError("-n says how many directions there shall be; leave -k out")
    with Reporter() as report:
        table = _read(report, file, label, drop, header, delimiter, key)
        if isinstance(size, float):
            size = max(1, round(size * table.X.shape[1]))
        report.phase("projecting")
        with input_errors():
            import colonnade

            make: Callable[..., Any] = getattr(colonnade, PROJECTIONS[method])
            given: dict[str, Any] = {"random_state": seed}
            if size is None:
                given |= {"n_components": "auto", "n_clusters": clusters}
            else:
                given["n_components"] = size
            projection = make(**given)
            Z = projection.fit_transform(table.X)
            Z = Z.toarray() if hasattr(Z, "toarray") else Z
            names = projection.get_feature_names_out().tolist()
            kept = _kept(table.X, projection) if method == "svd" else None
        report.phase("writing")
        io.write(out, dataclasses.replace(table, X=Z, columns=names))
    found: dict[str, Any] = {"source": str(file), "method": method, "shape": list(Z.shape)}
    if kept is not None:
        found["share_of_squared_size"] = kept
    if as_json:
        print(to_json(found), end="")
        return
    console = Console()
    became = f"{table.X.shape[1]} columns became {Z.shape[1]}"
    if kept is not None:
        became += f", which hold {percent(kept)} % of the squared size of the data"
    for line in (became, f"Written: {out}"):
        console.print(line, highlight=False, markup=False, emoji=False, soft_wrap=True)


def _kept(X: Any, projection: Any) -> float:
    """Return the share of the squared size that leading singular vectors hold."""
    from .. import as_operand

    A = as_operand(X)
    unit = A.max_abs()  # squares of very large and very small entries are out of range
    total = float(A.scaled(1.0 / unit).sq_norms().sum())
    return float(np.square(projection.singular_values_ / unit).sum() / total)


def _check_table(out: Path, source: Path) -> None:
    """Say what would keep a table from being written, before any work is done for it."""
    io.check_target(out, sources=[source])
    if out.name.lower().endswith(".json"):
        raise InputError(f"{out}: JSON is for selections; name a .csv, .parquet or .npz file")


def _read(
    report: Reporter,
    file: Path,
    label: str | None,
    drop: list[str] | None,
    header: bool | None,
    delimiter: str | None,
    key: str | None,
) -> Table:
    report.phase(f"reading {file.name}")
    return io.read(
        file, label=label, drop=split_names(drop), header=header, delimiter=delimiter, key=key
    )
