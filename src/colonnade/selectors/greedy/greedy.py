"""Greedy column subset selection, with all its targets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ...foundation.parameters import REALS, check_count
from ...foundation.typing import Array, RandomState
from ...pivoting.loop import Progress
from ...pivoting.rules import Criterion, RandomSubset, Rule
from ...pivoting.targets import KernelTarget
from ...registry import method
from ...selection import Selection
from ..base import Selector
from ..problem import Wishes, as_target, run
from .sketches import SKETCHES, sketch

__all__ = ["GreedySelector", "greedy"]

_THESIS = "Farahat 2012 (thesis)"
_ALL = ("dense", "sparse", "kernel")


def _enter(name: str, title: str, section: str, cost: str, guarantee: str, **about: Any) -> Any:
    return method(
        name,
        kind="greedy",
        title=title,
        estimator="GreedySelector",
        document=f"{_THESIS} {section}",
        cost=cost,
        guarantee=guarantee,
        **{"inputs": _ALL, **about},
    )


@_enter(
    "sparse-approximation",
    "greedy: the columns that best reconstruct a given y",
    "ch. 7, Algorithm 10",
    "m·n·l",
    "each choice is the best single addition; error path exact",
    inputs=("dense", "sparse"),
    supervised="target",
)
@_enter(
    "sgma",
    "greedy on 59 random candidates per choice",
    "§4.5.2; Smola & Schölkopf 2000",
    "59·m·n·l",
    "each choice among the best 5 % with probability 0.95",
    preset={"n_candidates": 59},
    randomized=True,
)
@_enter(
    "hybrid-greedy",
    "greedy among l·log l columns drawn first",
    "§5.4",
    "min(m²n, m·n·l)",
    "none beyond the draw",
    preset={"presample": 1.0},
    randomized=True,
)
@_enter(
    "whitened-greedy",
    "greedy for the leading left singular vectors U_k",
    "ch. 7; criterion of fastcan with a PCA target",
    "m·n·l + SVD",
    "each choice is the best single addition for U_k",
    preset={"target": "whitened"},
    randomized=True,  # beyond 2000 rows and columns
)
@_enter(
    "approx-svd",
    "greedy for U_k Σ_k (ApproxSVD)",
    "§3.4.2, ch. 7; Çivril & Magdon-Ismail 2012",
    "m·n·l + SVD",
    "relative error for l = O(k log k / ε²) columns of bounded coherence",
    preset={"target": "svd"},
    randomized=True,  # beyond 2000 rows and columns
)
@_enter(
    "signed-greedy",
    "greedy for sums of random groups with random signs",
    "§3.3.2, with signs",
    "m·n·(l + c)",
    "the sketch is unbiased: E[BBᵀ] = AAᵀ",
    preset={"target": "signed"},
    randomized=True,
)
@_enter(
    "partition-greedy",
    "greedy for sums of random groups",
    "§3.3.2, Algorithms 5 and 7",
    "m·n·(l + c)",
    "each choice is the best single addition for the group sums",
    preset={"target": "groups"},
    randomized=True,
)
@_enter(
    "greedy",
    "largest decrease of the reconstruction error (greedy CSS)",
    "§3.3, Algorithms 4 and 6",
    "min(m²n, n²m) + m·n·l",
    "each choice is the best single addition; error path exact",
)
def greedy(
    A: Any,
    n_select: int | float | None = None,
    *,
    max_error: float | None = None,
    target: Any = "data",
    n_groups: int = 100,
    rank: int | None = None,
    n_candidates: int | None = None,
    presample: float | None = None,
    must_include: Iterable[Any] | None = None,
    exclude: Iterable[Any] | None = None,
    refine: bool | int = False,
    random_state: RandomState = None,
    progress: Progress | None = None,
) -> Selection:
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
    A : Operand, array-like or sparse matrix of shape (m, n)
        The columns are the candidates; a :class:`~colonnade.Kernel` gives the greedy Nyström
        method.
    n_select : int, float or None
        How many: a number, a fraction of the columns, or None to let ``max_error`` decide
        (without it, half of the columns).
    max_error : float or None
        Stop as soon as the squared error is at most this share of the total.
    target : str or array-like of shape (m,) or (m, c), default="data"
        What to reconstruct. ``"data"``: A itself. ``"groups"``: sums of columns in random
        groups. ``"signed"``: the same with random signs. ``"svd"``: ``U_k Σ_k``.
        ``"whitened"``: ``U_k``. An array: sparse approximation of it, and then the error path
        is that of the array. Nothing is centred.
    n_groups : int, default=100
        How many groups, for ``"groups"`` and ``"signed"``.
    rank : int or None
        k for ``"svd"`` and ``"whitened"``; ``n_select`` by default.
    n_candidates : int or None
        Look at this many random candidates per choice only; 59 gives SGMA.
    presample : float or None
        Draw ``presample · l · log l`` columns uniformly first and choose among them.
    must_include : iterable of int or None
        Columns to choose first.
    exclude : iterable of int or None
        Columns never to choose.
    refine : bool or int, default=False
        Exchange columns afterwards while that lowers the error; a number limits the sweeps.
    random_state : int, RandomState or None
        Seed of groups, signs, draws and a stochastic SVD.
    progress : callable or None
        Called as ``progress(count, wanted, relative_error)`` after each choice.

    Returns
    -------
    Selection

    References
    ----------
    .. [1] Farahat, "Greedy representative selection for unsupervised data analysis", PhD
       thesis, University of Waterloo, 2012: Algorithms 4 (eq. 3.12), 5 (eq. 3.21), 6, 7, 10.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import greedy
    >>> X = np.array([[2.0, 2.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.5]])
    >>> selection = greedy(X, 2)
    >>> selection.indices
    array([1, 2])
    >>> selection.relative_errors.round(3)
    array([0.271, 0.071])
    >>> greedy(X, 1, target=[1.0, 0.0, 0.0]).indices
    array([0])
    """
    wishes = Wishes(A, n_select, max_error=max_error, must_include=must_include, exclude=exclude)
    rng = check_random_state(random_state)
    B, of_target = _resolve_target(wishes, target, n_groups, rank, rng)
    rule: Rule = Criterion()
    if n_candidates is not None:
        rule = RandomSubset(rng, check_count("n_candidates", n_candidates, 1, None))
    return run(
        wishes,
        rule,
        target=B,
        of_target=of_target,
        source=None if presample is None else _presample(wishes, presample, rng),
        refine=refine,
        progress=progress,
    )


def _resolve_target(
    wishes: Wishes, target: Any, n_groups: int, rank: int | None, rng: np.random.RandomState
) -> tuple[Array | KernelTarget | None, bool]:
    A = wishes.A
    if not isinstance(target, str):
        if target is None:
            raise TypeError('target=None; choose "data" for the data itself')
        if not A.has_columns:
            raise TypeError("a kernel has no rows to compare a target with; leave target out")
        return wishes.scaled_target(as_target(target, A.shape[0])), True
    if target == "data":
        return None, False
    if target not in SKETCHES:
        names = ", ".join(repr(name) for name in ("data", *SKETCHES))
        raise ValueError(f"target={target!r} is unknown; choose {names} or pass an array")
    if target in ("groups", "signed"):
        size = min(check_count("n_groups", n_groups, 1, None), A.shape[1])
    elif rank is not None:
        size = check_count("rank", rank, 1, min(A.shape), f" for data of shape {A.shape}")
    elif wishes.n_select is not None:
        size = min(wishes.n_select, *A.shape)
    else:
        raise ValueError(f"target={target!r} needs a rank when n_select is None; pass rank=…")
    return sketch(A, target, size, rng), False


def _presample(wishes: Wishes, presample: Any, rng: np.random.RandomState) -> Array:
    if wishes.n_select is None:
        raise ValueError("presample needs n_select: the draw is presample · l · log(l) columns")
    if not isinstance(presample, REALS) or not 0 < presample < np.inf:
        raise ValueError(f"presample={presample!r}; choose a positive factor, such as 1 or 5")
    count = max(2, wishes.n_select)
    wanted = int(np.ceil(presample * count * np.log(count)))
    free = np.flatnonzero(wishes.allowed)
    size = min(len(free), max(wanted, wishes.n_select) - len(wishes.first))
    drawn = rng.choice(free, size, replace=False)
    return np.sort(np.concatenate([wishes.first, drawn]))


class GreedySelector(Selector):
    """Choose the columns that best reconstruct the data, greedily.

    See :func:`colonnade.greedy` for objective, algorithm, cost, guarantee and references.

    Parameters
    ----------
    n_select : int, float or None, default=None
        How many columns: a number, a fraction, or None to let ``max_error`` decide (without
        it, half of the columns).
    max_error : float or None, default=None
        Stop as soon as the squared error is at most this share of the total.
    target : {"data", "groups", "signed", "svd", "whitened", "y"}, default="data"
        What to reconstruct; ``"y"`` takes the second argument of ``fit``.
    n_groups : int, default=100
        How many groups, for ``"groups"`` and ``"signed"``.
    rank : int or None, default=None
        k for ``"svd"`` and ``"whitened"``; ``n_select`` by default.
    n_candidates : int or None, default=None
        Look at this many random candidates per choice only; 59 gives SGMA.
    presample : float or None, default=None
        Draw ``presample · l · log l`` columns uniformly first and choose among them.
    must_include : iterable of int or str, default=None
        Columns to choose first, by number or name.
    exclude : iterable of int or str, default=None
        Columns never to choose.
    refine : bool or int, default=False
        Exchange columns afterwards while that lowers the error; a number limits the sweeps.
    random_state : int, RandomState or None, default=None
        Seed of groups, signs, draws and a stochastic SVD.
    verbose : bool, default=False
        Whether to print progress.

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
    >>> float(selector.errors_[-1].round(3))
    0.132
    """

    method = "greedy"

    def __init__(
        self,
        n_select: int | float | None = None,
        *,
        max_error: float | None = None,
        target: str = "data",
        n_groups: int = 100,
        rank: int | None = None,
        n_candidates: int | None = None,
        presample: float | None = None,
        must_include: Iterable[Any] | None = None,
        exclude: Iterable[Any] | None = None,
        refine: bool | int = False,
        random_state: RandomState = None,
        verbose: bool = False,
    ):
        self.n_select = n_select
        self.max_error = max_error
        self.target = target
        self.n_groups = n_groups
        self.rank = rank
        self.n_candidates = n_candidates
        self.presample = presample
        self.must_include = must_include
        self.exclude = exclude
        self.refine = refine
        self.random_state = random_state
        self.verbose = verbose

    def _arguments(self, y: Any) -> dict[str, Any]:
        arguments = super()._arguments(y)
        if isinstance(self.target, str) and self.target == "y":
            if y is None:
                raise ValueError(
                    'target="y" requires y to be passed, but the target y is None; call fit(X, y)'
                )
            arguments["target"] = y
        return arguments

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = isinstance(self.target, str) and self.target == "y"
        return tags
