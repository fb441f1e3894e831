"""The one list of methods.

The command line, the tests, the benchmarks, the documentation and :func:`colonnade.select` all
read :data:`METHODS`; nothing else lists methods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

import numpy as np

from .foundation.documentation import complete, in_order
from .foundation.parameters import REALS
from .foundation.wording import did_you_mean
from .operands.entrance import as_columns, as_operand
from .operands.naming import column_names
from .selection import Selection

if TYPE_CHECKING:
    from .operands.preparing import Preparation
    from .selectors.base import Selector

__all__ = [
    "KINDS",
    "METHODS",
    "REFUSED",
    "Method",
    "check_kernel_method",
    "check_method_params",
    "entry_of",
    "method",
]

KINDS = {
    "greedy": "one column after another, each the best for a criterion",
    "pivoted": "one column after another, by what is left of it",
    "sparsifiers": "columns and weights that keep a spectrum",
    "sampling": "random columns",
    "factors": "columns that stand for principal components or for groups of columns",
    "graph": "columns that follow a graph of near rows",
    "labels": "columns that tell classes apart",
    "representatives": "columns that stand for those near to them",
}
"""What kinds of methods there are, in the order in which they are listed: the folders."""

REFUSED = "looks at each row by itself, so it takes no sample_weight; repeat rows instead"
"""Why some methods take no weights."""

ESTIMATOR_ONLY = ("n_select", "verbose", "rescale")
"""Parameters of the classes that :func:`colonnade.select` does not pass on."""

Class = TypeVar("Class", bound="type[Selector]")


@dataclass(frozen=True)
class Method:
    """A way to select columns, with what a user needs to choose it.

    Attributes
    ----------
    name : str
        As given to ``select`` and the command line.
    selector : type
        The scikit-learn class that runs it.
    title : str
        What it does, in a few words.
    document : str
        Where it comes from.
    cost : str
        Leading terms, for an m × n matrix and l choices.
    guarantee : str
        What is known about the answer.
    kernels : bool
        Whether inner products of the columns are enough, so that it takes kernels.
    preset : dict
        Parameters that make this method out of the class.
    randomized : bool
        Whether the answer depends on ``random_state``, if only for large data.
    supervised : str
        What ``select`` calls the second argument of ``fit``, for methods that need one:
        ``"target"`` or ``"labels"``.
    weighted : bool
        Whether it rescales the columns that it chooses.
    wide : bool
        Whether it takes more columns in chunks than have room for their inner products.

    Examples
    --------
    >>> from colonnade import METHODS
    >>> leverage_top = METHODS["leverage-top"]
    >>> leverage_top.estimator, leverage_top.preset
    ('LeverageSelector', {'deterministic': True})
    >>> leverage_top.kind, leverage_top.inputs
    ('sampling', ('dense', 'sparse', 'kernel', 'tall dask', 'wide dask'))
    """

    name: str
    selector: type[Selector]
    title: str
    document: str
    cost: str
    guarantee: str
    kernels: bool = True
    preset: Mapping[str, Any] = field(default_factory=dict)
    randomized: bool = False
    supervised: str = ""
    weighted: bool = False
    wide: bool = False

    def __call__(
        self,
        A: Any,
        n_select: Any = None,
        *,
        names: Sequence[str] | None = None,
        barred: Sequence[int] = (),
        prepared: Preparation | None = None,
        **params: Any,
    ) -> Selection:
        unknown = sorted(set(params) - set(self.parameters))
        if "sample_weight" in unknown:
            raise TypeError(f"method {self.name!r} {REFUSED}")
        if unknown:
            raise TypeError(
                f"method {self.name!r} has no parameter {unknown[0]!r}; it takes "
                + ", ".join(self.parameters)
            )
        names = column_names(A) if names is None else names
        A = as_operand(A, gaps=params.get("missing", "error") != "error")
        if names is not None and len(names) != A.shape[1]:
            raise ValueError(
                f"names holds {len(names)} names, but the data has {A.shape[1]} columns; give one "
                "for each"
            )
        if not self.kernels:
            cure = "pass the data, or use a method for kernels such as 'greedy'"
            as_columns(A, f"method {self.name!r}", cure)
        y = params.pop(self.supervised, None) if self.supervised else None
        if self.supervised and y is None:
            raise TypeError(
                f"method {self.name!r} needs {self.supervised}: pass {self.supervised}=y"
            )
        progress, weights = params.pop("progress", None), params.pop("sample_weight", None)
        selector = self.selector(n_select, **{**self.preset, **params})
        selection = selector.choose(
            A, y, sample_weight=weights, names=names, barred=barred, progress=progress,
            prepared=prepared,
        )  # fmt: skip
        # other parameters may look like a preset too, but this one was asked for
        return selection.with_info(method=self.name) if self.preset else selection

    @property
    def kind(self) -> str:
        """The key of :data:`KINDS`: the folder that the class is in."""
        return self.selector.__module__.split(".")[-2]

    @property
    def estimator(self) -> str:
        """The name of the class."""
        return self.selector.__name__

    @property
    def inputs(self) -> tuple[str, ...]:
        """What it takes: "dense", "sparse", "kernel", "tall dask", "wide dask"."""
        tall = self.selector.weighs_rows and not self.supervised
        also = {"kernel": self.kernels, "tall dask": tall, "wide dask": self.wide}
        return ("dense", "sparse", *(name for name, so in also.items() if so))

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Names of the keyword parameters that can be set."""
        taken = (*ESTIMATOR_ONLY, *self.preset)
        own = [name for name in in_order(self.selector) if name not in taken]
        also = ("sample_weight", "progress") if self.selector.weighs_rows else ("progress",)
        return (*([self.supervised] if self.supervised else []), *own, *also)

    def describes(self, selector: Selector) -> bool:
        """Return whether a selector with these parameters is this method."""
        for key, value in self.preset.items():
            given = getattr(selector, key)
            plain = isinstance(given, (str, np.bool_, *REALS))
            # what is no name of a target is the target itself
            if given != value if plain else key != self.supervised:
                return False
        return True


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


@dataclass_transform()
def method(name: str, **about: Any) -> Callable[[Class], Class]:
    """Enter the decorated class in :data:`METHODS`; see :class:`Method` for ``about``.

    The fields of the class become its parameters, and what is said about those that many
    methods share is added to its documentation. A class may be entered several times, each time
    with another ``preset``; the entry without one stands below the others. Whoever runs it,
    ``info["method"]`` of the selection is the name of the entry whose preset the parameters are.
    """

    def enter(cls: Class) -> Class:
        if "__dataclass_fields__" not in vars(cls):
            documented = cls.__doc__ is not None  # not under ``python -OO``
            dataclass(eq=False, repr=False)(cls)  # adds to the class in place
            if documented:
                cls.__doc__ = complete(cls)
        _enter(Method(name=name, selector=cls, **about))
        return cls

    return enter


def _enter(entry: Method) -> None:
    if entry.name in _methods:
        raise ValueError(f"a method {entry.name!r} exists already")
    _methods[entry.name] = entry
    # listed by kind, whatever the order of imports
    kinds = list(KINDS)
    listed = sorted(_methods.values(), key=lambda entry: kinds.index(entry.kind))
    _methods.clear()
    _methods.update({entry.name: entry for entry in listed})


def entry_of(selector: Selector) -> Method:
    """Return the method that a selector with these parameters is.

    The one with most to say about them; of several the one whose decorator stands lowest.
    """
    for cls in type(selector).__mro__:  # a subclass is the method that it is derived from
        entries = [entry for entry in _all_methods().values() if entry.selector is cls]
        if entries:
            fitting = [entry for entry in entries if entry.describes(selector)]
            return max(fitting, key=lambda entry: bool(entry.preset))
    raise TypeError(f"{type(selector).__name__} is no method; put it under @method(...)")


def check_kernel_method(what: str, name: Any, others: Sequence[str], also: str = "") -> None:
    """Raise ValueError if a name is neither a method that takes kernels nor one of some others.

    Parameters
    ----------
    what : str
        What the name was given as.
    name : Any
        The name.
    others : sequence of str
        What is known in addition to the methods.
    also : str
        What else may be given.
    """
    known = [name for name, entry in METHODS.items() if entry.kernels] + [*others]
    if isinstance(name, str) and name in known:
        return
    problem = f"is unknown{did_you_mean(name, known)}"
    if isinstance(name, str) and name in METHODS:
        problem = "needs the columns themselves and cannot choose by a kernel"
    raise ValueError(f"{what}={name!r} {problem}; choose one of {', '.join(known)}{also}")


def check_method_params(
    parameter: str, params: Any, size: str, own: str = "n_select"
) -> dict[str, Any]:
    """Return parameters for a method as a dict of their own; raise if they are none.

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
