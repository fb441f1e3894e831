"""Boutsidis & Magdon-Ismail (2013): what theorems promise, and what is measured."""

from __future__ import annotations

from ..experiment import Experiment

__all__ = ["EXPERIMENTS"]

EXPERIMENTS: tuple[Experiment, ...] = ()
