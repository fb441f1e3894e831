"""Farahat (2012), chapter 5: fast k-means and spectral clustering."""

from __future__ import annotations

from ..experiment import Experiment

__all__ = ["EXPERIMENTS"]

EXPERIMENTS: tuple[Experiment, ...] = ()
