"""Every method on a large sparse matrix: how long it takes, or why it cannot."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

from colonnade import METHODS

from ..common import Options, Row, promised, shape_text

TITLE = "Every method on documents (20 newsgroups, sparse)"
N_SELECT = 100
LIMIT = 300.0
SETTINGS = {"n_clusters": 20, "rank": 20, "random_state": 0}


def run(options: Options) -> Iterator[Row]:
    for name in list(METHODS)[:3] if options.quick else METHODS:
        yield _measure(name)


def _measure(name: str) -> Row:
    """Run one method in a process of its own, so that it can be stopped and its memory seen."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.suites.documents", name],
            capture_output=True, text=True, timeout=LIMIT, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        row = {"method": name, "answer": f"not within {LIMIT:.0f} s"}
        return promised(row, "an answer, or a clear reason", False)
    if done.returncode:
        row = {"method": name, "answer": (done.stderr.strip() or "?").splitlines()[-1]}
        return promised(row, "an answer, or a clear reason", False)
    row = json.loads(done.stdout.splitlines()[-1])
    return promised(row, "an answer, or a clear reason", True)


def _one(name: str) -> Row:
    import resource
    import time

    from ..data import labels, matrix

    method = METHODS[name]
    data = matrix("20news 16201")
    params = {key: value for key, value in SETTINGS.items() if key in method.parameters}
    if "rank" in params:
        params.pop("n_clusters", None)  # which would only be its default
    if method.supervised == "labels":
        params["labels"] = labels("20news 16201")
    elif method.supervised:
        params["target"] = labels("20news 16201").astype(float)
    row: Row = {"method": name, "shape": shape_text(data.X.shape), "picks": N_SELECT}
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    try:
        selection = method(data.X, N_SELECT, **params)
    except (TypeError, ValueError) as error:
        return {**row, "answer": f"refuses: {error}"}
    row["seconds"] = time.perf_counter() - start
    row["growth, MiB"] = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    errors = selection.relative_errors
    row["error, %"] = None if errors is None else 100 * float(errors[-1])
    return {**row, "answer": f"{len(selection)} columns"}


if __name__ == "__main__":
    print(json.dumps(_one(sys.argv[1])))
