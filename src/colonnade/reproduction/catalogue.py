"""All experiments, in the order of the documents."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module

from ..foundation.wording import did_you_mean
from .experiment import Experiment

__all__ = ["experiments", "find_experiments"]

MODULES = (
    "boutsidis_2009",
    "boutsidis_2010",
    "boutsidis_2010_mailman",
    "farahat_columns",
    "farahat_kernels",
    "farahat_clustering",
    "farahat_features",
    "boutsidis_2013",
    "paul_2014",
)
"""Modules of ``experiments/``; each has a tuple ``EXPERIMENTS``."""


@lru_cache(maxsize=1)
def experiments() -> Mapping[str, Experiment]:
    """Return all experiments by name."""
    found = [
        experiment
        for module in MODULES
        for experiment in import_module(f".experiments.{module}", __package__).EXPERIMENTS
    ]
    return {experiment.name: experiment for experiment in found}


def find_experiments(names: list[str]) -> list[Experiment]:
    """Return experiments by name; ``all`` is all of them, and a document those of the document.

    Raises
    ------
    ValueError
        If there is none of that name.
    """
    known = experiments()
    chosen: dict[str, Experiment] = {}
    for name in names:
        fitting = {
            key: found
            for key, found in known.items()
            if name in ("all", key) or key.startswith(f"{name}-")
        }
        if not fitting:
            raise ValueError(
                f"there is no experiment {name!r}{did_you_mean(name, [*known, 'all'])}; choose "
                f"all, or some of {', '.join(known)}"
            )
        chosen |= fitting
    return list(chosen.values())
