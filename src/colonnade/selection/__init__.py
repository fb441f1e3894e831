"""What a method returns, and what can be done with it."""

from .result import Selection

__all__ = ["Selection"]
