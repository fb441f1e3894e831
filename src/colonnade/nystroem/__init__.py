"""Features whose inner products approximate a kernel."""

from .ensemble import EnsembleNystroem
from .maps import Nystroem

__all__ = ["EnsembleNystroem", "Nystroem"]
