"""Certificates on the command line."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..certificates import certify
from ..registry import Method
from .data import label_classes
from .errors import input_errors
from .show import Answer

__all__ = ["certified_answer", "clusters_of"]


def clusters_of(entry: Method, params: Mapping[str, Any], asked: int | None) -> int | None:
    """Return for how many clusters to certify: as asked, or as the method was told."""
    if asked is not None:
        return asked
    if "n_clusters" in params:
        return params["n_clusters"]
    if "n_clusters" not in entry.parameters:
        return None
    default = getattr(entry.selector(), "n_clusters", None)
    return default if isinstance(default, int) else None


def certified_answer(answer: Answer, n_clusters: int | None, seed: int) -> Answer:
    """Return the answer with its certificate; the label of the file gives the classes."""
    X = answer.A if answer.rows else answer.table.X
    if n_clusters is None:  # the classes, for a method that preserves them
        n_clusters = answer.selection.info.get("n_classes")
    # a label that no part of the certificate needs may be a number, or missing
    needed = n_clusters is not None or answer.method.supervised == "labels"
    labels = None
    if needed and not answer.rows:
        labels = label_classes(answer.table, "the comparison with the label")
    with input_errors(n_clusters="--clusters"):
        certificate = certify(
            X, answer.selection, n_clusters=n_clusters, labels=labels, random_state=seed
        )
    return dataclasses.replace(answer, certificate=certificate)
