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

import pandas as pd
import pytest

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


def run_commands(folder, *texts):
    """Run commands as a reader would, in a real shell."""
    programs = {"python": sys.executable}
    programs["colonnade"] = shutil.which("colonnade", path=str(Path(sys.executable).parent))
    assert programs["colonnade"] is not None
    ran = 0
    for text in texts:
        for line in "".join(blocks("console", text)).splitlines():
            assert line.startswith("$ ")
            program, arguments = line[2:].split(" ", 1)
            done = subprocess.run(
                f"'{programs[program]}' {arguments}",
                shell=True, cwd=folder, capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert done.returncode == 0, (line, done.stderr)
            assert "error" not in done.stderr, line
            assert "warning" not in done.stderr, line
            assert bool(done.stdout) == (program == "colonnade"), line
            ran += 1
    return ran


def test_readme_commands(tmp_path):
    assert run_commands(tmp_path, README) >= 9
    data = pd.read_csv(tmp_path / "data.csv")
    assert data.shape == (150, 5)
    assert data["species"].unique().tolist() == ["setosa", "versicolor", "virginica"]
    assert (tmp_path / "reduced.csv").read_text().startswith("sepal")
    assert (tmp_path / "errors.png").read_bytes().startswith(b"\x89PNG")
    assert len(pd.read_csv(tmp_path / "predicted.csv")) == 150


def test_commands_of_the_guide_to_learners(tmp_path):
    (making,) = [block for block in blocks("console") if block.startswith("$ python")]
    assert run_commands(tmp_path, f"```console\n{making}```", LEARNERS) >= 6
    assert (tmp_path / "directions.csv").exists()


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
