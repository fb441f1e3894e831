"""The other loop: columns and weights that keep eigenvalues between two moving barriers.

Given vectors ``v_1 … v_n`` in R^k with ``Σ v_i v_iᵀ = I``, each step picks an index and a factor
``t > 0`` and adds ``t v_i v_iᵀ`` to a matrix S that starts at zero. A lower barrier
``L = τ − √(rk)`` rises by 1 per step and stays below the eigenvalues of S; something else, the
*upper barrier*, is kept from growing too fast. Index i may be picked if

    U(i) ≤ 1/t ≤ L(i),
    L(i) = v_iᵀ(S−L'I)⁻² v_i / (φ(L') − φ(L)) − v_iᵀ(S−L'I)⁻¹ v_i,    φ(x) = tr (S−xI)⁻¹,

with ``L' = L + 1``. On average over i the right side is at least the left, so there always is
such an index. What differs between the algorithms is only U:

- :class:`FrobeniusBarrier`: ``‖b_i‖²`` against ``‖B‖_F²`` ([1]_, Algorithm 1);
- :class:`SpectralBarrier`: the eigenvalues of ``Σ t q_i q_iᵀ`` for a second set ([1]_,
  Algorithm 2), or for the same vectors ([2]_, Algorithm 1: BSS);
- :class:`IdentityBarrier`: the same for ``q_i = e_i``, where that matrix is diagonal.

Among the indices that may be picked the not yet picked one of largest ``‖v_i‖`` is taken ([2]_,
§6.1). So the vectors are looked at in the order of their norms, a block at a time, and the rest
is never looked at; the picks are those of evaluating all of them.

.. [1] Boutsidis & Magdon-Ismail, "Deterministic feature selection for k-means clustering".
.. [2] Paul & Drineas, "Deterministic feature selection for regularized least squares
   classification".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..foundation.lapack import dpotrf, dpotri
from ..foundation.threads import one_blas_thread
from ..foundation.typing import Array, Floats, Indices
from ..linalg.ties import rounded_to_largest

__all__ = [
    "FrobeniusBarrier",
    "IdentityBarrier",
    "Sparsifier",
    "SpectralBarrier",
    "sparsify",
]

BLOCK = 64
"""How many vectors are looked at together."""

SLACK = 1e-9
"""How far, relatively, rounding may have moved U above L where both are equal."""


class UpperBarrier(Protocol):
    """What is kept from growing too fast."""

    def start(self, n_picks: int, rank: int) -> None:
        """Get ready for a run of ``n_picks`` steps on vectors of length ``rank``."""

    def values(self, candidates: Indices) -> Floats:
        """Return ``U(i)`` for some indices, in the present step."""

    def add(self, i: int, t: float) -> None:
        """Take note of a pick, and go on to the next step."""


@dataclass
class FrobeniusBarrier:
    """``Σ t ‖b_i‖²`` stays below ``‖B‖_F²`` times its share of the steps.

    Attributes
    ----------
    sq_norms : ndarray of shape (n,)
        ``‖b_i‖²``.
    """

    sq_norms: Floats

    def start(self, n_picks: int, rank: int) -> None:
        """Set the constant δ_B."""
        total = float(self.sq_norms.sum())
        delta = total / (1.0 - np.sqrt(rank / n_picks))
        self._values = self.sq_norms / delta if total > 0 else np.zeros_like(self.sq_norms)

    def values(self, candidates: Indices) -> Floats:
        """Return ``‖b_i‖²/δ_B``, which does not change."""
        return self._values[candidates]

    def add(self, i: int, t: float) -> None:
        """Do nothing: this barrier does not move."""


@dataclass
class SpectralBarrier:
    """The eigenvalues of ``Σ t q_i q_iᵀ`` stay below a rising barrier.

    Attributes
    ----------
    Q : ndarray of shape (n, l)
        The vectors ``q_i`` as rows, with orthonormal columns.
    """

    Q: Array

    def start(self, n_picks: int, rank: int) -> None:
        """Set the barrier ``U = δ_Q √(l r)`` and its rise δ_Q."""
        side = self.Q.shape[1]
        self._rise = (1 + np.sqrt(side / n_picks)) / (1 - np.sqrt(rank / n_picks))
        self._level = self._rise * np.sqrt(side * n_picks)
        self._sum = np.zeros((side, side))
        self._potential = side / self._level
        self._prepare()

    def _prepare(self) -> None:
        """Invert ``U'I − S`` for the step to come."""
        self._next = self._level + self._rise
        self._inverse = _inverse(self._next * np.eye(len(self._sum)) - self._sum)
        self._drop = self._potential - float(self._inverse.trace())

    def values(self, candidates: Indices) -> Floats:
        """Return ``qᵀM²q/(φ(U) − φ(U')) + qᵀMq`` with ``M = (U'I − S)⁻¹``."""
        q = self.Q[candidates]
        product = q @ self._inverse
        squares = np.einsum("ij,ij->i", product, product)
        return squares / self._drop + np.einsum("ij,ij->i", q, product)

    def add(self, i: int, t: float) -> None:
        """Add ``t q qᵀ`` and raise the barrier."""
        q = self.Q[i]
        self._sum += t * np.outer(q, q)
        # φ of the new matrix at U', by Sherman and Morrison
        product = self._inverse @ q
        self._potential = float(
            self._inverse.trace() + t * (product @ product) / (1 - t * (q @ product))
        )
        self._level = self._next
        self._prepare()


class IdentityBarrier:
    """The squared weights stay below a rising barrier: ``q_i = e_i``.

    The matrix is diagonal and zero but for the picks, so a step costs what there are picks.
    """

    def __init__(self, n: int):
        self._n = n

    def start(self, n_picks: int, rank: int) -> None:
        """Set the barrier ``U = δ_Q √(n r)`` and its rise δ_Q."""
        self._rise = (1 + np.sqrt(self._n / n_picks)) / (1 - np.sqrt(rank / n_picks))
        self._level = self._rise * np.sqrt(self._n * n_picks)
        self._diagonal: dict[int, float] = {}

    def _potential(self, level: float) -> float:
        picked = np.fromiter(self._diagonal.values(), float)
        return (self._n - len(picked)) / level + float((1.0 / (level - picked)).sum())

    def values(self, candidates: Indices) -> Floats:
        """Return ``m²/(φ(U) − φ(U')) + m`` with ``m = 1/(U' − s_i)``."""
        up = self._level + self._rise
        picked = np.array([self._diagonal.get(int(i), 0.0) for i in candidates])
        inverse = 1.0 / (up - picked)
        return inverse * inverse / (self._potential(self._level) - self._potential(up)) + inverse

    def add(self, i: int, t: float) -> None:
        """Add t to the diagonal and raise the barrier."""
        self._diagonal[i] = self._diagonal.get(i, 0.0) + t
        self._level += self._rise


@dataclass(frozen=True)
class Sparsifier:
    """What the loop returns.

    Attributes
    ----------
    picks : ndarray of int
        The index of each step; an index can come twice.
    weights : ndarray of float
        The factor of each pick, scaled as the guarantees want it.
    looked_at : int
        How many vectors were evaluated, over all steps.
    """

    picks: Indices
    weights: Floats
    looked_at: int


def sparsify(
    V: Array,
    n_picks: int,
    upper: UpperBarrier,
    *,
    block: int | None = BLOCK,
) -> Sparsifier:
    """Pick vectors and weights such that ``σ_k(VᵀΩS) ≥ 1 − √(k/r)`` and the upper barrier holds.

    Parameters
    ----------
    V : ndarray of shape (n, k)
        The vectors as rows, with orthonormal columns.
    n_picks : int
        r, more than k.
    upper : UpperBarrier
        What else is to hold.
    block : int or None
        How many vectors to look at together; None for all in every step.

    Returns
    -------
    Sparsifier

    References
    ----------
    .. [1] Boutsidis & Magdon-Ismail, "Deterministic feature selection for k-means clustering",
       Algorithms 1 and 2, Lemmas 7 and 8. The weights there are printed as ``1/√t``; the
       bounds hold for ``√t``.
    """
    n, k = V.shape
    _check(V, n_picks)
    new = _by_norm(V)
    used = new[:0]
    lower = _LowerBarrier(V, n_picks)
    upper.start(n_picks, k)
    width = n if block is None else block
    picks = np.empty(n_picks, dtype=np.intp)
    factors = np.empty(n_picks)
    looked_at = 0
    with one_blas_thread():
        for step in range(n_picks):
            found, seen = _first_feasible(lower, upper, new, width)
            looked_at += seen
            if found is None:  # repeats are allowed once nothing new will do
                found, seen = _first_feasible(lower, upper, used, width)
                looked_at += seen
            if found is None:
                raise ArithmeticError(
                    f"step {step} of {n_picks} found no vector between the barriers, which "
                    "rounding alone can bring about; pick more vectors, or lower the rank"
                )
            p, inverse_t = found
            place = np.flatnonzero(new == p)
            if len(place):
                new = np.delete(new, place[0])
                used = np.append(used, p)
            picks[step], factors[step] = p, 1.0 / inverse_t
            lower.add(p, factors[step])
            upper.add(p, factors[step])
    scale = (1.0 - np.sqrt(k / n_picks)) / n_picks
    return Sparsifier(picks, np.sqrt(factors * scale), looked_at)


def _by_norm(V: Array) -> Indices:
    """Return the rows by falling norm, equal ones by index, without those that are rounding."""
    norms = np.einsum("ij,ij->i", V, V)
    norms /= norms.max()
    order = np.argsort(-rounded_to_largest(norms), kind="stable")
    return order[norms[order] > (len(V) * np.finfo(float).eps) ** 2]


class _LowerBarrier:
    """``S`` with its barrier L below all eigenvalues."""

    def __init__(self, V: Array, n_picks: int):
        self.V = V
        self._level = -np.sqrt(n_picks * V.shape[1])
        self._sum = np.zeros((V.shape[1],) * 2)
        self._potential = V.shape[1] / -self._level
        self._prepare()

    def _prepare(self) -> None:
        """Invert ``S − L'I`` for the step to come."""
        self._next = self._level + 1.0
        self._inverse = _inverse(self._sum - self._next * np.eye(len(self._sum)))
        self._gain = float(self._inverse.trace()) - self._potential

    def values(self, candidates: Indices) -> Floats:
        v = self.V[candidates]
        product = v @ self._inverse
        squares = np.einsum("ij,ij->i", product, product)
        return squares / self._gain - np.einsum("ij,ij->i", v, product)

    def add(self, i: int, t: float) -> None:
        v = self.V[i]
        self._sum += t * np.outer(v, v)
        product = self._inverse @ v
        self._potential = float(
            self._inverse.trace() - t * (product @ product) / (1 + t * (v @ product))
        )
        self._level = self._next
        self._prepare()


def _first_feasible(
    lower: _LowerBarrier, upper: UpperBarrier, order: Indices, width: int
) -> tuple[tuple[int, float] | None, int]:
    """Return the first index in the order that may be picked, with 1/t, and how many were seen."""
    for start in range(0, len(order), width):
        candidates = order[start : start + width]
        low, high = upper.values(candidates), lower.values(candidates)
        feasible = (high > 0) & (low <= high * (1 + SLACK))
        if feasible.any():
            j = int(np.argmax(feasible))
            return (int(candidates[j]), 0.5 * float(low[j] + high[j])), start + len(candidates)
    return None, len(order)


def _check(V: Array, n_picks: int) -> None:
    k = V.shape[1]
    if n_picks <= k:
        raise ValueError(f"{n_picks} picks from vectors of length {k}; pick at least {k + 1}")
    off = float(np.abs(V.T @ V - np.eye(k)).max()) if k else 1.0
    if not off <= 1e-8:
        raise ValueError(
            f"the vectors must have orthonormal columns, but VᵀV differs from I by {off:.2g}; "
            "take singular vectors, or the Q of a QR factorization"
        )


def _inverse(M: Array) -> Array:
    """Return the inverse of a positive definite matrix."""
    factor, wrong = dpotrf(M, lower=1)
    if wrong:
        raise ArithmeticError("an eigenvalue crossed its barrier, which rounding can bring about")
    inverse, _ = dpotri(factor, lower=1)
    return np.tril(inverse) + np.tril(inverse, -1).T
