"""What a comparison found: as a table, in words, as files, as a picture."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..foundation.atomic import StrPath, atomic
from ..foundation.tabular import as_csv, framed
from ..foundation.wording import did_you_mean
from .lines import Line
from .marked_tables import markdown_table, marked
from .measures import MEASURES, Measure
from .pictured import Curve
from .significance import Summary
from .verdicts import (
    best_method,
    failures_in_words,
    misled_in_words,
    uncompared_in_words,
    verdict,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXTENSIONS", "Comparison", "Sheet"]

EXTENSIONS = (".csv", ".json", ".md")
"""What a comparison can be written as."""
FLOOR = -25
"""Shares below this, in percent, are not drawn: one method that does harm would flatten all others.
"""
LEGEND = (
    "Means ± standard deviations over {seeds} splits of the rows into halves. Of each column the "
    "best group is {first}, the second {second}: each group is better than the next by a "
    "one-tailed Welch t-test at 95 %."
)


@dataclass(frozen=True)
class Sheet:
    """The table of one measure: methods below each other, sizes side by side.

    Attributes
    ----------
    measure : Measure
        What is in it.
    title : str
        What that is, of these data.
    columns : tuple of str
        The titles of the columns, that of the methods first.
    rows : tuple of (str, ...)
        Cells as text, the method first.
    """

    measure: Measure
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, repr=False)
class Comparison:
    """What methods are worth on one's own data, as :func:`colonnade.compare` measured it.

    Attributes
    ----------
    lines : tuple of Line
        For each size and method: mean, deviation and group of significance of every measure,
        how many columns were kept, and reasons of failures.
    about : dict
        What was compared, and how: shape, sizes, methods, seeds, treatment of columns.
    runs : tuple of dict
        Every single run: the method, the number of columns, the seed, and what was measured.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from colonnade import compare
    >>> found = compare(load_wine().data, [3, 6], methods=["greedy"], seeds=3, n_jobs=1)
    >>> found
    Comparison(2 methods, n_select=[3, 6], seeds=3, best='greedy')
    >>> found.best("held_out", 6)
    'greedy'
    """

    lines: tuple[Line, ...]
    about: Mapping[str, Any]
    runs: tuple[Mapping[str, Any], ...] = ()

    def __repr__(self) -> str:
        best = best_method(self.lines, self.n_select)  # None if each method failed in some split
        return (
            f"Comparison({len(self.methods)} methods, n_select={self.n_select}, "
            f"seeds={self.about['seeds']}, best={best!r})"
        )

    def __str__(self) -> str:
        return self.to_markdown()

    @property
    def n_select(self) -> list[int]:
        """The sizes."""
        return list(self.about["n_select"])

    @property
    def methods(self) -> list[str]:
        """The names of the methods, random columns among them."""
        return list(self.about["methods"])

    @property
    def measures(self) -> list[str]:
        """The keys of what was measured."""
        return [key for key in MEASURES if any(key in line.summaries for line in self.lines)]

    @property
    def quantity(self) -> str:
        """What is explained."""
        return "variance" if self.about["center"] else "squared size"

    def best(self, measure: str = "held_out", n_select: int | None = None) -> str:
        """Return the name of the method with the best mean.

        Parameters
        ----------
        measure : str, default="held_out"
            One of ``measures``.
        n_select : int, optional
            The size; by default all of them together.

        Returns
        -------
        str
            It need not be significantly better than others: see ``groups`` of the lines.
        """
        if measure not in self.measures:
            raise ValueError(
                f"measure={measure!r} was not measured{did_you_mean(measure, self.measures)}; "
                f"choose one of {', '.join(self.measures)}"
            )
        if n_select is not None and n_select not in self.n_select:
            raise ValueError(
                f"n_select={n_select!r} was not compared; choose one of "
                f"{', '.join(map(str, self.n_select))}"
            )
        sizes = self.n_select if n_select is None else [n_select]
        found = best_method(self.lines, sizes, measure)
        if found is None:
            raise ValueError(f"no method was measured by {measure!r} in all splits")
        return found

    def verdict(self) -> list[str]:
        """Return in sentences which method is best, by how much, and whether that may be chance."""
        return verdict(self)

    def notes(self) -> list[str]:
        """Return which methods failed, and why, or harmed, or kept another number of columns."""
        notes = [
            *failures_in_words(self.lines), *misled_in_words(self.runs),
            *uncompared_in_words(self.runs),
        ]  # fmt: skip
        if self.about.get("unclustered"):
            notes.append(f"k-means is left out: {self.about['unclustered']}")
        return notes

    def table(self, frame: str | None = None) -> Any:
        """Return all figures as a table: a line for each size and method.

        Parameters
        ----------
        frame : {"pandas", "polars", "dict"} or None, default=None
            What to return; None is a frame of pandas or, without pandas, a dict of lists.

        Returns
        -------
        DataFrame or dict of lists
            ``method``, ``n_select``, ``columns`` (how many were kept), ``runs``; of each measure
            the mean, the standard deviation (``_std``) and the group of significance
            (``_group``); ``failed``, the reasons.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from colonnade import compare
        >>> found = compare(load_wine().data, 4, methods=["greedy"], seeds=2, n_jobs=1)
        >>> found.table("dict")["method"]
        ['greedy', 'uniform', 'directions (PCA)']
        """
        return framed(self._columns(), frame)

    def _columns(self) -> dict[str, list[Any]]:
        out: dict[str, list[Any]] = {
            "method": [line.method for line in self.lines],
            "n_select": [line.n_select for line in self.lines],
            "columns": [line.columns.mean if line.columns.runs else None for line in self.lines],
            "runs": [line.columns.runs for line in self.lines],
        }
        for key in self.measures:
            some = [line.summaries.get(key) for line in self.lines]
            out[key] = [None if found is None else found.mean for found in some]
            out[f"{key}_std"] = [None if found is None else found.deviation for found in some]
            out[f"{key}_group"] = [line.groups.get(key) for line in self.lines]
        out["failed"] = ["; ".join(line.failures) or None for line in self.lines]
        return out

    def sheets(self, mark: Callable[[str, int], str] = lambda text, group: text) -> Iterator[Sheet]:
        """Yield the table of each measure.

        Parameters
        ----------
        mark : callable
            Given a cell and the number of its group, 0 for none, returns it marked.
        """
        names = list(dict.fromkeys(line.method for line in self.lines))
        by_place = {(line.method, line.n_select): line for line in self.lines}
        second = {MEASURES[key].beside for key in self.measures}
        for key in self.measures:
            if key in second:
                continue
            measure = MEASURES[key]
            rows = []
            for name in names:
                cells = [by_place.get((name, n)) for n in self.n_select]
                shown = [line is not None and (key in line.summaries or bool(line.failures))
                         for line in cells]  # fmt: skip
                if any(shown):
                    rows.append((name, *(_cell(line, measure, mark) for line in cells)))
            title = measure.title.replace("variance", self.quantity)
            columns = ("method", *(f"{n} column{'s' if n > 1 else ''}" for n in self.n_select))
            yield Sheet(measure, title, columns, tuple(rows))

    def legend(self, first: str, second: str) -> str:
        """Return what figures are and how the best are marked, which depends on where."""
        return LEGEND.format(seeds=self.about["seeds"], first=first, second=second)

    def to_markdown(self) -> str:
        """Return the tables in Markdown, with the verdict above them."""
        lines = [*self.verdict(), ""]
        for sheet in self.sheets(marked):
            lines += [f"**{sheet.title}**", "", *markdown_table(sheet.columns, sheet.rows), ""]
        lines += [self.legend("bold", "in italics"), ""]
        lines += [f"- {note}" for note in self.notes()]
        return "\n".join(lines).rstrip() + "\n"

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON has it."""
        columns = self._columns()
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        return {
            **self.about, "verdict": self.verdict(), "notes": self.notes(),
            "best": {key: best_method(self.lines, self.n_select, key) for key in self.measures},
            "results": rows, "runs": [dict(run) for run in self.runs],
        }  # fmt: skip

    def save(self, path: StrPath) -> None:
        """Write a file: all figures (.csv), tables and verdict (.md), or everything (.json).

        Parameters
        ----------
        path : str or path
            Where to; the extension says what. The file appears only when it is complete.
        """
        path = Path(path)
        if path.suffix.lower() not in EXTENSIONS:
            raise ValueError(
                f"{path}: a comparison is written as {', '.join(EXTENSIONS)}; choose one of these "
                "extensions"
            )
        text = {".csv": self._as_csv, ".md": self.to_markdown, ".json": self._as_json}
        with atomic(path) as file:
            file.write(text[path.suffix.lower()]().encode())

    def _as_csv(self) -> str:
        return as_csv(self._columns())

    def _as_json(self) -> str:
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n"

    def curves(self) -> list[Curve]:
        """Return lines for a picture: every measure over the sizes."""
        out = []
        for key in self.measures:
            measure = MEASURES[key]
            for name in dict.fromkeys(line.method for line in self.lines):
                some = [line for line in self.lines if line.method == name]
                points = [(line.n_select, line.summaries[key]) for line in some
                          if key in line.summaries]  # fmt: skip
                if points:
                    out.append(_curve(measure, name, points))
        return out

    def draw(self) -> Figure:
        """Return a figure with a picture of each measure over the sizes; needs matplotlib.

        Returns
        -------
        matplotlib Figure
            It belongs to no window and can be saved anywhere.
        """
        from ..plots import draw_panels

        panels: dict[str, Any] = {}
        for curve in self.curves():
            panels.setdefault(curve.panel, {})[curve.label] = (curve.x, curve.y, curve.deviation)
        note = f"Bands: one standard deviation over {self.about['seeds']} splits of the rows"
        figure = draw_panels(panels, x_label="columns", note=note)
        held_out = figure.axes[0]  # the first measure
        if held_out.get_ylim()[0] < FLOOR:
            held_out.set_ylim(bottom=FLOOR)
            held_out.set_title(f"{held_out.get_title()} (cut off at {FLOOR})", fontsize="medium")
        return figure


def _curve(measure: Measure, name: str, points: Sequence[tuple[int, Summary]]) -> Curve:
    return Curve(
        measure.panel,
        name,
        tuple(float(n) for n, _ in points),
        tuple(found.mean * measure.factor for _, found in points),
        tuple(found.deviation * measure.factor for _, found in points if measure.deviates),
    )


def _cell(line: Line | None, measure: Measure, mark: Callable[[str, int], str]) -> str:
    found = None if line is None else line.summaries.get(measure.key)
    if line is None or found is None:
        return "failed" if line is not None and line.failures else ""
    text = measure.show(found.mean)
    if measure.deviates:
        text += f" ± {measure.show(found.deviation)}"
    other = line.mean(measure.beside)
    if other is not None:
        text += f" ({MEASURES[measure.beside].show(other)})"
    return mark(text, line.groups.get(measure.key, 0))
