"""The package as a whole: names that are imported when they are first used."""

from __future__ import annotations

import ast
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import colonnade
from tools.stub import stub, write

PACKAGE = Path(colonnade.__file__).parent
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


def test_type_checkers_find_the_same_names():
    homes, listed = {}, None
    for node in ast.parse(stub()).body:
        if isinstance(node, ast.ImportFrom):
            homes |= {alias.name: node.module for alias in node.names}
        elif isinstance(node, ast.Assign) and node.targets[0].id == "__all__":
            listed = ast.literal_eval(node.value)
    assert listed == colonnade.__all__
    assert homes.keys() == set(listed)
    for name, home in homes.items():
        module = importlib.import_module(".".join(filter(None, ["colonnade", home])))
        assert getattr(module, name) is getattr(colonnade, name), name
    for method in colonnade.METHODS.values():  # what runs when imported is nothing to them
        assert f"colonnade.{homes[method.estimator]}" == method.selector.__module__
    assert (PACKAGE / "py.typed").read_bytes() == b""


@pytest.mark.slow
def test_type_checkers_know_the_parameters_of_a_method(tmp_path):
    """As a user's mypy finds them, with the stub in its place."""
    package = tmp_path / "colonnade"
    package.mkdir()
    for path in PACKAGE.iterdir():
        if path.name != "__init__.pyi":
            (package / path.name).symlink_to(path)
    write(package)
    lines = {
        "from colonnade import GreedySelector, gredy": "has no attribute",
        "GreedySelector(n_select=3, refine=True).fit([[1.0]]).indices_": "",
        "GreedySelector(0.5, max_error=0.1, n_groups=7)": "",
        "GreedySelector(n_selct=3)": 'did you mean "n_select"',
        "GreedySelector(3, True)": "Too many positional arguments",
        "GreedySelector(n_groups='many')": "incompatible type",
    }
    (tmp_path / "user.py").write_text("\n".join(lines), encoding="utf-8")
    options = ["--config-file=", "--ignore-missing-imports", "--follow-imports=silent"]
    found = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "user.py"],
        cwd=tmp_path, env=os.environ | {"MYPYPATH": str(tmp_path)}, capture_output=True, text=True,
    )  # fmt: skip
    errors = dict(re.findall(r"^user.py:(\d+): error: (.*)$", found.stdout, flags=re.MULTILINE))
    assert set(errors) == {str(number) for number, why in enumerate(lines.values(), 1) if why}
    for number, why in enumerate(lines.values(), 1):
        assert why in errors.get(str(number), ""), found.stdout


@pytest.mark.slow
def test_the_package_alone_imports_nothing_heavy():
    assert loaded("import colonnade; colonnade.__version__") == []
    assert set(loaded("import colonnade; colonnade.select")) >= {"numpy", "sklearn"}


@pytest.mark.parametrize("argument", ["--help", "--version", "--nonsense"])
def test_the_command_line_alone_imports_nothing_heavy(argument):
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "colonnade", argument],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == (2 if argument == "--nonsense" else 0)
    imported = set(re.findall(r"^import time:.*\| +(\w+)", done.stderr, flags=re.MULTILINE))
    assert "typer" in imported
    assert not imported & set(HEAVY)


@pytest.mark.parametrize("statement", [
    "import colonnade.certificates.certificate",
    "from colonnade.certificates import Certificate",
    "from colonnade.selectors.base import Selector",
    "from colonnade import certify",
])  # fmt: skip
@pytest.mark.slow
def test_modules_do_not_hide_functions(statement):
    shown = "print(type(colonnade.certify).__name__, type(certify).__name__)"
    code = f"{statement}\nimport colonnade\nfrom colonnade import certify\n{shown}"
    assert fresh(code) == [FunctionType.__name__] * 2


def test_no_module_has_the_name_of_something_public():
    """Or a lazily imported name would be one thing at first and another afterwards."""
    rooms = {path.stem for path in PACKAGE.iterdir()}
    assert rooms & set(colonnade.__all__) == {"datasets", "metrics"}


def test_public_names_can_be_replaced(monkeypatch):
    monkeypatch.setattr(colonnade, "select", len)
    assert colonnade.select is len
    monkeypatch.undo()
    assert colonnade.select.__module__ == "colonnade.selectors.door"


@pytest.mark.slow
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


@pytest.mark.slow
def test_selectors_work_without_docstrings():
    code = "from colonnade import GreedySelector as G; print(len(G(1).fit([[1.0, 2.0]]).indices_))"
    done = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("1\n", "")
