"""What tells functions and objects apart by what they do, in this process and in later ones."""

from __future__ import annotations

import functools
import hashlib
import inspect
import pickle
import sys
import sysconfig
import types
from typing import Any

__all__ = ["mark_of"]

INSTALLED = tuple({sysconfig.get_path(kind) for kind in ("purelib", "platlib", "stdlib")})
"""Where packages are: what they hold goes by its name."""


def mark_of(thing: Any) -> str | None:
    """Return a digest of an object: of its code, its defaults, what it closes over and its state.

    The code of functions and classes outside of installed packages counts, with the globals of
    their own module that they use; where they stand in a file does not.

    Parameters
    ----------
    thing : object
        A function, or an object with a method.

    Returns
    -------
    str or None
        None if there is state in it of which nothing can be told, such as a lock.

    Examples
    --------
    >>> from functools import partial
    >>> from colonnade.comparison.marks import mark_of
    >>> mark_of(partial(max, 1)) == mark_of(partial(max, 1)) != mark_of(partial(max, 2))
    True
    """
    try:
        return _Digest().of(thing)[:16]
    except (TypeError, AttributeError, ValueError, pickle.PicklingError, RecursionError):
        return None


class _Digest:
    """Digests of objects, each made once, also where they hold each other."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, str]] = {}  # with the object, so that ids stay its own

    def of(self, thing: Any) -> str:
        if id(thing) not in self._known:
            self._known[id(thing)] = thing, "above"
            kind = f"{type(thing).__module__}.{type(thing).__qualname__}"
            told = repr((kind, self._parts(thing)))
            self._known[id(thing)] = thing, hashlib.sha256(told.encode()).hexdigest()
        return self._known[id(thing)][1]

    def _parts(self, thing: Any) -> Any:
        import joblib

        if isinstance(thing, tuple | list):
            return [self.of(part) for part in thing]
        if isinstance(thing, set | frozenset):
            return sorted(map(self.of, thing))
        if isinstance(thing, dict):
            return sorted((self.of(key), self.of(value)) for key, value in thing.items())
        if isinstance(thing, types.ModuleType):
            return thing.__name__
        if isinstance(thing, types.CodeType):
            return thing.co_code, thing.co_names, [self.of(part) for part in thing.co_consts]
        if isinstance(thing, types.FunctionType):
            return self._function(thing)
        if isinstance(thing, type):
            return self._class(thing)
        if isinstance(thing, functools.partial):
            return self.of((thing.func, thing.args, thing.keywords))
        if isinstance(thing, types.MethodType):
            return self.of((thing.__self__, thing.__func__))
        if isinstance(thing, staticmethod | classmethod):
            return self.of(thing.__func__)
        if isinstance(thing, property):
            return self.of((thing.fget, thing.fset))
        if hasattr(thing, "__dict__") and _is_plain(type(thing)):
            return self.of(type(thing)), self.of(dict(vars(thing)))
        return joblib.hash(thing)

    def _function(self, function: types.FunctionType) -> Any:
        name = f"{function.__module__}.{function.__qualname__}"
        closure = [cell.cell_contents for cell in function.__closure__ or ()]
        held = self.of((function.__defaults__, function.__kwdefaults__, closure))
        if _installed(function.__module__):
            return name, held
        used = [(key, function.__globals__[key]) for key in _names(function.__code__)
                if key in function.__globals__]  # fmt: skip
        return held, self.of(function.__code__), [(key, self._global(value)) for key, value in used]

    def _global(self, value: Any) -> str:
        try:
            return self.of(value)
        except (TypeError, AttributeError, ValueError, pickle.PicklingError):
            return type(value).__qualname__  # a lock, an open file: seldom what results depend on

    def _class(self, kind: type) -> Any:
        name = f"{kind.__module__}.{kind.__qualname__}"
        if _installed(kind.__module__):
            return name
        own = {
            key: value for key, value in vars(kind).items()
            if not (inspect.isdatadescriptor(value) and not isinstance(value, property))
            and key not in ("__module__", "__doc__", "__firstlineno__", "__static_attributes__")
        }  # fmt: skip
        return kind.__qualname__, self.of(own), [self.of(base) for base in kind.__bases__]


def _is_plain(kind: type) -> bool:
    """Whether attributes are all the state of an object, as far as pickle knows."""
    return all(
        getattr(kind, how) is getattr(object, how) for how in ("__reduce__", "__reduce_ex__")
    )


def _names(code: types.CodeType) -> list[str]:
    inner = [part for part in code.co_consts if isinstance(part, types.CodeType)]
    return sorted({*code.co_names, *(name for part in inner for name in _names(part))})


def _installed(module: str | None) -> bool:
    found = sys.modules.get(module or "")
    if found is None or module == "__main__":
        return False
    file = getattr(found, "__file__", None)
    return file is None or file.startswith(INSTALLED)
