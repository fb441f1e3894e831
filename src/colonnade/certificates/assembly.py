"""The one call that makes a certificate: what was lost, compared with what was promised."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.parameters import REALS, check_count
from ..foundation.typing import Indices
from ..linalg.partitions import as_labels, quiet_kmeans
from ..metrics.approximations import chosen_indices
from ..metrics.explained import operand_as_seen
from ..metrics.reconstruction import error_of
from ..operands.adjusted import adjusted_like
from ..operands.entrance import as_columns, check_matrix, moderate, wrapped
from ..operands.interface import Columns, Operand
from ..registry import METHODS, Method
from ..selection import Selection
from .certificate import Certificate
from .classification import rlsc_checks
from .kmeans import kmeans_checks
from .measured import Measured, reconstruction_checks

__all__ = ["certify"]


def certify(
    X: Any,
    selection: Selection | Indices,
    *,
    clusters: Any = None,
    n_clusters: int | None = None,
    labels: Any = None,
    gamma: float = 1.0,
    alpha: float | None = None,
    test: Any = None,
    random_state: int = 0,
    n_init: int = 10,
    center: bool | None = None,
    scale: Any = None,
    sample_weight: Any = None,
) -> Certificate:
    """Measure what a selection lost, and compare it with what its theorem promises.

    Every number is computed from the data and the selection alone. The letters, here and in the
    table:

    - ``A = X`` is the data, ``A_k`` its best approximation of rank k and ``E = A − A_k``;
      V (n × k) are its leading right singular vectors.
    - Ω picks the l chosen columns: ``AΩ`` are these. S is the diagonal matrix of their weights, 1
      where a method gives none. ``C = AΩS`` is the reduced data. ``P_S`` projects onto the span
      of the chosen columns. r is the number of picks, before repeats are merged.
    - ``F(A, X) = ‖A − XXᵀA‖²`` is the objective of k-means for the partition whose normalized
      indicators are the columns of X: X_out is the partition that is judged, X_in a given one.
    - γ ≥ 1 says how good a k-means algorithm is: what it finds costs at most γ times the best.

    A check is found by its key, ``certificate["lost_share"]``. There are

    - *Reconstruction*, always: the share of ``‖A‖²`` outside the span of the chosen columns
      (``lost_share``), compared with what the selection says of itself, and
      ``‖A − P_S A‖ / ‖A − A_l‖`` (``reconstruction_ratio``), where 1 is unbeatable.
    - *Promises of the method*. For methods with weights: the singular values of ``VᵀΩS``
      (``sigma_min``, ``sigma_max``), at least ``1 − √(k/r)`` and for BSS, single-set spectral
      sparsification, at most ``1 + √(k/r)``, with ``‖I − VᵀΩS(VᵀΩS)ᵀ‖₂``
      (``spectral_distortion``); for dual-set sparsification weights of at most ``1 + √(n/r)``
      (``largest_weight``); for the supervised one ``‖BΩS‖ ≤ ‖B‖`` (``residual_norm``; needs
      ``labels``), where B is E stacked on what A leaves over after the class means. A bound on
      the expected loss (``expected_loss``) is shown, but one draw may exceed it, so that it does
      not count.
    - *k-means*, with ``clusters`` or ``n_clusters``: every term of the bound [1]_

          F(A, X_out) ≤ ‖E‖² + 2γ (‖(I − X_in X_inᵀ)AΩS‖² + ‖EΩS‖²) / σ_k²(VᵀΩS)

      (``kmeans_cost``, ``best_rank_error``, ``reduced_kmeans_cost``,
      ``reduced_best_rank_error``, ``sigma_k_squared``). It holds for any X_in of at most k
      clusters. With ``labels`` that is X_in, and ``F(C, X_out) / F(C, X_in)`` (``gamma``) is the
      γ that was reached; otherwise X_in is X_out, and γ is 1 by definition.
      ``F(A, X_out) / ‖A − A_k‖²`` (``kmeans_ratio``) is never below the true approximation
      ratio, because no partition costs less than ``‖A − A_k‖²``. With ``labels``, for methods
      with a theorem on k-means, ``F(A, X_out) / F(A, X_in)`` (``kmeans_ratio_to_labels``).
    - *Least-squares classification*, with ``labels`` of two classes, ``test`` and ``alpha``:
      how far the decision value of each test point q moves (``decision_change``), and its
      bound [2]_

          2ε κ ‖α‖ ‖y‖ + 2η (κ/σ_max) ‖β‖ ‖y‖        (the first term only if λ > 0)

      where ``q = Xᵀα + U⊥β`` with U the right singular vectors of X and U⊥ what is orthogonal
      to them, y is −1 and 1 for the classes, κ the condition number and ``R = SΩᵀ``;
      ``ε = ‖I − UᵀRᵀRU‖₂`` and ``η = ‖U⊥ᵀRᵀRU‖₂`` are measured (``epsilon``, ``eta``,
      ``kappa``, ``largest_alpha``, ``largest_beta``, ``label_norm``). For test points in the
      span of X there is a tighter bound (``decision_change_in_span``). ``class_changes`` is the
      share of test points that change class.

    **Cost.** O(m n l) for the reconstruction, and up to three SVDs: of rank l for the
    reconstruction (stochastic if both sides are above 2000), of rank k for sparsifiers and
    k-means, complete for classification. Of sparse data the chosen columns are made dense, and
    strips of the others. If both sides are above 2000, singular values below about 1e-8 of the
    largest cannot be told from zero in the second of these; what would rest on them is then not
    claimed.

    Parameters
    ----------
    X : Operand, array-like, sparse matrix or dask array of shape (m, n)
        The data from which the columns were chosen. For a kernel only the reconstruction is
        certified; for a dask array, by one or two passes over the blocks, what follows from inner
        products of columns.
    selection : Selection or array of int
        The chosen columns.
    clusters : array-like of shape (m,), optional
        X_out: a cluster for each row, found on the reduced data.
    n_clusters : int, optional
        k. Without ``clusters``, k-means is run on the reduced and rescaled data.
    labels : array-like of shape (m,), optional
        Classes: X_in for k-means, such as the clusters found on all columns; the labels for
        supervised selections and for classification. What a supervised selection promises, it
        promises for its own labels only, whatever the classes are called.
    gamma : float, default=1.0
        γ, how far from the best partition of the reduced data the k-means algorithm is assumed
        to end. If X_out is further than that from X_in, the bounds are for the γ that it reaches.
    alpha : float, optional
        λ, the regularization of least-squares classification, at least 0.
    test : array-like or sparse matrix of shape (n_test, n), optional
        Points to classify.
    random_state : int, default=0
        Random seed of k-means, at least 0.
    n_init : int, default=10
        How many times k-means is started.
    center, scale
        What to do to the data first, and to the test points, as the parameters of selectors; by
        default what was done to it when the selection was made. A is the data after that.
    sample_weight : array-like of shape (m,), optional
        Weights of the rows with which the selection was made: only what follows from inner
        products of columns is certified then.

    Returns
    -------
    Certificate

    Notes
    -----
    Errata that matter here. In [2]_, Lemma 6 puts ε for η, but a choice that knows only U cannot
    bound what it does outside U: the printed bound fails on random matrices for points with
    β ≠ 0, so η is measured. For λ = 0 the printed bound lacks the factor 2 (that is 1/(1 − ε)
    for ε ≤ 1/2). The first term stands as printed: from
    ``λ((Δ + λ)⁻¹ − (Σ² + λ)⁻¹) = λ(Σ² + λ)⁻¹ ΣEΣ (Δ + λ)⁻¹`` it even holds without its 2. For
    1/2 < ε < 1 the factors 2 are replaced by 1/(1 − ε), which is what the proof gives; from
    ε = 1 on, as far as rounding of U can tell, nothing is promised.

    The full rank that [2]_ asks for is not needed: with singular vectors of nonzero singular
    values only, κ being their ratio, the proof is the same.

    References
    ----------
    .. [1] Boutsidis & Magdon-Ismail, "Deterministic feature selection for k-means clustering",
       Lemmas 7, 8, 10 and 11, Theorems 2, 4 and 5.
    .. [2] Paul & Drineas, "Deterministic feature selection for regularized least squares
       classification", Lemmas 1, 2 and 6, Theorems 1 and 2.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from colonnade import certify, select
    >>> X = load_digits().data
    >>> selection = select(X, 20, method="dual-set", n_clusters=10)
    >>> certificate = certify(X, selection, n_clusters=10)
    >>> certificate.holds
    True
    >>> round(certificate["sigma_min"].promised, 3)
    0.293
    >>> 2 < certificate["kmeans_ratio"].measured < 2.5
    True
    """
    A = operand_as_seen(X, selection, center=center, scale=scale, sample_weight=sample_weight)
    scaled, unit = moderate(A)
    indices = chosen_indices(selection, A)
    if not isinstance(selection, Selection):
        selection = Selection(indices, A.shape[1])
    _check_options(A, clusters, n_clusters, labels, gamma, alpha, test)
    if isinstance(A, Columns) and not A.has_rows:
        _refuse_rows(clusters=clusters, n_clusters=n_clusters, labels=labels, test=test)
    if sample_weight is not None and any(
        given is not None for given in (clusters, n_clusters, labels, test)
    ):
        raise ValueError(
            "sample_weight is for what inner products of columns tell; leave clusters, n_clusters, "
            "labels and test out"
        )
    check_count("n_init", n_init, 1, None)
    check_count("random_state", random_state, 0, 2**32 - 1)
    told = []
    made_by = str(selection.info.get("method", "an unknown method"))
    other = _other_data(selection, sample_weight)
    if other:
        # what it says of itself, and what is promised, is about that
        selection = Selection(indices, A.shape[1], selection.weights)
        told.append(other)
    lost = error_of(A, indices)
    parts = [([], told), reconstruction_checks(A, selection, lost)]
    points: dict[str, Any] = {}
    codes = None
    if isinstance(A, Columns) and isinstance(scaled, Columns):
        measured = Measured(scaled, selection, unit, lost)
        method = _method(selection)
        known, classes = (None, ()) if labels is None else as_labels(labels, A.shape[0])
        if method is not None:
            parts.append(method.selector.promised_checks(measured, known))
        if n_clusters is not None or clusters is not None:
            codes, k = _partition(measured, clusters, n_clusters, random_state, n_init)
            parts.append(kmeans_checks(measured, method, codes, k, known, float(gamma)))
        if test is not None and alpha is not None:
            if known is None or len(classes) != 2:
                found = "are missing" if known is None else f"have {len(classes)} classes"
                raise ValueError(
                    f"test points are judged by a classifier of two classes, but labels {found}; "
                    "give labels of two classes, one class against the rest"
                )
            rows = adjusted_like(A, _points(test, A))
            checks, notes, points = rlsc_checks(measured, known, float(alpha), rows)
            parts.append((checks, notes))
    return Certificate(
        made_by, len(indices), A.shape[1],
        tuple(check for checks, _ in parts for check in checks),
        tuple(note for _, notes in parts for note in notes),
        points, codes,
    )  # fmt: skip


def _refuse_rows(**given: Any) -> None:
    """Raise TypeError if anything is asked for that is about single rows."""
    named = [name for name, value in given.items() if value is not None]
    if named:
        raise TypeError(
            f"{', '.join(named)} would look at rows one by one, and of data in chunks only sums "
            f"over all rows are at hand; leave {'it' if len(named) == 1 else 'them'} out, or "
            "certify an array, such as some of the rows"
        )


def _other_data(selection: Selection, sample_weight: Any) -> str:
    """Say why a selection was made from other data than is at hand, if it was."""
    if selection.info.get("row_weights") and sample_weight is None:
        return (
            "the selection was made with weights of rows; pass sample_weight to compare with what "
            "was promised"
        )
    if selection.info.get("missing") == "pairwise":
        return (
            "the selection was made from products of pairs; what was lost is measured on data "
            "with means in place of gaps, so that nothing is promised of it"
        )
    return ""


def _method(selection: Selection) -> Method | None:
    """Return the method that made a selection, if it says so and there is one of that name."""
    name = selection.info.get("method")
    return METHODS.get(name) if isinstance(name, str) else None


def _check_options(
    A: Operand, clusters: Any, n_clusters: Any, labels: Any, gamma: Any, alpha: Any, test: Any
) -> None:
    if not isinstance(A, Columns):
        if not (clusters is None and n_clusters is None and test is None):
            raise TypeError(
                "only the reconstruction of a kernel can be certified; leave clusters, n_clusters "
                "and test out, or certify the data itself"
            )
        if labels is not None:
            raise TypeError("labels belong to rows, but a kernel has none; certify the data itself")
    for name, value, low in (("gamma", gamma, 1), ("alpha", alpha, 0)):
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, REALS):
            raise TypeError(f"{name} must be a number of at least {low}, got {value!r}")
        if not low <= value < np.inf:
            raise ValueError(f"{name}={value}; choose a number of at least {low}")
    if (alpha is None) != (test is None):
        given, other = ("alpha", "test") if test is None else ("test", "alpha")
        raise ValueError(
            f"{given} is given without {other}; classification needs test points, the "
            "regularization alpha and labels of two classes"
        )


def _clusters(clusters: Any, m: int) -> tuple[Indices, Any]:
    """Return the cluster of each row as a number, and the clusters."""
    shape = np.shape(clusters)
    if len(shape) not in (1, 2) or shape[0] != m:
        raise ValueError(
            f"clusters have shape {shape}, but the data has {m} rows; give one cluster for each row"
        )
    try:
        return as_labels(clusters, m)
    except ValueError as error:
        raise ValueError(f"clusters: {error}") from error


def _partition(
    measured: Measured, clusters: Any, n_clusters: Any, random_state: int, n_init: int
) -> tuple[Indices, int]:
    """Return X_out as a number for each row, and k."""
    m = measured.A.shape[0]
    if n_clusters is not None:
        n_clusters = check_count("n_clusters", n_clusters, 1, m, f" with {m} rows")
    if clusters is not None:
        codes, found = _clusters(clusters, m)
        if n_clusters is not None and len(found) > n_clusters:
            raise ValueError(
                f"clusters holds {len(found)} clusters, but n_clusters={n_clusters}; choose "
                f"n_clusters at least {len(found)}"
            )
        return codes, n_clusters or len(found)
    how = {"n_init": n_init, "random_state": random_state}
    model = quiet_kmeans(measured.reduced(), n_clusters, **how)
    return as_labels(model.labels_, m)[0], n_clusters


def _points(test: Any, A: Operand) -> Columns:
    T = as_columns(test) if isinstance(test, Operand) else wrapped(check_matrix(test, "test"))
    if T.shape[1] != A.shape[1]:
        raise ValueError(
            f"test has {T.shape[1]} columns, the data {A.shape[1]}; give test points with all "
            "columns, chosen or not"
        )
    return T
