"""Columns that are known by their inner products alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..foundation.lapack import cholesky, eigvalsh
from ..foundation.threads import in_parallel
from ..foundation.typing import Array, Indices
from .blocks import block_slices, float64
from .containers import distant_mean
from .dense import Dense
from .entrance import check_matrix, wrapped
from .interface import Columns, Gram
from .kernel_names import check_kernel_name

__all__ = ["Kernel", "check_symmetric", "kernel_values"]

MANY = 8192
"""From so many points on, columns of a kernel are computed on all cores."""

PARTS = 4
"""Into how many parts a product with a kernel is cut, whatever the number of cores."""

SIDE = 512
"""Kernels of many points are evaluated in tiles of this side: each is 2 MiB."""

OF_DISTANCES = ("rbf", "laplacian")
"""Kernels that are 1 where the distance of two points is zero."""


class Kernel(Gram):
    """Columns known by their inner products alone: a positive semidefinite n × n matrix.

    Parameters
    ----------
    X : array-like or sparse matrix
        With ``kernel="precomputed"`` the n × n kernel matrix itself; otherwise n points as
        rows, whose kernel columns are computed when they are asked for.
    kernel : str or callable, default="precomputed"
        A kernel name of :func:`sklearn.metrics.pairwise.pairwise_kernels`, or a function of two
        rows that returns a number.
    check : bool, default=True
        Whether to check a precomputed kernel for symmetry and, by one Cholesky
        factorization, for positive semidefiniteness.
    **kernel_params
        Passed to the kernel, such as ``gamma=0.1``.

    Notes
    -----
    Selecting from a kernel is the Nyström method with chosen landmarks: the error path is the
    trace of what is left, ``trace(K − K̃)`` [1]_.

    The inner products of a ``"linear"`` kernel are those of the points themselves, so products with
    it go through these: no pair of points is looked at that was not asked for.

    Points are kept as they come and turned into float64 a block at a time, so the kernel of
    float32 or integer points is as exact as that of the same points in float64. But points much
    farther from zero than from each other are moved to mean zero for ``"rbf"``, since distances
    are found by way of inner products.

    References
    ----------
    .. [1] Farahat, "Greedy representative selection for unsupervised data analysis", ch. 4.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import Kernel
    >>> K = Kernel(np.eye(3))
    >>> K.shape
    (3, 3)
    >>> Kernel(np.arange(6.0).reshape(3, 2), kernel="rbf", gamma=0.1).sq_norms()
    array([1., 1., 1.])
    """

    def __init__(
        self,
        X: Any,
        kernel: str | Callable[..., float] = "precomputed",
        *,
        check: bool = True,
        **kernel_params: Any,
    ):
        check_kernel_name("kernel", kernel)
        given = isinstance(kernel, str) and kernel == "precomputed"
        X = check_matrix(X, name="the kernel" if given else "X")
        self.given = given
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.shape = (X.shape[0], X.shape[0])
        self.explicit: Columns | None = None  # the columns whose inner products these are
        if given:
            if kernel_params:
                names = ", ".join(sorted(kernel_params))
                raise ValueError(f"a precomputed kernel takes no parameters, got {names}")
            if sp.issparse(X):
                raise TypeError("a precomputed kernel must be dense; pass K.toarray()")
            _check_square(X)
            self.data = X if X.dtype.kind == "f" else X.astype(np.float64)
            self.dtype = self.data.dtype
            if check:
                _check_kernel(self.data)
        else:
            self.origin = distant_mean(X) if kernel == "rbf" else None
            self.data = X.tocsr().astype(np.float64, copy=False) if sp.issparse(X) else X
            if self.origin is not None:
                self.data = self.data - self.origin
            self.dtype = np.dtype(np.float64)  # of the kernel, whatever the points are kept as
            self._evaluate(slice(0, 1), slice(0, 1))  # an unknown parameter fails here
            if kernel == "linear":
                self.explicit = wrapped(self.data.T)

    @property
    def of_points(self) -> bool:
        """Whether it is known between any points, not only between those that it was made of."""
        return not self.given

    def _evaluate(self, i: slice, j: Indices | slice) -> Array:
        if self.given:
            return float64(self.data[i, j])
        return _in_blocks(self.data[i], self.data[j], self.kernel, self.kernel_params)

    def _tiles(self, part: int = 0, parts: int = 1) -> Iterator[tuple[slice, slice, Array]]:
        """Yield the tiles on and below the diagonal, or one of some equal parts of them."""
        starts = range(0, self.shape[0], SIDE)
        for top in starts[part::parts]:
            i = slice(top, min(top + SIDE, self.shape[0]))
            for left in starts[: top // SIDE + 1]:
                j = slice(left, min(left + SIDE, self.shape[0]))
                yield i, j, self._evaluate(i, j)

    def gram(self) -> Array:
        if self.given:
            return np.asfortranarray(self.data.T, dtype=np.float64)  # symmetric: often a view
        out = np.empty(self.shape, order="F")
        for i, j, tile in self._tiles():
            out[i, j] = tile
            if i != j:
                out[j, i] = tile.T
        return out

    def gram_columns(self, j: Indices | slice) -> Array:
        if self.explicit is not None:
            return self.explicit.gram_columns(j)
        n = self.shape[0]
        if self.given or n <= MANY:
            return self._evaluate(slice(None), j)
        rows = [slice(top, min(top + MANY, n)) for top in range(0, n, MANY)]
        return np.concatenate(in_parallel(lambda i: self._evaluate(i, j), rows))

    def gram_matmat(self, V: Array) -> Array:
        if self.given:
            return Dense(self.data).matmat(V)
        if self.explicit is not None:
            return self.explicit.rmatmat(self.explicit.matmat(V))

        def product(part: int) -> Array:
            out = np.zeros((self.shape[0], *V.shape[1:]))
            for i, j, tile in self._tiles(part, PARTS):
                out[i] += tile @ V[j]
                if i != j:
                    out[j] += tile.T @ V[i]
            return out

        return np.sum(in_parallel(product, range(PARTS)), axis=0)

    def sq_norms(self) -> Array:
        if self.given:
            return self.data.diagonal().astype(np.float64)
        if self.explicit is not None:
            # no inner product is larger than the largest of these
            return _finite(self.explicit.sq_norms())
        if self.kernel in OF_DISTANCES:
            return np.ones(self.shape[0])
        out = np.empty(self.shape[0])
        # a function is called for each pair, so none but the pairs on the diagonal
        step = 1 if callable(self.kernel) else 64
        for start in range(0, self.shape[0], step):
            block = slice(start, start + step)
            out[block] = self._evaluate(block, block).diagonal()
        return out

    def subset(self, j: Indices) -> Gram:
        if self.given:
            return Kernel(self.data[np.ix_(j, j)], check=False)
        return Kernel(self.data[j], self.kernel, **self.kernel_params)

    def scaled(self, factor: float) -> Gram:
        # factor multiplies the (unseen) columns, so the inner products take its square
        return Kernel(self.gram() * self.dtype.type(factor * factor), check=False)

    def max_abs(self) -> float:
        return float(np.sqrt(np.abs(self.sq_norms()).max()))


def kernel_values(
    X: Any, Y: Any, kernel: str | Callable[..., float], params: Mapping[str, Any]
) -> Array:
    """Return the kernel between the rows of X and those of Y, in float64.

    If the rows of Y are much farther from zero than from each other, distances are measured from
    their mean.
    """
    origin = distant_mean(Y) if kernel == "rbf" else None
    return _in_blocks(X, Y, kernel, params, origin)


def _in_blocks(
    X: Any,
    Y: Any,
    kernel: str | Callable[..., float],
    params: Mapping[str, Any],
    origin: Array | None = None,
) -> Array:
    """Return the kernel, with the origin taken out of all points.

    Rows of X that are kept in another type are converted a block at a time: a kernel in float32
    would blur all eigenvalues below 1e-7 of the largest.
    """
    Y = Y.astype(np.float64, copy=False)
    if origin is None and (X.dtype == np.float64 or sp.issparse(X)):
        return _pairwise(X.astype(np.float64, copy=False), Y, kernel, params)
    out = np.empty((X.shape[0], Y.shape[0]))
    Y = Y if origin is None else Y - origin
    for block in block_slices(X.shape[0], X.shape[1]):
        part = X[block].astype(np.float64)
        out[block] = _pairwise(part if origin is None else part - origin, Y, kernel, params)
    return out


def _pairwise(
    X: Any, Y: Any, kernel: str | Callable[..., float], params: Mapping[str, Any]
) -> Array:
    from sklearn import config_context
    from sklearn.metrics.pairwise import pairwise_kernels

    try:
        # the points were checked once, and what overflows is said below
        with config_context(assume_finite=True), np.errstate(over="ignore", invalid="ignore"):
            block = pairwise_kernels(X, Y, metric=kernel, **params)
    except (ValueError, TypeError) as error:
        given = ", ".join(f"{k}={v!r}" for k, v in params.items())
        with_given = f" with {given}" if given else ""
        raise ValueError(
            f"the kernel {kernel!r}{with_given} cannot be evaluated: {error}"
        ) from error
    return _finite(np.asarray(block, dtype=np.float64))


def _finite(values: Array) -> Array:
    """Return values of a kernel, or say that some are out of range."""
    with np.errstate(over="ignore", invalid="ignore"):
        suspicious = not np.isfinite(values.sum())
    if suspicious and not np.isfinite(values).all():
        bad = values[~np.isfinite(values)][0]
        raise ValueError(
            f"the kernel has values that are not finite, such as {bad}; check its parameters, or "
            "scale the data, for example with sklearn.preprocessing.StandardScaler"
        )
    return values


def _check_square(K: Array) -> None:
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            f"a precomputed kernel must be square, got shape {K.shape}; to compute one from "
            'points, name it, for example kernel="rbf"'
        )


def check_symmetric(K: Array) -> float:
    """Return how much rounding a kernel may hold, or say where it is not square or symmetric."""
    _check_square(K)
    scale = float(np.abs(K).max())
    tolerance = K.shape[0] * float(np.finfo(K.dtype).eps) * max(scale, np.finfo(K.dtype).tiny)
    gaps = np.abs(K - K.T)
    if gaps.max() > 100 * tolerance:
        i, j = np.unravel_index(gaps.argmax(), K.shape)
        raise ValueError(
            f"a kernel must be symmetric, but K[{i}, {j}] = {K[i, j]:.6g} and "
            f"K[{j}, {i}] = {K[j, i]:.6g}; pass (K + K.T) / 2 if the difference is harmless"
        )
    return tolerance


def _check_kernel(K: Array) -> None:
    tolerance = check_symmetric(K)
    shifted = np.array(K, order="F")
    shifted.flat[:: K.shape[0] + 1] += 100 * tolerance
    try:
        cholesky(shifted)
    except np.linalg.LinAlgError:
        smallest = float(eigvalsh(K)[0])
        raise ValueError(
            "a kernel must be positive semidefinite, but its smallest eigenvalue is "
            f"{smallest:.6g}; distances are not kernels (use exp(-D)), and a small negative "
            "value can be lifted by K + c * I"
        ) from None
