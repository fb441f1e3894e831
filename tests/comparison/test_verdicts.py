"""What a comparison says in sentences of given figures."""

from __future__ import annotations

import pytest

from colonnade import Comparison
from colonnade.comparison.lines import DIRECTIONS, Line
from colonnade.comparison.significance import Summary
from colonnade.comparison.verdicts import far, worse

NEAR, UNSTEADY, FIRM = Summary(0.495, 0.02, 10), Summary(0.46, 0.2, 10), Summary(0.3, 0.01, 10)


def verdict(**shares):
    """The sentences for methods with these shares, of which "best" is the best."""
    given = {"best": Summary(0.50, 0.01, 10), **shares}
    columns = Summary(2.0, 0.0, 10)
    lines = [Line(name, 2, columns, {"held_out": share}) for name, share in given.items()]
    top = {"held_out": Summary(0.9, 0.01, 10)}
    lines.append(Line(DIRECTIONS, 2, columns, top, yardstick=True))
    about = {
        "n_select": [2], "methods": list(given), "center": True, "seeds": 10, "n_classes": None,
        "n_clusters": None,
    }  # fmt: skip
    return Comparison(tuple(lines), about).verdict()[1:]


def test_what_is_far_from_the_best_is_not_as_good_and_not_surely_worse():
    best = Summary(0.83, 0.004, 3)
    assert not far(best, Summary(0.825, 0.005, 3))
    assert far(best, Summary(0.79, 0.004, 3))
    assert worse(best, Summary(0.79, 0.004, 3))
    wild = Summary(-0.86, 2.7, 3)
    assert far(best, wild)
    assert not worse(best, wild)


UNSURE = "That is 4.0 points more than random columns, which may be chance (at the level of 95 %)."
SURE = (
    "That is 20.0 points more than random columns, a significant difference at the level of 95 %."
)


@pytest.mark.parametrize(
    ("shares", "sentences"),
    [
        ({"uniform": UNSTEADY}, [UNSURE, "Far from it, if too unsteadily for the test: uniform."]),
        (
            {"other": FIRM, "uniform": UNSTEADY},
            [
                UNSURE,
                "Far from it, if too unsteadily for the test: uniform.",
                "Worse with some number of columns, and not by chance: other.",
            ],
        ),
        (
            {"near": NEAR, "wild": UNSTEADY, "uniform": FIRM},
            [
                SURE,
                "No worse, as far as these splits can tell: near.",
                "Far from it, if too unsteadily for the test: wild.",
            ],
        ),
        (
            {"other": FIRM, "uniform": FIRM},
            [SURE, "Every other method is worse with some number of columns, and not by chance."],
        ),
        ({"uniform": FIRM}, [SURE]),
    ],
)
def test_not_by_chance_is_said_of_what_the_test_tells_alone(shares, sentences):
    assert verdict(**shares) == sentences
