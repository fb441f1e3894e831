"""A matrix with what is known about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..foundation.typing import Array

__all__ = ["Dataset"]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A matrix with what is known about it.

    Attributes
    ----------
    X : ndarray or sparse CSR matrix of shape (n_samples, n_features)
        In the dtype it is stored in.
    name, description : str
        What it is called, and what it is in a sentence or two.
    y : ndarray of shape (n_samples,) or None
        Classes, or a number to predict.
    feature_names, target_names : list of str or None
        Names of the columns, and of the classes in the order of ``np.unique(y)``.
    truth : dict
        The known answer of a generated set; empty for others.

    Examples
    --------
    >>> from colonnade import datasets
    >>> iris = datasets.load("iris")
    >>> iris
    Dataset('iris', 150 × 4, dense float64)
    >>> iris.feature_names[0]
    'sepal length (cm)'
    """

    X: Any
    name: str
    description: str
    y: Array | None = None
    feature_names: list[str] | None = None
    target_names: list[str] | None = None
    truth: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        from ..operands.entrance import container_of

        m, n = self.X.shape
        return f"Dataset({self.name!r}, {m} × {n}, {container_of(self.X)} {self.X.dtype})"
