"""Traits of methods, and the parameters that come with them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar, Self

from ..foundation.parameters import Sweeps
from ..foundation.typing import RandomState
from ..registry import REFUSED
from .base import Selector

__all__ = ["Adjustable", "Seeded", "SeesRows", "Weighted"]


@dataclass(eq=False, repr=False)
class Adjustable(Selector):
    """A method whose choice can be stopped by its error, begun, restricted and refined.

    Parameters
    ----------
    max_error : float or None, default=None
        Stop as soon as the squared error is at most this share of the total.
    must_include : iterable of int or str, default=None
        Columns to choose first, by number or by name.
    exclude : iterable of int or str, default=None
        Columns never to choose.
    refine : bool or int, default=False
        Exchange columns afterwards while that lowers the reconstruction error; a number limits
        the sweeps.
    """

    _: KW_ONLY
    max_error: float | None = None
    must_include: Iterable[Any] | None = None
    exclude: Iterable[Any] | None = None
    refine: Annotated[bool | int, Sweeps()] = False

    def _no_path(self) -> str:
        return ""


@dataclass(eq=False, repr=False)
class Weighted(Selector):
    """A method that rescales the columns that it chooses.

    Parameters
    ----------
    n_select : int, float or None, default=None
        How many picks, before repeats are merged: a number, a fraction of the columns, or None
        for half of them.
    rescale : bool, default=True
        Whether ``transform`` multiplies the columns by their weights.
    """

    _: KW_ONLY
    rescale: bool = True


@dataclass(eq=False, repr=False)
class Seeded(Selector):
    """A method that draws random numbers.

    Parameters
    ----------
    random_state : int, RandomState or None, default=None
        Random seed.
    """

    _: KW_ONLY
    random_state: RandomState = None


@dataclass(eq=False, repr=False)
class SeesRows(Selector):
    """A method that looks at rows one by one, such as for their distances or their labels."""

    weighs_rows: ClassVar[bool] = False

    def fit(self, X: Any, y: Any = None, **refused: Any) -> Self:  # type: ignore[override]
        """Choose columns of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The data; never modified.
        y : array-like, optional
            Used only by methods with labels.
        **refused
            No ``sample_weight``: it is refused.

        Returns
        -------
        self : object
        """
        if "sample_weight" in refused:
            raise TypeError(f"{type(self).__name__} {REFUSED}")
        if refused:
            raise TypeError(f"fit takes X and y, got {', '.join(sorted(refused))} as well")
        return super().fit(X, y)
