"""The suites by name; each is a function from options to rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..common import Options, Row
from . import (
    barriers,
    classification,
    documents,
    exactness,
    features,
    graph,
    growth,
    memory,
    peers,
    projections,
    nystroem,
    peers,
    speed,
)


@dataclass(frozen=True)
class Suite:
    title: str
    run: Callable[[Options], Iterable[Row]]


SUITES = {
    module.__name__.rsplit(".", 1)[-1]: Suite(module.TITLE, module.run)
    for module in (
        exactness,
        speed,
        peers,
        memory,
        growth,
        barriers,
        documents,
        graph,
        features,
        projections,
        classification,
    )
}
        exactness, speed, peers, memory, growth, barriers, documents, features, graph, nystroem,
    )
}  # fmt: skip
