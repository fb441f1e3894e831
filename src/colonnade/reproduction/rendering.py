"""Findings as tables and pages: the printed figure beside ours, the best groups marked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from ..comparison.marked_tables import markdown_table, marked
from ..comparison.pictured import Curve
from ..comparison.significance import Summary, significance_groups
from .driver import Reproduction
from .findings import Figure, Findings, Verdict

__all__ = ["FigureTable", "claim_rows", "curve_sheets", "evidence_page", "markdown", "sheets"]

MOST_PLACES = 8
"""At how many places a line of a picture is told in a table."""

OF_TIME = re.compile(r"seconds|times as long")
"""What is said of measures of time."""


@dataclass(frozen=True)
class FigureTable:
    """One table: a title, the titles of its columns, and its rows."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def sheets(
    findings: Findings, mark: Callable[[str, int], str] = lambda text, group: text
) -> Iterator[FigureTable]:
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
        yield FigureTable(title, ("", *columns), tuple(rows))


def _groups(figures: Sequence[Figure], column: str, findings: Findings) -> dict[str, int]:
    given = {f.row: f.ours for f in figures if f.column == column and f.ours is not None}
    once = any(summary.runs == 1 for summary in given.values())
    if len(given) < 2 or (once and _is_time(figures[0].measure, findings)):
        return {}
    larger = findings.larger_is_better and figures[0].measure not in findings.smaller
    return significance_groups(given, larger_is_better=larger)


def _is_time(measure: str, findings: Findings) -> bool:
    """Say whether a measure is of time: one that was taken once is not exact, as an error is.

    What stands beside seconds in a table of which small values are good is a ratio of them.
    """
    beside = not findings.larger_is_better and measure not in findings.smaller
    return any(
        OF_TIME.search(f.measure) for f in findings.figures if beside or f.measure == measure
    )


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


def curve_sheets(findings: Findings) -> Iterator[FigureTable]:
    """Yield a table for each picture: its lines at up to eight of their places.

    Pictures whose lines have few places in common are told by their claims alone.
    """
    for panel in dict.fromkeys(curve.panel for curve in findings.curves):
        own = [curve for curve in findings.curves if curve.panel == panel]
        shared = set(own[0].x).intersection(*(curve.x for curve in own))
        places = _spread(sorted(shared))
        if not places:
            continue
        rows = [(curve.label, *_heights(curve, places, findings.digits)) for curve in own]
        titles = (f"{findings.axes[1]} by {findings.axes[0]}", *(f"{x:g}" for x in places))
        yield FigureTable(panel, titles, tuple(rows))


def _spread(places: list[float]) -> list[float]:
    """Return the first, the last and some places between."""
    if len(places) <= MOST_PLACES:
        return places
    step = (len(places) - 1) / (MOST_PLACES - 1)
    return [places[round(step * i)] for i in range(MOST_PLACES)]


def _heights(curve: Curve, places: Sequence[float], digits: int) -> Iterator[str]:
    heights = dict(zip(curve.x, curve.y, strict=True))
    yield from (f"{heights[x]:.{digits}f}" for x in places)


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
    for sheet in sheets(findings, marked):
        lines += [f"**{sheet.title or 'Figures'}**: ours (printed; difference)", ""]
        lines += [*markdown_table(sheet.columns, sheet.rows), ""]
    for sheet in curve_sheets(findings):
        lines += [f"**{sheet.title}**", "", *markdown_table(sheet.columns, sheet.rows), ""]
    if findings.claims:
        lines += [*markdown_table(("claim", "verdict", "figures"), claim_rows(findings)), ""]
    lines += [f"- {note}" for note in findings.notes]
    if found.missing:
        lines.append(f"- Not run, for want of the data: {', '.join(found.missing)}.")
    return "\n".join(lines).rstrip() + "\n"


def evidence_page(found: Sequence[Reproduction]) -> str:
    """Return a page of all experiments: what became of the claims, and then each of them."""
    documents = dict.fromkeys(str(one.about["document"]) for one in found)
    counts = [(name, *_verdicts([f for f in found if f.about["document"] == name]))
              for name in documents]  # fmt: skip
    lines = ["## Claims", "", *markdown_table(("document", *get_args(Verdict)), counts), ""]
    for name in documents:
        own = [one for one in found if one.about["document"] == name]
        rows = [(one.about["place"], *row) for one in own for row in claim_rows(one.findings)]
        lines += [f"**{name}**", ""]
        lines += [*markdown_table(("in", "claim", "verdict", "figures"), rows), ""]
    for name in documents:
        lines += [f"## {name}", ""]
        lines += [markdown(one) for one in found if one.about["document"] == name]
    return "\n".join(lines)


def _verdicts(found: Sequence[Reproduction]) -> list[str]:
    counts = Counter(claim.verdict for one in found for claim in one.findings.claims)
    return [str(counts[verdict]) for verdict in get_args(Verdict)]


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
