"""A comparison in words: which method is best, by how much, and whether that is chance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from .asked import RANDOM
from .lines import DIRECTIONS, EVERYTHING, Line, leaves_nothing
from .measures import MEASURES
from .significance import LEVEL, Summary, welch_p_value

if TYPE_CHECKING:
    from .comparison import Comparison

__all__ = [
    "best_method",
    "failures_in_words",
    "far",
    "misled_in_words",
    "uncompared_in_words",
    "verdict",
    "worse",
]

HARM = -0.1
"""Shares below this are no longer those of columns that are merely useless."""
FAR = 3.0
"""Deviations of the best by which another mean is no longer near to it."""
SPELLED = {RANDOM: "random columns"}
"""What methods are called in sentences."""


def best_method(
    lines: Sequence[Line], sizes: Sequence[int], key: str = "held_out", *, others: bool = False
) -> str | None:
    """Return the method with the best mean of a measure over all sizes.

    Parameters
    ----------
    lines : sequence of Line
        The comparison.
    sizes : sequence of int
        The sizes to look at.
    key : str
        The measure.
    others : bool
        Whether random columns do not count.
    """
    sign = 1.0 if MEASURES[key].larger_is_better else -1.0
    found: dict[str, list[float]] = {}
    for line in lines:
        if line.n_select in sizes and not line.yardstick and line.comparable:
            mean = line.mean(key)
            if mean is not None and not isnan(mean) and not (others and line.method == RANDOM):
                found.setdefault(line.method, []).append(sign * mean)
    most = max(map(len, found.values()), default=0)
    whole = {method: sum(means) for method, means in found.items() if len(means) == most}
    return max(whole, key=lambda method: whole[method]) if whole else None


def verdict(comparison: Comparison) -> list[str]:
    """Return what a comparison says, in sentences."""
    choices = [line for line in comparison.lines if line.chooses]
    best = best_method(choices, comparison.n_select)
    if best is None:
        return ["No choice of columns was measured in all splits, so that none is best."]
    out = list(_on_reconstruction(comparison, best))
    if comparison.about["n_classes"]:
        out.append(_on_measure(comparison, "accuracy", "Rows classified right", best))
    if comparison.about["n_clusters"]:
        key, what = ("nmi", "Clusters that agree with the label (NMI)")
        if not comparison.about["n_classes"]:
            key, what = ("cost", "Objective of k-means, over that on all columns")
        out.append(_on_measure(comparison, key, what, best))
    return [sentence for sentence in out if sentence]


def _on_reconstruction(comparison: Comparison, best: str) -> Iterator[str]:
    lines = _of(comparison, best)
    quantity = comparison.quantity
    shares, sizes = _points(map(_share, lines)), _columns(line.n_select for line in lines)
    there = {line.n_select for line in lines}
    pca = [line for line in comparison.lines
           if line.method == DIRECTIONS and line.n_select in there]  # fmt: skip
    possible = f"As many directions of a PCA explain {_points(map(_share, pca))} %."
    choices = {line.method for method in comparison.methods for line in _of(comparison, method)
               if line.chooses}  # fmt: skip
    if choices == {RANDOM}:
        yield (
            "Random columns are the only choice that was measured in all splits. They explain "
            f"{shares} % of the {quantity} of held-out rows with {sizes}. {possible}"
        )
    elif best == RANDOM:
        yield (
            f"No choice of columns explains more of the {quantity} of held-out rows than random "
            f"columns: {shares} % with {sizes}."
        )
    else:
        all_sizes = ", all sizes together" if len(comparison.n_select) > 1 else ""
        yield (
            f"{best} explains most of the {quantity} of held-out rows{all_sizes}: {shares} % with "
            f"{sizes}. {possible}"
        )
        by_size = {line.n_select: line for line in _of(comparison, RANDOM)}
        pairs = [(line, by_size[line.n_select]) for line in lines if line.n_select in by_size]
        if pairs:
            more = _points(_share(a) - _share(b) for a, b in pairs)
            sure = [worse(a.summaries["held_out"], b.summaries["held_out"]) for a, b in pairs]
            yield f"That is {more} points more than random columns, {_how_sure(pairs, sure)}."
        yield from _on_others(comparison, best, lines)
    yield from _on_makers(comparison, lines)


def _share(line: Line) -> float:
    return line.summaries["held_out"].mean


def _points(shares: Iterable[float]) -> str:
    return _listed(map(MEASURES["held_out"].show, shares))


def _on_others(comparison: Comparison, best: str, lines: Sequence[Line]) -> Iterator[str]:
    """Yield who is no worse than the best, who is far off, and who is worse by the test."""
    others = [
        method for method in comparison.methods
        if method != best and all(line.chooses for line in _of(comparison, method))
    ]  # fmt: skip
    standings: dict[str, list[str]] = {}
    for method in others:
        standings.setdefault(_standing(lines, _of(comparison, method)), []).append(method)
    equals, far = standings.get("equal", []), standings.get("far", [])
    worse = standings.get("worse", [])
    if equals:
        yield f"No worse, as far as these splits can tell: {_named(equals)}."
    if far:
        yield f"Far from it, if too unsteadily for the test: {_named(far)}."
    if equals or not set(worse) - {RANDOM}:
        return
    if worse == others:
        yield "Every other choice is worse with some number of columns, and not by chance."
    else:
        yield f"Worse with some number of columns, and not by chance: {_named(worse)}."


def _on_makers(comparison: Comparison, best: Sequence[Line]) -> Iterator[str]:
    """Yield who explains more than the best choice, but makes features of all columns."""
    by_size = {line.n_select: line.summaries["held_out"] for line in best}
    makers = [
        method for method in comparison.methods
        if any(not line.chooses and line.n_select in by_size
               and worse(line.summaries["held_out"], by_size[line.n_select])
               for line in _of(comparison, method))
    ]  # fmt: skip
    if makers:
        yield (
            "Features made of all columns explain more with some number of them, and not by "
            f"chance: {_listed(makers)}."
        )


def _how_sure(pairs: Sequence[tuple[Line, Line]], sure: Sequence[bool]) -> str:
    level = f"at the level of {100 * LEVEL:.0f} %"
    if all(sure):
        return f"a significant difference {level}"
    if not any(sure):
        return f"which may be chance ({level})"
    firm = [line.n_select for (line, _), so in zip(pairs, sure, strict=True) if so]
    weak = [str(line.n_select) for (line, _), so in zip(pairs, sure, strict=True) if not so]
    return (
        f"a significant difference with {_columns(firm)}, but maybe chance with "
        f"{_listed(weak)} ({level})"
    )


def _standing(best: Sequence[Line], others: Sequence[Line]) -> str:
    """Return whether a method is worse than the best somewhere, far, equal, or has no figures."""
    by_size = {line.n_select: line.summaries["held_out"] for line in others}
    pairs = [
        (line.summaries["held_out"], by_size[line.n_select])
        for line in best
        if line.n_select in by_size
    ]
    if any(worse(*pair) for pair in pairs):
        return "worse"
    if any(far(*pair) for pair in pairs):
        return "far"
    return "equal" if len(pairs) == len(best) else "unknown"


def worse(best: Summary, other: Summary) -> bool:
    """Whether a mean is worse, and not by chance."""
    return welch_p_value(best, other) < 1 - LEVEL


def far(best: Summary, other: Summary) -> bool:
    """Whether a mean is far from the best, so that it is not called as good however unsteady."""
    return best.mean - other.mean > FAR * best.deviation


def _on_measure(comparison: Comparison, key: str, what: str, choice: str) -> str:
    """Return a sentence on the largest size: the best, the method of choice, random, all."""
    n = comparison.n_select[-1]
    there = {line.method: line.summaries[key] for line in comparison.lines
             if line.n_select == n and key in line.summaries
             and (line.comparable or line.yardstick)}  # fmt: skip
    best = best_method(comparison.lines, [n], key)
    if best is None:
        return ""
    shown = [best, choice, RANDOM, EVERYTHING]
    parts = [
        f"{SPELLED.get(method, method)} {_shown(key, there[method])}"
        for method in dict.fromkeys(shown)
        if method in there
    ]
    if RANDOM in there and there.keys() - {RANDOM, EVERYTHING}:
        parts[-1] += f"; {_beside_random(key, best, there)}"
    return f"{what}, with {_columns([n])}: {', '.join(parts)}."


def _beside_random(key: str, best: str, there: Mapping[str, Summary]) -> str:
    """Return whether the best by a measure is better than random columns, as far as is known."""
    if best == RANDOM:
        return "no method has a better mean than random columns"
    pair = there[best], there[RANDOM]
    if worse(*pair) if MEASURES[key].larger_is_better else worse(*pair[::-1]):
        return f"{best} is better than random columns, and not by chance"
    return f"that {best} is better than random columns may be chance"


def _shown(key: str, summary: Summary) -> str:
    unit = " %" if MEASURES[key].factor == 100 else ""
    return f"{MEASURES[key].show(summary.mean)}{unit}"


def _of(comparison: Comparison, method: str) -> list[Line]:
    return [
        line for line in comparison.lines
        if line.method == method and not line.yardstick and line.comparable
        and "held_out" in line.summaries
    ]  # fmt: skip


def failures_in_words(lines: Sequence[Line]) -> list[str]:
    """Return a sentence for each method that failed, and for each that kept another number."""
    out = []
    reasons: dict[tuple[str, str, bool], list[int]] = {}
    for line in lines:
        for reason, times in line.failures.items():
            always = times == line.columns.runs + sum(line.failures.values())
            reasons.setdefault((line.method, reason, always), []).append(line.n_select)
    for (method, reason, always), sizes in reasons.items():
        often = "" if always else " in some splits"
        out.append(f"{method} failed with {_columns(sizes)}{often}: {reason}")
    kept: dict[str, dict[int, Summary]] = {}
    for line in lines:
        if line.columns.runs and abs(line.columns.mean - line.n_select) > 1e-9:
            kept.setdefault(line.method, {})[line.n_select] = line.columns
    out += [_about_number(method, by_size) for method, by_size in kept.items()]
    return out


def misled_in_words(runs: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a sentence for each method that did harm: whose coefficients fail on other rows."""
    harmed: dict[str, dict[int, list[bool]]] = {}
    for run in runs:
        if "method" in run and "held_out" in run:
            sizes = harmed.setdefault(run["method"], {})
            sizes.setdefault(run["n"], []).append(run["held_out"] < HARM)
    out = []
    for method, by_size in harmed.items():
        often = [
            f"{sum(so)} of {len(so)} splits with n = {n}" for n, so in by_size.items() if any(so)
        ]
        if often:
            out.append(
                f"{method} explains less than nothing in {_listed(often)}: coefficients of the "
                "first half fail on rows of the other that are far from it"
            )
    return out


def uncompared_in_words(runs: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a sentence if the objective of k-means on all columns is 0, which divides nothing."""
    full = [run["cost"] for run in runs if "method" not in run and "cost" in run]
    nothing = sum(map(leaves_nothing, full))
    if not nothing:
        return []
    return [
        f"the objective of k-means is left out in {nothing} of {len(full)} splits: on all columns "
        "it is 0, with as many clusters as there are different rows, so there is nothing to "
        "compare with; choose fewer clusters"
    ]


def _about_number(method: str, kept: Mapping[int, Summary]) -> str:
    numbers = _columns(f"{summary.mean:.3g}" for summary in kept.values())
    wanted = _listed([str(n) for n in kept])
    more = any(summary.mean > n for n, summary in kept.items())
    end = "; with more than asked for it takes no part in the groups" if more else ""
    were = "was" if wanted == "1" else "were"
    return f"{method} kept {numbers} where {wanted} {were} asked for{end}"


def _columns(numbers: Iterable[Any]) -> str:
    text = _listed(map(str, numbers))
    return f"{text} column" if text == "1" else f"{text} columns"


def _named(methods: Iterable[str]) -> str:
    return _listed(SPELLED.get(method, method) for method in methods)


def _listed(texts: Iterable[str]) -> str:
    items = list(texts)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
