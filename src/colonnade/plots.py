"""Pictures of results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .selection import Selection

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_panels", "draw_sizes", "error_path"]

# colours that stay apart for the colour-blind (Okabe and Ito), and marks for print in grey
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKS = ("o", "s", "^", "D", "v", "P")
STYLES = ("-", "--", ":")

Line = tuple[Sequence[float], Sequence[float], Sequence[float]]
"""Where a line goes, x and y, and how far its points may be off."""


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


# name in ``info["size"]["curves"]``, label, colour, style, width, above what
SIZE_CURVES = (
    ("explained", "chosen {unit}", COLOURS[0], "-", 1.8, 4),
    ("bound", "largest possible (SVD)", "0.35", "--", 1.2, 3),
    ("held_out", "rows held out", COLOURS[1], (0, (3, 2)), 1.4, 5),
    ("random", "random {unit}", COLOURS[2], "-.", 1.2, 2),
    ("independent", "if all were independent", "0.6", ":", 1.4, 2),
)
LONG = 100
"""Above so many choices the axis is logarithmic."""


def draw_sizes(selection: Selection, *, ax: Axes | None = None, unit: str = "columns") -> Axes:
    """Draw what is explained against the number of columns, and the number that was proposed.

    In addition to the chosen columns: the bound that no choice can exceed, what is explained of
    rows that were held out, what random columns explain, what as many choices would explain if
    all columns were independent.

    Parameters
    ----------
    selection : Selection
        The result of ``n_select="auto"`` or another rule.
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
        If the number of columns was given, so that there are no curves.

    Examples
    --------
    >>> from colonnade import select
    >>> from colonnade.datasets import make_plant_table
    >>> from colonnade.plots import draw_sizes
    >>> ax = draw_sizes(select(make_plant_table(n_features=20).X, "auto", scale="std"))
    >>> ax.get_ylabel()
    'share explained'
    """
    size = selection.info.get("size")
    if size is None:
        raise ValueError(
            'the selection has no curves of sizes, so they cannot be drawn; choose n_select="auto"'
        )
    ax = _axes() if ax is None else ax
    curves = size["curves"]
    sizes = np.asarray(curves["n_select"])
    for key, label, colour, style, width, order in SIZE_CURVES:
        if curves.get(key) is not None:
            shares = np.array([np.nan if v is None else v for v in curves[key]])
            ax.plot(
                sizes, shares, color=colour, linestyle=style, linewidth=width, zorder=order,
                label=label.format(unit=unit), marker="o" if len(sizes) == 1 else None,
            )  # fmt: skip
    chosen = size["n_select"]
    ax.axvline(chosen, color=COLOURS[3], linewidth=1.2, label=f"proposed: {chosen}", zorder=1)
    _decorate(ax, unit, int(sizes[-1]))
    ax.set_ylabel("share explained")
    if sizes[-1] > LONG:
        from matplotlib.ticker import ScalarFormatter

        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(ScalarFormatter())
        ax.set_xlim(1, int(sizes[-1]))
    ax.legend(frameon=False)
    return ax


def draw_panels(
    panels: Mapping[str, Mapping[str, Line]],
    *,
    x_label: str = "",
    y_label: str = "",
    note: str = "",
) -> Figure:
    """Draw several pictures of lines side by side, three in a row, with one legend.

    Parameters
    ----------
    panels : dict of str to dict of str to (x, y, deviation)
        By the title of the picture and the name of the line; a line has one look in all pictures.
        The deviation may be empty, or is drawn as a band, at a single point as a bar.
    x_label, y_label : str
        What is drawn against what.
    note : str
        What is to be known of all pictures, such as what the bands are.

    Returns
    -------
    matplotlib Figure
        It belongs to no window and can be saved anywhere.

    Examples
    --------
    >>> from colonnade.plots import draw_panels
    >>> figure = draw_panels({"iris": {"greedy": ([1, 2], [0.5, 0.25], [])}}, x_label="columns")
    >>> [ax.get_title() for ax in figure.axes]
    ['iris']
    """
    if not panels:
        raise ValueError("there is nothing to draw: panels is empty")
    across = min(3, len(panels))
    down = -(-len(panels) // across)
    figure = _figure((4.2 * across + 0.4, 3.0 * down + 0.8))
    grid = figure.subplots(down, across, squeeze=False).ravel()
    looks = {name: k for k, name in enumerate(dict.fromkeys(n for p in panels.values() for n in p))}
    from matplotlib.ticker import MaxNLocator

    handles = {}
    for ax, (title, lines) in zip(grid, panels.items(), strict=False):
        for name, (x, y, deviation) in lines.items():
            colour = COLOURS[looks[name] % len(COLOURS)]
            (handles[name],) = ax.plot(
                x, y, color=colour, marker=MARKS[looks[name] % len(MARKS)], markersize=4,
                linestyle=STYLES[looks[name] // len(COLOURS) % len(STYLES)], linewidth=1.4,
            )  # fmt: skip
            if len(deviation) and len(x) == 1:  # a band there has no width
                ax.errorbar(x, y, deviation, color=colour, capsize=3, linewidth=1)
            elif len(deviation):
                low, high = np.subtract(y, deviation), np.add(y, deviation)
                ax.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)
        ax.set_title(title, fontsize="medium")
        ax.set_xlabel(x_label)
        ax.set_ylabel(y_label)
        places = {float(place) for x, _, _ in lines.values() for place in x}
        if len(places) == 1:
            ax.set_xticks(list(places))
        elif all(place.is_integer() for place in places):
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        _tidy(ax)
    for ax in grid[len(panels) :]:
        ax.remove()
    ordered = [name for name in looks if name in handles]
    figure.legend(
        [handles[name] for name in ordered], ordered, loc="outside lower center",
        ncols=min(4, len(ordered)), frameon=False, title=note or None,
    )  # fmt: skip
    return figure


def _axes() -> Axes:
    return _figure((6.4, 4.0)).subplots()


def _figure(size: tuple[float, float]) -> Figure:
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            'pictures need matplotlib; install it with pip install "colonnade[plot]"',
            name="matplotlib",
        ) from error
    # without pyplot there is no window and no global state, so this works on any machine
    return Figure(figsize=size, dpi=150, layout="constrained")


def _decorate(ax: Axes, unit: str, longest: int) -> None:
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    ax.set_xlabel(f"{unit} chosen")
    ax.set_ylabel("squared error left")
    ax.set_xlim(0, max(1, longest))
    ax.set_ylim(0, 1)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.yaxis.set_major_formatter(PercentFormatter(1.0))
    _tidy(ax)


def _tidy(ax: Axes) -> None:
    ax.grid(True, color="0.9", linewidth=0.8)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
