"""Classification by regularized least squares."""

from .rls import RLSClassifier

__all__ = ["RLSClassifier"]
