"""Write the page of all methods, docs/build/methods.md, from the registry: `make docs`."""

from __future__ import annotations

from pathlib import Path

from colonnade import METHODS, Method
from colonnade.registry import KINDS

BUILD = Path(__file__).resolve().parent / "build"


def methods_page() -> str:
    """Return the page: every method by kind, as its declaration describes it."""
    parts = [
        "# Methods\n\n"
        "For an m × n matrix whose n columns are the candidates, l choices, c groups and rank k.\n"
        "Methods with the parameter `refine` exchange columns afterwards, if asked, while that\n"
        "lowers the error. Dask arrays are tall with up to 23,170 columns, and wide with more; a\n"
        "method that takes wide ones chooses rows of them as well. Words are\n"
        "explained in the [glossary](../glossary.md).\n"
    ]
    for kind, about in KINDS.items():
        parts.append(f"## {kind}: {about}\n")
        parts += [_entry(method) for method in METHODS.values() if method.kind == kind]
    return "\n".join(parts)


def _entry(m: Method) -> str:
    preset = ", ".join(f"{key}={value!r}" for key, value in m.preset.items()).replace("'", '"')
    traits = [
        "depends on random_state" if m.randomized else "deterministic",
        *([f"needs {m.supervised}"] if m.supervised else []),
        *(["rescales what it chooses"] if m.weighted else []),
    ]
    return (
        f"### {m.name}\n\n"
        f"{m.title[0].upper()}{m.title[1:]}.\n\n"
        f"- estimator: `{m.estimator}({preset})`\n"
        f"- from: {m.document}\n"
        f"- cost: {m.cost}\n"
        f"- guarantee: {m.guarantee}\n"
        f"- takes: {', '.join(m.inputs)}; {', '.join(traits)}\n"
        f"- parameters: {', '.join(f'`{name}`' for name in m.parameters)}\n"
    )


def main(folder: Path = BUILD) -> None:
    """Write the page into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "methods.md").write_text(methods_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
