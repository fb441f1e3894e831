"""Pictures of results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .selection import Selection

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["error_path"]

# colours that stay apart for the colour-blind (Okabe and Ito), and marks for print in grey
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKS = ("o", "s", "^", "D", "v", "P")


def error_path(
    selections: Selection | Mapping[str, Selection],
    *,
    floor: Any = None,
    ax: Axes | None = None,
    unit: str = "columns",
) -> Axes:
    """Draw how much of the data is lost against how much is kept.

    Parameters
    ----------
    selections : Selection or dict of str to Selection
        One line each, named by the keys.
    floor : array-like, optional
        The smallest relative error that any approximation of rank 1, 2, ... can have, drawn as
        a dashed line: no selection gets below it.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure, ``result.figure``, that belongs to no window and
        can be saved anywhere.
    unit : str, default="columns"
        What was chosen, for the axis.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ValueError
        If a selection has no error path.

    Examples
    --------
    >>> import numpy as np
    >>> from colonnade import Selection
    >>> from colonnade.plots import error_path
    >>> path = Selection(np.array([3, 1]), 4, errors=np.array([0.5, 0.1]), total=2.0)
    >>> error_path(path).get_ylabel()
    'squared error left'
    """
    if isinstance(selections, Selection):
        selections = {"": selections}
    if not selections:
        raise ValueError("there is nothing to draw: selections is empty")
    ax = _axes() if ax is None else ax
    longest = 0
    for number, (name, selection) in enumerate(selections.items()):
        errors = selection.relative_errors
        if errors is None:
            raise ValueError(f"the selection {name!r} has no error path, so it cannot be drawn")
        longest = max(longest, len(errors))
        ax.plot(
            np.arange(len(errors) + 1),
            np.concatenate([[1.0], errors]),
            color=COLOURS[number % len(COLOURS)],
            marker=MARKS[number % len(MARKS)],
            markersize=4,
            # about twenty marks, however long the line is
            markevery=max(1, len(errors) // 20),
            linewidth=1.6,
            label=name or None,
            clip_on=False,
            zorder=3,
        )
    if floor is not None:
        best = np.concatenate([[1.0], np.asarray(floor, dtype=float)])[: longest + 1]
        ax.plot(
            best,
            color="0.35",
            linestyle="--",
            linewidth=1.2,
            label="smallest possible (SVD)",
            zorder=2,
        )
    _decorate(ax, unit, longest)
    if floor is not None or any(selections):
        ax.legend(frameon=False)
    return ax


def _axes() -> Axes:
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            'pictures need matplotlib; install it with pip install "colonnade[plot]"',
            name="matplotlib",
        ) from error
    # without pyplot there is no window and no global state, so this works on any machine
    return Figure(figsize=(6.4, 4.0), dpi=150, layout="constrained").subplots()


def _decorate(ax: Axes, unit: str, longest: int) -> None:
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    ax.set_xlabel(f"{unit} chosen")
    ax.set_ylabel("squared error left")
    ax.set_xlim(0, max(1, longest))
    ax.set_ylim(0, 1)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.yaxis.set_major_formatter(PercentFormatter(1.0))
    ax.grid(True, color="0.9", linewidth=0.8)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
