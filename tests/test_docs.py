"""What the documentation says is run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import runpy
import sys
from pathlib import Path

import pandas as pd
import pytest

import colonnade
from colonnade import METHODS, datasets, metrics
from colonnade.registry import KINDS, entry_of
from tools.readme import blocks, check_printed, check_shown, run_commands

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


LEARNERS = (ROOT / "docs" / "learners.md").read_text(encoding="utf-8")
EXAMPLES = {
    f"{path.name}-{number}": code
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    for number, code in enumerate(blocks("python", path.read_text(encoding="utf-8")))
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_print_what_they_say(name, capsys):
    exec(compile(EXAMPLES[name], name, "exec"), {})
    assert check_printed(EXAMPLES[name], capsys.readouterr().out) >= 1


def test_there_are_examples_in_documents():
    assert len(blocks("python", README)) == 7
    assert len(blocks("python", LEARNERS)) == 7


BEHIND = "print(x)   # 0.796 (a); 1 would be unbeatable"
BELOW = "for x in y:\n    print(x)\n# 0.8\n# 1.82e6; the last\nx = 1  # 3.0"


@pytest.mark.parametrize(
    ("code", "out"),
    [(BEHIND, "0.7964 a\n"), (BEHIND, "0.79559 (a)\n"), (BELOW, "0.75001\n1824999.0\n")],
)
def test_what_is_printed_as_said(code, out):
    assert check_printed(code, out) == out.count("\n")


@pytest.mark.parametrize(
    ("code", "out"),
    [
        (BEHIND, "0.7949 a\n"),  # another number, and what else may be wrong with a line
        (BEHIND, "0.7964 b\n"),
        (BEHIND, "0.7964 a 1\n"),
        (BEHIND, ""),
        (BEHIND, "0.7964 a\n\n"),
        (BELOW, "0.8\n"),
        (BELOW, "0.7\n1820000.0\n"),
        (BELOW, "0.8\n182000.0\n"),
        (BELOW, "0.8\n1820000.0\n3.0\n"),
        ("print(x)\n", "1\n"),  # nobody said what is printed
        ("print(x)\ny = 1  # 1\n", "1\n"),
    ],
)
def test_what_is_not_printed_as_said_is_noticed(code, out):
    with pytest.raises(AssertionError, match="printed"):
        check_printed(code, out)


def test_readme_python_example_is_short():
    lines = [line for line in blocks("python", README)[0].splitlines() if line.strip()]
    assert len(lines) <= 10
    assert "GreedySelector" in lines[1]


@pytest.mark.slow
def test_readme_commands(tmp_path):
    assert run_commands(sys.executable, tmp_path, README) >= 12
    wine = pd.read_csv(tmp_path / "wine.csv")
    assert wine.shape == (178, 14)
    rebuilt = pd.read_csv(tmp_path / "rebuilt.csv")
    assert rebuilt.columns.tolist() == wine.columns[:-1].tolist()
    assert (tmp_path / "sizes.png").read_bytes().startswith(b"\x89PNG")
    assert len(pd.read_csv(tmp_path / "predicted.csv")) == 178


@pytest.mark.parametrize("printed", ["a\nb\n", "a\nx\nb\nc\n", "x\na\nb\nc\n", "a\nc\nb\n", ""])
def test_what_a_command_does_not_print_is_noticed(printed):
    check_shown(["a", "...", "b"], "a\nx\ny\nb\n")
    check_shown(["a", "b", "c", "..."], "a\nb\nc\nd\n")
    with pytest.raises(AssertionError, match="printed"):
        check_shown(["a", "b", "c"], printed)


@pytest.mark.slow
def test_commands_of_the_guide_to_learners(tmp_path):
    assert run_commands(sys.executable, tmp_path, LEARNERS) >= 6
    assert (tmp_path / "directions.csv").exists()


@pytest.fixture(scope="module")
def methods_page(tmp_path_factory):
    """What ``make docs`` writes about each method, by name."""
    folder = tmp_path_factory.mktemp("docs") / "build"
    runpy.run_path(str(ROOT / "docs" / "generate.py"))["main"](folder, folder)
    page = (folder / "methods.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^### (\S+)\n(.*?)(?=^##|\Z)", page, flags=re.DOTALL | re.MULTILINE))


def test_page_of_methods_has_all_of_them(methods_page):
    assert list(methods_page) == list(METHODS)


@pytest.mark.parametrize("name", METHODS)
def test_page_of_methods_says_what_there_is_to_know(name, methods_page):
    entry, method = methods_page[name], METHODS[name]
    lines = dict(re.findall(r"^- (\w+): (.*)$", entry, flags=re.MULTILINE))
    assert method.title[1:] in entry
    assert (lines["from"], lines["cost"]) == (method.document, method.cost)
    assert lines["guarantee"] == method.guarantee
    assert re.findall(r"`(.*?)`", lines["parameters"]) == list(method.parameters)
    assert "random_state" in lines["takes"] or not method.randomized
    shown = eval(lines["estimator"].strip("`"), vars(colonnade.selectors))
    assert entry_of(shown) is method


def test_readme_has_a_row_for_each_kind_of_methods():
    """And none for each method, so that a new one touches its own file and its oracle."""
    rows = re.findall(r"^\| (\w+) \| .*? \| (`.*?) \|", README, flags=re.MULTILINE)
    assert [kind for kind, _ in rows] == list(KINDS)
    for kind, examples in rows:
        assert {METHODS[name].kind for name in re.findall(r"`(.*?)`", examples)} == {kind}
        assert 1 <= examples.count("`") / 2 <= 3


def _modules():
    names = [m.name for m in pkgutil.walk_packages(colonnade.__path__, "colonnade.")]
    return ["colonnade", *names]


@pytest.mark.parametrize("name", _modules())
@pytest.mark.slow
def test_examples_in_docstrings(name):
    if name.startswith("colonnade.__main__"):
        return
    result = doctest.testmod(
        importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert result.failed == 0


WITHOUT_EXAMPLE = {
    "DataWarning": "a warning",
    "METHODS": "a constant",
    "Operand": "abstract: as_operand and Kernel make one",
    "RankReachedWarning": "a warning",
    "datasets": "a module, whose own names follow",
    "metrics": "a module, whose own names follow",
}
PUBLIC = {
    **{name: getattr(colonnade, name) for name in colonnade.__all__},
    **{f"datasets.{name}": getattr(datasets, name) for name in datasets.__all__},
    **{f"metrics.{name}": getattr(metrics, name) for name in metrics.__all__},
}


@pytest.mark.parametrize("name", sorted(PUBLIC.keys() - WITHOUT_EXAMPLE.keys()))
def test_everything_public_has_an_example(name):
    """The test above runs it, with all others."""
    value = PUBLIC[name]
    assert value.__module__ in _modules()
    (found,) = doctest.DocTestFinder(recurse=False).find(value, name)
    assert any(example.want for example in found.examples), "no example that shows a result"


DOCUMENTS = {
    path.name: path.read_text(encoding="utf-8")
    for path in (
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "docs").glob("*.md")),
    )
}
ABBREVIATIONS = (
    "CSS", "BSS", "SGMA", "RRQR", "ICD", "CUR", "RLSC", "LSC", "SPEC", "MCFS", "FSFS", "PFA",
    "PCA-LRG", "NMI",
)  # fmt: skip


@pytest.mark.parametrize("short", ABBREVIATIONS)
def test_glossary_explains_abbreviations(short):
    entries = re.findall(r"^\*\*(.*?)\*\*: ", DOCUMENTS["glossary.md"], flags=re.MULTILINE)
    assert any(short in re.findall(r"[\w-]+", entry) for entry in entries)


def test_glossary_names_what_is_there():
    text = DOCUMENTS["glossary.md"]
    words = set(re.findall(r"`([A-Z][A-Za-z]{3,})[`(.]", text))
    inner = {"Gram", "Columns"}
    assert words - inner <= set(colonnade.__all__)
    assert set(re.findall(r"`metrics\.(\w+)", text)) <= set(metrics.__all__)
    assert "](docs/glossary.md)" in README
    assert "](glossary.md)" in LEARNERS


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_name_files_that_are_there(name):
    text = DOCUMENTS[name]
    files = [str(path) for path in (*ROOT.rglob("src/**/*"), *ROOT.rglob("tests/**/*"))]
    files += [str(path) for path in (*ROOT.glob("*"), *ROOT.glob("docs/*"), *ROOT.glob("tools/*"))]
    for path in re.findall(r"`([\w./]+(?:\.py|/))`", text):
        assert any(file.endswith("/" + path.rstrip("/")) for file in files), path
    for link in re.findall(r"\]\((?!http)(.*?)\)", text):
        folder = ROOT if name.partition(".")[0].isupper() else ROOT / "docs"
        assert (folder / link).exists(), link


def test_contributing_is_short():
    lines = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 60
    assert any("add a method" in line.lower() for line in lines)


def test_makefile_has_the_promised_targets():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    promised = set(re.findall(r"make ([a-z-]+)", README))
    assert {"demo", "test", "bench"} < promised
    for target in ("lint", *promised):
        assert re.search(rf"^{target}:", text, flags=re.MULTILINE), target
