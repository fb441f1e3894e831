"""What a comparison says in sentences of given figures."""

from __future__ import annotations

import pytest

from colonnade import Comparison
from colonnade.comparison.lines import DIRECTIONS, EVERYTHING, Line
from colonnade.comparison.significance import Summary
from colonnade.comparison.verdicts import best_method, failures_in_words, far, worse

HIGH, ALIKE, LOW = Summary(0.9, 0.02, 10), Summary(0.89, 0.05, 10), Summary(0.7, 0.02, 10)
NEAR, UNSTEADY, FIRM = Summary(0.495, 0.02, 10), Summary(0.46, 0.2, 10), Summary(0.3, 0.01, 10)


def compared(lines, **about):
    """A comparison of lines with a PCA for each size."""
    sizes = sorted({line.n_select for line in lines})
    top = {"held_out": Summary(0.9, 0.01, 10)}
    pca = [Line(DIRECTIONS, n, kept(n), top, yardstick=True) for n in sizes]
    about = {
        "n_select": sizes, "methods": list(dict.fromkeys(line.method for line in lines)),
        "center": True, "seeds": 10, "n_classes": None, "n_clusters": None,
    } | about  # fmt: skip
    return Comparison((*lines, *pca), about)


def kept(n):
    return Summary(float(n), 0.0, 10)


def verdict(**shares):
    """The sentences for methods with these shares, of which "best" is the best."""
    given = {"best": Summary(0.50, 0.01, 10), **shares}
    lines = [Line(name, 2, kept(2), {"held_out": share}) for name, share in given.items()]
    return compared(lines).verdict()[1:]


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
        (
            {"uniform": UNSTEADY},
            [UNSURE, "Far from it, if too unsteadily for the test: random columns."],
        ),
        (
            {"other": FIRM, "uniform": UNSTEADY},
            [
                UNSURE,
                "Far from it, if too unsteadily for the test: random columns.",
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
            [SURE, "Every other choice is worse with some number of columns, and not by chance."],
        ),
        ({"uniform": FIRM}, [SURE]),
    ],
)
def test_not_by_chance_is_said_of_what_the_test_tells_alone(shares, sentences):
    assert verdict(**shares) == sentences


def makes(name, share, **more):
    """A line of something that makes features of all columns."""
    return Line(name, 2, kept(2), {"held_out": share, **more}, chooses=False)


def test_what_makes_features_is_no_choice():
    lines = [
        Line("best", 2, kept(2), {"held_out": Summary(0.50, 0.01, 10)}),
        Line("uniform", 2, kept(2), {"held_out": FIRM}),
        makes("better", Summary(0.8, 0.01, 10)), makes("alike", NEAR), makes("poor", FIRM),
        makes("unsure", Summary(0.55, 0.2, 10)),
    ]  # fmt: skip
    assert compared(lines).verdict()[1:] == [
        SURE,
        "Features made of all columns explain more with some number of them, and not by chance: "
        "better.",
    ]


def test_a_choice_that_is_better_for_one_size_alone_is_no_maker_of_features():
    lines = [
        Line("best", 2, kept(2), {"held_out": NEAR}), Line("best", 4, kept(4), {"held_out": HIGH}),
        Line("one", 2, kept(2), {"held_out": LOW}), Line("one", 4, kept(4), {"held_out": FIRM}),
    ]  # fmt: skip
    assert compared(lines).verdict()[1:] == [
        "Every other choice is worse with some number of columns, and not by chance."
    ]


def test_random_columns_without_a_rival_are_not_called_the_best():
    uniform = Line("uniform", 2, kept(2), {"held_out": Summary(-0.0001, 0.01, 10)})
    failed = Line("failed", 2, Summary.of([]), {}, failures={"why": 10})
    better = makes("pca", Summary(0.8, 0.01, 10))
    assert compared([uniform, failed, better]).verdict() == [
        "Random columns are the only choice that was measured in all splits. They explain 0.0 % "
        "of the variance of held-out rows with 2 columns. As many directions of a PCA explain "
        "90.0 %.",
        "Features made of all columns explain more with some number of them, and not by chance: "
        "pca.",
    ]
    worse_one = Line("worse", 2, kept(2), {"held_out": Summary(-0.1, 0.01, 10)})
    assert compared([uniform, worse_one]).verdict() == [
        "No choice of columns explains more of the variance of held-out rows than random columns: "
        "0.0 % with 2 columns."
    ]


def test_where_each_method_failed_in_some_split_none_is_best():
    line = Line("uniform", 2, kept(2), {"held_out": FIRM}, failures={"why": 1})
    found = compared([line])
    assert found.verdict() == [
        "No choice of columns was measured in all splits, so that none is best."
    ]
    assert repr(found) == "Comparison(1 methods, n_select=[2], seeds=10, best=None)"


@pytest.mark.parametrize(
    ("key", "first", "random", "end"),
    [
        ("accuracy", HIGH, LOW, "best is better than random columns, and not by chance"),
        ("accuracy", HIGH, ALIKE, "that best is better than random columns may be chance"),
        ("accuracy", LOW, HIGH, "no method has a better mean than random columns"),
        ("cost", LOW, HIGH, "best is better than random columns, and not by chance"),
        ("cost", ALIKE, HIGH, "that best is better than random columns may be chance"),
        ("cost", HIGH, LOW, "no method has a better mean than random columns"),
    ],
)
def test_of_classes_and_clusters_it_is_said_whether_it_may_be_chance(key, first, random, end):
    about = {"n_classes": 2} if key == "accuracy" else {"n_clusters": 2}
    lines = [
        Line("best", n, kept(n), {"held_out": NEAR, key: good if n == 4 else LOW})
        for n, good in ((2, LOW), (4, first))
    ]
    lines += [Line("uniform", n, kept(n), {"held_out": FIRM, key: random}) for n in (2, 4)]
    # what failed in some splits, or kept more, has figures as well, and is not spoken of
    flaw = Summary(0.99 if key == "accuracy" else 0.01, 0.0, 10)
    lines.append(Line("failed", 4, kept(4), {"held_out": HIGH, key: flaw}, failures={"why": 1}))
    sentence = compared(lines, **about).verdict()[-1]
    assert sentence.partition(": ")[0].endswith(", with 4 columns")
    assert sentence.endswith(f"; {end}.")
    assert "failed" not in sentence


def test_random_columns_alone_are_beside_all_columns():
    lines = [
        Line("uniform", 2, kept(2), {"held_out": FIRM, "accuracy": LOW}),
        Line(EVERYTHING, 2, kept(2), {"accuracy": HIGH}, yardstick=True),
    ]
    assert compared(lines, n_classes=2, methods=["uniform"]).verdict()[-1] == (
        "Rows classified right, with 2 columns: random columns 70.0 %, all columns 90.0 %."
    )


def test_what_failed_in_some_splits_is_not_compared_with():
    lines = [
        Line("best", 2, kept(2), {"held_out": NEAR, "accuracy": HIGH}),
        Line("uniform", 2, kept(2), {"held_out": FIRM, "accuracy": LOW}, failures={"why": 1}),
    ]
    assert compared(lines, n_classes=2).verdict() == [
        "best explains most of the variance of held-out rows: 49.5 % with 2 columns. As many "
        "directions of a PCA explain 90.0 %.",
        "Rows classified right, with 2 columns: best 90.0 %.",
    ]


def test_what_is_best_has_figures_for_all_sizes():
    lines = [
        Line("all", 2, kept(2), {"held_out": FIRM}), Line("all", 4, kept(4), {"held_out": NEAR}),
        Line("one", 4, kept(4), {"held_out": HIGH}),
        Line("uniform", 2, kept(2), {"held_out": HIGH}),
        Line("uniform", 4, kept(4), {"held_out": HIGH}),
    ]  # fmt: skip
    assert best_method(lines, [2, 4]) == "uniform"
    assert best_method(lines, [2, 4], others=True) == "all"


def test_a_difference_that_is_sure_for_one_size_alone_is_told_so():
    lines = [
        Line("best", 1, kept(1), {"held_out": Summary(0.5, 0.01, 10)}),
        Line("best", 4, kept(4), {"held_out": Summary(0.6, 0.01, 10)}),
        Line("uniform", 1, kept(1), {"held_out": FIRM}),
        Line("uniform", 4, kept(4), {"held_out": Summary(0.59, 0.1, 10)}),
    ]
    assert compared(lines).verdict()[1] == (
        "That is 20.0 and 1.0 points more than random columns, a significant difference with 1 "
        "column, but maybe chance with 4 (at the level of 95 %)."
    )


def test_one_column_is_one_column():
    lines = [
        Line("fails", 1, Summary.of([]), {}, failures={"why": 10}),
        Line("few", 2, kept(1), {"held_out": FIRM}),
        Line("few", 1, Summary(0.5, 0.5, 10), {"held_out": FIRM}),
    ]
    assert failures_in_words(lines) == [
        "fails failed with 1 column: why",
        "few kept 1 and 0.5 columns where 2 and 1 were asked for",
    ]
    assert failures_in_words(lines[1:2]) == ["few kept 1 column where 2 were asked for"]


@pytest.mark.parametrize(
    ("share", "cut"), [(Summary(0.2, 0.3, 10), False), (Summary(-0.9, 2.5, 10), True)]
)
def test_a_share_far_below_nothing_does_not_flatten_the_picture(share, cut):
    lines = [Line("best", n, kept(n), {"held_out": NEAR}) for n in (2, 4)]
    lines += [Line("harms", n, kept(n), {"held_out": share}) for n in (2, 4)]
    held_out = compared(lines).draw().axes[0]
    title = "held-out rows explained, %"
    assert held_out.get_title() == (f"{title} (cut off at -25)" if cut else title)
    assert (held_out.get_ylim()[0] == -25) == cut
