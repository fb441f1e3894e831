"""Regularized least squares: every λ from one factorization.

A *problem* is data with targets: :class:`Linear` (rows and features) or :class:`Kernelized` (an
n × n kernel). Both solve for one λ by a Cholesky factorization, and for many by the
:class:`Spectrum` of the kernel matrix. Weights w of rows make it the problem of rows and targets
times √w, less their weighted means if there is an intercept: with these all is as without.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.linalg import LinAlgError

from ..foundation.lapack import cho_factor, cho_solve, eigh, qr, svd
from ..foundation.typing import Array, Floats, Indices
from ..operands.adjusted import adjusted
from ..operands.entrance import as_columns, container_of
from ..operands.interface import Columns, stacked_triangle
from .lsqr import lsqr, warn_slow
from .spectrum import EPS, NOTHING, Spectrum, centred, in_all_rows, in_fewer_rows

__all__ = ["Kernelized", "Linear", "Model", "Problem"]

TRUSTED = 1e-10
"""Below this share of the squared size of the data, λ does not hide what squaring costs."""
SQUARED = 1e-7
"""The same where rows are left out, which may depend on differences that λ divides."""
EXACT, ROUGH = 1e-9, 1e-4
"""To what share of the data LSQR solves for good, and where only predictions are wanted."""


@dataclass(frozen=True)
class Model:
    """Coefficients, one column for each target, and what is added to the product with them."""

    coef: Floats
    intercept: Floats


class Problem(ABC):
    """Data and targets of which coefficients are wanted.

    Attributes
    ----------
    targets : ndarray of shape (n, k)
        The targets as they were given.
    weights : ndarray of shape (n,) or None
        Weights of the rows, all above 0.
    shares : ndarray of shape (n,)
        The part of each row in a mean.
    axis : ndarray of shape (n,) or None
        With an intercept, the square roots of the shares: the unit vector along which nothing is
        left of data and targets.
    Y : ndarray of shape (n, k)
        The targets, centred if there is an intercept, times the square roots of the weights.
    offset : ndarray of shape (k,)
        What was subtracted from them.
    size : float
        The squared size of the data, to compare λ with.
    """

    size: float

    def __init__(self, Y: Floats, intercept: bool, weights: Floats | None = None):
        self.intercept = intercept
        self.targets = Y
        self.weights = weights
        self.roots = None if weights is None else np.sqrt(weights)
        self.shares = np.full(len(Y), 1.0 / len(Y)) if weights is None else weights / weights.sum()
        self.axis = np.sqrt(self.shares) if intercept else None
        self.offset = self.shares @ Y if intercept else np.zeros(Y.shape[1])
        self.Y = Y - self.offset
        if self.roots is not None:
            self.Y *= self.roots[:, None]

    def unweighted(self, F: Floats, rows: Indices | slice = slice(None)) -> Floats:
        """Return values of f for some rows from what stands for them in ``Y``."""
        return (F if self.roots is None else F / self.roots[rows][:, None]) + self.offset

    @property
    def smallest(self) -> float:
        """The smallest λ for which inner products of the data are good enough."""
        return TRUSTED * self.size

    def _in_fewer_rows(self, M: Floats) -> Floats:
        return M if self.axis is None else in_fewer_rows(M, self.axis)

    def _in_all_rows(self, U: Floats) -> Floats:
        return U if self.axis is None else in_all_rows(U, self.axis)

    def _part_weights(self, rows: Indices) -> Floats | None:
        return None if self.weights is None else self.weights[rows]

    @abstractmethod
    def solve(self, alpha: float) -> Model:
        """Return the coefficients for one λ."""

    def solve_each(self, alphas: list[float]) -> list[Model]:
        """Return the coefficients for each λ, as exact as their predictions need."""
        if len(alphas) == 1:
            return [self.solve(alphas[0])]
        spectrum = self.spectrum(min(alphas))
        return [self.from_spectrum(spectrum, alpha) for alpha in alphas]

    @abstractmethod
    def spectrum(self, alpha: float) -> Spectrum:
        """Return the factorization for all λ from ``alpha`` on."""

    @abstractmethod
    def from_spectrum(self, spectrum: Spectrum, alpha: float) -> Model:
        """Return the coefficients for one λ, given the factorization."""

    @abstractmethod
    def part(self, rows: Indices) -> Self:
        """Return the problem of some of the rows alone."""

    @abstractmethod
    def values(self, models: list[Model], train: Indices, test: Indices) -> list[Floats]:
        """Return what each model of the rows ``train`` says about the rows ``test``."""


class Linear(Problem):
    """Rows of features; the shorter side is factorized.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, d)
    Y : ndarray of shape (n, k)
    intercept : bool
    direct : bool
        Whether to factorize, or to use products with X alone (LSQR).
    weights : ndarray of shape (n,) or None
        Weights of the rows, all above 0.
    """

    def __init__(
        self,
        X: Any,
        Y: Floats,
        intercept: bool,
        direct: bool = True,
        weights: Floats | None = None,
    ):
        super().__init__(Y, intercept, weights)
        self.X = X
        self.direct = direct
        self.sparse = container_of(X) == "sparse"
        self.tall = X.shape[1] <= X.shape[0]
        self.A: Columns = as_columns(X)
        self.mean = self.A.rmatmat(self.shares) if intercept else np.zeros(X.shape[1])
        if intercept or weights is not None:
            self.A = adjusted(self.A, self.mean, np.ones(X.shape[1]), self.roots)
        self.size = float(self.A.sq_norms().sum())
        # means that were subtracted leave rounding of their own size behind
        total = X.shape[0] if weights is None else float(weights.sum())
        raw = self.size + total * float(self.mean @ self.mean)
        self.nought = max(X.shape) * EPS * (np.sqrt(raw) if intercept else 0.0)
        if self.sparse:
            self.size = raw  # they are taken out of products

    @property
    def form(self) -> str:
        """Which equations are solved."""
        if not self.direct:
            return "lsqr"
        return "primal" if self.tall else "dual"

    def solve(self, alpha: float) -> Model:
        if not self.direct:
            return self.iterate([alpha], EXACT)[0]
        if alpha <= self.smallest:
            if self.sparse and self.tall:
                return self._model(self._least_squares(alpha))
            return self.from_spectrum(self.spectrum(alpha), alpha)
        square = self._gram() if self.tall else np.asfortranarray(self.A.outer())
        square.flat[:: len(square) + 1] += alpha
        factor = cho_factor(square, lower=True, overwrite_a=True, check_finite=False)
        if self.tall:
            return self._model(cho_solve(factor, self.A.rmatmat(self.Y), check_finite=False))
        return self._model(self.A.rmatmat(cho_solve(factor, self.Y, check_finite=False)))

    def solve_each(self, alphas: list[float]) -> list[Model]:
        return super().solve_each(alphas) if self.direct else self.iterate(alphas, ROUGH)

    def spectrum(self, alpha: float) -> Spectrum:
        if self.intercept and len(self.Y) == 1:
            return NOTHING
        squared = alpha > SQUARED * self.size
        if self.tall or not squared:
            U, values, V = self._svd(squared)
            blur = self._least(values) / values
            return Spectrum(self._in_all_rows(U), values**2, self.axis, blur, V)
        square = self._in_fewer_rows(self._in_fewer_rows(self.A.outer()).T)
        s, U = eigh(square, check_finite=False, overwrite_a=True)
        nought = self.size * len(s) * EPS
        keep = s > nought
        s, U = s[keep], U[:, keep]
        return Spectrum(self._in_all_rows(U), s, self.axis, nought / s)

    def from_spectrum(self, spectrum: Spectrum, alpha: float) -> Model:
        # what lies outside of U is orthogonal to all features
        U, s, V = spectrum.U, (spectrum.s + alpha)[:, None], spectrum.V
        inside = U.T @ self.Y
        if V is not None:
            return self._model(V @ (np.sqrt(spectrum.s)[:, None] * inside / s))
        c = U @ (inside / s)
        W = self.A.rmatmat(c)
        for _ in range(3 if alpha <= self.smallest else 0):
            # small coefficients are differences of large products: mend what that has cost
            more = U @ (U.T @ (self.Y - self.A.matmat(W) - alpha * c) / s)
            c, W = c + more, W + self.A.rmatmat(more)
        return self._model(W)

    def _least(self, values: Floats) -> float:
        """Return the singular value up to which they are rounding."""
        largest = float(values.max(initial=0.0))
        return max(largest * max(self.A.shape) * EPS, self.nought)

    def _svd(self, squared: bool) -> tuple[Floats, Floats, Floats | None]:
        """Return U (without the ones), singular values, and V where it is at hand.

        If λ hides what squaring costs, tall sparse data is not made dense.
        """
        V: Floats | None = None
        if not self.sparse:
            X = self._in_fewer_rows(self.A.columns(slice(None)))
            U, values, Vt = svd(X, full_matrices=False, check_finite=False)
            V = Vt.T
        elif not self.tall:
            U, values, _ = svd(self._triangle().T, check_finite=False, overwrite_a=True)
        else:
            if squared:
                s, V = eigh(self._gram(), check_finite=False, overwrite_a=True)
                V = V[:, s > self.size * len(s) * EPS]
            else:
                _, values, Vt = svd(self._triangle(), check_finite=False, overwrite_a=True)
                V = Vt[values > self._least(values)].T
            # the products are orthogonal up to rounding over their lengths; a second, small SVD
            # makes them so, and moves V and the values to fit
            U = self.A.matmat(V)
            lengths = np.sqrt(np.square(U).sum(axis=0))
            Q, R = qr(
                self._in_fewer_rows(U) / lengths,
                mode="economic",
                overwrite_a=True,
                check_finite=False,
            )
            P, values, turn = svd(R * lengths, full_matrices=False, check_finite=False)
            U, V = Q @ P, V @ turn.T
        keep = values > self._least(values)
        return U[:, keep], values[keep], None if V is None else V[:, keep]

    def _least_squares(self, alpha: float) -> Floats:
        """Return the coefficients of tall sparse data, holding nothing as long as it."""
        d = self.A.shape[1]
        R = self._triangle(self.Y)
        U, values, Vt = svd(R[:d, :d], check_finite=False)
        keep = values > self._least(values)
        values = values[keep]
        inside = U[:, keep].T @ R[:d, d:]
        return Vt[keep].T @ ((values / (values**2 + alpha))[:, None] * inside)

    def _triangle(self, Y: Floats | None = None) -> Floats:
        """Return R of a QR factorization of tall sparse data, and of wide data transposed.

        Strips of the longer side are made dense one at a time. Targets go to the right of it.
        """
        height = max(2 * min(self.A.shape), 256)
        starts = range(0, max(self.A.shape), height)

        def columns(start: int) -> Floats:
            return self._in_fewer_rows(self.A.columns(slice(start, start + height))).T

        if not self.tall:
            return stacked_triangle(columns(start) for start in starts)
        strips = self.A.row_strips(height)
        if Y is None:
            return stacked_triangle(strips)
        targets = (Y[start : start + height] for start in starts)
        return stacked_triangle(np.hstack(pair) for pair in zip(strips, targets, strict=True))

    def part(self, rows: Indices) -> Self:
        weights = self._part_weights(rows)
        return type(self)(self.X[rows], self.targets[rows], self.intercept, self.direct, weights)

    def values(self, models: list[Model], train: Indices, test: Indices) -> list[Floats]:
        rows = self.X[test]
        return [np.asarray(rows @ model.coef) + model.intercept for model in models]

    def _model(self, W: Floats) -> Model:
        return Model(W, self.offset - self.mean @ W)

    def iterate(self, alphas: list[float], tol: float) -> list[Model]:
        """Return the coefficients for each λ by products with the data alone."""
        limit = 10 * min(self.A.shape) + 100
        found = lsqr(
            self.A.matmat, self.A.rmatmat, self.Y, np.array(alphas),
            size=np.sqrt(self.size), tol=tol, limit=limit,
        )  # fmt: skip
        warn_slow(found, alphas, limit)
        return [self._model(W) for W in found.coef]

    def _gram(self) -> Floats:
        return np.array(self.A.gram(), order="F")  # a copy: it is overwritten


class Kernelized(Problem):
    """Rows that are known by their inner products ``K`` (n × n)."""

    form = "dual"

    def __init__(self, K: Array, Y: Floats, intercept: bool, weights: Floats | None = None):
        super().__init__(Y, intercept, weights)
        self.K = K
        sizes = np.abs(K.diagonal()).astype(np.float64)
        self.size = float(sizes.sum() if weights is None else weights @ sizes)

    def solve(self, alpha: float) -> Model:
        if alpha > self.smallest:
            square = self._square()
            square.flat[:: len(square) + 1] += alpha
            try:
                factor = cho_factor(square, lower=True, overwrite_a=True, check_finite=False)
            except LinAlgError:
                pass  # said below, with the eigenvalue
            else:
                return self._model(cho_solve(factor, self.Y, check_finite=False))
        return self.from_spectrum(self.spectrum(alpha), alpha)

    def spectrum(self, alpha: float) -> Spectrum:
        if self.intercept and len(self.K) == 1:
            return NOTHING
        square = self._in_fewer_rows(self._in_fewer_rows(self._square()).T)
        s, U = eigh(square, check_finite=False, overwrite_a=True)
        # the kernel was rounded when it was stored, before its means were taken out
        rounding = max(EPS, float(np.finfo(self.K.dtype).eps))
        largest = 1.0 if self.weights is None else float(self.weights.max())
        scale = max(float(np.abs(s).max()), largest * float(np.abs(self.K).max()))
        nought = scale * len(s) * rounding
        if -1e-8 * scale < s[0] <= -alpha:
            # kernels of distances are less exact; how much, a negative eigenvalue tells
            nought = max(nought, -2.0 * s[0])
        keep = np.abs(s) > nought
        s, U = s[keep], U[:, keep]
        if len(s) and s[0] + alpha <= 0:
            raise ValueError(
                f"the kernel is not positive semidefinite: its smallest eigenvalue is {s[0]:.6g}, "
                f"and alpha={alpha:g} does not lift it above 0; choose another kernel or a larger "
                "alpha"
            )
        return Spectrum(self._in_all_rows(U), s, self.axis, nought / np.abs(s))

    def from_spectrum(self, spectrum: Spectrum, alpha: float) -> Model:
        return self._model(spectrum.dual(alpha, self.Y))

    def part(self, rows: Indices) -> Self:
        K, weights = self.K[np.ix_(rows, rows)], self._part_weights(rows)
        return type(self)(K, self.targets[rows], self.intercept, weights)

    def values(self, models: list[Model], train: Indices, test: Indices) -> list[Floats]:
        K = self.K[np.ix_(test, train)]
        return [K @ model.coef + model.intercept for model in models]

    def _model(self, c: Floats) -> Model:
        if self.axis is not None:
            # nothing along the axis but rounding, which λ divides and a kernel far from zero
            # multiplies
            c = c - np.multiply.outer(self.axis, self.axis @ c)
        c = c if self.roots is None else c * self.roots[:, None]
        if not self.intercept:
            return Model(c, self.offset)
        return Model(c, self.shares @ (self.targets - self.K @ c))

    def _square(self) -> Floats:
        # a copy in any case: it is overwritten
        K = np.array(self.K, dtype=np.float64, order="F")
        K = centred(K, self.shares) if self.intercept else K
        if self.roots is not None:
            K *= self.roots
            K *= self.roots[:, None]
        return K
