"""Write ``__init__.pyi``, in which type checkers find the public names.

The package imports its public names when they are first used, which type checkers do not follow.
The names are read from the sources, and nothing is imported, so that a build needs nothing that
the package needs: those that ``__init__.py`` lists, and every class under ``@method(...)`` in a
folder of ``selectors/``. ``hatch_build.py`` writes the stub into every wheel and for every editable
install; ``make lint`` writes it again, for methods that are new since then.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "colonnade"


def stub(package: Path = PACKAGE) -> str:
    """Return the text of the stub.

    Parameters
    ----------
    package : Path
        The folder of the package.

    Returns
    -------
    str
    """
    modules, homes = _listed(package / "__init__.py")
    for path in sorted(package.glob("selectors/*/*.py")):
        homes |= {name: ".".join(path.relative_to(package).with_suffix("").parts)
                  for name in _methods(path)}  # fmt: skip
    lines = ['"""The public names; written by tools/stub.py."""', ""]
    lines += [f"from . import {name}" for name in modules]
    lines += [f"from .{homes[name]} import {name}" for name in homes]
    lines += ["", "__version__: str", "", "__all__ = ["]
    lines += [f'    "{name}",' for name in sorted([*modules, *homes])]
    return "\n".join([*lines, "]", ""])


def write(package: Path = PACKAGE) -> None:
    """Write the stub into the package."""
    (package / "__init__.pyi").write_text(stub(package), encoding="utf-8")


def _listed(path: Path) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the public modules that ``__init__.py`` lists, and the homes of the other names."""
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name in ("_MODULES", "_NAMES"):
                found[name] = ast.literal_eval(node.value)
    homes = {name: module for module, names in found["_NAMES"].items() for name in names}
    return found["_MODULES"], homes


def _methods(path: Path) -> Iterator[str]:
    """Yield the names of the classes in a file that are methods."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            calls = [outer.func for outer in node.decorator_list if isinstance(outer, ast.Call)]
            if any(isinstance(call, ast.Name) and call.id == "method" for call in calls):
                yield node.name


if __name__ == "__main__":
    write()
