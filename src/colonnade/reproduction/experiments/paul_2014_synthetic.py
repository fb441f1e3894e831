"""Table 1 of Paul & Drineas (2014): which features are selected in a set with few relevant ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from ...comparison.ledger import Job
from ..experiment import Results
from ..findings import Cells, Claim, Figure, Findings, verdict_of
from .paul_2014_printed import TABLE_1
from .paul_2014_runs import RANKS, SYNTHETIC_ALPHAS

__all__ = ["DATA_SETS", "listed", "report_table_1", "synthetic_jobs"]

DATA_SETS = 10
FEATURES, POINTS = 1000, 27
"""Of a data set, and of a training set: nine tenths of 30."""
Lists = Mapping[tuple[int, int, str], list[list[int]]]
"""The five most frequent features by (relevant features, picks, row), for each data set."""


def synthetic_jobs(quick: bool) -> list[Job]:
    """Return a job for each data set; the first, whose features are listed, has all repeats."""
    seeds = range(1 if quick else DATA_SETS)
    return [
        {
            "data": "rlsc", "relevant": relevant, "picks": picks, "seed": seed,
            "repeats": 1 if quick else 10 if seed == 0 else 2,
        }
        for relevant, picks in TABLE_1
        for seed in seeds
    ]  # fmt: skip


def _rows() -> list[tuple[str, str]]:
    """Return the names of the rows of Table 1, and in which row of the document they are."""
    ranked = [
        (f"{name}{'' if rank is None else f', rank {rank}'}", name)
        for name in ("BSS", "leverage")
        for rank in RANKS
    ]
    informed = [
        ("information gain", "information gain"),
        ("information gain, presence", "information gain"),
    ]
    return [*ranked, ("RRQR", "RRQR"), *informed]


def _whole() -> list[str]:
    """Return the rows that are done as the document says."""
    return [row for row, _ in _rows() if "rank" not in row and "presence" not in row]


def report_table_1(results: Results) -> Findings:
    """Compare the most frequent features with the printed ones, and with the relevant ones."""
    cells = Cells()
    lists: dict[tuple[int, int, str], list[list[int]]] = {}
    for job, outcome in results:
        setting = job["relevant"], job["picks"]
        for row, _ in _rows():
            cells.add("top", setting, row, value=100 * outcome["relevant_top"][row])
            cells.add("top", row, value=100 * outcome["relevant_top"][row])
            cells.add("all", setting, row, value=100 * outcome["relevant"][row])
            lists.setdefault((*setting, row), []).append(outcome["top"][row])
            for alpha, wrong in zip(SYNTHETIC_ALPHAS, outcome["error"][row], strict=True):
                cells.add("error", row, alpha, value=100 * wrong)
                cells.add("error", row, value=100 * wrong)
    figures = []
    for setting, lines in TABLE_1.items():
        group = f"k = {setting[0]}, r = {setting[1]}"
        for row, source in _rows():
            known = 100.0 * float(np.mean([feature <= setting[0] for feature in lines[source]]))
            shares = (("of the top five", "top", known), ("of all picks", "all", None))
            figures += [
                Figure(
                    group, row, column, cells.summary(kind, setting, row), printed,
                    measure="relevant features, %",
                )
                for column, kind, printed in shares
            ]  # fmt: skip
    figures += [
        Figure(
            "all settings", row, f"λ = {alpha:g}", cells.summary("error", row, alpha), 0.0,
            measure="out-of-sample error, %",
        )
        for row in _whole()
        for alpha in SYNTHETIC_ALPHAS
    ]  # fmt: skip
    notes = (ORDER, *_explained(cells, lists), *_compared(lists), *_first_lists(lists))
    seeds = len({job["seed"] for job, _ in results})
    return Findings(tuple(figures), _claims(cells, seeds), notes=notes, digits=0)


def _claims(cells: Cells, seeds: int) -> tuple[Claim, ...]:
    rows = [row for row, _ in _rows()]
    whole = _whole()
    absent = [f"{DATA_SETS - seeds} of {DATA_SETS} data sets (not run)"] * (seeds < DATA_SETS)
    error = {row: cells.mean("error", row) for row in rows}
    top = {row: cells.mean("top", row) for row in rows}
    return (
        Claim(
            "with 80 or 90 of 1000 features no method makes an error",
            verdict_of([error[row] == 0 for row in whole]),
            "mean errors, %: " + listed(error, whole, 2),
        ),
        Claim(
            "the five features that BSS picks most often are relevant in every data set, with as "
            "many singular vectors as the rank",
            verdict_of([value == 100 for value in cells.values.get(("top", "BSS"), [])]),
            f"{top['BSS']:.0f} % of the five on average",
        ).without(absent),
        Claim(
            "the same with the one leading singular vector",
            verdict_of([value == 100 for value in cells.values.get(("top", "BSS, rank 1"), [])]),
            listed(top, [f"BSS, rank {rank}" for rank in (5, 2, 1)], 0),
        ).without(absent),
        Claim(
            "BSS picks relevant features as often as the other methods, or more often (all "
            "singular vectors)",
            verdict_of([top["BSS"] >= top[row] for row in whole if row != "BSS"]),
            "relevant of the top five, %: " + listed(top, whole, 0),
        ),
    )


def _compared(lists: Lists) -> list[str]:
    """Say for each row how many of the lists are the printed ones."""
    told = []
    for row, source in _rows():
        equal = [
            found == list(TABLE_1[k, r][source])
            for (k, r, name), own in lists.items()
            if name == row
            for found in own
        ]
        told.append(f"{row} {sum(equal)} of {len(equal)}")
    return [f"Lists of five that are the printed ones, over all data sets: {', '.join(told)}."]


def _explained(cells: Cells, lists: Lists) -> list[str]:
    """Say why lists are as they are, with the shares that show it."""
    settings = [key for key in TABLE_1 if (*key, "BSS") in lists]
    shares = "; ".join(
        f"{name} "
        + ", ".join(
            f"{_share(cells, settings, row):.0f} (rank {'full' if rank is None else rank})"
            for rank in RANKS
            for row in [name if rank is None else f"{name}, rank {rank}"]
        )
        for name in ("BSS", "leverage")
    )
    odds = [_odds(cells.mean("all", key, "leverage") / 100, key[0]) for key in settings]
    last = sum(
        picks - 5 < feature <= picks
        for (_, picks), printed in TABLE_1.items()
        for feature in printed["RRQR"]
    )
    return [
        f"At full rank, that of {POINTS} training points, all directions count alike, those of "
        f"noise as well. Relevant of all picks, %: {shares}. At full rank leverage scores draw a "
        f"relevant feature {_from_to(odds)} times as often as another. The document says that the "
        "rank was full.",
        f"RRQR: {POINTS} points have rank {POINTS}, so pivoted QR picks {POINTS} columns, and the "
        "others stay where they were, but for those that were exchanged with a pivot. So the "
        "first r of the permutation are the pivots and most of the features behind these up to r: "
        f"{last} of the {5 * len(TABLE_1)} printed features are among the last five of the first "
        "r, and say nothing about a choice.",
        'Information gain: the row "presence" looks at whether a feature is zero, as text does. '
        "No feature is, all scores are zero, and the first r features are taken. The other row "
        "looks at the sign, which tells classes apart.",
    ]


def _share(cells: Cells, settings: Iterable[tuple[int, int]], row: str) -> float:
    return float(np.mean([cells.mean("all", key, row) for key in settings]))


def _odds(share: float, relevant: int) -> float:
    """Return how many times as often a relevant feature is picked as another."""
    return share / relevant / max((1 - share) / (FEATURES - relevant), 1e-12)


def _from_to(values: list[float]) -> str:
    return f"{min(values):.1f} to {max(values):.1f}"


def _first_lists(lists: Lists) -> list[str]:
    """Show the lists of the first data set."""
    told = []
    for (k, r), printed in TABLE_1.items():
        parts = []
        for source, theirs in printed.items():
            ours = ", ".join(
                f"{row} {_plain(lists[k, r, row][0])}"
                for row, known in _rows()
                if known == source and (k, r, row) in lists
            )
            parts.append(f"{source} printed {_plain(theirs)}, ours {ours}")
        told.append(
            f"The five features of the first data set, k = {k}, r = {r}: {'; '.join(parts)}."
        )
    return told


def _plain(features: Iterable[int]) -> str:
    return " ".join(map(str, features))


def listed(values: Mapping[str, float], names: Iterable[str], digits: int) -> str:
    """Return names with their values."""
    return ", ".join(f"{name} {values[name]:.{digits}f}" for name in names)


ORDER = (
    "Of features that were picked equally often the list has those of the highest number, as the "
    "printed lists suggest; shares are means over all orders of ties, and over data sets."
)
