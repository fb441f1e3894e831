"""Farahat (2012), chapter 3: columns chosen by greedy and other methods."""

from __future__ import annotations

from ..experiment import Experiment

__all__ = ["EXPERIMENTS"]

EXPERIMENTS: tuple[Experiment, ...] = ()
