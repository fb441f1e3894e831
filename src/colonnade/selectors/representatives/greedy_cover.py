"""Greedy choice of points by how much nearer they bring all others to a chosen one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...foundation.threads import in_parallel
from ...foundation.typing import Array, Floats, Indices, Mask
from ...linalg.ties import TIE
from .points import Places, Points

__all__ = ["Cover", "lazy_greedy", "stochastic_greedy"]

BATCH = 64
"""How many candidates are measured at a time."""
HELD = 2**28
"""Up to how many bytes of losses are held, so that none is computed twice: of 5800 points."""


def _as_it_is(squares: Array) -> Array:
    return squares


@dataclass
class Cover:
    """How far each point of a reference set is from the nearest choice, and what others gain.

    Attributes
    ----------
    points : Points
        The candidates.
    reference : Points
        Those to be near to a choice, in the same space.
    weights : ndarray
        How much each of them counts.
    start : float
        The loss of a point as long as nothing is chosen; no loss is larger.
    loss : callable
        A rising function of squared distances.
    """

    points: Points
    reference: Points
    weights: Floats
    start: float
    loss: Callable[[Array], Array] = _as_it_is

    def __post_init__(self) -> None:
        self.left: Floats = np.full(self.reference.count, self.start)
        self._held: Array | None = None

    def hold(self) -> None:
        """Compute the losses of all candidates once, if there are few."""
        n = self.points.count
        if 8 * n * self.reference.count <= HELD:
            self._held = self._losses(np.arange(n))

    def add(self, p: int) -> None:
        """Choose a point."""
        if self._held is not None:
            losses: Array = self._held[p]
        else:
            losses = self.loss(self.reference.distances(self.points.places(np.array([p]))))
        np.minimum(self.left, losses, out=self.left)

    def _losses(self, j: Indices) -> Array:
        """Return the losses (candidates × reference) with each of some candidates alone."""
        blocks = []
        width = min(BATCH, self.points.at_once())
        for begin in range(0, len(j), width):
            places = self.points.places(j[begin : begin + width])

            def measure(part: slice, places: Places = places) -> Array:
                return np.ascontiguousarray(self.loss(self.reference.from_places(places, part)).T)

            work = self.reference.count * places.rows.size
            parts = in_parallel(measure, self.reference.parts(width), work)
            blocks.append(np.concatenate(parts, axis=1))
        return np.concatenate(blocks)

    def gains(self, j: Indices) -> Floats:
        """Return by how much each of some candidates would lower the sum of the losses."""
        out = np.empty(len(j))
        width = min(BATCH, self.points.at_once())
        for begin in range(0, len(j), width):
            some = slice(begin, begin + width)
            out[some] = self._gains_of(j[some])
        return out

    def _gains_of(self, j: Indices) -> Floats:
        if self._held is not None:
            return self._gained(self._held[j], slice(None), 1)
        places = self.points.places(j)

        def measure(part: slice) -> Floats:
            return self._gained(self.loss(self.reference.from_places(places, part)), part, 0)

        work = self.reference.count * places.rows.size
        parts = in_parallel(measure, self.reference.parts(len(j)), work)
        return np.asarray(np.sum(parts, axis=0))

    def _gained(self, losses: Array, part: slice, axis: int) -> Floats:
        """Return what candidates gain, given losses with the reference along an axis.

        The losses are overwritten.
        """
        left, weights = self.left[part].astype(losses.dtype), self.weights[part]
        np.subtract(left if axis else left[:, None], losses, out=losses)
        np.maximum(losses, 0.0, out=losses)
        w = weights.astype(losses.dtype)
        return np.asarray(losses @ w if axis else w @ losses, dtype=np.float64)


def lazy_greedy(cover: Cover, size: int, first: Indices, allowed: Mask) -> Indices:
    """Return the points that greedy selection chooses, measuring few candidates for each choice.

    Gains only fall as more is chosen, so a gain of before bounds what a candidate can bring now:
    those whose bound is below the best gain found need not be looked at [1]_. Of candidates that
    gain the same up to rounding the first is chosen.

    References
    ----------
    .. [1] Minoux, "Accelerated greedy algorithms for maximizing submodular set functions", 1978.
    """
    chosen = _begin(cover, first)
    live = np.flatnonzero(allowed)
    if len(chosen) == size:
        return np.array(chosen, dtype=np.intp)
    cover.hold()
    bounds = cover.gains(live)
    fresh = np.ones(len(live), dtype=bool)
    while True:
        best = float(bounds[fresh].max(initial=-np.inf))
        hopeful = np.flatnonzero(~fresh & (bounds >= best - TIE * abs(best)))
        if len(hopeful):
            if len(hopeful) > BATCH:
                hopeful = hopeful[np.argpartition(-bounds[hopeful], BATCH)[:BATCH]]
            bounds[hopeful] = cover.gains(live[hopeful])
            fresh[hopeful] = True
            continue
        pick = int(np.argmax(fresh & (bounds >= best - TIE * abs(best))))
        chosen.append(int(live[pick]))
        if len(chosen) == size:
            return np.array(chosen, dtype=np.intp)
        cover.add(chosen[-1])
        live, bounds = np.delete(live, pick), np.delete(bounds, pick)
        fresh = np.zeros(len(live), dtype=bool)


def stochastic_greedy(
    cover: Cover,
    size: int,
    first: Indices,
    allowed: Mask,
    rng: np.random.RandomState,
    tolerance: float,
) -> Indices:
    """Return points, each the best of a few random candidates [1]_.

    Of ``(n / l) ln(1/ε)`` candidates one is among the best n / l but with probability ε.

    References
    ----------
    .. [1] Mirzasoleiman et al., "Lazier than lazy greedy", AAAI 2015, Theorem 1.
    """
    chosen = _begin(cover, first)
    live = np.flatnonzero(allowed)
    width = int(np.ceil(len(live) / max(1, size - len(chosen)) * np.log(1.0 / tolerance)))
    while len(chosen) < size:
        some = np.unique(rng.randint(len(live), size=width))
        gains = cover.gains(live[some])
        best = float(gains.max())
        pick = int(some[np.argmax(gains >= best - TIE * abs(best))])
        chosen.append(int(live[pick]))
        if len(chosen) < size:
            cover.add(chosen[-1])
        live = np.delete(live, pick)
    return np.array(chosen, dtype=np.intp)


def _begin(cover: Cover, first: Indices) -> list[int]:
    for p in first:
        cover.add(int(p))
    return [int(p) for p in first]
