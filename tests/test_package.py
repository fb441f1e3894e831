"""The package as a whole: names that are imported when they are first used."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import colonnade

HEAVY = ("numba", "numpy", "pandas", "scipy", "sklearn")


def fresh(code):
    """Run code in an interpreter that has imported nothing yet, and return what it prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def loaded(statement):
    return fresh(f"import sys\n{statement}\nprint(*({set(HEAVY)} & sys.modules.keys()))")


def test_every_public_name_is_there():
    for name in colonnade.__all__:
        value = getattr(colonnade, name)
        assert isinstance(value, ModuleType) == (name in ("datasets", "metrics")), name
        assert name in dir(colonnade)
    assert sorted(colonnade.__all__) == colonnade.__all__
    assert "__version__" in dir(colonnade)


def test_names_that_do_not_exist():
    assert not hasattr(colonnade, "no.name")
    with pytest.raises(AttributeError, match="'colonnade' has no attribute 'gredy'"):
        _ = colonnade.gredy
    assert not hasattr(colonnade, "_gredy")


def test_type_checkers_see_the_same_names():
    stub = ast.parse(Path(colonnade.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    homes, listed = {}, None
    for node in stub.body:
        if isinstance(node, ast.ImportFrom):
            homes |= {alias.name: node.module for alias in node.names}
        elif isinstance(node, ast.Assign) and node.targets[0].id == "__all__":
            listed = ast.literal_eval(node.value)
    assert sorted(listed) == colonnade.__all__
    assert homes == {name: colonnade._HOMES.get(name) for name in colonnade.__all__}


def test_the_package_alone_imports_nothing_heavy():
    assert loaded("import colonnade; colonnade.__version__") == []
    assert set(loaded("import colonnade; colonnade.select")) >= {"numpy", "sklearn"}


@pytest.mark.parametrize("statement", [
    "import colonnade.certify.report",
    "import colonnade.certify",
    "from colonnade.certify import Check",
    "from colonnade.base import Selector",
    "from colonnade import certify",
])  # fmt: skip
@pytest.mark.slow
def test_modules_do_not_hide_functions(statement):
    shown = "print(type(colonnade.certify).__name__, type(certify).__name__)"
    code = f"{statement}\nimport colonnade\nfrom colonnade import certify\n{shown}"
    assert fresh(code) == [FunctionType.__name__] * 2


def test_public_names_can_be_replaced(monkeypatch):
    monkeypatch.setattr(colonnade, "select", len)
    assert colonnade.select is len
    monkeypatch.undo()
    assert colonnade.select.__module__ == "colonnade.registry"


def test_modules_are_there_without_an_import():
    assert fresh("import colonnade; print(colonnade.projections.dimension.__name__)") == [
        "dimension"
    ]


@pytest.mark.slow
def test_methods_are_there_however_one_comes_to_them():
    assert fresh("from colonnade.registry import METHODS; print(len(METHODS))") == [
        str(len(colonnade.METHODS))
    ]
    with pytest.raises(TypeError):
        colonnade.METHODS["mine"] = None
