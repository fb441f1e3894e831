"""scikit-learn's bases of selectors, for type checkers with the types that they lack.

An untyped class among the bases would let type checkers accept any parameter of a selector.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

__all__ = ["BaseEstimator", "SelectorMixin"]

if TYPE_CHECKING:

    class BaseEstimator:
        """Parameters that can be read and set."""

        n_features_in_: int
        feature_names_in_: Any

        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def get_metadata_routing(self) -> Any: ...
        def __sklearn_tags__(self) -> Any: ...

    class SelectorMixin:
        """Columns that are chosen by a mask."""

        def get_support(self, indices: bool = False) -> Any: ...
        def get_feature_names_out(self, input_features: Any = None) -> Any: ...
        def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any: ...
        def transform(self, X: Any) -> Any: ...
        def inverse_transform(self, X: Any) -> Any: ...
        def set_output(self, *, transform: str | None = None) -> Self: ...
else:
    from sklearn.base import BaseEstimator
    from sklearn.feature_selection import SelectorMixin
