"""Findings as tables: the printed figure beside ours, the best groups marked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..comparison.significance import Summary, significance_groups
from .driver import Reproduction
from .findings import Figure, Findings

__all__ = ["Sheet", "claim_rows", "markdown", "sheets"]

MARKS = {1: "**", 2: "_"}
"""How the best and the second best group of methods are marked in Markdown."""


@dataclass(frozen=True)
class Sheet:
    """One table: a title, the titles of its columns, and its rows."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def sheets(
    findings: Findings, mark: Callable[[str, int], str] = lambda text, group: text
) -> Iterator[Sheet]:
    """Yield a table for each group of figures and measure.

    A cell is ours ± deviation, the printed figure in brackets, and the difference.

    Parameters
    ----------
    findings : Findings
        The figures.
    mark : callable
        Given ours as text and the number of its group of significance, returns it marked.
    """
    parts = dict.fromkeys((figure.group, figure.measure) for figure in findings.figures)
    for group, measure in parts:
        own = [f for f in findings.figures if (f.group, f.measure) == (group, measure)]
        columns = tuple(dict.fromkeys(f.column for f in own))
        best = {column: _groups(own, column, findings) for column in columns}
        cells = {(f.row, f.column): f for f in own}
        rows = []
        for row in dict.fromkeys(f.row for f in own):
            line = [
                _cell(cells.get((row, column)), findings.digits, mark, best[column].get(row, 0))
                for column in columns
            ]
            rows.append((row, *line))
        title = ", ".join(part for part in (group, measure) if part)
        yield Sheet(title, ("", *columns), tuple(rows))


def _groups(figures: Sequence[Figure], column: str, findings: Findings) -> dict[str, int]:
    given = {f.row: f.ours for f in figures if f.column == column and f.ours is not None}
    if len(given) < 2:
        return {}
    larger = findings.larger_is_better and figures[0].measure not in findings.smaller
    return significance_groups(given, larger_is_better=larger)


def _cell(figure: Figure | None, digits: int, mark: Callable[[str, int], str], group: int) -> str:
    if figure is None:
        return ""
    printed = ""
    if figure.printed is not None:
        printed = f"{figure.printed:.{digits}f}"
        if figure.printed_deviation:
            printed += f" ± {figure.printed_deviation:.{digits}f}"
    if figure.ours is None:
        return f"– ({printed})" if printed else "–"
    ours = mark(_ours(figure.ours, digits), group)
    if figure.difference is None:
        return ours
    return f"{ours} ({printed}; {figure.difference:+.{digits}f})"


def _ours(summary: Summary, digits: int) -> str:
    text = f"{summary.mean:.{digits}f}"
    return f"{text} ± {summary.deviation:.{digits}f}" if summary.deviation else text


def claim_rows(findings: Findings) -> list[tuple[str, str, str]]:
    """Return claims as rows: what is claimed, the verdict, the figures."""
    return [(claim.text, claim.verdict, claim.figure) for claim in findings.claims]


def markdown(found: Reproduction) -> str:
    """Return an experiment as a section of a page."""
    about, findings = found.about, found.findings
    how = "reduced run, " if found.quick else ""
    lines = [
        f"### {about['place']}: {about['title']}",
        "",
        f"`colonnade reproduce {found.name}`, {how}{_duration(found.seconds)} on one core. "
        f"{about['settings']}",
        "",
    ]
    for sheet in sheets(findings, _marked):
        if sheet.title:
            lines += [f"**{sheet.title}**: ours (printed; difference)", ""]
        lines += [*_markdown_table(sheet.columns, sheet.rows), ""]
    if findings.claims:
        lines += [*_markdown_table(("claim", "verdict", "figures"), claim_rows(findings)), ""]
    lines += [f"- {note}" for note in findings.notes]
    if found.missing:
        lines.append(f"- Not run, for want of the data: {', '.join(found.missing)}.")
    return "\n".join(lines).rstrip() + "\n"


def _marked(text: str, group: int) -> str:
    sign = MARKS.get(group, "")
    return f"{sign}{text}{sign}"


def _markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    head = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    return head + [f"| {' | '.join(cell.replace('|', '∣') for cell in row)} |" for row in rows]


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
