"""Farahat (2012), chapter 6: features chosen without labels, judged by clustering."""

from __future__ import annotations

from ..experiment import Experiment

__all__ = ["EXPERIMENTS"]

EXPERIMENTS: tuple[Experiment, ...] = ()
