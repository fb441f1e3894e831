"""What the documentation says is run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from sklearn.datasets import load_iris

import colonnade

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language, text=README):
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


@pytest.mark.parametrize("code", blocks("python"))
def test_readme_python(code, capsys):
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out.count("\n") == code.count("print(")


LEARNERS = (ROOT / "docs" / "learners.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", blocks("python", LEARNERS))
def test_guide_to_learners(code, capsys):
    exec(compile(code, "learners.md", "exec"), {})
    assert capsys.readouterr().out.count("\n") >= code.count("print(")


def test_readme_python_example_is_short():
    lines = [line for line in blocks("python")[0].splitlines() if line.strip()]
    assert len(lines) <= 10
    assert "GreedySelector" in lines[1]


def test_readme_commands(tmp_path):
    """The commands of the README, in a real shell, on a real file."""
    frame = load_iris(as_frame=True).frame
    frame.columns = ["sepal length", "sepal width", "petal length", "petal width", "species"]
    frame["sum"] = frame.iloc[:, :4].sum(axis=1)
    frame.to_csv(tmp_path / "data.csv", index=False)
    program = shutil.which("colonnade", path=str(Path(sys.executable).parent))
    assert program is not None
    commands = [line[2:] for block in blocks("console") for line in block.splitlines()]
    assert len(commands) >= 4
    for command in commands:
        assert command.startswith("colonnade ")
        done = subprocess.run(
            command.replace("colonnade", f"'{program}'", 1),
            shell=True, cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, (command, done.stderr)
        assert done.stdout
    assert (tmp_path / "reduced.csv").read_text().startswith("sepal")
    assert (tmp_path / "errors.png").read_bytes().startswith(b"\x89PNG")


def test_tables_of_methods_are_up_to_date():
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        generate = importlib.import_module("generate")
    finally:
        sys.path.pop(0)
    assert generate.with_table(README) == README, "run make docs"
    methods = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
    assert generate.long_table() == methods, "run make docs"


def _modules():
    names = [m.name for m in pkgutil.walk_packages(colonnade.__path__, "colonnade.")]
    return ["colonnade", *names]


@pytest.mark.parametrize("name", _modules())
def test_examples_in_docstrings(name):
    if name.startswith("colonnade.__main__"):
        return
    result = doctest.testmod(
        importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert result.failed == 0


def test_there_are_examples_in_docstrings():
    finder = doctest.DocTestFinder()
    tested = sum(
        bool(test.examples)
        for name in _modules()
        for test in finder.find(importlib.import_module(name))
    )
    assert tested >= 15


def test_contributing_is_short():
    lines = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 60
    assert any("add a method" in line.lower() for line in lines)


def test_makefile_has_the_promised_targets():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in ("demo", "test", "lint", "bench"):
        assert re.search(rf"^{target}:", text, flags=re.MULTILINE)
    assert textwrap.dedent(text).count("pip install") == 2
