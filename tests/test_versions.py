"""The versions of dependencies and of Python that are promised."""

from __future__ import annotations

import os
import re
import sys
import tomllib
from pathlib import Path

import pytest

import colonnade
from tools import every_python
from tools.minimum_versions import minimum_versions

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
README = (ROOT / "README.md").read_text(encoding="utf-8")
USED = [*PROJECT["dependencies"]]
for extra in EXTRAS.keys() - {"all", "dev", "peers"}:
    USED += EXTRAS[extra]


def number(version):
    return tuple(int(part) for part in version.split("."))


@pytest.mark.parametrize("requirement", sorted(USED))
def test_every_dependency_has_a_minimum_and_is_imported(requirement):
    wanted, _, least = requirement.partition(">=")
    name = wanted.partition("[")[0]  # what it is wanted with does not change its version
    assert least == minimum_versions()[name]
    module = {"scikit-learn": "sklearn"}.get(name, name)
    sources = Path(colonnade.__file__).parent.rglob("*.py")
    imports = re.compile(rf"^ *(import|from) {module}\b", flags=re.MULTILINE)
    assert any(imports.search(path.read_text(encoding="utf-8")) for path in sources)


def test_constraints_are_allowed():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    for name, version in minimum_versions().items():
        assert number(pinned[name]) >= number(version), name


def test_readme_installs_what_is_there():
    (section,) = re.findall(r"## Install\n(.*?)\n## ", README, flags=re.DOTALL)
    wanted = re.findall(r"^pip install (\S+)", section, flags=re.MULTILINE)
    assert wanted == [".", '".[all]"']
    assert EXTRAS["all"] == ["colonnade[bio,cli,dask,excel,plot]"]


def test_the_same_versions_of_python_everywhere():
    """In the README, as classifiers, as the minimum, and in the Makefile."""
    said = re.search(r"CPython ([\d., and]+\d)", README)[1]
    versions = re.findall(r"3\.\d+", said)
    listed = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if "Python :: 3." in c]
    assert listed == versions
    assert PROJECT["requires-python"] == f">={versions[0]}"
    tried = re.search(r"^PYTHONS \?= (.*)$", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    assert tried[1].split() == [f"python{version}" for version in versions]


def script(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The only folder on the search path."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("MAKE", raising=False)
    return tmp_path


def test_interpreters_are_found_on_the_path_and_by_pyenv(folder):
    assert every_python.find("python3.98") is None
    script(folder / "python3.98", "exit 127")  # as pyenv's, for versions not switched on
    assert every_python.find("python3.98") is None
    os.symlink(sys.executable, folder / "python3.97")
    assert Path(every_python.find("python3.97")).name == "python3.97"
    # as pyenv, with one version installed and another switched on, which it runs for any other
    script(
        folder / "pyenv",
        'case "$1 $2" in\n'
        '  "latest 3.98") echo 3.98.7;;\n'
        '  "prefix 3.98.7") echo /installed;;\n'
        f'  "exec python") shift 2; exec {sys.executable} "$@";;\n'
        "  *) exit 1;;\nesac",
    )
    assert every_python.find("python3.98") == "/installed/bin/python"
    assert every_python.find("python3.99") is None


@pytest.mark.parametrize(
    ("names", "made", "code"),
    [(["good", "none"], "exit 0", 0), (["good", "none"], "exit 2", 1), (["none"], "exit 0", 1)],
)
def test_interpreters_that_could_not_be_tried_are_named(folder, capfd, names, made, code):
    os.symlink(sys.executable, folder / "good")
    script(folder / "make", f'echo made "$@"; {made}')
    assert every_python.main("venv", names) == code
    out = capfd.readouterr().out
    assert "none: NOT TRIED" in out
    assert ("good: passed" in out) == (code == 0)
    assert ("good: FAILED" in out) == (made == "exit 2")
    assert out.count("made test PYTHON=") == out.count("VENV=venv-good") == len(names) - 1
