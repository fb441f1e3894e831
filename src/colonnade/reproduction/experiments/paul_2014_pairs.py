"""Table 2, both figures and Table 4 of Paul & Drineas (2014), on pairs of newsgroups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...comparison.ledger import Job, Outcome
from ...comparison.pictured import Curve
from ...comparison.significance import Summary
from ..experiment import Results
from ..findings import Cells, Claim, Figure, Findings, verdict_of
from .paul_2014_printed import ALPHAS, METHODS, NEWSGROUPS, SIZES, TABLE_2
from .paul_2014_runs import AT_RANDOM, LONGEST
from .paul_2014_synthetic import listed

__all__ = ["PAIRS", "REPEATS", "pair_jobs", "report_figure", "report_table_2", "report_table_4"]

PAIRS, REPEATS = 10, 2
WORDS_SHOWN = 8
UNSUPERVISED = METHODS[:-1]
OTHERS = METHODS[1:]
ALL = "all features"
HERE = " (here: pairs of newsgroups)"
DRAWN_AT_RANDOM = "documents drawn at random"
CALLED = {LONGEST: "Documents of most words", AT_RANDOM: "Documents drawn at random"}
INFORMED_FROM = 0.3
"""From this λ on the printed table has information gain before leverage scores and RRQR."""
Means = Mapping[tuple[str, int, float], float]
"""Mean errors in per cent, by method, size and λ."""


def pair_jobs(quick: bool, ways: Sequence[str] = (LONGEST,)) -> list[Job]:
    """Return a job for each way to pick documents, pair and repeat."""
    pairs, repeats, parts = (2, 1, 2) if quick else (PAIRS, REPEATS, 10)
    return [
        {
            "data": "20news_full",
            "documents": way,
            "pair": pair,
            "repeat": repeat,
            "folds": parts,
        }
        for way in ways
        for repeat in range(repeats if way == LONGEST else 1)
        for pair in range(pairs)
    ]


def _errors(results: Results, way: str = LONGEST) -> Cells:
    """Gather errors in per cent by (method, size, λ), by repeat and by pair."""
    cells = Cells()
    for job, outcome in results:
        if job["documents"] != way:
            continue
        for name, values in outcome["error"].items():
            method, size = name.rsplit(" ", 1)
            for alpha, value in zip(ALPHAS, values, strict=True):
                place = (method, int(size), alpha)
                cells.add(place, value=100 * value)
                cells.add(place, "repeat", job["repeat"], value=100 * value)
                cells.add(place, "pair", job["pair"], value=100 * value)
    return cells


def _by_repeat(cells: Cells, place: tuple[str, int, float]) -> Summary:
    """Return the mean over pairs, and how much it differs between repeats."""
    keys = [key for key in cells.values if key[0] == place and key[1:2] == ("repeat",)]
    return Summary.of(cells.mean(*key) for key in keys)


def report_table_2(results: Results) -> Findings:
    """Compare the mean errors with the printed ones, and claims for both ways to pick documents.

    Documents drawn at random have one repeat, so that nothing tells how far errors vary.
    """
    figures: list[Figure] = []
    claims: list[Claim] = []
    means: dict[str, Means] = {}
    for way in (LONGEST, AT_RANDOM):
        cells = _errors(results, way)
        if not cells.values:
            continue
        if way == LONGEST:
            figures = _table(cells)
        means[way] = _means(cells)
        claims += _claims(means[way], way)
    longest = [(job, outcome) for job, outcome in results if job["documents"] == LONGEST]
    return Findings(
        tuple(figures),
        tuple(claims),
        notes=(*NOTES, _about_picking(means), *_about_pairs(longest)),
        digits=2,
        larger_is_better=False,
    )


def _table(cells: Cells) -> list[Figure]:
    """Return the figures beside the printed ones."""
    figures = []
    for size in SIZES:
        for name in METHODS:
            for alpha, printed in zip(ALPHAS, TABLE_2[size][name], strict=True):
                ours = _by_repeat(cells, (name, size, alpha))
                figures.append(Figure(f"r = {size}", name, f"λ = {alpha}", ours, *printed))
    whole = [
        Figure("no selection", ALL, f"λ = {alpha}", _by_repeat(cells, (ALL, 0, alpha)))
        for alpha in ALPHAS
    ]
    return figures + whole


def _means(cells: Cells) -> Means:
    return {
        (name, size, alpha): cells.mean((name, size, alpha))
        for name in METHODS
        for size in SIZES
        for alpha in ALPHAS
    }


def _claims(mean: Means, way: str) -> tuple[Claim, ...]:
    """Return what became of the claims; of other documents those that depend on that."""
    settings = [(size, alpha) for size in SIZES for alpha in ALPHAS]
    where = HERE if way == LONGEST else f"{HERE[:-1]}, {DRAWN_AT_RANDOM})"

    def lead(names: Sequence[str], size: int, alpha: float) -> float:
        return min(mean[name, size, alpha] for name in names) - mean["BSS", size, alpha]

    leads = {setting: lead(OTHERS, *setting) for setting in settings}
    own = {setting: lead(UNSUPERVISED[1:], *setting) for setting in settings}
    average = {
        name: float(np.mean([mean[name, *setting] for setting in settings])) for name in METHODS
    }
    told = ("BSS", "leverage", "information gain", "RRQR", "random")
    ordered = [
        all(mean[a, *setting] < mean[b, *setting] for a, b in pairwise(told))
        for setting in settings
    ]
    gained = [lead(("information gain",), *at) for at in settings if at[1] >= INFORMED_FROM]
    claims = (
        Claim(
            "BSS has the smallest error of all methods, supervised or not, for every r and λ"
            + where,
            verdict_of([value > 0 for value in leads.values()]),
            _leads(leads.values()),
        ),
        Claim(
            f"BSS has the smallest error of the unsupervised methods, for every r and λ{where}",
            verdict_of([value > 0 for value in own.values()]),
            _leads(own.values()),
        ),
        Claim(
            f"then come leverage scores, information gain, RRQR and random features{where}",
            verdict_of(ordered),
            f"in {sum(ordered)} of {len(settings)} settings; means over all, %: "
            + listed(average, told, 2),
        ),
        Claim(
            f"with λ = {INFORMED_FROM} or more information gain, which sees the labels, has less "
            f"error than BSS{where[:-1]}; the document says the contrary)",
            verdict_of([value < 0 for value in gained]),
            f"in {sum(value < 0 for value in gained)} of {len(gained)} settings; its error less "
            f"that of BSS, points: {min(gained):+.2f} to {max(gained):+.2f}",
        ),
    )
    return claims if way == AT_RANDOM else (*claims, *_more_claims(mean, leads))


def _more_claims(mean: Means, leads: Mapping[tuple[int, float], float]) -> tuple[Claim, ...]:
    """Return claims about sizes and λ, which are looked at for the longest documents alone."""
    falls = [
        mean[name, small, alpha] > mean[name, large, alpha]
        for name in METHODS
        for alpha in ALPHAS
        for small, large in pairwise(SIZES)
    ]
    eased = [
        mean[name, size, low] >= mean[name, size, high]
        for name in METHODS
        for size in SIZES
        for low, high in pairwise(ALPHAS)
    ]
    needed = {
        size: [mean["leverage", size, alpha] - mean["BSS", SIZES[0], alpha] for alpha in ALPHAS]
        for size in SIZES[1:]
    }
    return (
        Claim(
            "the lead of BSS is at least 3 points",
            verdict_of([value >= 3 for value in leads.values()]),
            f"in {sum(value >= 3 for value in leads.values())} of {len(leads)} settings",
        ),
        Claim(
            "errors fall with the number of features",
            verdict_of(falls),
            f"in {sum(falls)} of {len(falls)} steps",
        ),
        Claim("errors fall with λ", verdict_of(eased), f"in {sum(eased)} of {len(eased)} steps"),
        Claim(
            "leverage scores need more features for what BSS does with 300: 400 are too few",
            verdict_of([value > 0 for value in needed[400]]),
            "; ".join(
                f"leverage at {size} less BSS at 300, points: "
                + ", ".join(f"{value:+.2f}" for value in values)
                for size, values in needed.items()
            ),
        ),
    )  # fmt: skip


def _about_picking(means: Mapping[str, Means]) -> str:
    """Say what depends on which documents are taken."""
    settings = [(size, alpha) for size in SIZES for alpha in ALPHAS]
    told = []
    for way, mean in means.items():
        ahead = []
        for rival in UNSUPERVISED[:-1]:
            own = [at for at in settings if mean["information gain", *at] < mean[rival, *at]]
            where = "; ".join(
                f"r = {size}: λ = {', '.join(str(a) for s, a in own if s == size)}"
                for size in dict.fromkeys(size for size, _ in own)
            )
            ahead.append(f"than {rival} in {len(own)}" + (f" ({where})" if own else ""))
        errors = "; ".join(
            f"r = {size}: "
            + listed(
                {n: float(np.mean([mean[n, size, a] for a in ALPHAS])) for n in METHODS}, METHODS, 1
            )
            for size in SIZES
        )
        told.append(
            f"{CALLED[way]}: {', '.join(ahead)} of {len(settings)} settings (mean errors over all "
            f"λ, %: {errors})."
        )
    return (
        "What depends on which documents are taken: where information gain has less error. "
        + " ".join(told)
    )


def _leads(values: Iterable[float]) -> str:
    found = list(values)
    ahead = sum(value > 0 for value in found)
    return (
        f"in {ahead} of {len(found)} settings; its lead is {min(found):+.2f} to {max(found):+.2f} "
        "points"
    )


NOTES = (
    "The printed figures are of other data: 48 pairs of TechTC-300, which cannot be had. Only the "
    "order of methods can be compared, not the level.",
    "Leverage scores: weights 1/√(r p), where 1/√p is printed; the other makes λ r times smaller "
    "in effect. RRQR has the columns of pivoted QR up to the rank; what follows up to r is what "
    "LAPACK leaves in place, since a rank below r says nothing about more columns.",
    "A document that has none of the chosen words has f = 0 and no label: it counts as an error. ± "
    "is between the means of repeats over all pairs, and the tests of differences are of these; "
    "what the printed deviations are of is not said.",
    "The text puts leverage scores second. The printed table has RRQR before them for r = 300, "
    "and information gain too from λ = 0.3 on.",
)


def _about_pairs(results: Results) -> tuple[str, ...]:
    """Say which documents were taken, and how long each method took."""
    found: dict[int, Outcome] = {job["pair"]: outcome for job, outcome in results}
    told = "; ".join(
        f"{' / '.join(_names(one))} ({one['documents']} × {one['words']})"
        for _, one in sorted(found.items())
    )
    names = ("SVD", *(f"BSS {size}" for size in SIZES), "RRQR", "information gain")
    spent = {
        name: float(np.mean([one["method_seconds"][name] for one in found.values()]))
        for name in names
    }
    ends = [f"{name} {size}" for name in METHODS for size in (SIZES[0], SIZES[-1])]
    lost = {
        end: 100 * float(np.mean([outcome["undecided"][end] for _, outcome in results]))
        for end in ends
    }
    return (
        f"Pairs (documents × words): {told}.",
        f"CPU seconds for a training set: {listed(spent, names, 2)}; BSS and leverage scores need "
        "the SVD in addition.",
        f"Documents without any chosen word, %: {listed(lost, ends, 1)}.",
    )


def _names(outcome: Outcome) -> list[str]:
    return [NEWSGROUPS[label - 1] for label in outcome["classes"]]


def report_figure(results: Results, sizes: Sequence[int]) -> Findings:
    """Draw the errors pair by pair, and count where BSS is best."""
    cells = _errors(results)
    pairs = sorted({job["pair"] for job, _ in results})
    curves = []
    best, near, alone = [], [], []
    for size in sizes:
        for alpha in ALPHAS:
            lines: dict[str, list[Summary]] = {}
            for name in METHODS:
                found = [cells.summary((name, size, alpha), "pair", pair) for pair in pairs]
                lines[name] = [one for one in found if one is not None]
                curves.append(
                    Curve(
                        f"r = {size}, λ = {alpha}", name, tuple(float(pair + 1) for pair in pairs),
                        tuple(one.mean for one in lines[name]),
                        tuple(one.deviation for one in lines[name]),
                    )
                )  # fmt: skip
            for at in range(len(pairs)):
                own = lines["BSS"][at].mean
                others = {name: lines[name][at].mean for name in OTHERS}
                best.append(own <= min(others.values()))
                near.append(own <= min(others.values()) + 2)
                alone.append(own <= min(others[name] for name in UNSUPERVISED[1:]))
    absent = [f"{PAIRS - len(pairs)} of {PAIRS} pairs (not run)"] * (len(pairs) < PAIRS)
    claims = (
        _share(f"BSS has the smallest error of all methods on every pair{HERE}", best),
        _share(
            f"BSS has the smallest error of the unsupervised methods on every pair{HERE}", alone
        ),
        _share(f"BSS is no more than 2 points behind the best method on every pair{HERE}", near),
    )  # fmt: skip
    return Findings(
        claims=tuple(claim.without(absent) for claim in claims),
        curves=tuple(curves),
        axes=("pair", "error, %"),
        notes=(NOTES[0],),
        digits=2,
    )


def _share(text: str, held: Sequence[bool]) -> Claim:
    shown = f"in {sum(held)} of {len(held)} (pair, r, λ)"
    return Claim(text, verdict_of(held), shown)


def report_table_4(results: Results) -> Findings:
    """List the words that BSS picked in every training set of a pair."""
    frequent: dict[int, list[Mapping[str, Any]]] = {}
    classes = {}
    for job, outcome in results:
        frequent.setdefault(job["pair"], []).append(outcome["frequent"])
        classes[job["pair"]] = " / ".join(_names(outcome))
    figures, notes, telling = [], [], []
    for pair, found in sorted(frequent.items()):
        always = set.intersection(*(set(one["always"]) for one in found))
        places = {word: np.mean([one["always"][word][0] for one in found]) for word in always}
        shown = sorted(always, key=lambda word: (places[word], word))[:WORDS_SHOWN]
        shares = [float(found[0]["always"][word][1]) for word in shown]
        telling.append(sum(share >= 0.9 for share in shares) > len(shown) / 2)
        group = "words that BSS picks in all training sets (r = 300)"
        figures += [
            Figure(group, classes[pair], "words", Summary.of([len(always)])),
            Figure(
                group, classes[pair], f"of the first {WORDS_SHOWN}, among the 10 % most telling",
                Summary.of([sum(share >= 0.9 for share in shares)]),
            ),
        ]  # fmt: skip
        notes.append(f"{classes[pair]}: {', '.join(shown)}")
    claim = Claim(
        "the words that are picked in all training sets have to do with the classes: more than "
        "half are among the 10 % of words whose shares of documents differ most between classes",
        verdict_of(telling),
        f"in {sum(telling)} of {len(telling)} pairs",
    )
    head = (
        f"Shown are the {WORDS_SHOWN} words that are picked first; how the printed ones were "
        "chosen of those picked always is not said."
    )
    return Findings(tuple(figures), (claim,), notes=(NOTES[0], head, *notes), digits=0)
