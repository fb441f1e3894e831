"""What Boutsidis & Magdon-Ismail (2013) say of their theorems, and what the runs say of that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...comparison.significance import welch_p_value
from ..experiment import SIGNIFICANT
from ..findings import Cells, Claim, Verdict, verdict_of

__all__ = ["CLAIMS", "RANDOMIZED", "SIZES", "SUPERVISED", "UNSUPERVISED", "Theorem", "kept"]

SIZES = ("k + 1", "2k", "4k", "10k")


@dataclass(frozen=True)
class Theorem:
    """A theorem, the method that it is about, and methods to compare that with.

    Attributes
    ----------
    number : int
        Of the document.
    method : str
        By its name in the library.
    rivals : tuple of str
        Methods that choose as many columns.
    against_given : bool
        Whether the promised factor is on the given partition, not on the best.
    """

    number: int
    method: str
    rivals: tuple[str, ...]
    against_given: bool = False

    @property
    def cost(self) -> str:
        """What is certified: how many times as much as the given or the best partition."""
        return "F(A, X_out) / F(A, X_in)" if self.against_given else "F(A, X_out) / ‖A − A_k‖²"


SUPERVISED = Theorem(2, "supervised-dual-set", ("dual-set", "uniform"), True)
UNSUPERVISED = Theorem(4, "dual-set", ("uniform", "leverage", "greedy"))
RANDOMIZED = Theorem(5, "randomized-dual-set", ("dual-set", "uniform", "leverage"))


@dataclass(frozen=True)
class Contest:
    """How often one method is better than another: of all, significantly, and the reverse."""

    better: int
    sure: int
    worse: int
    total: int

    @property
    def verdict(self) -> Verdict:
        """Whether it is better everywhere, or in most cases."""
        return verdict_of([True] * self.better + [False] * (self.total - self.better))

    def __str__(self) -> str:
        return (
            f"better in {self.better} of {self.total} cases, significantly in {self.sure}, "
            f"significantly worse in {self.worse}"
        )


def contest(
    cells: Cells, data: Sequence[str], one: str, other: str, sizes: Sequence[str] = SIZES
) -> Contest:
    """Compare two methods on all data and sizes for which there are runs of both."""
    found = [
        (ours, theirs)
        for name in data
        for size in sizes
        if (ours := cells.summary(name, one, size, "cost")) is not None
        and (theirs := cells.summary(name, other, size, "cost")) is not None
    ]
    return Contest(
        sum(ours.mean < theirs.mean for ours, theirs in found),
        sum(welch_p_value(theirs, ours) < SIGNIFICANT for ours, theirs in found),
        sum(welch_p_value(ours, theirs) < SIGNIFICANT for ours, theirs in found),
        len(found),
    )


def _runs(
    cells: Cells, method: str, first: str, second: str, sizes: Sequence[str] = SIZES
) -> tuple[list[float], list[float]]:
    """Return two outcomes of every run of a method."""
    places = [
        (name, who, size)
        for name, who, size, key in cells.values
        if who == method and size in sizes and key == first
    ]
    return (
        [value for place in places for value in cells.values[*place, first]],
        [value for place in places for value in cells.values[*place, second]],
    )


def _range(values: Sequence[float]) -> str:
    return f"{min(values):.3g} to {max(values):.3g}" if values else "–"


def _percents(cells: Cells, data: Sequence[str], method: str) -> str:
    """Return by how much a method is worse than all columns with r = 10k, in words."""
    return ", ".join(
        f"{100 * (cells.mean(name, method, '10k', 'cost') - 1):+.1f} % ({name})" for name in data
    )


def kept(theorem: Theorem, cells: Cells) -> Claim:
    """Say whether what is certified is within what the theorem promises."""
    of = "the given partition" if theorem.against_given else "the best partition"
    often = " with probability 0.4" if theorem == RANDOMIZED else ""
    key = "cost" if theorem.against_given else "certified"
    measured, promised = _runs(cells, theorem.method, key, "promised")
    within = sum(ours <= bound for ours, bound in zip(measured, promised, strict=True))
    enough = (0.4 if often else 1.0) * len(measured)
    return Claim(
        f"k-means on the columns costs at most the promised factor times {of}{often}",
        verdict_of([within >= enough] if measured else []),
        f"in {within} of {len(measured)} runs; {theorem.cost} {_range(measured)}, promised "
        f"{_range(promised)}",
    )


def _supervised_claims(cells: Cells, data: Sequence[str]) -> Iterator[Claim]:
    for size in ("2k", "10k"):
        costs, _ = _runs(cells, SUPERVISED.method, "cost", "promised", (size,))
        yield Claim(
            "There are O(k/ε²) columns that keep a partition within 5 + ε (Corollary 3; here: r = "
            f"{size} are enough for 5)",
            verdict_of([cost <= 5.0 for cost in costs]),
            f"{_range(costs)} times the given partition",
        )
    met = contest(cells, data, SUPERVISED.method, UNSUPERVISED.method)
    yield Claim(
        "Knowing the partition helps: the columns are better than those chosen without it",
        met.verdict,
        str(met),
    )


def _unsupervised_claims(cells: Cells, data: Sequence[str]) -> Iterator[Claim]:
    method = UNSUPERVISED.method
    sigmas, bounds = _runs(cells, method, "sigma", "sigma_promised", SIZES[:1])
    yield Claim(
        "It works for any r > k, even r = k + 1: no leading direction is lost (Lemma 8)",
        verdict_of([sigma >= bound for sigma, bound in zip(sigmas, bounds, strict=True)]),
        f"σ_k {_range(sigmas)}, promised {_range(bounds)}",
    )
    promised, certified = _runs(cells, method, "promised", "certified")
    yield Claim(
        "The guarantee is weak, but the method may do very well on usual data (here: 10 % more "
        "than k-means on all columns at most, with r = 10k)",
        verdict_of([cells.mean(name, method, "10k", "cost") <= 1.1 for name in data]),
        f"at r = 10k {_percents(cells, data, method)}; the guarantee is "
        f"{_range([p / c for p, c in zip(promised, certified, strict=True)])} times what is "
        "certified",
    )
    met = contest(cells, data, method, "uniform")
    yield Claim(
        "It is better than as many columns drawn uniformly (the document suspects that it does "
        "well, and compares with nothing)",
        met.verdict,
        str(met),
    )
    met = contest(cells, data, "leverage", "uniform", ("10k",))
    yield Claim(
        "At r = 10k columns drawn by leverage scores are better than columns drawn uniformly",
        met.verdict,
        f"leverage {_percents(cells, data, 'leverage')}; uniform "
        f"{_percents(cells, data, 'uniform')}; {met}",
    )
    met = contest(cells, data, "greedy", method)
    yield Claim(
        "Greedy selection, which has no such guarantee, is better all the same",
        met.verdict,
        str(met),
    )


def _randomized_claims(cells: Cells, data: Sequence[str]) -> Iterator[Claim]:
    one, other = RANDOMIZED.method, UNSUPERVISED.method
    ratios = [
        cells.mean(name, one, size, "promised") / cells.mean(name, other, size, "promised")
        for name in data
        for size in SIZES
    ]
    known = [ratio for ratio in ratios if ratio == ratio]
    yield Claim(
        "The bound is much better than that of the deterministic method (Theorem 4), for the price "
        "of randomness",
        verdict_of([ratio < 1.0 for ratio in known]),
        f"it is {_range(known)} times as large: O(k log k / r) is less than O(n / r) only where n "
        "is far above 16 k ln 20k times 80, the ratio of the constants",
    )
    met = contest(cells, data, one, other)
    yield Claim(
        "The columns themselves are better than those of the deterministic method",
        met.verdict,
        str(met),
    )


CLAIMS: Mapping[int, Callable[[Cells, Sequence[str]], Iterator[Claim]]] = {
    2: _supervised_claims,
    4: _unsupervised_claims,
    5: _randomized_claims,
}
"""What makes them of outcomes and names of data sets, by the number of the theorem."""
