"""Write the tables of methods: `make docs`. A test keeps them in step with the registry."""

from __future__ import annotations

from pathlib import Path

from colonnade import METHODS

ROOT = Path(__file__).resolve().parent.parent
START, END = "<!-- methods: written by make docs -->", "<!-- end of methods -->"


def short_table() -> str:
    """Return the table of the README."""
    rows = ["| method | what it does | takes | estimator |", "|---|---|---|---|"]
    for m in METHODS.values():
        preset = ", ".join(f"{key}={value!r}" for key, value in m.preset.items())
        preset = 'target="y"' if m.supervised == "target" else preset.replace("'", '"')
        rows.append(
            f"| `{m.name}` | {m.title} | {', '.join(m.inputs)} | `{m.estimator}({preset})` |"
        )
    return "\n".join(rows)


def long_table() -> str:
    """Return docs/methods.md."""
    lines = [
        "# Methods",
        "",
        "For an m × n matrix whose n columns are the candidates, l choices and c groups.",
        "Methods with the parameter `refine` exchange columns afterwards, if asked, while that",
        "lowers the error.",
        "",
    ]
    for m in METHODS.values():
        traits = [
            "depends on random_state" if m.randomized else "deterministic",
            *([f"needs {m.supervised}"] if m.supervised else []),
            *(["rescales what it chooses"] if m.weighted else []),
        ]
        lines += [
            f"## {m.name}",
            "",
            f"{m.title[0].upper()}{m.title[1:]}.",
            "",
            f"- from: {m.document}",
            f"- cost: {m.cost}",
            f"- guarantee: {m.guarantee}",
            f"- takes: {', '.join(m.inputs)}; {', '.join(traits)}",
            f"- parameters: {', '.join(f'`{name}`' for name in m.parameters)}",
            "",
        ]
    return "\n".join(lines)


def with_table(readme: str) -> str:
    """Return the README with its table replaced."""
    head, rest = readme.split(START)
    _, tail = rest.split(END)
    return f"{head}{START}\n{short_table()}\n{END}{tail}"


if __name__ == "__main__":
    readme = ROOT / "README.md"
    readme.write_text(with_table(readme.read_text(encoding="utf-8")), encoding="utf-8")
    (ROOT / "docs" / "methods.md").write_text(long_table(), encoding="utf-8")
