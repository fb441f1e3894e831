"""Lines of a picture, as they are kept and drawn."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Curve"]


@dataclass(frozen=True)
class Curve:
    """A line of a picture.

    Attributes
    ----------
    panel, label : str
        The picture that it is in, and its name there.
    x, y : tuple of float
        Where it goes.
    deviation : tuple of float
        How far its points may be off, if that is known.
    """

    panel: str
    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    deviation: tuple[float, ...] = ()
