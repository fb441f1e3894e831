"""How the next column is chosen: the rules of the pivoting loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..foundation.typing import Floats, Mask
from .residual import Residual

__all__ = [
    "Criterion",
    "FixedOrder",
    "LargestDiagonal",
    "RandomDiagonal",
    "RandomProposals",
    "RandomSubset",
    "Rule",
    "Uniform",
]


class Rule(Protocol):
    """How the next column is chosen."""

    keeps_scores: bool
    """Whether f is kept for all columns."""
    asks_scores: bool
    """Whether f is computed for the columns it asks about."""
    ends_at_rank: bool
    """Whether it stops once nothing is left to reconstruct."""

    in_rounds: bool
    """Whether the best of the best of all parts are about the best of all."""

    def choose(self, residual: Residual, candidates: Mask) -> int | None:
        """Return the next column, or None if no candidate is left."""


class Criterion:
    """The largest decrease of the target's error: argmax f/g (greedy selection)."""

    keeps_scores = True
    asks_scores = True
    ends_at_rank = True
    in_rounds = True

    def choose(self, residual: Residual, candidates: Mask) -> int | None:
        """Return the candidate of largest f/g."""
        if residual.target_exhausted():
            # a sketch can be reconstructed before the matrix is; go on with what is left of that
            return residual.best_length(candidates)
        return residual.best_score(candidates)


class LargestDiagonal:
    """The longest residual: argmax g (pivoted QR; on a kernel incomplete Cholesky)."""

    keeps_scores = False
    asks_scores = False
    ends_at_rank = True
    in_rounds = True

    def choose(self, residual: Residual, candidates: Mask) -> int | None:
        """Return the candidate of largest g."""
        return residual.best_length(candidates)


@dataclass
class RandomDiagonal:
    """Random columns with probability proportional to g, in batches.

    One at a time is randomly pivoted Cholesky, several at a time adaptive sampling: g is then
    what it was when the batch was drawn, and no column is drawn twice.
    """

    rng: np.random.RandomState
    sizes: Sequence[int] = (1,)
    """How many to draw in each round; the last number holds for all later rounds."""
    keeps_scores = False
    asks_scores = False
    ends_at_rank = True
    in_rounds = False

    def __post_init__(self) -> None:
        self._round = 0
        self._batch: list[int] = []
        self._least: Floats = np.empty(0)

    def choose(self, residual: Residual, candidates: Mask) -> int | None:
        """Return the next of the batch, but for those that the ones before it span."""
        live = residual.live_candidates(candidates)  # can fail, so nothing is drawn before it
        # the twin of a column in the same batch adds only a direction that is badly known
        self._batch = [p for p in self._batch if live[p] and residual.g[p] > self._least[p]]
        if not self._batch:
            self._least = residual.tie * residual.g
            self._draw(np.where(live, residual.g, 0.0))
        return self._batch.pop(0) if self._batch else None

    def _draw(self, mass: Floats) -> None:
        size = self.sizes[min(self._round, len(self.sizes) - 1)]
        self._round += 1
        for _ in range(min(size, int(np.count_nonzero(mass)))):
            sums = np.cumsum(mass)
            p = int(np.searchsorted(sums, self.rng.uniform(0.0, sums[-1]), side="right"))
            self._batch.append(min(p, int(np.flatnonzero(mass)[-1])))
            mass[self._batch[-1]] = 0.0


@dataclass
class RandomProposals:
    """Random columns with probability proportional to g, proposed in blocks.

    A block is drawn from the g of its beginning; each proposal is then accepted with the
    probability that its g has left of that, so the choices are distributed as if they were drawn
    one at a time. Whether to accept is known from the inner products of the block, so what the
    rejected ones have to do with all others is never looked at.
    """

    rng: np.random.RandomState
    size: int
    keeps_scores = False
    asks_scores = False
    ends_at_rank = True
    in_rounds = False

    def __post_init__(self) -> None:
        self._accepted: list[int] = []

    def choose(self, residual: Residual, candidates: Mask) -> int | None:
        """Return the next that was accepted."""
        live = residual.live_candidates(candidates)  # can fail, so nothing is drawn before it
        self._accepted = [p for p in self._accepted if live[p]]
        while not self._accepted and live.any():
            self._accepted = self._propose(residual, live)
            residual.expect(np.array(self._accepted, dtype=np.intp))
        return self._accepted.pop(0) if self._accepted else None

    def _propose(self, residual: Residual, live: Mask) -> list[int]:
        mass = np.where(live, residual.g, 0.0)
        sums = np.cumsum(mass)
        drawn = np.searchsorted(sums, self.rng.uniform(0.0, sums[-1], self.size), side="right")
        drawn = np.minimum(drawn, int(np.flatnonzero(mass)[-1]))
        left = residual.inner(drawn)
        odds = left.diagonal().copy()
        accepted = []
        for i, luck in enumerate(self.rng.uniform(size=self.size)):
            if luck * odds[i] < left[i, i]:
                accepted.append(int(drawn[i]))
                direction = left[i] / np.sqrt(left[i, i])
                left -= np.outer(direction, direction)
                left[drawn == drawn[i]] = 0.0  # exactly: it is not accepted twice
        return accepted


@dataclass
class Uniform:
    """Any candidate with equal probability."""

    rng: np.random.RandomState
    keeps_scores = False
    asks_scores = False
    ends_at_rank = False
    in_rounds = False

    def choose(self, residual: Residual, candidates: Mask) -> int | None:
        """Draw a candidate, whatever it is worth."""
        left = np.flatnonzero(candidates)
        return int(self.rng.choice(left)) if len(left) else None


@dataclass
class FixedOrder:
    """The columns of a list, in its order: what a ranking or a sparsifier chose."""

    order: Sequence[int]
    keeps_scores = False
    asks_scores = False
    ends_at_rank = False
    in_rounds = False

    def choose(self, residual: Residual, candidates: Mask) -> int | None:
        """Return the first of the list that is left, whatever it is worth."""
        return next((int(p) for p in self.order if candidates[p]), None)


@dataclass
class RandomSubset:
    """argmax f/g over a few random candidates (sparse greedy matrix approximation).

    The best of 59 is among the best 5 % of all with probability 0.95.
    """

    rng: np.random.RandomState
    size: int = 59
    keeps_scores = False
    asks_scores = True
    ends_at_rank = True
    in_rounds = False

    def choose(self, residual: Residual, candidates: Mask) -> int | None:
        """Score a fresh random subset exactly and return its best."""
        live = np.flatnonzero(residual.live_candidates(candidates))
        while len(live):
            drawn = np.sort(self.rng.choice(live, min(self.size, len(live)), replace=False))
            residual.refresh(drawn)
            drawn = drawn[residual.alive[drawn]]
            if len(drawn):
                scores = residual.numerators(drawn) / residual.g[drawn]
                return int(drawn[np.argmax(scores >= scores.max() * (1 - residual.tie))])
            live = live[residual.alive[live]]
        return None
