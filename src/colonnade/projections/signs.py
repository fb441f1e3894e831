"""Projection by random signs, with the mailman algorithm."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any

import numpy as np

from ..foundation.parameters import Choice
from ..foundation.typing import Array, Floats
from ..operands.blocks import BLOCK_BYTES
from ..operands.entrance import container_of
from .fast_transforms import LANES, mailman, packed_signs
from .projection import FEATURES, StreamedProjection, declared

__all__ = ["SignProjection"]


@declared
class SignProjection(StreamedProjection):
    """Project rows by random signs.

    **Objective.** ``X R`` with entries ±1/√t of R, by fair coins: distances, the k-means
    objective and leading singular values of X are kept in few dimensions t.

    **Algorithm.** R is kept as a seed: some rows of it at a time are made from a counter-based
    generator, eight signs to a byte, and multiplied by BLAS or by the mailman algorithm [2]_.
    The latter adds every entry of a row of X to one of 256 sums, chosen by the byte of its
    feature, once for eight columns of R, and folds the 256 sums into eight results. The byte
    is the random correspondence that the algorithm asks for, so nothing is prepared or
    expanded. (With 256 sums, not one for every feature, all stay in the first-level cache.)
    Both give the same answer to rounding.

    **Cost.** O(n d t) multiplications by BLAS, O(nnz t) for sparse data; the mailman needs
    n d t/8 additions, and an eighth more for folding if d ≥ 4096. Memory: a few MiB in
    addition to X and two copies of the result; CSR data is turned a block at a time.

    **Guarantee.** With ``t = O(log(k/ε)/ε²)`` the cost of every clustering into k parts is kept
    within 1 + ε [3]_; with ``t = O(k/ε²)`` and ε < 1/3 a γ-approximate clustering of the
    projected rows is within ``1 + (1 + ε)γ`` of the best one, with probability 0.97 ([1]_,
    Theorem 1). On average ``‖CR‖² = ‖C‖²`` for any C ([1]_, Lemma 2).

    **When to use it.** Before k-means or neighbour searches on data of many features. The
    projected features have no meaning; to keep actual features use a selector.

    Parameters
    ----------
    algorithm : {"auto", "mailman", "blas"}, default="auto"
        How to multiply. "auto" takes the mailman for dense data of up to 4 rows, or of up to
        128 rows if there are at least 4096 features and 64 components; else BLAS. For sparse
        data the mailman makes 16 rows dense at a time, and hardly ever pays.

    Attributes
    ----------
    n_components_ : int
        t.
    key_ : ndarray of two uint64
        What R is made from.
    means_ : ndarray of shape (n_features,) or None
        What is subtracted from each feature; None without ``center`` and ``scale``.
    units_ : ndarray of shape (n_features,) or None
        What it is divided by then, 0 for a constant one; None without ``center`` and ``scale``.
    n_features_in_ : int
        How many features the data had.
    feature_names_in_ : ndarray of str
        Their names, if the data had names.

    References
    ----------
    .. [1] Boutsidis, Zouzias & Drineas, "Random projections for k-means clustering", 2010,
       Algorithm 1, Theorem 1 and §5.2.
    .. [2] Liberty & Zucker, "The mailman algorithm: a note on matrix-vector multiplication",
       Information Processing Letters 109, 2009.
    .. [3] Makarychev, Makarychev & Razenshteyn, "Performance of Johnson–Lindenstrauss transform
       for k-means and k-medians clustering", STOC 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import SignProjection
    >>> X = np.random.default_rng(0).standard_normal((20, 1000))
    >>> projection = SignProjection(n_clusters=3, random_state=0).fit(X)
    >>> projection.transform(X).shape
    (20, 58)
    >>> np.allclose(projection.transform(X), X @ projection.matrix())
    True
    """

    _: KW_ONLY
    algorithm: Annotated[str, Choice("auto", "mailman", "blas")] = "auto"

    def _project(self, X: Any) -> Floats:
        n, d = X.shape
        algorithm = self.algorithm
        if algorithm == "auto":
            # measured by the benchmark suite "projections"
            few = n <= 4 or (n <= 128 and d >= 4096 and self.n_components_ >= 64)
            algorithm = "mailman" if few and container_of(X) == "dense" else "blas"
        return super()._project(X) if algorithm == "blas" else self._by_mailman(X)

    def _by_mailman(self, X: Any) -> Floats:
        n, d = X.shape
        height = LANES * max(1, BLOCK_BYTES // (8 * d * LANES))
        width = FEATURES * max(1, BLOCK_BYTES // (FEATURES * self._n_bytes))
        out = np.zeros((n, self.n_components_))
        blocks = (slice(top, min(top + height, n)) for top in range(0, n, height))
        for block, rows in self._dense_rows(X, blocks):
            for start in range(0, d, width):
                stop = min(start + width, d)
                bits = self._packed_rows(start, stop)
                out[block] += mailman(rows[:, start:stop], bits, self.n_components_)
        return out / np.sqrt(self.n_components_)

    @property
    def _n_bytes(self) -> int:
        return -(-self.n_components_ // 8)

    def _packed_rows(self, start: int, stop: int) -> Array:
        """Return the bits of rows of R; start is the first row of a block."""
        # one stream for all features, 32 bytes to a step of its counter: blocks start at a step
        stream = self._stream(0)
        stream.advance(start * self._n_bytes // 32)
        words = stream.random_raw(-(-(stop - start) * self._n_bytes // 8))
        packed = words.astype("<u8", copy=False).view(np.uint8)
        return packed[: (stop - start) * self._n_bytes].reshape(stop - start, -1)

    def _rows(self, start: int, stop: int) -> Floats:
        R = packed_signs(self._packed_rows(start, stop), self.n_components_)
        R *= 1.0 / np.sqrt(self.n_components_)
        return R
