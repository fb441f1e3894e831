"""Beside other packages: quality, time and memory of each on the same data, a process a problem.

Of our ways to answer a question the fastest counts that is as good as the other package's answer,
and the best one if there is none. A dash in place of a ratio: they need less than can be measured.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from ..apart import measured_apart
from ..common import Options, Row, promised, shape_text
from ..tables import show_line

TITLE = "Beside other packages: quality, time, memory"

FACTORS = {"fastcan, PCA target": 40.0, "skmatter CUR": 40.0, "scipy pivoted QR": 1.0}
"""How many times faster ours is promised to be while columns rebuild more: the first two on shapes
like COIL, the last on all."""
LIKE_COIL = ("faces (PIE)", "faces (ORL quarters)")
SMALL = (
    "what is checked and told of a choice takes as long as the choice, and exchanges take longer "
    "where ours needs some to be better"
)
WHY = {
    ("columns that rebuild all: digits", "*"): SMALL,
    ("columns that rebuild all", "scipy pivoted QR"): "it needs no product of all columns",
    ("columns that rebuild all", "scipy interpolative"): "it needs no product of all columns",
    ("columns that rebuild all", "skmatter FPS"): "it looks at distances to the last choice alone, "
    "and needs no product of all columns",
    ("columns that rebuild all", "PySensors"): "it pivots singular vectors, which are fewer than "
    "rows; columns as good as its own take exchanges here",
    ("spectral clusters", "*"): "for so few points the n × n matrix is small; ours takes landmarks",
    ("features of a kernel", "*"): "theirs draws landmarks, ours looks for those that leave less",
    ("a linear classifier", "*"): "theirs multiplies float32 as such, ours in float64",
    ("genes that tell types", "*"): "theirs looks at each gene for itself, by means and variances; "
    "ours at what genes have in common",
    ("rows that stand for all", "scikit-learn MiniBatchKMeans"): "ours holds the distances of all "
    "pairs of rows",
    ("rows that stand for all", "geosketch"): "theirs puts rows into the cells of a grid and "
    "computes no distances; ours holds those of all pairs",
    ("clusters", "scikit-learn MiniBatchKMeans"): "theirs ends after a few thousand rows; ours "
    "goes on until the objective stays",
}  # fmt: skip
"""Why another package may be faster or leaner, by problem (or what problems ask) and package."""
LITTLE = 4.0
"""MiB that are too few for a ratio."""


def run(options: Options) -> Iterator[Row]:
    from ..problems import problems  # made of other suites, as this one is not

    chosen = [p for p in problems().values() if p.quick or not options.quick]
    everybody = {e.package for p in chosen for e in p.peers.values()}
    missing = {package for package in everybody if not _installed(package)}
    for problem in chosen:
        if options.only is not None and options.only not in problem.name:
            continue
        case = {
            "problem": problem.name,
            "entrants": [
                who
                for who, entrant in {**problem.ours, **problem.peers}.items()
                if entrant.package not in missing
            ],
            "quick": options.quick,
            "one core": options.one_core,
        }
        found = measured_apart("benchmarks.contest", case)
        for who, row in found.items():
            show_line({"problem": problem.name, "who": who, **row})
        for who in problem.peers:
            if who in found:
                yield _row(problem, who, found)


def _installed(package: str) -> bool:
    try:
        importlib.import_module(package)
    except ImportError as error:
        print(f'{package} is left out: {error}; install ".[peers]"')
        return False
    return True


def _row(problem: Any, who: str, found: dict[str, Row]) -> Row:
    theirs, mine = found[who], {name: found[name] for name in problem.ours if name in found}
    good = [name for name in mine if problem.as_good(mine[name]["quality"], theirs["quality"])]
    sign = 1.0 if problem.less else -1.0
    if good:
        name = min(good, key=lambda name: mine[name]["seconds"])
    else:
        name = min(mine, key=lambda name: sign * mine[name]["quality"])
    ours = mine[name]
    faster = theirs["seconds"] / ours["seconds"]
    enough = min(theirs["MiB"], ours["MiB"]) >= LITTLE
    better = problem.as_good(theirs["quality"], ours["quality"]) and (
        not problem.as_good(ours["quality"], theirs["quality"])
    )
    row: Row = {
        "problem": problem.what,
        "set": problem.set,
        "shape": shape_text(theirs["shape"]),
        "size": problem.size,
        "ours": name,
        "peer": who,
        "quality": problem.quality,
        "our quality": ours["quality"],
        "their quality": theirs["quality"],
        "seconds": ours["seconds"],
        "their seconds": theirs["seconds"],
        "time, × ours": faster,
        "MiB": ours["MiB"],
        "their MiB": theirs["MiB"],
        "memory, × ours": theirs["MiB"] / ours["MiB"] if enough else None,
        "note": "; ".join(_remarks(better, faster, theirs["MiB"] / ours["MiB"], enough)),
        "_runs": (ours["runs"], theirs["runs"]),
    }
    factor = FACTORS.get(who)
    if factor is not None and problem.quality == "error, %":
        factor = factor if factor == 1.0 or problem.set in LIKE_COIL else 1.0
        promise = f"≥ {factor:g} × as fast with no more error"
        return promised(row, promise, {"error": bool(good), "time": faster >= factor})
    return promised(row, "not better in less time", not (better and faster < 1.0))


def reason(row: Row) -> str:
    """Return why another package is ahead, as far as it is known."""
    what, who = row["problem"], row["peer"]
    for key in ((f"{what}: {row['set']}", "*"), (what, who), (what, "*")):
        if key in WHY:
            return WHY[key]
    return "not known"


def _remarks(better: bool, faster: float, leaner: float, enough: bool) -> Iterator[str]:
    if better:
        yield "theirs is better"
    if faster < 0.95:
        yield f"theirs is {1 / faster:.2g} × as fast"
    if enough and leaner < 0.95:
        yield f"ours takes {1 / leaner:.2g} × the memory"
