"""``colonnade cluster``: the rows of a file by k-means on few columns or directions."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

import numpy as np
import typer

from .. import io
from ..io.formats import Table
from ..io.phrases import listed
from .data import check_limit, label_classes
from .errors import InputError, input_errors
from .groups import flattened
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
from .progress import Reporter, percent
from .reading import Reading
from .reducers import PROJECTION_NAMES, Reduction
from .screen import grid, print_grid, print_json, print_lines
from .treatment import Treated, Treatment

__all__ = ["command"]

FLAGS = {"n_clusters": "-k", "n_select": "-n", "n_components": "-n"}
"""The options behind parameters that messages may name."""


@flattened
def command(
    source: Reading,
    treatment: Treatment,
    clusters: Annotated[
        int | None, whole("-k", "--clusters", low=1, help="How many clusters.")
    ] = None,
    reducer: Annotated[
        str,
        typer.Option(
            help=f"{PROJECTION_NAMES}, none, or a method that chooses columns, see "
            "[bold]colonnade methods[/bold]; auto is svd to ten directions more than clusters, at "
            "most 50, or none where that does not pay."
        ),
    ] = "auto",
    number: Annotated[
        str | None,
        typer.Option("-n", "--n-select", help="To how many columns or directions: 50, or 10%."),
    ] = None,
    param: Param = None,
    polish: Annotated[
        int | None,
        whole(
            "--polish",
            low=0,
            help="Iterations on all columns afterwards; as many as help, up to 8, by default.",
        ),
    ] = None,
    online: Annotated[
        bool, typer.Option("--online", help="Move single rows at last, as long as that helps.")
    ] = False,
    starts: Annotated[int, whole("--starts", low=1, help="How often k-means is started.")] = 5,
    described: Annotated[
        int,
        whole(
            "--describe", low=0, help="Name so many columns that set each cluster apart, and rows."
        ),
    ] = 0,
    seed: Seed = 0,
    out: Out = None,
    safe_csv: SafeCsv = False,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Run the command."""
    file = source.file
    if clusters is None:
        raise InputError("say with -k how many clusters to make")
    treatment.check()
    reduction = Reduction.parse(reducer, clusters, number, param)
    check_data_target(out, source.sources, safe_csv)
    files = Files()
    with Reporter() as report:
        table = source.complete_table(report)
        check_limit("-k", clusters, file, table.X.shape[0], "row")
        if out is not None:
            io.check_content(out, table)
        report.phase("looking at the data")
        treated = treatment.of(table)
        made, target = reduction.make(table, file, treated.center), reduction.target(table)
        report.phase("clustering rows")
        with treated.told(), input_errors(**FLAGS):
            from .. import ReducedKMeans

            model = ReducedKMeans(
                clusters,
                made,
                n_init=starts,
                n_polish=polish,
                random_state=seed,
                scale=treated.scale,
                online=online,
            ).fit(table.X, target)
            report.phase("measuring")
            found = {
                "source": str(file),
                "n_clusters": clusters,
                **_reduced(model, reduction, table),
                "seed": seed,
                **_measures(model, treated),
            }
            if described:
                report.phase("describing clusters")
                found["clusters"] = model.describe(
                    table.X, names=table.names, row_names=table.row_names, n_columns=described
                ).to_dict()
        report.phase("writing")
        files.write(
            out, lambda path: io.write(path, _labelled(table, model.labels_), safe_csv=safe_csv)
        )
    if as_json:
        print_json({**found, "data": treated.to_dict(), "labels": model.labels_.tolist()})
    else:
        print_lines(*treated.lines())
        _show(found, treated, files)
    files.raise_problem()


def _reduced(model: Any, reduction: Reduction, table: Table) -> dict[str, Any]:
    """Return what k-means ran on."""
    fitted = model.reducer_
    name = reduction.name
    if name == "auto":
        name = "none" if fitted is None else "svd"
    if hasattr(fitted, "indices_"):
        names = table.names
        chosen = [names[j] for j in fitted.indices_]
        return {"reducer": name, "n_reduced": len(chosen), "columns": chosen}
    size = getattr(fitted, "n_components_", table.X.shape[1])
    return {"reducer": name, "n_reduced": int(size), "columns": None}


def _measures(model: Any, treated: Treated) -> dict[str, Any]:
    from .. import metrics

    table = treated.table
    within = metrics.normalized_objective(table.X, model.labels_, scale=treated.scale)
    if treated.center:  # of the variance, which is what one cluster of all rows leaves
        one = metrics.normalized_objective(
            table.X, np.zeros(len(model.labels_), dtype=int), scale=treated.scale
        )
        within = within / one if one > 0 else 0.0

    out: dict[str, Any] = {
        "sizes": np.bincount(model.labels_).tolist(),
        "objective": model.inertia_,
        "normalized_objective": within,
        "approximation_ratio": _finite_or_none(model.approximation_ratio(table.X)),
    }
    if table.labels is not None:
        classes = label_classes(table, "the comparison with the label")
        for name in ("nmi", "matched_accuracy"):
            score = getattr(metrics, name)
            out[name] = None if classes is None else score(classes, model.labels_)
    return out


def _finite_or_none(bound: float) -> float | None:
    """Return None for a bound that says nothing."""
    return bound if np.isfinite(bound) else None


def _labelled(table: Table, labels: Any) -> Table:
    """Return a table of the clusters, with the names of the rows."""
    return dataclasses.replace(table, X=labels[:, None].astype(np.int64), columns=["cluster"])


def _show(found: dict[str, Any], treated: Treated, files: Files) -> None:
    table = treated.table
    titles = ("cluster", "rows")
    print_grid(grid(titles, enumerate(found["sizes"]), left=titles))
    if "clusters" in found:
        _show_clusters(found["clusters"], table)
    lines = [_means(found, table.X.shape[1]), _quality(found, treated.quantity)]
    if found.get("nmi") is not None:
        lines.append(
            f"compared with {table.label_name!r}: mutual information (NMI) {found['nmi']:.3f}, "
            f"accuracy {found['matched_accuracy']:.3f}"
        )
    print_lines(*lines, *files.lines())


def _means(found: dict[str, Any], n_columns: int) -> str:
    """Return a sentence on what k-means ran on."""
    name, size = found["reducer"], found["n_reduced"]
    if found["columns"] is not None:
        chosen = listed(found["columns"])
        what = f"{size} of {n_columns} columns, chosen by {name}: {chosen}"
    elif name == "none":
        what = "the only column" if n_columns == 1 else f"all {n_columns} columns"
    else:
        what = f"{size} direction{'s' * (size > 1)} of {n_columns} columns, by {name}"
    return f"k-means (seed {found['seed']}) on {what}"


def _quality(found: dict[str, Any], quantity: str) -> str:
    """Return a sentence on how good the clusters are."""
    share, ratio, k = (
        found["normalized_objective"],
        found["approximation_ratio"],
        found["n_clusters"],
    )
    where = "cluster" if k == 1 else "clusters"
    line = f"{percent(share)} % of the {quantity} of the data is within the {where}"
    if ratio is None:
        return line
    best = "the best cluster leaves" if k == 1 else f"the best {k} clusters leave"
    return f"{line}: at most {ratio:.3g} times what {best}"


def _show_clusters(clusters: list[dict[str, Any]], table: Table) -> None:
    """Print what sets each cluster apart, and its nearest rows."""
    what = "set apart by (mean; standard deviations from that of all)"
    if table.sparse:
        what = "highest means"
    titles = ("cluster", what, "nearest rows")
    lines = [
        (
            cluster["cluster"],
            _told(cluster["columns"], table.sparse),
            [str(row) for row in cluster["nearest_rows"]],
        )
        for cluster in clusters
    ]
    print_grid(grid(titles, lines, left=titles, ruled=True))


def _told(columns: list[dict[str, Any]], words: bool) -> list[str]:
    """Return the columns of a cluster in lines; words of documents in one."""
    if words:
        return [", ".join(f"{column['name']} {column['mean']:.3g}" for column in columns)]
    return [f"{c['name']} {c['mean']:.4g} ({c['distance']:+.1f})" for c in columns]
