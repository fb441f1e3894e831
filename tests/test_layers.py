"""The plan of the package, held by reading the sources."""

from __future__ import annotations

import ast
from collections import Counter
from inspect import ismodule
from pathlib import Path

import pytest

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
    {"sizes"},
    {"certificates"},
    {"selectors"},
    {"projections"},
    {"nystroem"},
    {"classify", "cluster"},
    {"plots", "anndata"},
    {"io"},
    {"datasets"},
    {"comparison"},
    {"reproduction"},
    {"cli"},
    {"main"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
CONTAINERS = {"operands", "io"}

# classes that hold data, and attributes by which containers can be told
HOLDERS = {
    "Dense",
    "Sparse",
    "AdjustedDense",
    "AdjustedSparse",
    "csr_array",
    "csc_array",
    "csr_matrix",
    "csc_matrix",
}
HOLDERS |= {"iloc", "toarray", "todense", "tocsr", "tocsc", "to_numpy", "__dataframe__", "nnz"}


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


def called(node):
    """What a call is of: a name, or the last of the attributes."""
    function = node.func if isinstance(node, ast.Call) else None
    return getattr(function, "attr", getattr(function, "id", None))


def asks_for_a_container(node):
    """Whether a piece of code looks at what data is kept in, or takes it out of there."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        modules = [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
        return any(name.startswith("dask") or name == "issparse" for name in modules)
    if called(node) in ("toarray", "todense", "issparse"):
        return True
    if called(node) not in ("isinstance", "issubclass", "hasattr"):
        return False
    named = {
        getattr(part, field, None)
        for part in ast.walk(node.args[1])
        for field in ("id", "attr", "value")
        if isinstance(getattr(part, field, None), str)
    }
    return bool(named & HOLDERS)


def test_only_operands_and_files_know_containers():
    wrong = []
    for path in modules():
        if room(path) in CONTAINERS:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if asks_for_a_container(node):
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}")
    assert wrong == []


@pytest.mark.parametrize(
    ("code", "asks"),
    [
        ("Z.toarray()", True),
        ("sp.issparse(X)", True),
        ("from scipy.sparse import issparse", True),
        ("import dask.array", True),
        ("isinstance(A, Dense)", True),
        ("isinstance(A, (str, dense.Dense))", True),
        ("isinstance(A, Sparse | Kernel)", True),
        ("isinstance(X, sp.csr_array)", True),
        ('hasattr(X, "iloc")', True),
        ('hasattr(X, "tocsr")', True),
        ("isinstance(A, Columns)", False),
        ("isinstance(target, np.ndarray)", False),
        ('hasattr(self, "n_clusters")', False),
        ("dense(X)", False),
        ("Dense(X)", False),
    ],
)
def test_what_asks_for_a_container(code, asks):
    assert any(asks_for_a_container(node) for node in ast.walk(ast.parse(code))) == asks


def test_a_name_is_of_one_module_only():
    """A command may be called as the room that it opens, and a kind as its first method."""
    files = Counter(path.stem for path in modules() if path.stem != "__init__")
    assert [name for name, count in files.items() if count > 1] == []
    folders = Counter(path.parent.name for path in modules() if path.stem == "__init__")
    assert [name for name, count in folders.items() if count > 1] == []
    both = {path for path in modules() if path.stem in folders}
    assert {path.parent.name for path in both if path.stem != path.parent.name} <= {"cli"}


def test_nothing_at_the_top_has_the_name_of_something_public():
    """With lazy imports, ``colonnade.certify`` would be a function first and a module later."""
    public = {name for name in colonnade.__all__ if not ismodule(getattr(colonnade, name))}
    assert {"Operand", "certify", "select"} <= public
    top = {path.relative_to(ROOT).parts[0].removesuffix(".py") for path in modules()}
    assert top & public == set()


def test_no_file_is_too_long():
    long = {
        str(path.relative_to(ROOT)): count
        for path in modules()
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert long == {}
