"""What takes part in a comparison: methods of this package, transformers, functions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from ..foundation.parameters import INTEGERS
from ..foundation.typing import Array, Floats, Indices
from ..operands.containers import dense
from ..registry import METHODS
from .halves import Half
from .marks import mark_of

__all__ = ["Chosen", "Contender", "FunctionContender", "MethodContender", "TransformerContender"]

SIZES = (
    "n_select", "n_components", "k", "n_features_to_select", "max_features", "n_features",
    "n_clusters",
)  # fmt: skip
"""What transformers call the number of columns, or of directions, that they leave."""

LARGE = 1e100
"""Numbers above, and below its inverse, cannot be squared and summed."""


@dataclass(frozen=True)
class Chosen:
    """What a contender found in one half of the rows.

    Attributes
    ----------
    features : callable
        Returns what it makes of a half: an array with one row for each.
    indices : ndarray of int or None
        The columns that it chose; None for what is no choice of columns.
    """

    features: Callable[[Half], Floats]
    indices: Indices | None = None


class Contender(ABC):
    """Something that chooses columns, or finds directions.

    Attributes
    ----------
    name : str
        What it is called.
    """

    name: str
    supervised: ClassVar[bool] = False

    @property
    @abstractmethod
    def mark(self) -> str | None:
        """What tells it from others of the same name, for files of runs; None if nothing does."""

    @abstractmethod
    def choose(self, half: Half, seen: Any, n: int, seed: int) -> Chosen:
        """Choose so many columns by the rows of a half, and by what :meth:`look` made of them."""

    def look(self, half: Half) -> Any:
        """Return what :meth:`choose` gets to see, so that time and memory are those of the choice.

        Somebody else's code may modify what it is given, so every choice needs a look of its own.
        """
        return half.matrix.copy()


@dataclass(frozen=True)
class MethodContender(Contender):
    """A method of this package.

    Attributes
    ----------
    method : str
        A key of :data:`colonnade.METHODS`.
    params : dict
        Its parameters.
    """

    name: str
    method: str
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def mark(self) -> str:
        return f"{self.method} {sorted(self.params.items(), key=lambda item: item[0])!r}"

    def look(self, half: Half) -> None:
        """Nothing is made: methods of this package take the half as it is, and modify nothing."""

    def choose(self, half: Half, seen: None, n: int, seed: int) -> Chosen:
        entry = METHODS[self.method]
        params = dict(self.params)
        if "random_state" in entry.parameters and params.get("random_state") is None:
            params["random_state"] = seed
        if entry.supervised:
            params[entry.supervised] = as_target(half.y, entry.supervised)
        found = entry(half.A, n, prepared=half.preparation, **params)

        return _columns(found.indices, found.weights)


@dataclass(frozen=True)
class TransformerContender(Contender):
    """A transformer of scikit-learn, or one with the same interface.

    Attributes
    ----------
    estimator : transformer
        It is cloned for every run.
    """

    name: str
    estimator: Any

    @property
    def mark(self) -> str | None:
        return mark_of(self.estimator)

    @property
    def size_parameter(self) -> str | None:
        """What the number of columns is called, if there is such a parameter."""
        known = list(self.estimator.get_params())
        # of a pipeline: the last step that has one
        for name in reversed([name for name in known if "__" in name]):
            if name.rpartition("__")[2] in SIZES and not any(size in known for size in SIZES):
                return name
        return next((size for size in SIZES if size in known), None)

    def choose(self, half: Half, seen: Any, n: int, seed: int) -> Chosen:
        estimator = clone(self.estimator)
        wanted: dict[str, Any] = {
            name: seed
            for name, value in estimator.get_params().items()
            if name.rpartition("__")[2] == "random_state" and value is None
        }
        if self.size_parameter is not None:
            wanted[self.size_parameter] = n
        estimator.set_params(**wanted).fit(seen, half.y)
        support = getattr(estimator, "get_support", None)
        if support is not None:
            return _columns(checked_columns(support(indices=True), half))
        return Chosen(
            lambda of: checked_features(estimator.transform(of.matrix.copy()), of), indices=None
        )


@dataclass(frozen=True)
class FunctionContender(Contender):
    """A function of X, n and random_state that returns the numbers of columns."""

    name: str
    function: Callable[..., Any]

    @property
    def mark(self) -> str | None:
        return mark_of(self.function)

    def choose(self, half: Half, seen: Any, n: int, seed: int) -> Chosen:
        indices = checked_columns(self.function(seen, n, seed), half)
        if len(indices) > n:
            raise ValueError(f"the function returned {len(indices)} columns for n={n}")
        return _columns(indices)


def _columns(indices: Indices, weights: Floats | None = None) -> Chosen:
    """Return a choice of columns, which may be rescaled."""

    def features(of: Half) -> Floats:
        columns = of.A.columns(indices).astype(np.float64, copy=False)
        return columns if weights is None else columns * weights

    return Chosen(features, indices)


def as_target(y: Array | None, kind: str) -> Any:
    """Return labels as methods need them: words become columns of zeros and ones for a target."""
    if y is None or kind == "labels" or y.dtype.kind in "fiub":
        return y
    return (y[:, None] == np.unique(y)).astype(float)


def checked_columns(indices: Any, half: Half) -> Indices:
    """Return numbers of columns; raise if they are none."""
    found = np.asarray(indices)
    n = half.A.shape[1]
    if found.shape == (0,):
        raise ValueError("it returned no columns")
    if found.ndim != 1 or not issubclass(found.dtype.type, INTEGERS):
        raise TypeError(
            f"it must return the numbers of columns, got {type(indices).__name__} of shape "
            f"{found.shape} and type {found.dtype}"
        )
    if found.min() < 0 or found.max() >= n:
        raise ValueError(f"it returned columns {found.min()} to {found.max()}, of 0 to {n - 1}")
    if len(np.unique(found)) < len(found):
        raise ValueError("it returned a column more than once")
    return found.astype(np.intp)


def checked_features(features: Any, half: Half) -> Floats:
    """Return what a transformer made of rows; raise if that cannot be used."""
    found = np.asarray(dense(features), dtype=np.float64)
    if found.ndim != 2 or len(found) != half.A.shape[0] or not found.shape[1]:
        raise ValueError(f"its transform returned shape {found.shape} for {half.A.shape[0]} rows")
    if not np.isfinite(found).all():
        raise ValueError("its transform returned values that are not finite")
    largest = float(np.abs(found).max(initial=0.0))
    if largest > LARGE or 0 < largest < 1 / LARGE:
        raise ValueError(
            f"its transform returned values up to {largest:.3g}, whose squares are out of range; "
            "scale them"
        )
    return found
