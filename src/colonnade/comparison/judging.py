"""One run of a comparison: choose by one half of the rows, judge by the other."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..classify import RLSClassifier
from ..cluster import ReducedKMeans
from ..foundation.lapack import np_svd
from ..foundation.typing import Array, Floats, Indices
from ..linalg.partitions import quiet_kmeans
from ..linalg.svd import leading_right_singular_vectors
from ..metrics import nmi, normalized_objective
from ..operands.interface import Columns
from .contenders import Chosen, Contender
from .halves import Half, Treatment, split
from .ledger import Job, Outcome

__all__ = ["Trial", "held_out_share", "overlap"]

ALPHAS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)
"""λ of the classifier over the mean squared norm of its features; the best is found without the
held-out rows."""
ONE_ALPHA = 0.1
"""The one λ where the classifier of all columns iterates, which takes long."""
ITERATES = 3000
"""Above so many rows and columns it does, if they are sparse."""
STARTS = 5
"""Starts of k-means."""
APART = 10**9
"""How far seeds of the two halves are apart: random choices must not agree for sharing a seed."""
MOST_WORDS = 240
"""Of how many characters a reason has at most."""

_warm: set[tuple[str, str | None]] = set()
"""The contenders that have run in this process, so that all is imported and compiled: their names
and marks, since another comparison may give a name to something else."""


@dataclass(frozen=True)
class Trial:
    """The data of a comparison and who takes part: all that a run needs to know.

    Attributes
    ----------
    X : ndarray or sparse matrix
        The data.
    y, codes : ndarray or None
        The label of each row, and the same as numbers from 0.
    treatment : Treatment
        What is done to columns.
    n_clusters : int or None
        For k-means, if that is wanted.
    contenders : dict of str to Contender
        By name.
    clusters_given : bool
        Whether the user asked for so many clusters, so that fewer are an error.
    """

    X: Any
    y: Array | None
    codes: Indices | None
    treatment: Treatment
    n_clusters: int | None
    contenders: Mapping[str, Contender]
    clusters_given: bool = False

    def run(self, job: Job) -> Outcome:
        """Do a run, or measure what all are compared with."""
        n_split = int(job["seed"])
        train, test, other = _varying_halves(self.treatment, self.X, self.y, self.codes, n_split)
        if "method" not in job:
            return self._yardsticks(train, test, job["sizes"], n_split)
        try:
            return self._judged(job, train, test, other)
        except (Exception, SystemExit) as error:  # what somebody else's code raises is its result
            return {"failed": reason_of(error)}

    def _judged(self, job: Job, train: Half, test: Half, other: Half) -> dict[str, Any]:
        """Return what is found of a contender; raise what it raises."""
        contender = self.contenders[job["method"]]
        n, seed = int(job["n"]), int(job["seed"])
        who = contender.name, job["mark"]
        again, memory = _traced(contender, other, n, (seed + APART) % 2**32, who in _warm)
        if again is not None:
            _warm.add(who)
        seen = contender.look(train)
        start = time.process_time()  # which what else the machine does adds nothing to
        chosen = contender.choose(train, seen, n, seed)
        seconds = time.process_time() - start
        features = self._features(chosen, train, test)
        found: dict[str, Any] = {
            "columns": features[0].shape[1],
            "held_out": held_out_share(train.A, test.A, *features),
            "seconds": seconds,
            **self._by_rows(*features, train, test, seed),
        }
        if memory is not None:
            found["memory"] = memory
        if chosen.indices is not None:
            found["chosen"] = chosen.indices.tolist()
            if again is not None and again.indices is not None:
                same = overlap(chosen.indices, again.indices, self.X.shape[1])
                found |= {} if same is None else {"stability": same}
        return found

    def _features(self, chosen: Chosen, train: Half, test: Half) -> tuple[Floats, Floats]:
        """Return what is made of known and of new rows.

        Where columns are about their means, so is this: a transformer may leave others.
        """
        known, new = chosen.features(train), chosen.features(test)
        if not self.treatment.center:
            return known, new
        means = known.mean(axis=0)
        return known - means, new - means

    def _by_rows(self, known: Any, new: Any, train: Half, test: Half, seed: int) -> dict[str, Any]:
        """Return what is learned from features of known rows, and found in those of new ones."""
        found: dict[str, Any] = {}
        if train.y is not None:
            size = float(np.square(known - known.mean(axis=0)).sum()) / known.shape[1]
            found["accuracy"] = _accuracy(known, new, train, test, size)
        if self.n_clusters is not None:
            means = quiet_kmeans(new, self.n_clusters, n_init=STARTS, random_state=seed)
            found |= self._partition(means.labels_, test)
        return found

    def _partition(self, clusters: Array, test: Half) -> dict[str, float]:
        found = {"cost": normalized_objective(test.A, clusters)}
        if test.y is not None:
            found["nmi"] = nmi(test.y, clusters)
        return found

    def _yardsticks(
        self, train: Half, test: Half, sizes: Sequence[int], seed: int
    ) -> dict[str, Any]:
        """Return what a PCA explains with each size, and what all columns are good for."""
        _, V = leading_right_singular_vectors(train.A, max(sizes), check_random_state(seed))
        explained = np.square(test.A.matmat(V)).sum(axis=0) / test.A.sq_norms().sum()
        path = np.append(0.0, np.cumsum(explained))
        out: dict[str, Any] = {
            "held_out": {str(n): float(path[min(n, len(path) - 1)]) for n in sizes}
        }
        if train.y is not None:
            size = float(train.A.sq_norms().mean())
            iterates = not train.A.decomposes_directly and min(train.A.shape) > ITERATES
            alphas = (ONE_ALPHA,) if iterates else ALPHAS
            out["accuracy"] = _accuracy(train.matrix, test.matrix, train, test, size, alphas)
        if self.n_clusters is not None:
            means = ReducedKMeans(self.n_clusters, n_init=STARTS, random_state=seed)
            try:
                out |= self._partition(means.fit(test.matrix).labels_, test)
            except ValueError as error:  # fewer distinct rows than classes
                if self.clusters_given:
                    raise
                out["unclustered"] = reason_of(error)
        return out


def _varying_halves(
    treatment: Treatment, X: Any, y: Array | None, codes: Indices | None, seed: int
) -> tuple[Half, Half, Half]:
    """Return the halves of a split; raise ValueError if one of them has nothing to explain."""
    cure = "give more rows, fewer seeds or another first seed"
    try:
        parts = split(treatment, X, y, codes, seed)
    except ValueError as error:
        raise ValueError(
            f"one half of the rows of split {seed} cannot be treated ({error}); {cure}"
        ) from error
    if not all(half.A.sq_norms().sum() > 0 for half in parts):
        what = "constant" if treatment.center else "zero in all columns"
        raise ValueError(
            f"one half of the rows of split {seed} is {what}, with nothing to explain; {cure}"
        )
    return parts


def _accuracy(
    known: Any,
    new: Any,
    train: Half,
    test: Half,
    size: float,
    alphas: Sequence[float] = ALPHAS,
) -> float:
    """Return the share of new rows that a classifier which learned from the others gets right."""
    given = [share * size for share in alphas] if size > 0 else [1.0]
    model = RLSClassifier(given, fit_intercept=True).fit(known, train.y)
    return float(np.mean(model.predict(new) == test.y))


def _traced(
    contender: Contender, half: Half, n: int, seed: int, is_warm: bool
) -> tuple[Chosen | None, float | None]:
    """Return what a contender chooses in a half, and the memory that it takes for that at most.

    None if it fails. The first time in a process it is run twice, so that memory, and time in the
    other half, are not those of imports and compilation.
    """
    try:
        if not is_warm:
            contender.choose(half, contender.look(half), n, seed)
        seen = contender.look(half)
        traced_before = tracemalloc.is_tracing()
        if not traced_before:
            tracemalloc.start(1)
        try:
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            chosen = contender.choose(half, seen, n, seed)
            return chosen, float(max(0, tracemalloc.get_traced_memory()[1] - before))
        finally:
            if not traced_before:
                tracemalloc.stop()
    except (Exception, SystemExit):  # the half that counts will tell
        return None, None


def held_out_share(A: Columns, Z: Columns, known: Floats, new: Floats) -> float:
    """Return the share of the variance of other rows that features explain.

    ``1 − ‖Z − H C‖² / ‖Z‖²`` where ``C`` minimizes ``‖A − F C‖``; of several the one of least norm.

    Parameters
    ----------
    A, Z : Columns
        The rows that coefficients are learned from, and the others, treated alike.
    known, new : ndarray
        F and H, their features.

    Notes
    -----
    With the SVD ``F = U S Vᵀ``, ``W = UᵀA`` and ``Y = H V S⁻¹`` the rows are explained as ``Y W``,
    so that one product with A and one with Z are enough:
    ``‖Z − YW‖² = ‖Z‖² − 2 tr(Yᵀ Z Wᵀ) + tr(YᵀY W Wᵀ)``.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import as_operand
    >>> from colonnade.comparison.judging import held_out_share
    >>> A, Z = np.array([[1.0, 2.0], [2.0, 4.0]]), np.array([[1.0, 2.0], [0.0, 5.0]])
    >>> round(held_out_share(as_operand(A), as_operand(Z), A[:, :1], Z[:, :1]), 3)
    0.167
    """
    U, S, Vt = np_svd(known, full_matrices=False)
    keep = S.max(initial=0.0) * max(known.shape) * np.finfo(float).eps < S
    W = A.rmatmat(np.ascontiguousarray(U[:, keep])).T
    Y = (new @ Vt[keep].T) / S[keep]
    linear = float(np.sum(Y * Z.matmat(np.ascontiguousarray(W.T))))
    square = float(np.sum((Y.T @ Y) * (W @ W.T)))
    return (2.0 * linear - square) / float(Z.sq_norms().sum())


def overlap(first: Indices, second: Indices, n: int) -> float | None:
    """Return how far two choices among n columns agree, beyond chance.

    Kuncheva's index ``(r − E) / (min(k₁, k₂) − E)`` with r columns in common, where
    ``E = k₁k₂ / n`` of random ones would be: 1 for the same columns, about 0 for random ones. None
    if all columns are chosen, which says nothing.

    References
    ----------
    Kuncheva (2007), "A stability index for feature selection", equation 2.

    Examples
    --------
    >>> from colonnade.comparison.judging import overlap
    >>> round(overlap([1, 2, 3], [3, 2, 7], 10), 3)
    0.524
    """
    common = len(set(map(int, first)) & set(map(int, second)))
    chance = len(first) * len(second) / n
    most = min(len(first), len(second)) - chance
    return (common - chance) / most if most > 1e-9 else None


def reason_of(error: BaseException) -> str:
    """Return the first sentence of an error."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else type(error).__name__
    if not isinstance(error, ValueError | TypeError) and lines:
        text = f"{type(error).__name__}: {text}"
    return text if len(text) <= MOST_WORDS else f"{text[: MOST_WORDS - 1]}…"
