"""Boutsidis, Zouzias & Drineas (2010): k-means after random projections."""

from __future__ import annotations

from ..experiment import Experiment

__all__ = ["EXPERIMENTS"]

EXPERIMENTS: tuple[Experiment, ...] = ()
