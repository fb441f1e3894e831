"""What kernels and their parameters may be, before anything is computed with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import KERNEL_PARAMS

from ..validation import REALS

__all__ = ["kernel_parameters"]

INDEFINITE = {"sigmoid": "rbf", "additive_chi2": "chi2"}
"""Functions that scikit-learn counts among the kernels, and what to take in their place."""


def kernel_parameters(
    kernel: Any, kernel_params: Any, shorthands: Mapping[str, Any]
) -> dict[str, Any]:
    """Return all parameters of a kernel, as scikit-learn takes them together.

    Parameters
    ----------
    kernel : str or callable
        The kernel.
    kernel_params : dict or None
        Its parameters; a kernel by name takes those that it knows.
    shorthands : dict
        gamma, coef0 and degree, or None for each that was not given.

    Returns
    -------
    dict
    """
    if kernel_params is not None and not isinstance(kernel_params, Mapping):
        raise TypeError(
            "kernel_params must be a dict of parameters or None, got "
            f'{kernel_params!r}; for example {{"gamma": 0.1}}'
        )
    params = dict(kernel_params or {})
    given = {name: value for name, value in shorthands.items() if value is not None}
    if callable(kernel) or kernel == "precomputed":
        if given:
            raise ValueError(
                "Don't pass gamma, coef0 or degree if using a callable or precomputed kernel; "
                "pass kernel_params to a callable"
            )
        return params
    if kernel in INDEFINITE:
        raise ValueError(
            f"kernel={kernel!r} is not positive semidefinite, so no features have it as their "
            f"inner products; choose another, such as {INDEFINITE[kernel]!r}"
        )
    if kernel in KERNEL_PARAMS:
        params = {k: v for k, v in {**params, **given}.items() if k in KERNEL_PARAMS[kernel]}
    if params.get("gamma") is not None:
        _check_gamma(params["gamma"])
    return params


def _check_gamma(gamma: Any) -> None:
    if isinstance(gamma, bool | np.bool_) or not isinstance(gamma, REALS):
        raise TypeError(f"gamma must be a positive number or None, got {gamma!r}")
    if not 0 <= gamma < np.inf:  # zero is of no use, but scikit-learn takes it
        raise ValueError(f"gamma={gamma}; it must be positive and finite, for example 0.1")
