"""What takes part: what it gets to see, which seeds it has, and that it harms nobody."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_selection import SelectKBest

from colonnade import compare, select
from colonnade.comparison.asked import contenders_of
from colonnade.comparison.halves import Treatment, split
from colonnade.comparison.judging import Trial
from colonnade.comparison.measures import MEASURES

X = np.random.default_rng(0).normal(size=(60, 8)) * np.arange(1, 9)


class Draws(BaseEstimator):
    """Random columns."""

    def __init__(self, k=1, random_state=None):
        self.k, self.random_state = k, random_state

    def fit(self, X, y=None):
        self.found_ = np.random.RandomState(self.random_state).permutation(X.shape[1])[: self.k]
        return self

    def get_support(self, indices=False):
        return np.sort(self.found_)

    def transform(self, X):
        return X[:, self.get_support()]


def spoil(X):
    (X.data if sp.issparse(X) else X)[:] = -1


class Scribbles(BaseEstimator):
    """The first columns, of data that it spoils behind itself."""

    def __init__(self, k=1, spoils=True):
        self.k, self.spoils = k, spoils

    def fit(self, X, y=None):
        if self.spoils:
            spoil(X)
        return self

    def transform(self, X):
        features = X[:, : self.k].copy()
        if self.spoils:
            spoil(X)
        return features


def chosen(found, method):
    return [run["chosen"] for run in found.runs if run.get("method") == method]


def test_random_methods_have_a_seed_for_each_split_unless_they_were_given_one():
    methods = {
        "drawn": Draws(), "given": Draws(random_state=7), "random": "uniform(random_state=7)",
    }  # fmt: skip
    found = compare(X, 3, methods=methods, seeds=3, random_state=5, n_jobs=1)
    drawn = [sorted(np.random.RandomState(seed).permutation(8)[:3].tolist()) for seed in (5, 6, 7)]
    assert chosen(found, "drawn") == drawn
    assert chosen(found, "given") == [drawn[2]] * 3
    same = chosen(found, "random")
    assert same == [same[0]] * 3


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_transformers_are_cloned_and_what_they_spoil_is_their_own(kind):
    svd = TruncatedSVD(2)
    methods = {"spoils": Scribbles(), "leaves": Scribbles(spoils=False), "svd": svd}
    found = compare(kind(X), 3, methods=methods, center=False, scale=None, seeds=2, n_jobs=1)
    assert svd.n_components == 2
    assert not hasattr(svd, "components_")
    lines = {line.method: line for line in found.lines}
    assert lines["spoils"].mean("held_out") == pytest.approx(lines["leaves"].mean("held_out"))


def test_weights_of_columns_count_where_columns_are_looked_at():
    train, test, _ = split(Treatment(True, "std"), X, None, None, 0)
    contender = contenders_of("bss(rank=2)", False)["bss(rank=2)"]
    found = contender.choose(train, contender.look(train), 4, 0)
    alone = select(train.X, 4, method="bss", rank=2, center=True, scale="std")
    assert found.indices.tolist() == alone.indices.tolist()
    assert np.ptp(alone.weights) > 0.01
    for half in (train, test):
        columns = half.A.columns(alone.indices)
        assert found.features(half) == pytest.approx(columns * alone.weights)


def test_functions_see_columns_centred_and_scaled_and_sparse_ones_scaled():
    counts = np.random.default_rng(0).poisson(0.7, (40, 6)).astype(float)
    seen = {}
    for kind in (np.asarray, sp.csr_array):
        train, test, _ = split(Treatment(True, "std"), kind(counts), None, None, 0)
        contender = contenders_of({"looks": lambda X, n, seed: range(n)}, False)["looks"]
        seen[kind] = [contender.look(half) for half in (train, test)]
    first = np.asarray(train.X.todense())
    for dense, sparse in zip(seen[np.asarray], seen[sp.csr_array], strict=True):
        assert sp.issparse(sparse)
        assert sparse.toarray() - first.mean(axis=0) / first.std(axis=0) == pytest.approx(dense)


def test_the_data_itself_is_no_memory_of_a_choice_and_no_copy_is_shared():
    """Only what is made while choosing counts, for whatever is compared."""
    tall = np.random.default_rng(0).normal(size=(4000, 20))
    looks = []

    def first(X, n, random_state):
        looks.append(float(X[0, 0]))
        X[:] = 0
        return range(n)

    contenders = contenders_of({"first": first, "kbest": SelectKBest(lambda X, y: X[0])}, True)
    y = np.arange(4000) % 2
    trial = Trial(tall, y, y, Treatment(True, None), None, contenders)
    for name in ("first", "kbest"):
        memory = trial.run({"method": name, "mark": "no copy", "n": 2, "seed": 0})["memory"]
        assert memory < 2000 * 20 * 8 / 4
    assert len(looks) == 3
    assert 0 not in looks


def test_words_are_classes_for_methods_with_a_target():
    words = np.array(["a", "b", "c"])[np.arange(60) % 3]
    train, _, _ = split(Treatment(True, None), X, words, np.arange(60) % 3, 0)
    contender = contenders_of("sparse-approximation", True)["sparse-approximation"]
    found = contender.choose(train, contender.look(train), 3, 0)
    zeros_and_ones = (train.y[:, None] == ["a", "b", "c"]).astype(float)
    alone = select(train.X, 3, method="sparse-approximation", target=zeros_and_ones, center=True)
    assert found.indices.tolist() == alone.indices.tolist()


class Undefined(Scribbles):
    """Features that are no numbers."""

    def transform(self, X):
        return np.full((len(X), 1), np.nan)


def test_what_cannot_be_used_is_a_failure():
    methods = {"more": lambda X, n, seed: range(n + 1), "undefined": Undefined()}
    found = compare(X, 2, methods=methods, seeds=2, n_jobs=1)
    failures = {line.method: set(line.failures) for line in found.lines}
    assert failures["more"] == {"the function returned 3 columns for n=2"}
    assert failures["undefined"] == {"its transform returned values that are not finite"}


def test_memory_is_neither_of_what_is_made_once_nor_of_what_was_there():
    made = []

    def caches(X, n, random_state):
        if not made:
            made.append(np.ones(10**6))
        return range(n)

    trial = Trial(
        X, None, None, Treatment(True, None), None, contenders_of({"caches": caches}, False)
    )  # fmt: skip
    job = {"method": "caches", "n": 2, "seed": 0}
    tracemalloc.start()
    try:
        held = np.ones(10**6)
        assert trial.run({**job, "mark": "one"})["memory"] < 10**6
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()
    made.clear()  # something else of this name, which has not been seen at work
    assert trial.run({**job, "mark": "two"})["memory"] < 10**6
    made.clear()
    assert trial.run({**job, "mark": "two"})["memory"] > 8 * 10**6 == held.nbytes
    assert not tracemalloc.is_tracing()


def test_sizes_of_memory_are_mebibytes_and_less_is_better():
    assert MEASURES["memory"].show(3 * 2**20) == "3"
    less = [key for key, measure in MEASURES.items() if not measure.larger_is_better]
    assert less == ["cost", "seconds", "memory"]
