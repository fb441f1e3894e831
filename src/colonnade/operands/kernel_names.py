"""Kernels by name and their parameters, checked before anything is computed with them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from ..foundation.wording import did_you_mean

__all__ = ["check_gamma", "check_kernel_name", "check_kernel_params"]


def check_kernel_name(
    parameter: str,
    value: Any,
    *,
    also: Collection[str] = ("precomputed",),
    without: Collection[str] = (),
) -> None:
    """Raise ValueError if a value is neither the name of a kernel nor a function.

    Parameters
    ----------
    parameter : str
        What the value was given as.
    value : Any
        The name or function.
    also : collection of str
        Names that are known in addition to the kernels of scikit-learn.
    without : collection of str
        Kernels of scikit-learn that are no answer here.
    """
    from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS

    known = sorted({*PAIRWISE_KERNEL_FUNCTIONS, *also} - {*without})
    if callable(value) or (isinstance(value, str) and value in known):
        return
    hint = did_you_mean(value, known)
    raise ValueError(
        f"{parameter}={value!r} is unknown{hint}; choose one of {', '.join(known)}, or a function "
        "of two rows"
    )


def check_kernel_params(params: Any) -> dict[str, Any]:
    """Return the parameters of a kernel as a dict of their own, or say that they are none."""
    if params is not None and not isinstance(params, Mapping):
        raise TypeError(
            f"kernel_params must be a dict of parameters or None, got {params!r}; for example "
            '{"gamma": 0.1}'
        )
    return dict(params or {})


def check_gamma(gamma: Any, *, zero: bool = False) -> float:
    """Return gamma, an inverse squared width; raise TypeError or ValueError if it cannot be.

    Parameters
    ----------
    gamma : Any
        The parameter.
    zero : bool
        Whether it may be zero, which makes all points alike.
    """
    if isinstance(gamma, bool) or not isinstance(gamma, int | float | np.integer | np.floating):
        raise TypeError(f"gamma must be a positive number or None, got {gamma!r}")
    if not (0 < gamma < np.inf or (zero and gamma == 0)):
        raise ValueError(f"gamma={gamma}; it must be positive and finite, for example 0.1")
    return float(gamma)
