"""The one list of methods.

The command line, the tests, the benchmarks, ``select`` and the documentation all read
:data:`METHODS`; nothing else lists methods.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, TypeVar, cast

import numpy as np

from .foundation.parameters import REALS
from .foundation.wording import did_you_mean
from .operands.entrance import container_of
from .selection import Selection

__all__ = ["KINDS", "METHODS", "Method", "check_kernel_method", "check_method_params", "method"]

KINDS = {
    "greedy": "one column after another, each the best for a criterion",
    "pivoting": "one column after another, by what is left of it",
    "sparsifier": "columns and weights that keep a spectrum",
    "sampling": "columns drawn by lot",
    "factors": "columns that stand for principal components or for groups of columns",
    "graph": "columns that follow a graph of near rows",
    "labels": "columns that tell classes apart",
}
"""What kinds of methods there are, in the order in which they are listed."""

Function = TypeVar("Function", bound=Callable[..., Selection])


@dataclass(frozen=True)
class Method:
    """A way to select columns, with what a user needs to choose it.

    Attributes
    ----------
    name : str
        As given to ``select`` and the command line.
    kind : str
        A key of :data:`KINDS`.
    title : str
        What it does, in a few words.
    function : callable
        ``f(A, n_select=None, **params) -> Selection``.
    preset : dict
        Parameters that make this method out of the function.
    estimator : str
        The scikit-learn class that runs it.
    document : str
        Where it comes from.
    cost : str
        Leading terms, for an m × n matrix and l choices.
    guarantee : str
        What is known about the answer.
    inputs : tuple of str
        Which of "dense", "sparse" and "kernel" it takes.
    randomized : bool
        Whether the answer depends on ``random_state``, if only for large data.
    supervised : str
        The parameter that takes y, for methods that need one: ``"target"`` or ``"labels"``.
    weighted : bool
        Whether it rescales the columns that it chooses.
    """

    name: str
    kind: str
    title: str
    function: Callable[..., Selection]
    estimator: str
    document: str
    cost: str
    guarantee: str
    inputs: tuple[str, ...]
    preset: Mapping[str, Any] = field(default_factory=dict)
    randomized: bool = False
    supervised: str = ""
    weighted: bool = False

    def __call__(self, A: Any, n_select: Any = None, **params: Any) -> Selection:
        unknown = sorted(set(params) - set(self.parameters))
        if unknown:
            raise TypeError(
                f"method {self.name!r} has no parameter {unknown[0]!r}; it takes "
                + ", ".join(self.parameters)
            )
        given = container_of(A)
        if given not in self.inputs:
            raise TypeError(
                f"method {self.name!r} does not take {given} data, only "
                f"{' and '.join(self.inputs)}; `colonnade methods` lists what others take"
            )
        if self.supervised and params.get(self.supervised) is None:
            raise TypeError(
                f"method {self.name!r} needs {self.supervised}: pass {self.supervised}=y"
            )
        selection = self.function(A, n_select, **{**self.preset, **params})
        # other parameters may look like a preset too, but this one was asked for
        return _labelled(selection, self.name) if self.preset else selection

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the keyword parameters that can be set."""
        names = list(inspect.signature(self.function).parameters)[2:]
        return tuple(name for name in names if name not in self.preset)

    def describes(self, params: Mapping[str, Any]) -> bool:
        """Say whether a call of the function with these parameters is this method.

        Parameters
        ----------
        params : mapping
            All parameters of the call by name, defaults included.
        """
        given = params.get(self.supervised)
        return (not self.supervised or not (given is None or isinstance(given, str))) and all(
            # others, such as arrays, may not compare
            isinstance(params[key], (str, np.bool_, *REALS)) and params[key] == value
            for key, value in self.preset.items()
        )


_methods: dict[str, Method] = {}


class _Methods(Mapping[str, Method]):
    """All methods; the first look imports the files that enter them."""

    def __getitem__(self, name: str) -> Method:
        return _all_methods()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_all_methods())

    def __len__(self) -> int:
        return len(_all_methods())


METHODS: Mapping[str, Method] = _Methods()
"""All methods by name."""


def _all_methods() -> Mapping[str, Method]:
    import_module(".selectors", __package__)
    return _methods


def method(name: str, **about: Any) -> Callable[[Function], Function]:
    """Enter the decorated function in :data:`METHODS`; see :class:`Method` for ``about``.

    A function may be entered several times, each time with another ``preset``. Whoever calls it,
    ``info["method"]`` of the selection is the name of the entry whose preset the parameters are.
    """

    def enter(function: Function) -> Function:
        function = function if hasattr(function, "__wrapped__") else _naming(function)
        _enter(Method(name=name, function=function, **about))
        return function

    return enter


def _naming(function: Function) -> Function:
    """Return the function such that its selections say which method they are from."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def named(*args: Any, **params: Any) -> Selection:
        selection = function(*args, **params)
        call = signature.bind(*args, **params)
        call.apply_defaults()
        entries = [entry for entry in METHODS.values() if entry.function is named]
        fitting = [entry for entry in entries if entry.describes(call.arguments)]
        # most to say about the parameters; of several the one that was entered last
        best = max(reversed(fitting), key=lambda entry: bool(entry.preset or entry.supervised))
        return _labelled(selection, best.name)

    return cast(Function, named)


def _labelled(selection: Selection, name: str) -> Selection:
    return selection.replace(info={**selection.info, "method": name})


def _enter(entry: Method) -> None:
    if entry.name in _methods:
        raise ValueError(f"a method {entry.name!r} exists already")
    if entry.kind not in KINDS:
        raise ValueError(f"kind={entry.kind!r} is unknown; choose one of {', '.join(KINDS)}")
    _methods[entry.name] = entry
    # listed by kind, whatever the order of imports
    listed = sorted(_methods.values(), key=lambda entry: list(KINDS).index(entry.kind))
    _methods.clear()
    _methods.update({entry.name: entry for entry in listed})


def check_kernel_method(what: str, name: Any, others: Sequence[str], also: str = "") -> None:
    """Say so if a name is neither a method that takes kernels nor one of some others.

    Parameters
    ----------
    what : str
        What the name was given as.
    name : Any
        The name.
    others : sequence of str
        What is known beside the methods.
    also : str
        What else may be given.
    """
    known = [name for name, entry in METHODS.items() if "kernel" in entry.inputs] + [*others]
    if isinstance(name, str) and name in known:
        return
    problem = f"is unknown{did_you_mean(name, known)}"
    if isinstance(name, str) and name in METHODS:
        problem = "needs the columns themselves and cannot choose by a kernel"
    raise ValueError(f"{what}={name!r} {problem}; choose one of {', '.join(known)}{also}")


def check_method_params(
    parameter: str, params: Any, size: str, own: str = "n_select"
) -> dict[str, Any]:
    """Return parameters for a method as a dict of their own, or say what is wrong with them.

    Parameters
    ----------
    parameter : str
        What they were given as.
    params : Any
        The parameters.
    size : str
        The parameter that says how many columns to choose.
    own : str
        What the method calls that.
    """
    if params is not None and not isinstance(params, Mapping):
        raise TypeError(
            f"{parameter} must be a dict of parameters or None, got {params!r}; for example "
            '{"n_groups": 50} for "partition-greedy"'
        )
    if params and own in params:
        raise ValueError(
            f"{parameter} has {own}={params[own]!r}, but {size} says how many to choose; leave it "
            "out"
        )
    return dict(params or {})
