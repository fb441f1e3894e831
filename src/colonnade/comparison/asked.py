"""From what a user asks for to those who take part in a comparison."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Mapping
from typing import Any

from sklearn.base import clone

from ..foundation.parameters import check_parameters
from ..foundation.wording import did_you_mean
from ..registry import ESTIMATOR_ONLY, METHODS, entry_of
from ..selectors.base import Selector
from .contenders import SIZES, Contender, FunctionContender, MethodContender, TransformerContender
from .lines import DIRECTIONS, EVERYTHING

__all__ = ["RANDOM", "contenders_of", "default_methods", "split_methods"]

SWAPPED = "greedy(refine=True)"
MOST_SWAPPED = 5000
"""Above so many columns exchanges of columns are no longer cheap."""
DEFAULT_METHODS = (
    "greedy", SWAPPED, "pivoted-qr", "leverage-top", "jolliffe-b4", "uniform",
)  # fmt: skip
"""Some of each kind, all of them cheap."""
RANDOM = "uniform"
"""The method that all are compared with."""
YARDSTICKS = (DIRECTIONS, EVERYTHING)
"""What lines of tables are called that are of no method."""
TREATED = ("center", "scale", "missing")
"""What is said once for all methods."""
OTHERS = (
    "a name such as 'greedy(refine=True)', a dict with the key 'method', a selector, a transformer "
    "of scikit-learn, or a function of X, n and random_state that returns column numbers"
)


def default_methods(n_columns: int) -> list[str]:
    """Return what is compared if nothing is asked for.

    Examples
    --------
    >>> from colonnade.comparison.asked import default_methods
    >>> len(default_methods(100)), len(default_methods(10_000))
    (6, 5)
    """
    return [name for name in DEFAULT_METHODS if name != SWAPPED or n_columns <= MOST_SWAPPED]


def contenders_of(methods: Any, supervised: bool) -> dict[str, Contender]:
    """Return who takes part, by name; random columns always do.

    Parameters
    ----------
    methods : sequence or dict
        What the user asks for; the keys of a dict are names.
    supervised : bool
        Whether there are labels.

    Examples
    --------
    >>> from colonnade.comparison.asked import contenders_of
    >>> list(contenders_of(["greedy(refine=True)", {"method": "bss", "rank": 2}], False))
    ['greedy(refine=True)', 'bss(rank=2)', 'uniform']
    """
    if isinstance(methods, str):
        methods = split_methods(methods)
    named = isinstance(methods, Mapping) and "method" not in methods
    given = list(methods.items()) if named else [(None, spec) for spec in _as_list(methods)]
    if not given:
        raise ValueError("methods is empty; name at least one, such as 'greedy'")
    found: dict[str, Contender] = {}
    for name, spec in given:
        if named:
            _check_name(name)
        contender = _contender(name, spec)
        if contender.name == RANDOM and not _is_random(contender):
            raise ValueError(
                f"method {RANDOM!r} is the name of random columns, which all are compared with; "
                "give it another: methods={'mine': ...}"
            )
        if contender.name in found:
            raise ValueError(
                f"two methods are called {contender.name!r}; leave one out, or give them names "
                "(from Python): methods={'first': ..., 'second': ...}"
            )
        if _needs_label(contender) and not supervised:
            raise ValueError(f"method {contender.name!r} needs the labels of the rows; give y")
        found[contender.name] = contender
    if RANDOM not in found:
        found[RANDOM] = MethodContender(RANDOM, RANDOM)
    return found


def split_methods(text: str) -> list[str]:
    """Split names at commas, but not within brackets.

    Examples
    --------
    >>> from colonnade.comparison.asked import split_methods
    >>> split_methods("greedy, partition-greedy(n_groups=5, refine=True)")
    ['greedy', 'partition-greedy(n_groups=5, refine=True)']
    """
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _as_list(methods: Any) -> list[Any]:
    if isinstance(methods, Mapping) or not isinstance(methods, Iterable):
        return [methods]
    return list(methods)


def _check_name(name: Any) -> None:
    """Raise ValueError if a method cannot be called so in tables and files."""
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise ValueError(f"methods has the name {name!r}; choose text of one line, such as 'mine'")
    if name in YARDSTICKS:
        raise ValueError(
            f"methods has the name {name!r}, which is that of what all methods are compared with; "
            "choose another, such as 'mine'"
        )


def _is_random(contender: Contender) -> bool:
    return isinstance(contender, MethodContender) and contender.method == RANDOM


def _needs_label(contender: Contender) -> bool:
    return isinstance(contender, MethodContender) and bool(METHODS[contender.method].supervised)


def _contender(name: str | None, spec: Any) -> Contender:
    if isinstance(spec, str):
        return _of_method(name, *_parsed(spec))
    if isinstance(spec, Mapping):
        if not isinstance(spec.get("method"), str):
            raise ValueError(f"{dict(spec)!r} has no 'method'; give the name of one, with its "
                             "parameters")  # fmt: skip
        params = {key: value for key, value in spec.items() if key != "method"}
        return _of_method(name, spec["method"], params)
    if isinstance(spec, Selector):
        entry = entry_of(spec)
        plain = type(spec)().get_params(deep=False)
        params = {
            key: value
            for key, value in spec.get_params(deep=False).items()
            if key not in (*ESTIMATOR_ONLY, *TREATED, *entry.preset) and value is not plain[key]
            and value != plain[key]
        }  # fmt: skip
        return _of_method(name, entry.name, params)
    if not isinstance(spec, type) and all(
        hasattr(spec, part) for part in ("fit", "transform", "get_params", "set_params")
    ):
        return TransformerContender(name or _short(spec), spec)
    if callable(spec) and not isinstance(spec, type):
        called = str(getattr(spec, "__name__", type(spec).__name__))
        return FunctionContender(name or called, spec)
    hint = f"; pass {spec.__name__}()" if isinstance(spec, type) else ""
    raise TypeError(f"methods holds {spec!r}{hint}; it takes {OTHERS}")


def _short(estimator: Any) -> str:
    """Return what an estimator is called, with the parameters that are not by default.

    Its own number of columns is none of them: another one takes its place.
    """
    steps = getattr(estimator, "steps", None)
    if steps:
        return " + ".join(type(step).__name__ for _, step in steps)
    size = next((name for name in SIZES if name in estimator.get_params()), None)
    usual = inspect.signature(type(estimator)).parameters.get(size or "")
    if size and usual is not None and usual.default is not usual.empty:
        estimator = clone(estimator).set_params(**{size: usual.default})
    text = re.sub(r"\s+", " ", repr(estimator))
    return text.removesuffix("()") if len(text) <= 40 else type(estimator).__name__


def _parsed(text: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the parameters of ``name(parameter=value, ...)``."""
    found = re.fullmatch(r"\s*([\w.-]+)\s*(?:\((.*)\))?\s*", text, flags=re.DOTALL)
    if not found:
        raise ValueError(f"method {text!r}: write it as greedy or greedy(refine=True)")
    if not found[2]:
        return found[1], {}
    try:
        call = ast.parse(f"f({found[2]})", mode="eval").body
        assert isinstance(call, ast.Call)
        if call.args or any(keyword.arg is None for keyword in call.keywords):
            raise SyntaxError
        return found[1], {str(k.arg): _value(k.value) for k in call.keywords}
    except (SyntaxError, AssertionError):
        raise ValueError(
            f"method {text!r}: give parameters as name=value, such as greedy(refine=True)"
        ) from None


def _value(node: ast.expr) -> Any:
    """Return a value as Python writes it; a bare word is text, or true, false or none."""
    if isinstance(node, ast.Name):
        return {"true": True, "false": False, "none": None}.get(node.id.lower(), node.id)
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise SyntaxError from None


def _of_method(name: str | None, method: str, params: dict[str, Any]) -> MethodContender:
    if method not in METHODS:
        raise ValueError(
            f"method {method!r} is unknown{did_you_mean(method, METHODS)}; choose among "
            f"{', '.join(METHODS)}, or pass a transformer or a function (from Python)"
        )
    entry = METHODS[method]
    allowed = [
        key for key in entry.parameters
        if key not in (*TREATED, entry.supervised, "progress", "sample_weight")
    ]  # fmt: skip
    for key in params:
        if key in TREATED:
            raise ValueError(f"method {method!r}: {key} is the same for all methods; give it to "
                             "the comparison")  # fmt: skip
        if key not in allowed:
            raise ValueError(
                f"method {method!r} has no parameter {key!r}{did_you_mean(key, allowed)}; it takes "
                + (", ".join(allowed) or "none")
            )
    check_parameters(entry.selector(1, **{**entry.preset, **params}))
    written = ", ".join(f"{key}={value!r}" for key, value in params.items())
    return MethodContender(name or (f"{method}({written})" if written else method), method, params)
