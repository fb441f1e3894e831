"""Feature selection baselines against loops over pairs of features."""

from __future__ import annotations

from collections.abc import Iterator

from colonnade import select

from ..common import Competitor, Options, Row, promised, race, shape_text
from ..data import matrix
from ..reference import fsfs_pairs

TITLE = "Features: FSFS against a loop over pairs"

PROMISE = 20.0


def run(options: Options) -> Iterator[Row]:
    data = matrix("ORL 32 × 32")
    A = data.dense64[:, : 400 if options.quick else 1024]
    k = A.shape[1] // 10
    select(A[:, :50], method="fsfs", n_neighbors=5)  # compile
    times = race(
        options,
        {
            "loop": Competitor(lambda: fsfs_pairs(A, k)),
            "colonnade": Competitor(
                lambda: select(A, method="fsfs", n_neighbors=k).indices.tolist()
            ),
        },
        repeats=3,
        budget=20.0,
    )
    slow, fast = times["loop"], times["colonnade"]
    same = sorted(fast.result) == slow.result
    row = {
        "set": data.name,
        "shape": shape_text(A.shape),
        "call": f"fsfs, n_neighbors={k}",
        "features left": len(slow.result),
        "reference, s": slow.best,
        "colonnade, s": fast.best,
        "ratio": slow.best / fast.best,
        "same choice": same,
    }
    met = {"speed": slow.best / fast.best >= PROMISE, "same choice": same}
    yield promised(row, f"≥ {PROMISE:g} ×, same choice", met)
