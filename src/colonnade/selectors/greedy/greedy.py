"""Greedy column subset selection, with all its targets."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any

import numpy as np

from ...foundation.parameters import Count, Real, check_count
from ...foundation.typing import Array, Indices
from ...linalg.svd import leading_passes
from ...operands.containers import check_dense
from ...operands.entrance import as_columns, check_scale
from ...operands.interface import Gram
from ...pivoting.rules import Criterion, RandomSubset, Rule
from ...pivoting.targets import KernelTarget
from ...registry import method
from ...selection import Selection
from ..problem import Problem
from ..traits import Adjustable, Seeded
from .sketches import SKETCHES, sketch

__all__ = ["GreedySelector"]


@method(
    "sparse-approximation",
    title="greedy: the columns that best reconstruct a given y",
    document="Farahat 2012, ch. 7, Algorithm 10",
    cost="m·n·l",
    guarantee="each choice is the best single addition; error path exact",
    preset={"target": "y"},
    kernels=False,
    supervised="target",
)
@method(
    "sgma",
    title="greedy on 59 random candidates per choice (sparse greedy matrix approximation)",
    document="Farahat 2012, §4.5.2; Smola & Schölkopf 2000",
    cost="59·m·n·l",
    guarantee="each choice among the best 5 % with probability 0.95",
    preset={"n_candidates": 59},
    randomized=True,
)
@method(
    "hybrid-greedy",
    title="greedy among l·log l random columns",
    document="Farahat 2012, §5.4",
    cost="min(m²n, m·n·l)",
    guarantee="none beyond the draw",
    preset={"presample": 1.0},
    randomized=True,
)
@method(
    "whitened-greedy",
    title="greedy for the leading left singular vectors U_k",
    document="Farahat 2012, ch. 7; criterion of fastcan with a PCA target",
    cost="m·n·l + SVD",
    guarantee="each choice is the best single addition for U_k",
    preset={"target": "whitened"},
    randomized=True,  # beyond 2000 rows and columns
    wide=True,
)
@method(
    "approx-svd",
    title="greedy for U_k Σ_k (ApproxSVD)",
    document="Farahat 2012, §3.4.2, ch. 7; Çivril & Magdon-Ismail 2012",
    cost="m·n·l + SVD",
    guarantee="relative error for l = O(k log k / ε²) columns of bounded coherence",
    preset={"target": "svd"},
    randomized=True,  # beyond 2000 rows and columns
    wide=True,
)
@method(
    "signed-greedy",
    title="greedy for sums of random groups with random signs",
    document="Farahat 2012, §3.3.2, with signs",
    cost="m·n·(l + c)",
    guarantee="the sketch is unbiased: E[BBᵀ] = AAᵀ",
    preset={"target": "signed"},
    randomized=True,
    wide=True,
)
@method(
    "partition-greedy",
    title="greedy for sums of random groups",
    document="Farahat 2012, §3.3.2, Algorithms 5 and 7",
    cost="m·n·(l + c)",
    guarantee="each choice is the best single addition for the group sums",
    preset={"target": "groups"},
    randomized=True,
    wide=True,
)
@method(
    "greedy",
    title="largest decrease of the reconstruction error (greedy column subset selection)",
    document="Farahat 2012, §3.3, Algorithms 4 and 6",
    cost="min(m²n, n²m) + m·n·l",
    guarantee="each choice is the best single addition; error path exact",
    wide=True,
)
class GreedySelector(Adjustable, Seeded):
    """Choose the column that lowers the reconstruction error most, again and again.

    **Objective.** Minimize ``F(S) = ‖B − P_S B‖²_F``, where ``P_S`` projects onto the chosen
    columns of A and the target B is A itself unless another is named.

    **Algorithm.** With the residuals E of A and F of B, pick ``argmax ‖FᵀE_i‖² / ‖E_i‖²`` and
    project it out. Numerator and denominator are updated, not recomputed: one pass over the
    data per choice. Which square matrix is held for that, ``AᵀA``, ``A Aᵀ`` or none, is
    decided by the shape; rounding is watched and repaired (see ``docs/architecture.md``).

    **Cost.** O(min(m²n, mn²)) once and O(mn) per choice; with ``target="groups"`` or
    ``"signed"`` O(mnc) once for c groups. Memory: the data, O((m + n) l), and a square matrix
    of the shorter side if that is at most 4 GiB; sparse data stays sparse.

    **Guarantee.** Each choice is the best single addition; the error path is exact.

    **When to use it.** The default. ``refine=True`` improves it further at about the cost of
    two more runs. For very many columns, use ``target="signed"`` or ``presample``.

    Parameters
    ----------
    target : {"data", "groups", "signed", "svd", "whitened", "y"} or array-like, default="data"
        What to reconstruct. ``"data"``: A itself. ``"groups"``: sums of columns in random
        groups. ``"signed"``: the same with random signs. ``"svd"``: ``U_k Σ_k``.
        ``"whitened"``: ``U_k``. ``"y"``, or an array: sparse approximation of the second
        argument of ``fit``, or of the array, and then the error path is that of the target,
        which is centred if the data is.
    n_groups : int, default=100
        How many groups, for ``"groups"`` and ``"signed"``.
    rank : int or None, default=None
        k for ``"svd"`` and ``"whitened"``; ``n_select`` by default.
    n_candidates : int or None, default=None
        Look at this many random candidates per choice only; 59 gives SGMA.
    presample : float or None, default=None
        Draw ``presample · l · log l`` columns uniformly first and choose among them.
    random_state : int, RandomState or None, default=None
        Seed of groups, signs, draws and a stochastic SVD.

    References
    ----------
    .. [1] Farahat, "Greedy representative selection for unsupervised data analysis", PhD
       thesis, University of Waterloo, 2012: Algorithms 4 (eq. 3.12), 5 (eq. 3.21), 6, 7, 10.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from colonnade import GreedySelector
    >>> X = load_digits().data
    >>> selector = GreedySelector(n_select=10).fit(X)
    >>> selector.indices_[:3]
    array([11, 28, 53])
    >>> selector.transform(X).shape
    (1797, 10)
    >>> float(selector.relative_errors_[-1].round(3))
    0.132
    """

    _: KW_ONLY
    target: Any = "data"
    n_groups: Annotated[int, Count(1)] = 100
    rank: Annotated[int | None, Count(1)] = None
    n_candidates: Annotated[int | None, Count(1)] = None
    presample: Annotated[float | None, Real(0.0, above=True, example=1.0)] = None

    def _passes_before(self, shape: tuple[int, int]) -> int:
        if isinstance(self.target, str):
            # leading directions, and their products with the data
            return 1 + leading_passes(shape) if self.target in ("svd", "whitened") else 1
        return 0

    def _no_path(self) -> str:
        if self.presample is not None:
            return "draws more columns for a larger size (presample)"
        whole = isinstance(self.target, str) and self.target in ("svd", "whitened")
        return "has as many components in its target as are chosen" * (whole and self.rank is None)

    def _select(self, problem: Problem) -> Selection:
        target, target_unit = self._target(problem)
        rule: Rule = Criterion()
        if self.n_candidates is not None:
            rule = RandomSubset(problem.rng, self.n_candidates)
        source = None if self.presample is None else self._presampled(problem)
        return problem.pivot(rule, target=target, target_unit=target_unit, source=source)

    def _target(self, problem: Problem) -> tuple[Array | KernelTarget | None, float | None]:
        """Return what to reconstruct and, if the errors shall be its own, its unit."""
        A, target = problem.A, self.target
        if isinstance(target, str) and target == "data":
            return None, None
        if not isinstance(target, str) or target == "y":
            B = _as_matrix(problem.y if isinstance(target, str) else target, A)
            B = problem.preparation.rows(B)
            unit = check_scale(float(np.abs(B).max()))
            return B * unit, unit
        if target not in SKETCHES:
            names = ", ".join(repr(name) for name in ("data", *SKETCHES))
            raise ValueError(f"target={target!r} is unknown; choose {names} or pass an array")
        if target in ("groups", "signed"):
            size = min(self.n_groups, A.shape[1])
        elif self.rank is not None:
            size = check_count("rank", self.rank, 1, min(A.shape), f" for data of shape {A.shape}")
        elif problem.n_select is not None:
            size = min(problem.n_select, *A.shape)
        else:
            raise ValueError(f"target={target!r} needs a rank when n_select is None; pass rank=…")
        return sketch(A, target, size, problem.rng), None

    def _presampled(self, problem: Problem) -> Indices:
        """Draw the columns to choose among."""
        if problem.n_select is None:
            raise ValueError("presample needs n_select: the draw is presample · l · log(l) columns")
        count = max(2, problem.n_select)
        wanted = int(np.ceil(float(self.presample or 0) * count * np.log(count)))
        free = np.flatnonzero(problem.allowed)
        size = min(len(free), max(wanted, problem.n_select) - len(problem.first))
        drawn = problem.rng.choice(free, size, replace=False)
        return np.sort(np.concatenate([problem.first, drawn]))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = isinstance(self.target, str) and self.target == "y"
        return tags


def _as_matrix(y: Any, A: Gram) -> Array:
    """Return a target as a float matrix with the rows of A."""
    if y is None:
        raise TypeError('target=None; choose "data" for the data itself')
    n_rows = as_columns(A, "a target", "leave target out").shape[0]
    check_dense(y, "the target")
    B = np.asarray(y)
    if B.dtype.kind not in "fiub":
        raise TypeError(
            f"Unknown label type: the target has dtype {B.dtype} but must be numeric; encode "
            "classes first, for example with sklearn.preprocessing.LabelBinarizer"
        )
    B = B.astype(np.float64)
    if B.ndim == 1:
        B = B[:, None]
    if B.ndim != 2 or B.shape[0] != n_rows or B.shape[1] == 0:
        raise ValueError(f"the target has shape {np.shape(y)}; it must have {n_rows} rows")
    if not np.isfinite(B).all():
        raise ValueError("the target contains NaN or infinity")
    if not B.any():
        raise ValueError("the target is zero everywhere: there is nothing to reconstruct")
    return B
