"""Groups of options: a command that takes a dataclass takes its fields as options."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

__all__ = ["flattened"]


def flattened(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose parameters that are dataclasses became options, one per field.

    Typer makes an option of each parameter of a function. Options that several commands share are
    declared once, as annotated fields of a dataclass; the command gets an instance of it.

    Parameters
    ----------
    command : callable
        What runs; every parameter is annotated.

    Returns
    -------
    callable
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, tuple[type[Any], list[str]]] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if not dataclasses.is_dataclass(hints[name]):
            parameters.append(parameter.replace(annotation=hints[name]))
            continue
        group: Any = hints[name]
        kinds = get_type_hints(group, include_extras=True)
        fields = dataclasses.fields(group)
        groups[name] = group, [field.name for field in fields]
        parameters += [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=_default(field),
                annotation=kinds[field.name],
            )
            for field in fields
        ]

    @functools.wraps(command)
    def run(**given: Any) -> None:
        for name, (group, fields) in groups.items():
            given[name] = group(**{field: given.pop(field) for field in fields})
        command(**given)

    keyword = inspect.Parameter.KEYWORD_ONLY
    made: Any = run
    made.__signature__ = inspect.Signature([p.replace(kind=keyword) for p in parameters])
    made.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def _default(field: dataclasses.Field[Any]) -> Any:
    missing = field.default is dataclasses.MISSING
    return inspect.Parameter.empty if missing else field.default
