"""Docstrings of classes whose fields are their parameters: what a base class says is said once."""

from __future__ import annotations

import dataclasses
import inspect
import re

__all__ = ["complete", "in_order"]

HEADING = re.compile(r"^([A-Z][a-zA-Z ]+)\n-+\n", re.MULTILINE)
ENTRY = re.compile(r"^(\w+) : .*(?:\n(?: {4}.*)?)*", re.MULTILINE)


def complete(cls: type) -> str:
    """Return the docstring of a class with an entry for every parameter, and the attributes.

    Entries come from the class itself or from the nearest base class that has one.
    """
    entries: dict[str, str] = {}
    attributes = ""
    for base in reversed(cls.__mro__):
        sections = _sections(vars(base).get("__doc__") or "")
        found = ENTRY.finditer(sections.get("Parameters", ""))
        entries |= {entry[1]: entry[0].rstrip() for entry in found}
        attributes = sections.get("Attributes", attributes)
    parameters = in_order(cls)
    if missing := [name for name in parameters if name not in entries]:
        raise ValueError(f"the docstring of {cls.__name__} does not describe {missing[0]!r}")
    sections = _sections(cls.__doc__ or "")
    sections |= {"Parameters": "\n".join(entries[name] for name in parameters)}
    sections |= {"Attributes": attributes}
    first = ("", "Parameters", "Attributes")
    names = [*first, *(name for name in sections if name not in first)]
    parts = (f"{name}\n{'-' * len(name)}\n" * bool(name) + sections[name].strip() for name in names)
    return "\n\n".join(parts) + "\n"


def _sections(doc: str) -> dict[str, str]:
    """Return the parts of a docstring by their headings; what is above all has none."""
    parts = HEADING.split(inspect.cleandoc(doc) + "\n")
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def in_order(cls: type) -> list[str]:
    """Return the parameters: positional ones, then its own by name, then those of its bases."""
    fields = dataclasses.fields(cls)
    positional = [item.name for item in fields if not item.kw_only]
    named = {item.name for item in fields if item.kw_only}
    declared = dict.fromkeys(name for base in cls.__mro__ for name in inspect.get_annotations(base))
    return [*positional, *(name for name in declared if name in named)]
