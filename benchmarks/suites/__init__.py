"""The suites by name; each is a function from options to rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..common import Options, Row
from . import (
    barriers,
    busy,
    classification,
    clustering,
    documents,
    exactness,
    features,
    gaps,
    genes,
    graph,
    growth,
    kmeans_dimensions,
    kmeans_grid,
    landmarks,
    large,
    memory,
    nystroem,
    peers,
    preparing,
    projections,
    representatives,
    scale,
    sizes,
    sketches,
    spectral,
    speed,
    standardizing,
)


@dataclass(frozen=True)
class Suite:
    title: str
    run: Callable[[Options], Iterable[Row]]


_MODULES = (
    exactness, speed, peers, memory, growth, barriers, documents, graph, features, projections,
    nystroem, landmarks, spectral, large, clustering, kmeans_grid, kmeans_dimensions,
    classification, standardizing, preparing, gaps, sizes, representatives, genes, sketches, busy,
    scale,
)  # fmt: skip

SUITES = {
    module.__name__.rsplit(".", 1)[-1]: Suite(module.TITLE, module.run) for module in _MODULES
}
