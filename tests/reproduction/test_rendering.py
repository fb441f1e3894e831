"""Which figures of a table are marked as the best."""

from __future__ import annotations

import pytest

from colonnade.comparison.significance import Summary
from colonnade.reproduction.findings import Figure, Findings
from colonnade.reproduction.rendering import sheets


def marks(summaries, measure="", beside=(), **options):
    """Groups of the cells of a table of one column, as it is shown."""
    figures = [Figure("", row, "all", s, measure=measure) for row, s in summaries.items()]
    figures += [Figure("", "A", "all", Summary(1.0, 0.1, 9), measure=name) for name in beside]
    (sheet, *_) = sheets(Findings(tuple(figures), **options), lambda text, group: f"{group}")
    return {row: int(cell) for row, cell in sheet.rows}


ONCE = {"A": Summary(1.0, 0.0, 1), "B": Summary(2.0, 0.0, 1)}
MIXED = {"A": Summary(1.0, 0.0, 1), "B": Summary(2.0, 0.1, 9)}
OFTEN = {"A": Summary(1.0, 0.1, 9), "B": Summary(2.0, 0.1, 9)}
SMALL = {"larger_is_better": False}


@pytest.mark.parametrize(
    ("summaries", "measure", "beside", "options", "marked"),
    [
        (ONCE, "times as long as GreedyCSS", (), SMALL, False),
        (ONCE, "CPU milliseconds", (), SMALL, False),
        (ONCE, "seconds of the reduction", ("accuracy",), {"smaller": ("seconds",)}, False),
        (MIXED, "seconds", (), SMALL, False),
        (OFTEN, "seconds", (), SMALL, True),
        # ratios of seconds beside them; an objective beside seconds is none
        (MIXED, "/ uniform", ("seconds",), SMALL, False),
        (MIXED, "objective", ("seconds",), {**SMALL, "smaller": ("objective",)}, True),
        (MIXED, "objective", ("seconds",), {"smaller": ("objective",)}, True),
        # an error without any chance in it is exact
        (ONCE, "", (), SMALL, True),
        (MIXED, "the best by an exact SVD", (), SMALL, True),
        (ONCE, "error", ("bounds",), SMALL, True),
    ],
)
def test_times_that_were_taken_once_have_no_groups(summaries, measure, beside, options, marked):
    found = marks(summaries, measure, beside, **options)
    best = {"A": 1, "B": 2} if marked else {"A": 0, "B": 0}
    assert {row: found[row] for row in best} == best


def test_larger_values_may_be_better():
    assert marks(OFTEN) == {"A": 2, "B": 1}
    assert marks(MIXED, "accuracy", ("seconds",)) == {"A": 2, "B": 1}
    assert marks({"A": Summary(1.0, 0.1, 9)}) == {"A": 0}
