"""The plan of the house, held by reading the imports."""

from __future__ import annotations

import ast
from pathlib import Path

import colonnade

ROOT = Path(colonnade.__file__).parent

# lower layers first; a module may import from its own layer and from those below
LAYERS = [
    {"foundation"},
    {"operands"},
    {"selection"},
    {"linalg"},
    {"pivoting", "barriers"},
    {"registry"},
    {"metrics"},
    {"certificates"},
    {"selectors", "datasets"},
    {"projections"},
    {"classify", "cluster"},
    {"nystroem"},
    {"plots"},
    {"io"},
    {"cli"},
    {"main"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
CONTAINERS = {"operands", "io", "datasets"}


def modules():
    return [path for path in ROOT.rglob("*.py") if path.parent != ROOT or path.stem != "__init__"]


def room(path):
    """The layer name of a file: its folder or, for files at the top, its stem."""
    relative = path.relative_to(ROOT)
    name = relative.parts[0] if len(relative.parts) > 1 else relative.stem
    return name.lstrip("_").split("_")[0] if name not in LEVEL else name


def imported(path):
    """Names of colonnade's top-level modules that a file imports, wherever in the file."""
    here = path.relative_to(ROOT).parts
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing = [
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    ]
    for node in ast.walk(tree):
        if node in typing:  # only type checkers follow these
            continue
        if isinstance(node, ast.ImportFrom) and node.level:
            inside = list(here[: len(here) - node.level])
            parts = inside + (node.module.split(".") if node.module else [])
            for alias in node.names:
                yield [*parts, alias.name][0]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("colonnade"):
            yield [*node.module.split("."), *(a.name for a in node.names)][1]


def test_every_module_has_a_layer():
    assert {room(path) for path in modules()} <= set(LEVEL)


def test_imports_point_down():
    wrong = []
    for path in modules():
        for name in imported(path):
            target = name if name in LEVEL else None
            if target is not None and LEVEL[target] > LEVEL[room(path)]:
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert wrong == []


def test_only_one_module_knows_containers():
    wrong = []
    for path in modules():
        if room(path) in CONTAINERS:
            continue
        text = path.read_text(encoding="utf-8")
        if "issparse" in text or "import dask" in text:
            wrong.append(str(path.relative_to(ROOT)))
    assert wrong == []


def test_no_file_is_too_long():
    long = {
        str(path.relative_to(ROOT)): count
        for path in modules()
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert long == {}
