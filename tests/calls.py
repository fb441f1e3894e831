"""Calling any method with whatever it needs."""

from __future__ import annotations

import warnings

from oracles import PARAMS, target_for

from colonnade import METHODS, RankReachedWarning, select

SEED = 3


def needs(name, A, n_select):
    """The parameters that a method must be given for a dense matrix."""
    params = PARAMS[name](A, n_select) if name in PARAMS else {}
    if METHODS[name].supervised == "target":
        params.setdefault("target", target_for(A))
    if METHODS[name].randomized:
        params.setdefault("random_state", SEED)
    return params


def run(name, X, n_select, *, data=None, **params):
    """Select with everything a method needs, not minding an early end.

    What it needs may depend on the numbers: if X is not a dense array, ``data`` is.
    """
    params = needs(name, X if data is None else data, n_select) | params
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankReachedWarning)
        return select(X, n_select, method=name, **params)
