"""Files that commands write: checked before the work, reported after the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import io
from ..comparison.pictured import Curve
from ..selection import Selection
from .errors import InputError, input_errors

__all__ = [
    "PICTURES",
    "Files",
    "check_data_target",
    "check_matplotlib",
    "check_safe_csv_option",
    "draw_curves",
    "draw_error_paths",
    "draw_selection",
]

PICTURES = (".png", ".svg", ".pdf")


class Files:
    """The files that a command writes.

    What goes wrong waits until the answer is shown, so that a full disk does not cost it.

    Attributes
    ----------
    written : list of Path
        Those that are complete.
    """

    def __init__(self) -> None:
        self.written: list[Path] = []
        self._problem: Exception | None = None

    def write(self, path: Path | None, put: Callable[[Path], None]) -> None:
        """Write a file, if one is wanted and nothing went wrong so far."""
        if path is None or self._problem is not None:
            return
        try:
            put(path)
        except Exception as error:  # writers of many formats raise nearly anything
            self._problem = error
        else:
            self.written.append(path)

    def lines(self) -> list[str]:
        """Return what to say about them."""
        return [f"Written: {path}" for path in self.written]

    def raise_problem(self) -> None:
        """Raise what went wrong, after the answer."""
        if self._problem is not None:
            raise self._problem


def check_data_target(out: Path | None, sources: Sequence[Path], safe_csv: bool) -> None:
    """Raise an error if data cannot be written, before anything is read."""
    check_safe_csv_option(out, safe_csv)
    if out is not None:
        io.check_target(out, sources=sources)
        io.check_content(out, None)


def check_safe_csv_option(out: Path | None, wanted: bool) -> None:
    """Raise InputError if --safe-csv has nothing to act on."""
    if not wanted:
        return
    if out is None:
        raise InputError("--safe-csv says how to write text; add --out and a CSV or TSV file")
    io.check_safe_csv(out, "--safe-csv")


def check_matplotlib() -> None:
    """Raise InputError if pictures cannot be drawn."""
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError as error:
        raise InputError(
            'pictures need matplotlib; install it with pip install "colonnade[plot]"'
        ) from error


def draw_error_paths(
    path: Path, selections: Mapping[str, Any], unit: str, floor: Any = None
) -> None:
    """Draw error paths."""
    from ..plots import error_path

    with input_errors():
        _save(error_path(selections, unit=unit, floor=floor).figure, path)


def draw_selection(path: Path, name: str, selection: Selection, unit: str) -> None:
    """Draw what sizes explain, if a rule chose one; else the error path."""
    if "size" not in selection.info:
        draw_error_paths(path, {name: selection}, unit)
        return
    from ..plots import draw_sizes

    with input_errors():
        _save(draw_sizes(selection, unit=unit).figure, path)


def draw_curves(path: Path, curves: Sequence[Curve], axes: tuple[str, str]) -> None:
    """Draw lines in pictures side by side; ``axes`` says what is drawn against what."""
    from ..plots import draw_panels

    panels: dict[str, Any] = {}
    for curve in curves:
        panels.setdefault(curve.panel, {})[curve.label] = (curve.x, curve.y, curve.deviation)
    with input_errors():
        _save(draw_panels(panels, x_label=axes[0], y_label=axes[1]), path)


def _save(figure: Any, path: Path) -> None:
    with io.atomic(path) as file:
        figure.savefig(file, format=path.suffix[1:].lower())
