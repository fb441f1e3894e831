"""All methods: one file for each, in folders by kind.

A method is a class under ``@method(...)`` in any file here; importing this package finds them.
"""

from importlib import import_module as _import_module
from pkgutil import walk_packages as _walk_packages

from ..registry import METHODS as _METHODS
from .rows import RowSelector as _RowSelector

for _module in _walk_packages(__path__, f"{__name__}."):
    _import_module(_module.name)

_CLASSES = {_entry.estimator: _entry.selector for _entry in _METHODS.values()}
_CLASSES["RowSelector"] = _RowSelector
globals().update(_CLASSES)

__all__ = sorted(_CLASSES)
