"""Points that stand for others: objectives, guarantees, classes, weights, and nasty points."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from oracles import BY_KIND
from sklearn.datasets import load_digits, make_blobs
from sklearn.metrics import pairwise_distances

from colonnade import (
    METHODS,
    CoverageSelector,
    FacilityLocationSelector,
    GreedySelector,
    MedoidSelector,
    RankReachedWarning,
    RowSelector,
    Selection,
    select,
)
from colonnade.operands.entrance import wrapped
from colonnade.selectors.representatives import facility_location as facility
from colonnade.selectors.representatives import greedy_cover, point_selector, points
from colonnade.selectors.representatives import medoids as medoid
from colonnade.selectors.representatives.points import HeldPoints, points_of
from colonnade.selectors.representatives.strata import quotas
from colonnade.selectors.representatives.voronoi import medoids_of

ORACLE = BY_KIND["representatives"]
NAMES = list(ORACLE.ORACLES)
RANDOM = [name for name in NAMES if METHODS[name].randomized]
PROFILE = settings(deadline=None, max_examples=60, derandomize=True)


def seeded(name, **params):
    return params | ({"random_state": 0} if METHODS[name].randomized else {})


def choose(X, n_select, name, **params):
    return select(X, n_select, method=name, **seeded(name, **params))


def blobs(n=60, d=4, k=5, seed=0):
    return make_blobs(n, d, centers=k, random_state=seed)[0].T


def tiny(seed, n=9, d=3):
    return np.random.default_rng(seed).standard_normal((d, n))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("n_select", [1, 2, 4])
def test_facility_location_reaches_its_share_of_the_best(seed, n_select):
    A = tiny(seed)
    S = ORACLE.similarities(A)
    found = choose(A, n_select, "facility-location")
    value = S[:, found.indices].max(axis=1).sum()
    best = max(S[:, list(T)].max(axis=1).sum() for T in ORACLE.best_sets(9, n_select))
    assert (1 - 1 / np.e) * best <= value <= best * (1 + 1e-12)
    assert found.info["objective"] == pytest.approx(value)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("n_select", [1, 2, 4, 8])
def test_coverage_is_within_twice_the_best_radius(seed, n_select):
    A = tiny(seed)
    D = ORACLE.squares_between(A)
    found = choose(A, n_select, "coverage")
    reached = ORACLE.radius(D, found.indices)
    best = min(ORACLE.radius(D, T) for T in ORACLE.best_sets(9, n_select))
    assert best * (1 - 1e-12) <= reached <= 2 * best * (1 + 1e-12)
    assert found.info["objective"] == pytest.approx(reached)


@pytest.mark.parametrize("seed", range(8))
def test_medoids_are_in_the_middle_of_what_they_stand_for(seed):
    A = blobs(seed=seed)
    D = ORACLE.squares_between(A)
    found = choose(A, 5, "medoids")
    labels = np.argmin(D[:, found.indices], axis=1)
    assert found.info["objective"] == pytest.approx(ORACLE.loss(D, found.indices))
    assert found.info["stands_for"] == np.bincount(labels).tolist()
    assert sorted(found.info["stands_for"], reverse=True) == found.info["stands_for"]
    for c, p in enumerate(found.indices):
        members = np.flatnonzero(labels == c)
        assert p == members[np.argmin(D[np.ix_(members, members)].sum(axis=1))]


@pytest.mark.parametrize("seed", range(4))
def test_medoids_find_separate_clusters_and_nearly_the_best(seed):
    A = tiny(seed, n=11)
    D = ORACLE.squares_between(A)
    best = min(ORACLE.loss(D, T) for T in ORACLE.best_sets(11, 3))
    assert choose(A, 3, "medoids").info["objective"] <= 1.3 * best
    X, y = make_blobs(90, 3, centers=6, cluster_std=0.1, random_state=seed)
    assert sorted(y[choose(X, 6, "medoids", axis=0).indices]) == list(range(6))


@pytest.mark.parametrize("exact", [True, False])
def test_the_middle_of_a_cluster(exact):
    line = HeldPoints(np.array([[0.0], [1.0], [2.0], [3.0], [10.0], [11.0], [13.0]]), exact)
    labels = np.array([0, 0, 0, 0, 1, 1, 1])
    centers = np.array([[1.5], [11.3]])
    none, every = np.array([], int), np.ones(7, bool)
    middle = partial(medoids_of, line, labels, centers)
    assert middle(np.ones(7), every, none).tolist() == [1, 5]
    heavy = np.array([1.0, 1, 1, 20, 1, 1, 20])
    assert middle(heavy, every, none).tolist() == [3, 6]
    fixed = every.copy()
    fixed[0] = False
    assert middle(np.ones(7), fixed, np.array([0])).tolist() == [0, 5]
    # where nobody of a cluster may be chosen, the farthest of the others is
    few = np.array([False, True, False, True, False, False, False])
    assert middle(np.ones(7), few, none).tolist() == [1, 3]


@pytest.mark.parametrize("similarity", ["squared-distance", "rbf", "cosine"])
def test_similarities_are_what_they_say(similarity):
    A = np.abs(tiny(3, n=30)) + 0.1
    A[:, 7] = 0.0  # has no direction
    params = {"gamma": 0.7} if similarity == "rbf" else {}
    found = choose(A, 5, "facility-location", similarity=similarity, **params)
    if similarity == "squared-distance":
        S = ORACLE.similarities(A)
    elif similarity == "rbf":
        S = np.exp(-0.7 * ORACLE.squares_between(A))
    else:
        lengths = np.linalg.norm(A, axis=0)
        U = A / np.where(lengths > 0, lengths, 1.0)
        S = (1 + U.T @ U) / 2
        S[7, 7] = 1.0
    assert found.indices.tolist() == ORACLE.greedy_value(S, 5)
    assert found.info["objective"] == pytest.approx(S[:, found.indices].max(axis=1).sum())


@pytest.mark.parametrize("factor", [1e-100, 1e100])
def test_a_rate_is_in_the_units_of_the_data(factor):
    A = tiny(3, n=30)
    plain = choose(A, 5, "facility-location", similarity="rbf", gamma=0.7)
    scaled = choose(A * factor, 5, "facility-location", similarity="rbf", gamma=0.7 / factor**2)
    assert scaled.indices.tolist() == plain.indices.tolist()
    assert scaled.info["objective"] == pytest.approx(plain.info["objective"])


@pytest.mark.parametrize("name", NAMES)
def test_objectives_are_in_the_units_of_the_data(name):
    A = tiny(1, n=40)
    power = 1 if name == "coverage" else 2
    plain, scaled = choose(A, 6, name), choose(A * 1e30, 6, name)
    for key in ("objective", "objective_of_random"):
        assert scaled.info[key] == pytest.approx(plain.info[key] * 1e30**power)


@pytest.mark.parametrize("name", NAMES)
def test_better_than_random(name):
    info = choose(load_digits().data, 20, name, axis=0).info
    sign = -1 if name == "facility-location" else 1
    assert sign * info["objective"] < sign * info["objective_of_random"]


@pytest.mark.parametrize("name", NAMES)
@PROFILE
@given(
    A=arrays(float, st.tuples(st.integers(1, 4), st.integers(1, 9)), elements=st.integers(-2, 2)),
    exponent=st.sampled_from([-120, 0, 120]),
    data=st.data(),
)
def test_any_number_of_any_points(name, A, exponent, data):
    """Duplicates, zeros, one point, all points, constant points, huge and tiny ones."""
    A = A * 10.0**exponent
    n = A.shape[1]
    l_ = data.draw(st.integers(1, n))
    if not A.any():
        with pytest.raises(ValueError, match="zero"):
            choose(A, l_, name)
        return
    found = choose(A, l_, name)
    assert len(set(found.indices.tolist())) == len(found) == l_
    stands = found.info["stands_for"]
    assert sum(stands) == n
    assert min(stands) >= 1
    distinct = len(np.unique(A.T, axis=0))
    if l_ >= distinct and name != "facility-location":
        assert found.info["objective"] == 0.0


@pytest.mark.parametrize("name", NAMES)
def test_more_than_the_rank(name):
    X = np.random.default_rng(0).standard_normal((200, 6))
    with pytest.warns(RankReachedWarning, match="go on: coverage, facility-location, medoids"):
        select(X, 50, axis=0)
    found = choose(X, 50, name, axis=0)
    assert len(found) == 50
    assert found.relative_errors[-1] < 1e-20


@pytest.mark.parametrize("name", NAMES)
def test_long_choices_are_not_followed(name, monkeypatch):
    X = blobs()
    expected = choose(X, 8, name)
    monkeypatch.setattr(point_selector, "FOLLOWED", 0)
    found = choose(X, 8, name, center=True)
    assert found.errors is None
    assert found.embedding is None
    assert found.means is not None
    found = choose(X, 8, name)
    assert found.indices.tolist() == expected.indices.tolist()
    again = Selection.from_dict(found.to_dict())
    assert again.info["stands_for"] == found.info["stands_for"]
    assert "relative_error" not in repr(found)


@pytest.mark.parametrize("name", NAMES)
def test_inclusions_and_exclusions(name):
    A = blobs()
    free = choose(A, 5, name).indices
    out = free[:3].tolist()
    found = choose(A, 6, name, must_include=[50, 2], exclude=out)
    assert found.indices[:2].tolist() == [50, 2]
    assert not set(found.indices) & set(out)
    assert sum(found.info["stands_for"]) == 60
    all_but = choose(A, 57, name, exclude=out)
    assert set(all_but.indices) == set(range(60)) - set(out)
    # what must be included serves those near to it: the others go elsewhere
    D = ORACLE.squares_between(A)
    assert found.info["objective"] == pytest.approx(
        {
            "medoids": ORACLE.loss(D, found.indices),
            "coverage": ORACLE.radius(D, found.indices),
            "facility-location": ORACLE.similarities(A)[:, found.indices].max(axis=1).sum(),
        }[name]
    )


@pytest.mark.parametrize("name", NAMES)
def test_classes_get_their_share(name):
    X, y = load_digits(return_X_y=True)
    X, y = X[:400], y[:400]
    rare = np.where(np.arange(400) < 4, "rare", "usual")
    found = choose(X, 20, name, axis=0, stratify=rare, must_include=[9])
    assert found.indices[0] == 9
    assert (rare[found.indices] == "rare").sum() == 1
    found = choose(X, 20, name, axis=0, stratify=y)
    assert np.bincount(y[found.indices]).tolist() == [2] * 10
    assert sorted(y[found.indices[:10]].tolist()) == list(range(10))  # mixed, not one after another
    D = pairwise_distances(X, X[found.indices])
    D[y[:, None] != y[found.indices]] = np.inf  # each has a representative of its own class
    assert found.info["stands_for"] == np.bincount(D.argmin(axis=1)).tolist()
    one = choose(X[y == 3], 2, name, axis=0)
    assert set(np.flatnonzero(y == 3)[one.indices]) <= set(found.indices)


def test_shares_are_fair_and_possible():
    codes = np.repeat([0, 1, 2, 3], [50, 30, 15, 5])
    free = np.ones(100, bool)
    assert quotas(codes, 10, np.array([], int), free) == {0: 5, 1: 3, 2: 1, 3: 1}
    assert quotas(codes, 10, np.array([95, 96, 97]), free) == {0: 4, 1: 2, 2: 1, 3: 3}
    free[3:50] = False
    assert quotas(codes, 20, np.array([], int), free)[0] == 3
    with pytest.raises(ValueError, match=r"stratify has 4 classes.*n_select at least 4"):
        quotas(codes, 3, np.array([], int), free)
    free[:50] = False
    with pytest.raises(ValueError, match="no candidate in class 0"):
        quotas(codes, 10, np.array([], int), free)
    with pytest.raises(ValueError, match=r"stratify has shape \(3,\), but there are 60 columns"):
        choose(blobs(), 5, "coverage", stratify=[1, 2, 3])


@pytest.mark.parametrize("name", RANDOM)
def test_weights_of_points_count_as_repeats(name):
    A = blobs(30)
    counts = np.random.default_rng(0).integers(1, 4, 30)
    repeated = choose(np.repeat(A, counts, axis=1), 4, name)
    weighted = choose(A, 4, name, point_weights=counts)
    assert np.repeat(np.arange(30), counts)[repeated.indices].tolist() == weighted.indices.tolist()
    assert weighted.info["stands_for"] == repeated.info["stands_for"]
    assert weighted.info["objective"] == pytest.approx(repeated.info["objective"])
    by_rows = choose(A.T, 4, name, axis=0, sample_weight=counts)
    assert by_rows.indices.tolist() == weighted.indices.tolist()
    with pytest.raises(TypeError, match="give one of them"):
        choose(A.T, 4, name, axis=0, sample_weight=counts, point_weights=counts)
    with pytest.raises(ValueError, match=r"point_weights has shape \(2,\).*30 columns"):
        choose(A, 4, name, point_weights=[1.0, 2.0])
    with pytest.raises(TypeError, match="all alike; leave sample_weight out"):
        choose(A.T, 4, "coverage", axis=0, sample_weight=counts)


def test_constant_columns_are_no_points():
    A = np.column_stack([np.full(20, 7.0), np.random.default_rng(0).standard_normal((20, 6))])
    for name in NAMES:
        found = choose(A, 6, name, center=True)
        assert 0 not in found.indices
        assert sum(found.info["stands_for"]) == 6


# -- large points: by inner products, in few directions, on samples -----------------------------


@pytest.fixture
def large(monkeypatch):
    """Treat all points as if they were many."""
    monkeypatch.setattr(points, "FEW", 0)
    monkeypatch.setattr(points, "TILE", 4096)
    monkeypatch.setattr(greedy_cover, "HELD", 0)
    monkeypatch.setattr(facility, "LAZY", 50)
    monkeypatch.setattr(facility, "REFERENCE", 150)
    monkeypatch.setattr(medoid, "SAMPLE", 100)


DIGITS = load_digits().data[:600]
CONTAINERS = [
    np.asarray,
    partial(np.asarray, dtype=np.float32),
    partial(np.asarray, dtype=np.uint8),
    sp.csr_array,
    sp.csc_array,
]


@pytest.mark.parametrize("put", CONTAINERS)
@pytest.mark.parametrize("unit_length", [False, True])
def test_large_points_have_the_same_distances(put, unit_length, large):
    rows = DIGITS.copy()
    rows[5] = 0.0
    found = points_of(wrapped(put(rows).T), unit_length=unit_length)
    j = np.array([5, 0, 7, 400])
    if unit_length:
        rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
    D = pairwise_distances(rows, rows[j]) ** 2
    if unit_length:
        D[:, 0] = 2.0
        D[5] = 2.0
        D[5, 0] = 0.0
    got = np.vstack([found.from_places(found.places(j), part) for part in found.parts(4)])
    np.testing.assert_allclose(got, D, atol=2e-5 * D.max())
    which, far = found.nearest(j)
    np.testing.assert_allclose(far, D.min(axis=1), atol=2e-5 * D.max())
    np.testing.assert_allclose(D[np.arange(600), which], D.min(axis=1), atol=4e-5 * D.max())
    assert found.bound(np.ones(600)) >= D.max()
    some = found.subset(np.arange(10, 50))
    np.testing.assert_allclose(some.nearest(j, found)[1], far[10:50], atol=2e-5 * D.max())
    if not unit_length:
        np.testing.assert_allclose(
            found.from_mean(np.arange(600.0)),
            ((rows - np.average(rows, axis=0, weights=np.arange(600.0))) ** 2).sum(axis=1),
            rtol=1e-4,
        )


def test_float32_and_short_integers_are_held_in_float32(large):
    for dtype, held in ((np.float32, 4), (np.uint8, 4), (np.int64, 8), (np.float64, 8)):
        found = points_of(wrapped(DIGITS.astype(dtype).T))
        assert isinstance(found, HeldPoints)
        assert found.rows.dtype.itemsize == held


def test_points_far_from_zero_keep_their_digits(large):
    rows = 1e6 + np.random.default_rng(0).standard_normal((300, 30))
    found = points_of(wrapped(rows.T))
    D = pairwise_distances(rows - 1e6, rows[:3] - 1e6) ** 2
    got = np.vstack([found.from_places(found.places(np.arange(3)), p) for p in found.parts(3)])
    np.testing.assert_allclose(got, D, atol=1e-7)


def test_few_directions_keep_most_of_the_distances(large):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((300, 5)) @ rng.standard_normal((5, 80))
    for put in (np.asarray, sp.csr_array):
        found = points_of(wrapped(put(rows).T)).projected(5, np.random.RandomState(0))
        assert found.rows.shape == (300, 5)
        np.testing.assert_allclose(
            pairwise_distances(found.rows), pairwise_distances(rows), atol=1e-6
        )


@pytest.mark.parametrize("put", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("unit_length", [False, True])
def test_norms_may_stay_those_in_all_directions(put, unit_length, large):
    found = points_of(wrapped(put(DIGITS).T), unit_length=unit_length)
    some = found.projected(10, np.random.RandomState(0), full=True)
    np.testing.assert_allclose(some.squares, found.squares)
    D = np.vstack([some.from_places(some.places(np.arange(9)), part) for part in some.parts(9)])
    inner = some.rows @ some.rows[:9].T
    expected = found.squares[:, None] + found.squares[:9] - 2 * inner
    np.testing.assert_allclose(D, np.maximum(expected, 0), atol=1e-9 * expected.max())


@pytest.mark.parametrize("put", [np.asarray, sp.csr_array])
def test_large_choices_by_angles_beat_random_ones(put, large):
    info = choose(put(DIGITS), 20, "facility-location", axis=0, similarity="cosine",
                  n_directions=10).info  # fmt: skip
    lost, by_random = (600 - info[key] for key in ("objective", "objective_of_random"))
    assert lost < 0.9 * by_random


@pytest.mark.parametrize("put", CONTAINERS)
@pytest.mark.parametrize("name", NAMES)
def test_large_choices_are_nearly_as_good(name, put, large):
    D = pairwise_distances(DIGITS) ** 2
    found = choose(put(DIGITS), 20, name, axis=0, **({} if name == "coverage" else
                                                      {"n_directions": 25}))  # fmt: skip
    assert len(set(found.indices.tolist())) == 20
    sign = -1 if name == "facility-location" else 1
    assert sign * found.info["objective"] < sign * found.info["objective_of_random"]
    if name == "medoids":
        assert found.info["objective"] == pytest.approx(ORACLE.loss(D, found.indices), rel=1e-4)
        small = MedoidSelector(20).fit(DIGITS[:150].T).selection_  # a sample, but by itself
        assert found.info["objective"] < ORACLE.loss(D, small.indices)
    if name == "coverage":
        reached = ORACLE.radius(D, found.indices)
        assert found.info["objective"] == pytest.approx(reached, rel=1e-4)


def test_more_choices_than_a_start_is_made_for(large, monkeypatch):
    monkeypatch.setattr(medoid, "MOST", 50)
    found = choose(DIGITS, 90, "medoids", axis=0, must_include=[17], exclude=[3])
    assert found.indices[0] == 17
    assert len(set(found.indices.tolist())) == 90
    assert found.info["objective"] < found.info["objective_of_random"]


def test_lazy_is_greedy_however_large(large):
    A = DIGITS[:120].T
    found = choose(A, 10, "facility-location", algorithm="lazy")
    assert found.indices.tolist() == ORACLE.greedy_value(ORACLE.similarities(A), 10)


@pytest.mark.parametrize("seed", range(4))
def test_lazy_is_greedy_among_more_than_a_batch_of_hopeful_ones(seed):
    """Uniform points gain nearly the same, so that bounds of before are close to the best."""
    A = np.random.default_rng(seed).uniform(size=(3, 400))
    S = ORACLE.similarities(A)
    best, expected = np.zeros(400), []
    for _ in range(12):
        gains = np.maximum(S - best[:, None], 0.0).sum(axis=0)
        expected.append(int(np.argmax(gains)))
        best = np.maximum(best, S[:, expected[-1]])
    found = choose(A, 12, "facility-location", algorithm="lazy")
    assert found.indices.tolist() == expected


class Counting(np.random.RandomState):
    """Remembers how many numbers were asked for."""

    def randint(self, *args, size=None, **params):
        self.sizes = [*getattr(self, "sizes", ()), size]
        return super().randint(*args, size=size, **params)


@pytest.mark.parametrize(("tolerance", "width"), [(0.1, 28), (0.5, 9), (0.01, 56)])
def test_as_many_random_candidates_as_the_theorem_says(tolerance, width):
    """(n / l) ln(1/ε) of n = 60 points for l = 5 choices, rounded up."""
    held, rng = HeldPoints(blobs().T, True), Counting(0)
    cover = greedy_cover.Cover(held, held, np.ones(60), 1e4)
    none, every = np.array([], int), np.ones(60, bool)
    found = greedy_cover.stochastic_greedy(cover, 5, none, every, rng, tolerance)
    assert len(set(found.tolist())) == 5
    assert rng.sizes == [width] * 5


@pytest.mark.parametrize("exact", [True, False])
def test_gains_from_held_losses_are_those_measured(exact, monkeypatch):
    rows = DIGITS[:90]
    weights = np.random.default_rng(0).integers(1, 4, 40).astype(float)
    some, D = np.arange(20, 60), np.square(pairwise_distances(rows))
    held = HeldPoints(rows, exact)
    covers = [greedy_cover.Cover(held, held.subset(some), weights, 1e4) for _ in range(2)]
    covers[0].hold()
    monkeypatch.setattr(greedy_cover, "HELD", 0)
    covers[1].hold()
    left = np.full(40, 1e4)
    for pick in (3, 57, 81):
        expected = weights @ np.maximum(left[:, None] - D[some], 0.0)
        for cover in covers:
            gains = cover.gains(np.arange(90))
            np.testing.assert_allclose(gains, expected, atol=1e-9 * expected.max())
            cover.add(pick)
        left = np.minimum(left, D[some, pick])


def test_stochastic_is_nearly_greedy(large):
    A = DIGITS[:120].T
    S = ORACLE.similarities(A)
    greedy = S[:, ORACLE.greedy_value(S, 10)].max(axis=1).sum()
    values = [
        select(A, 10, method="facility-location", random_state=seed).info["objective"]
        for seed in range(5)
    ]
    assert np.mean(values) >= (1 - 0.1) * greedy
    assert len(set(values)) > 1


# -- rows ----------------------------------------------------------------------------------------

SELECTORS = [
    MedoidSelector(7, random_state=0),
    FacilityLocationSelector(7, random_state=0),
    CoverageSelector(7),
]


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("put", CONTAINERS)
@pytest.mark.parametrize("how", [{}, {"center": True, "scale": "std"}])
def test_rows_are_described_by_their_distances(selector, put, how):
    X = DIGITS[:200]
    model = RowSelector(selector, **how).fit(put(X))
    like = X
    if how:
        spread = X.std(axis=0)
        like = np.where(spread > 0, (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0), 0.0)
    D = pairwise_distances(like, like[model.indices_])
    got = model.transform(put(X))
    assert got.dtype == (np.float32 if put(X).dtype == np.float32 else np.float64)
    np.testing.assert_allclose(got, D, atol=1e-5 * D.max())
    labels = model.predict(put(X))
    np.testing.assert_allclose(D[np.arange(200), labels], D.min(axis=1), atol=1e-5 * D.max())
    assert np.bincount(labels).tolist() == model.selection_.info["stands_for"]
    assert labels[model.indices_].tolist() == list(range(7))
    assert len(model.get_feature_names_out()) == 7
    assert not hasattr(model, "components_")
    with pytest.raises(AttributeError, match=r"representatives_\[predict\(X\)\]"):
        model.inverse_transform(got)


@pytest.mark.parametrize("center", [False, True])
def test_rows_compared_by_their_angles(center):
    X = DIGITS[:200]
    selector = FacilityLocationSelector(7, similarity="cosine")
    like = X - X.mean(axis=0) * center
    C = 1 - pairwise_distances(like, metric="cosine")
    for put in (np.asarray, sp.csr_array):
        model = RowSelector(selector, center=center).fit(put(X))
        near = C[:, model.indices_]
        labels = model.predict(put(X))
        np.testing.assert_allclose(near[np.arange(200), labels], near.max(axis=1))
        np.testing.assert_allclose(model.transform(put(X)) ** 2, 2 - 2 * near, atol=1e-7)


def test_strips_of_rows_are_all_there(monkeypatch):
    monkeypatch.setattr("colonnade.selectors.comparing.BLOCK_BYTES", 2048)
    X = DIGITS[:200]
    for put in (np.asarray, sp.csr_array):
        model = RowSelector(MedoidSelector(7, random_state=0)).fit(put(X))
        D = pairwise_distances(X, X[model.indices_])
        np.testing.assert_allclose(model.transform(put(X)), D, atol=1e-5)
        assert model.predict(put(X)).tolist() == D.argmin(axis=1).tolist()


def test_rows_that_span_have_a_nearest_too():
    model = RowSelector(GreedySelector(5)).fit(DIGITS)
    # squares of whole numbers are exact, and some rows are as far from one as from another
    D = np.square(DIGITS[:, None] - DIGITS[model.indices_]).sum(axis=2)
    assert (np.sort(D, axis=1)[:, 0] == np.sort(D, axis=1)[:, 1]).any()
    assert model.predict(DIGITS).tolist() == D.argmin(axis=1).tolist()
    assert model.inverse_transform(model.transform(DIGITS)).shape == DIGITS.shape
