"""Boutsidis, Mahoney & Drineas (2009): leverage scores choose features for k-means."""

from __future__ import annotations

from ..experiment import Experiment

__all__ = ["EXPERIMENTS"]

EXPERIMENTS: tuple[Experiment, ...] = ()
