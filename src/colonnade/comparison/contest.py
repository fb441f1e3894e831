"""Methods beside one another on one's own data: what is asked for, checked, and the runs."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any

import numpy as np

from ..foundation.atomic import StrPath
from ..foundation.parameters import INTEGERS, Flag, check_count
from ..foundation.typing import Array, Indices
from ..linalg.partitions import as_labels
from ..operands.chunked.arriving import is_chunked
from ..operands.entrance import as_columns, as_operand, check_matrix
from ..operands.interface import Operand
from ..operands.preparing import Preparation, Scale, prepare
from .asked import contenders_of, default_methods
from .comparison import Comparison
from .contenders import Contender
from .halves import Treatment
from .judging import Trial
from .ledger import Job, Ledger, Outcome
from .lines import lines_of
from .running import Progress, run_jobs

__all__ = ["compare"]

VERSION = 3
"""To be raised when runs change what they measure, so that old ones are refused."""
LEAST_ROWS = 4
MOST_CLASSES = 0.5
"""More classes than this share of the rows are none."""
DIGESTS = {"data": "data", "y": "labels"}
"""What is kept of the data of runs, and what it is a digest of."""


def compare(
    X: Any,
    n_select: int | float | Sequence[int | float],
    *,
    methods: Any = None,
    y: Any = None,
    seeds: int = 10,
    n_clusters: int | None = None,
    center: bool = True,
    scale: str | None = "auto",
    missing: str = "error",
    random_state: int = 0,
    n_jobs: int | None = None,
    resume: StrPath | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Say which method is best on one's own data, by how much, and whether that may be chance.

    The rows are split into halves at random, ``seeds`` times. Every method chooses columns by the
    first half, and is judged by the second: how much of the variance of these rows the chosen
    columns explain, with coefficients of the first half; how many of them a classifier on the
    chosen columns classifies right; how good k-means is that sees the chosen columns alone; in
    addition, how many columns are chosen again from the other half, and what the choice takes.
    All are compared with random columns, with a PCA and with all columns. The test is optimistic,
    since the splits share rows.

    Parameters
    ----------
    X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        The data; never modified.
    n_select : int, float or sequence of these
        How many columns to choose: numbers, or shares of all columns.
    methods : sequence or dict, optional
        By default "greedy", the same with swaps (up to 5,000 columns), "pivoted-qr",
        "leverage-top", "jolliffe-b4" and "uniform". Names of methods, with parameters as in
        ``"greedy(refine=True)"``, dicts such as ``{"method": "greedy", "refine": True}``,
        selectors, transformers of scikit-learn, or functions of X, n and random_state that return
        numbers of columns. The keys of a dict are names for any of these. Transformers and
        functions see the data centred and scaled as all others do; sparse data scaled only.
        "uniform" always takes part.
    y : array-like of shape (n_samples,), optional
        The class of each row, for methods and measures that need it.
    seeds : int, default=10
        How many splits; at least 2.
    n_clusters : int, optional
        For k-means; by default as many as there are classes, or no k-means where there are
        no classes, or fewer distinct rows.
    center : bool, default=True
        Whether means are subtracted.
    scale : {"auto", "std", "robust", "max"} or None, default="auto"
        What columns are divided by: see :class:`colonnade.GreedySelector`. What "auto" means is
        decided once, by all rows; means and units are those of the rows that are chosen by.
    missing : {"error", "mean", "median"}, default="error"
        What takes the place of NaN: means or medians of the rows that are chosen by.
    random_state : int, default=0
        The first seed; the others follow.
    n_jobs : int, optional
        How many runs at once, each on one core; by default as many as there are cores that the
        process may use.
    resume : str or path, optional
        A file in which runs are kept as they come, and from which a comparison goes on that was
        interrupted; also one with more methods, sizes or seeds. It is of one data set. Runs that
        failed are done again.
    progress : callable, optional
        Called with the numbers of runs that are done, and of all, when a run ends.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If something that is asked for does not exist or cannot be done, before any work; or if
        every method failed.
    ProcessesLostError
        A RuntimeError: if a process that did runs has ended, as for lack of memory.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.decomposition import PCA
    >>> from colonnade import compare
    >>> X, y = load_wine(return_X_y=True)
    >>> found = compare(X, [2, 5], methods=["greedy", PCA()], y=y, seeds=4, n_jobs=1)
    >>> found.best("held_out", 5)
    'PCA'
    >>> found.measures[:4]
    ['held_out', 'accuracy', 'nmi', 'cost']
    """
    X, A = _checked_data(X, missing)
    m, n = A.shape
    sizes = _checked_sizes(n_select, n)
    labels, codes = _checked_labels(y, m)
    asked = default_methods(n) if methods is None else methods
    contenders = contenders_of(asked, labels is not None)
    seeds = check_count("seeds", seeds, 2, None)
    first = check_count("random_state", random_state, 0, 2**32 - 1 - seeds)
    n_jobs = _checked_jobs(n_jobs)
    clusters_given = n_clusters is not None
    if n_clusters is not None:
        n_clusters = check_count("n_clusters", n_clusters, 2, m // 2)
    elif codes is not None:
        n_clusters = int(codes.max()) + 1
    Flag().check("center", center)
    Scale().check("scale", scale)
    seen = prepare(A, center=center, scale=scale, missing=missing, quiet=True)
    _check_varying(sizes, seen)
    how = seen.scaled.scale if seen.scaled is not None else scale
    treatment = Treatment(bool(center), how, missing)
    trial = Trial(X, labels, codes, treatment, n_clusters, contenders, clusters_given)
    if n_jobs != 1:
        _check_picklable(contenders)
    marks = {name: contender.mark for name, contender in contenders.items()}
    if resume is not None:
        _check_marked(marks)
    jobs: list[dict[str, Any]] = []
    for seed in range(first, first + seeds):
        jobs.append({"seed": seed, "sizes": sizes})
        jobs += [
            {"method": name, "mark": mark, "n": size, "seed": seed}
            for name, mark in marks.items()
            for size in sizes
        ]
    ledger = Ledger(resume, _fingerprint(trial), digests=DIGESTS)
    _forget_failures(ledger, jobs)
    results = run_jobs(trial.run, jobs, ledger, n_jobs=n_jobs, progress=progress)
    unclustered = next((o["unclustered"] for _, o in results if "unclustered" in o), None)
    if unclustered is not None:
        if clusters_given:  # of runs of a file that was begun without them
            raise ValueError(unclustered)
        n_clusters, results = None, [(job, _without_clusters(out)) for job, out in results]
    lines = lines_of(results, list(contenders), sizes)
    if not any(line.columns.runs for line in lines if not line.yardstick):
        reason = next(reason for line in lines for reason in line.failures)
        raise ValueError(f"every method failed; the first said: {reason}")
    about = {
        "n_rows": m, "n_columns": n, "n_select": sizes, "methods": list(contenders),
        "seeds": seeds, "random_state": first, "center": bool(center), "scale": how,
        "scale_reason": _reason(seen), "missing": missing, "n_clusters": n_clusters,
        "n_classes": None if codes is None else int(codes.max()) + 1, "unclustered": unclustered,
    }  # fmt: skip
    return Comparison(lines, about, tuple({**job, **outcome} for job, outcome in results))


def _forget_failures(ledger: Ledger, jobs: Sequence[Job]) -> None:
    """Have runs done again that failed: what was missing may be there by now."""
    for job in jobs:
        if job in ledger and "failed" in ledger.get(job):
            ledger.forget(job)


def _without_clusters(outcome: Outcome) -> Outcome:
    return {key: value for key, value in outcome.items() if key not in ("cost", "nmi")}


def _check_varying(sizes: Sequence[int], seen: Preparation) -> None:
    """Raise ValueError if more columns are asked for than vary."""
    if seen.varying is not None and sizes[-1] > seen.varying.sum():
        left, n = int(seen.varying.sum()), len(seen.varying)
        raise ValueError(f"n_select={sizes[-1]} but of {n} columns {left} vary; choose 1 to {left}")


def _reason(seen: Preparation) -> str | None:
    return None if seen.scaled is None else seen.scaled.reason


def _checked_data(X: Any, missing: str) -> tuple[Any, Any]:
    """Return the data as an array or sparse matrix, and as an operand."""
    if isinstance(X, Operand) or is_chunked(X):
        raise TypeError(
            f"X is {type(X).__name__}; a comparison splits rows in memory: pass an array, a sparse "
            "matrix or a frame"
        )
    if missing not in ("error", "mean", "median"):
        raise ValueError(f"missing={missing!r}; choose 'error', 'mean' or 'median'")
    try:
        X = check_matrix(X, gaps=missing != "error")
    except ValueError as error:
        if "contains NaN" not in str(error):
            raise
        raise ValueError(
            "X contains NaN; choose missing='mean' or 'median', or fill what is missing before"
        ) from error
    A = as_columns(as_operand(X, gaps=missing != "error"))
    if A.shape[0] < LEAST_ROWS:
        raise ValueError(
            f"X has {A.shape[0]} rows; a comparison splits them into halves and needs "
            f"{LEAST_ROWS} or more"
        )
    return X, A


def _checked_sizes(n_select: Any, n: int) -> list[int]:
    """Return numbers of columns in ascending order."""
    given = [n_select] if np.ndim(n_select) == 0 else list(n_select)
    if not given:
        raise ValueError("n_select is empty; give at least one number of columns")
    sizes = []
    for size in given:
        if isinstance(size, float | np.floating) and 0 < size <= 1:
            sizes.append(max(1, round(float(size) * n)))
        elif isinstance(size, bool) or not isinstance(size, INTEGERS):
            raise TypeError(
                f"n_select holds {size!r}; give numbers of columns (5) or shares of all (0.1)"
            )
        elif not 1 <= size <= n:
            raise ValueError(f"n_select={size} but X has {n} columns; choose 1 to {n}")
        else:
            sizes.append(int(size))
    return sorted(set(sizes))


def _checked_labels(y: Any, m: int) -> tuple[Array | None, Indices | None]:
    """Return labels, and the same as numbers."""
    if y is None:
        return None, None
    try:
        codes, classes = as_labels(np.asarray(y), m)
    except ValueError as error:
        raise ValueError(f"y: {error}") from error
    if len(classes) < 2:
        raise ValueError(f"y holds one class only ({classes[0]}); there must be two or more")
    if classes.dtype.kind == "f" and (classes != np.round(classes)).any():
        raise ValueError(f"y holds fractions, such as {classes[classes != np.round(classes)][0]:g};"
                         " classes are whole numbers or words")  # fmt: skip
    if len(classes) > MOST_CLASSES * m:
        raise ValueError(
            f"y holds {len(classes)} different labels of {m} rows; classes are few: leave y out, "
            "or make some of it first"
        )
    alone = classes[np.bincount(codes) < 2]
    if len(alone):
        others = f", as {len(alone)} classes have" if len(alone) > 1 else ""
        raise ValueError(
            f"class {alone[0]} of y has one row{others}; both halves of the rows need one of each "
            "class: leave such rows out, or leave y out if it is a quantity"
        )
    return classes[codes], codes


def _checked_jobs(n_jobs: int | None) -> int | None:
    if n_jobs is None or n_jobs == -1:
        return None
    return check_count("n_jobs", n_jobs, 1, None)


def _check_picklable(contenders: dict[str, Contender]) -> None:
    """Raise TypeError if other processes could not have a method."""
    from joblib.externals.loky.backend.reduction import dump  # as runs are sent

    for name, contender in contenders.items():
        try:
            dump(contender, BytesIO())
        except Exception as error:  # whatever somebody else's class raises then
            raise TypeError(
                f"method {name!r} cannot be sent to other processes ({error}); choose n_jobs=1, or "
                "leave out what it holds open"
            ) from error


def _check_marked(marks: dict[str, str | None]) -> None:
    """Raise TypeError if runs of a method could not be told from those of another."""
    for name, mark in marks.items():
        if mark is None:
            raise TypeError(
                f"method {name!r} holds what cannot be compared with that of earlier runs, such as "
                "a lock or an open file; leave out resume, or what it holds"
            )


def _fingerprint(trial: Trial) -> dict[str, Any]:
    """Return what all runs have in common: the data and what is done to it."""
    import joblib

    treatment = trial.treatment
    return {
        "runs": VERSION, "data": joblib.hash(trial.X),
        "y": None if trial.y is None else joblib.hash(trial.y.astype(str)),
        "center": treatment.center, "scale": treatment.scale, "missing": treatment.missing,
        "n_clusters": trial.n_clusters,
    }  # fmt: skip
