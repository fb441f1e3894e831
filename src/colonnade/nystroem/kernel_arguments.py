"""The kernels that feature maps take, their parameters, and what these maps share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.metrics.pairwise import KERNEL_PARAMS
from sklearn.utils.validation import validate_data

from ..operands.chunked.arriving import is_chunked, validated_chunks
from ..operands.containers import sklearn_ready
from ..operands.kernel_names import check_gamma, check_kernel_name, check_kernel_params

__all__ = ["KernelMap", "kernel_parameters", "type_of"]

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
    params = check_kernel_params(kernel_params)
    if isinstance(kernel, str) and kernel in INDEFINITE:
        raise ValueError(
            f"kernel={kernel!r} is not positive semidefinite, so no features have it as their "
            f"inner products; choose another, such as {INDEFINITE[kernel]!r}"
        )
    check_kernel_name("kernel", kernel, without=INDEFINITE)
    given = {name: value for name, value in shorthands.items() if value is not None}
    if callable(kernel) or kernel == "precomputed":
        if given:
            raise ValueError(
                "Don't pass gamma, coef0 or degree if using a callable or precomputed kernel; "
                "pass kernel_params to a callable"
            )
        return params
    params = {k: v for k, v in {**params, **given}.items() if k in KERNEL_PARAMS[kernel]}
    if params.get("gamma") is not None:
        check_gamma(params["gamma"], zero=True)  # of no use, but scikit-learn takes it
    return params


def type_of(X: Any) -> Any:
    """Return the type of the features of points."""
    return np.float32 if X.dtype == np.float32 else np.float64


class KernelMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """What feature maps of kernels share: the kernel's parameters, and checks of the data."""

    kernel: Any
    kernel_params: Any

    def _parameters(self) -> dict[str, Any]:
        """Return the kernel's parameters, as scikit-learn takes them together."""
        names = ("gamma", "coef0", "degree")
        given = {name: getattr(self, name) for name in names}
        return kernel_parameters(self.kernel, self.kernel_params, given)

    def _check(self, X: Any, *, reset: bool) -> Any:
        if is_chunked(X):
            return validated_chunks(self, X, reset=reset)
        sparse = False if self.kernel == "precomputed" else "csr"
        return validate_data(self, sklearn_ready(X), accept_sparse=sparse, reset=reset)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
