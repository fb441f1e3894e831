"""Two rounds over parts of the columns, against rounds that recompute everything."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from matrices import NASTY, nasty
from oracles.greedy import greedy
from oracles.textbook import residual

from colonnade import (
    METHODS,
    GreedySelector,
    RankReachedWarning,
    open_data,
    plan,
    resources,
    select,
)
from colonnade.operands.chunked import array as chunked_array
from colonnade.operands.entrance import wrapped
from colonnade.pivoting import rounds
from colonnade.pivoting.rounds import choose_in_rounds, followed
from colonnade.pivoting.rules import Criterion, LargestDiagonal

da = pytest.importorskip("dask.array", reason="dask is not installed (extra dask)")

WIDE = [name for name, entry in METHODS.items() if "wide dask" in entry.inputs]
LARGE = ("huge",)  # beyond what blocks may hold; said where it is tested


@pytest.fixture
def as_wide(monkeypatch):
    """Take any number of columns as too many for their inner products."""
    monkeypatch.setattr(chunked_array, "MOST_PRODUCTS", 0)


def two_rounds(A, n_select, cuts, n_winners):
    """Winners of each part for the whole as target, then the best of all winners: from scratch."""
    winners = []
    for start, stop in pairwise(cuts):
        among = np.arange(start, stop)
        winners += greedy(A, min(n_winners, len(among)), candidates=among)
    return greedy(A, n_select, candidates=np.array(winners))


def errors_of(A, chosen):
    return np.array([np.sum(residual(A, chosen[: i + 1]) ** 2) for i in range(len(chosen))])


@pytest.mark.parametrize("width", [7, 20, 60])
@pytest.mark.parametrize("seed", range(3))
def test_rounds_are_those_of_the_definition(width, seed):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((15, 12)) @ rng.standard_normal((12, 60)) + 0.1 * rng.standard_normal(
        (15, 60)
    )
    D = wrapped(da.from_array(A, chunks=(15, width)))
    found = choose_in_rounds(D, Criterion(), n_select=6, n_winners=4)
    cuts = [0, *np.cumsum(D.source.widths).tolist()]
    assert found.pivots.indices == two_rounds(A, min(6, 4 * (len(cuts) - 1)), cuts, 4)
    np.testing.assert_allclose(found.pivots.errors, errors_of(A, found.pivots.indices), rtol=1e-9)
    np.testing.assert_allclose(found.pivots.total, np.sum(A * A))
    np.testing.assert_allclose(
        found.pivots.residuals,
        np.sum(residual(A, found.pivots.indices) ** 2, axis=0),
        rtol=1e-8,
        atol=1e-12,
    )
    Q, R = np.linalg.qr(A[:, found.pivots.indices])
    W = np.sign(np.diag(R))[:, None] * (Q.T @ A)
    np.testing.assert_allclose(found.pivots.embedding, W, atol=1e-10)


def test_one_part_chooses_as_in_memory(as_wide):
    A = np.random.default_rng(0).standard_normal((20, 50))
    D = da.from_array(A, chunks=(10, 50))
    ours = GreedySelector(8).fit(D)
    # exchanges among the winners find nothing better, or something better
    theirs = GreedySelector(8, refine=1).fit(A)
    assert ours.relative_errors_[-1] <= GreedySelector(8).fit(A).relative_errors_[-1] + 1e-12
    assert ours.relative_errors_[-1] >= theirs.relative_errors_[-1] - 0.02
    qr = select(D, 8, method="pivoted-qr")
    assert qr.indices.tolist() == select(A, 8, method="pivoted-qr").indices.tolist()


def test_tournaments_of_pivoted_qr_find_what_no_part_alone_has():
    """The longest columns of a part may all be short of another; the last round knows."""
    rng = np.random.default_rng(3)
    A = np.hstack([1e-3 * rng.standard_normal((6, 10)), np.eye(6), rng.standard_normal((6, 10))])
    D = wrapped(da.from_array(A, chunks=(6, 9)))
    found = choose_in_rounds(D, LargestDiagonal(), n_select=6).pivots
    assert not set(found.indices) & set(range(10))
    assert found.errors[-1] < 1e-20


@pytest.mark.parametrize("name", WIDE)
@pytest.mark.parametrize("container", [np.asarray, sp.csc_array, sp.csr_array])
def test_every_wide_method_measures_what_it_chose(as_wide, name, container):
    rng = np.random.default_rng(1)
    A = rng.standard_normal((30, 20)) @ rng.standard_normal((20, 200)) * (rng.random(200) + 0.1)
    D = da.from_array(container(A), chunks=(17, 40), asarray=False)
    params = {"random_state": 0} if METHODS[name].randomized else {}
    with resources() as given:
        found = select(D, 12, method=name, **params)
    chosen = found.indices.tolist()
    assert len(set(chosen)) == len(chosen)
    np.testing.assert_allclose(found.errors, errors_of(A, chosen), rtol=1e-8)
    in_memory = select(A, 12, method=name, **params)
    if METHODS[name].kind == "sampling":  # the same random numbers, the same columns
        assert chosen == in_memory.indices.tolist()
        assert found.weights is None or np.allclose(found.weights, in_memory.weights)
    else:
        assert found.relative_errors[-1] <= 1.15 * in_memory.relative_errors[-1]
    assert given.used.passes <= 5


@pytest.mark.parametrize("name", [name for name in NASTY if name not in LARGE])
def test_nasty_matrices_in_rounds(as_wide, name):
    A = nasty(name)
    n = min(6, np.linalg.matrix_rank(A), A.shape[1])
    D = da.from_array(A, chunks=(max(1, A.shape[0] // 2), max(1, A.shape[1] // 3)))
    ours, theirs = GreedySelector(n).fit(D), GreedySelector(n).fit(A)
    chosen = ours.indices_.tolist()
    assert len(set(chosen)) == n
    np.testing.assert_allclose(
        ours.selection_.errors, errors_of(A, chosen), atol=1e-12 * np.sum(A * A), rtol=1e-5
    )
    best = np.linalg.svd(A, compute_uv=False)[n:]
    assert ours.selection_.errors[-1] >= np.sum(best**2) - 1e-9 * np.sum(A * A)
    assert ours.relative_errors_[-1] <= 1.3 * theirs.relative_errors_[-1] + 1e-9


def test_entries_out_of_range_are_named(as_wide):
    with pytest.raises(
        ValueError, match=r"e\+1\d\d in block \(0, \d\), at row 0, .*divide the data"
    ):
        GreedySelector(2).fit(da.from_array(nasty("huge"), chunks=(20, 10)))


def test_rows_are_chosen_in_three_passes_and_centred_in_four():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((300, 10)) @ rng.standard_normal((10, 25)) + 3.0
    D = da.from_array(X, chunks=(60, 10))
    for how, passes in (({}, 3), ({"center": True, "scale": "std"}, 4)):
        with resources() as given:
            found = select(D, 5, axis=0, **how)
        assert given.used.passes == passes
        assert given.used.bytes_read == passes * X.nbytes
        exact = select(X, 5, axis=0, **how)
        assert found.relative_errors[-1] <= 1.05 * exact.relative_errors[-1]
        planned = sum(piece.passes for piece in plan(D, 5, axis=0, **how))
        assert planned == passes


def test_a_sketch_stands_for_many_rows(as_wide, monkeypatch):
    monkeypatch.setattr(rounds, "EXACT_ROWS", 10)
    rng = np.random.default_rng(2)
    A = rng.standard_normal((60, 15)) @ rng.standard_normal((15, 400))
    A += 0.05 * rng.standard_normal(A.shape)
    D = da.from_array(A, chunks=(60, 80))
    found = select(D, 15)
    assert found.info["rounds"]["target"] == 256
    assert found.relative_errors[-1] <= 1.1 * select(A, 15).relative_errors[-1]
    assert select(D, 15).indices.tolist() == found.indices.tolist()  # nothing is left to chance


def test_what_must_be_chosen_and_what_must_not(as_wide):
    A = np.random.default_rng(4).standard_normal((20, 90))
    D = da.from_array(A, chunks=(20, 30))
    free = select(D, 6).indices
    found = select(D, 6, must_include=[80, 3], exclude=free[:2].tolist())
    assert found.indices[:2].tolist() == [80, 3]
    assert not set(free[:2]) & set(found.indices)
    np.testing.assert_allclose(found.errors, errors_of(A, found.indices.tolist()), rtol=1e-9)


def test_choosing_ends_at_the_error_that_is_asked_for(as_wide):
    A = np.random.default_rng(4).standard_normal((20, 90))
    D = da.from_array(A, chunks=(20, 30))
    path = select(D, 10).relative_errors
    found = select(D, 10, max_error=float(path[4]) + 1e-9)
    assert len(found.indices) == 5
    np.testing.assert_allclose(
        found.residuals, np.sum(residual(A, found.indices.tolist()) ** 2, axis=0), atol=1e-12
    )
    with pytest.raises(ValueError, match="give n_select as well"):
        select(D, max_error=0.1)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("share", [0.3, 0.05, 1e-3])
def test_no_more_are_chosen_than_are_needed(as_wide, monkeypatch, exact, share):
    """Exchanges are made among as many as are needed, not among all that there might be."""
    if not exact:
        monkeypatch.setattr(rounds, "EXACT_ROWS", 10)
    few = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        A = (rng.standard_normal((40, 40)) * 0.85 ** np.arange(40)) @ rng.standard_normal((40, 800))
        found = select(da.from_array(A, chunks=(40, 200)), 30, max_error=share)
        assert found.relative_errors[-1] <= share
        np.testing.assert_allclose(found.errors, errors_of(A, found.indices.tolist()), rtol=1e-6)
        memory = len(select(A, 30, max_error=share).indices)
        assert len(found.indices) <= memory + (not exact)
        few += len(found.indices) - memory
    assert few <= 1


def test_the_rank_is_reached_with_a_word(as_wide):
    A = nasty("rank deficient")
    D = da.from_array(A, chunks=(30, 6))
    with pytest.warns(RankReachedWarning):
        found = select(D, 9)
    assert len(found.indices) == 5


def test_exchanges_lower_the_error(as_wide):
    rng = np.random.default_rng(7)
    A = rng.standard_normal((40, 25)) @ rng.standard_normal((25, 300))
    D = da.from_array(A, chunks=(40, 60))
    few = choose_in_rounds(wrapped(D), Criterion(), n_select=8).pivots
    some, more = select(D, 8), select(D, 8, refine=True)
    assert some.errors[-1] <= few.errors[-1]
    assert more.errors[-1] <= some.errors[-1]
    assert more.info["n_swaps"] == more.info["rounds"]["n_swaps"]


def test_a_given_choice_is_followed_with_dependent_columns():
    A = np.random.default_rng(8).standard_normal((10, 30))
    A[:, 4] = 2 * A[:, 1]
    D = wrapped(da.from_array(A, chunks=(5, 8)))
    found = followed(D, [1, 4, 20])
    assert not found.embedding[1].any()
    np.testing.assert_allclose(found.errors, errors_of(A, [1, 4, 20]), rtol=1e-9)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"method": "greedy", "presample": 2.0}, "once for each choice; those methods that do not"),
        ({"method": "random-pivot"}, "'random-pivot' would read the data once for each choice"),
        ({"method": "uniform", "refine": True}, "leave it, or choose 'greedy'"),
        ({"method": "mcfs"}, "'mcfs' looks at each row by itself.*those that can: greedy"),
        ({"method": "sparse-approximation", "y": np.arange(10.0)}, "needs target beside every row"),
        ({"method": "greedy", "missing": "mean"}, "missing='mean' looks at all rows at once"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(as_wide, params, words):
    A = np.random.default_rng(4).standard_normal((10, 30))
    with pytest.raises((TypeError, ValueError), match=words):
        select(da.from_array(A, chunks=(10, 10)), 3, **params)


def test_an_automatic_size_is_refused():
    A = np.random.default_rng(4).standard_normal((10, 30))
    with pytest.raises(ValueError, match="n_select='auto' compares many sizes"):
        GreedySelector("auto").fit(da.from_array(A, chunks=(10, 10)))


def test_rounds_go_on_where_they_were_stopped(as_wide, tmp_path, monkeypatch):
    from colonnade.operands.chunked import checkpoint, source

    monkeypatch.setattr(checkpoint, "PAUSE", 0.0)
    monkeypatch.setattr(source, "BATCH", 2)
    A = np.random.default_rng(9).standard_normal((12, 120))
    D = da.from_array(A, chunks=(12, 10))

    class StoppedError(Exception):
        pass

    def stop(what, done, wanted):
        if what == "winners" and done == 6:
            raise StoppedError

    with pytest.raises(StoppedError), resources(checkpoint=tmp_path, progress=stop):
        select(D, 5)
    with resources(checkpoint=tmp_path) as given:
        again = select(D, 5)
    whole = select(D, 5)
    assert again.indices.tolist() == whole.indices.tolist()
    np.testing.assert_allclose(again.errors, whole.errors, rtol=1e-12)
    # all blocks compared, half of the winners, the others fetched, what is left
    assert given.used.passes < 3.6
    for change in ({"exclude": [0]}, {"center": True}):
        with (
            pytest.raises(ValueError, match="is of other work: it differs in"),
            resources(checkpoint=tmp_path),
        ):
            select(D, 5, **change)
    with pytest.raises(ValueError, match=r"differs in values"), resources(checkpoint=tmp_path):
        select(D + 1, 5)


WORK = {
    "rule": {"rule": LargestDiagonal()},
    "n_select": {"n_select": 4},
    "n_winners": {"n_winners": 6},
    "rows": {"A": lambda A: A.transposed()},
    "treatment": {"A": lambda A: A.scaled(2.0)},
    "must_include": {"first": [7]},
    "excluded": {"candidates": np.arange(24) != 3},
    "target": {"target": np.eye(24)[:, 4:8]},
    "values": {"block": (1, 1)},
    "chunks": {"chunks": ((8, 16), (8, 8, 8))},
}


@pytest.mark.parametrize("what", WORK)
@pytest.mark.parametrize("targeted", [False, True])
def test_rounds_of_other_work_are_refused(tmp_path, what, targeted):
    """One thing is other at a time, and it is named; the array always has the same name."""
    M = np.random.default_rng(3).standard_normal((24, 24))
    usual = {
        "A": lambda A: A, "rule": Criterion(), "n_select": 5, "n_winners": 7, "first": [],
        "chunks": (8, 8), "block": None,
        "target": np.eye(24)[:, :4] if targeted else None,
    }  # fmt: skip

    def run(A, rule, chunks, block, **given):
        X = M.copy()
        if block is not None:
            X[8 * block[0] : 8 * block[0] + 8, 8 * block[1] + 1] += 1e-12
        D = wrapped(da.from_array(X, chunks=chunks, name="the same"))
        return choose_in_rounds(A(D), rule, **given).pivots.indices

    with resources(checkpoint=tmp_path):
        first = run(**usual)
    with resources(checkpoint=tmp_path):
        assert run(**usual) == first
    named = what if what != "chunks" else "chunks, values"
    with (
        pytest.raises(ValueError, match=rf"it differs in {named}; give another folder"),
        resources(checkpoint=tmp_path),
    ):
        run(**usual | WORK[what])


@pytest.mark.parametrize("place", [(0, 1), (1, 0), (1, 3), (2, 2)])
def test_no_block_may_be_other_where_winners_may_be_anywhere(as_wide, tmp_path, place):
    X = np.random.default_rng(9).standard_normal((12, 40))
    with resources(checkpoint=tmp_path):
        select(da.from_array(X, chunks=(4, 10), name="mine"), 5)
    i, j = place
    X[4 * i + 2, 10 * j + 3] += 100.0
    with pytest.raises(ValueError, match="differs in values"), resources(checkpoint=tmp_path):
        select(da.from_array(X, chunks=(4, 10), name="mine"), 5)


def test_marks_of_all_blocks_do_not_stand_for_a_look_at_them(as_wide, tmp_path):
    X = np.random.default_rng(9).standard_normal((12, 40))
    X[3, 17] = np.nan
    with pytest.raises(ValueError, match="NaN in block"), resources(checkpoint=tmp_path):
        select(da.from_array(X, chunks=(4, 10)), 5)


def test_opened_files_take_no_pass_to_be_known_again(as_wide, tmp_path):
    np.save(tmp_path / "a.npy", np.random.default_rng(9).standard_normal((12, 40)))
    found = []
    for passes in (3, 2.0):  # no target again, and winners are fetched
        with resources(checkpoint=tmp_path / "kept") as given:
            D = open_data(tmp_path / "a.npy", chunk_bytes=4 * 40 * 8)
            found.append(select(D, 5).indices.tolist())
        assert given.used.passes == passes
    assert found[0] == found[1]


@pytest.mark.parametrize("power", [-120, 230])
def test_large_and_small_units_change_figures_alone(as_wide, power):
    """Squares of squares would be out of range, so another unit is taken and given back."""
    A = np.random.default_rng(4).standard_normal((20, 90))
    usual = select(da.from_array(A, chunks=(20, 30)), 6)
    found = select(da.from_array(A * 2.0**power, chunks=(20, 30)), 6)
    assert found.indices.tolist() == usual.indices.tolist()
    np.testing.assert_allclose(found.relative_errors, usual.relative_errors, rtol=1e-9)
    for name, square in (("errors", 2), ("total", 2), ("residuals", 2), ("embedding", 1)):
        ours = getattr(found, name) * 2.0 ** (-square * power)
        np.testing.assert_allclose(ours, getattr(usual, name), rtol=1e-9, atol=1e-12)


def test_nothing_is_left_of_what_was_chosen():
    A = np.random.default_rng(8).standard_normal((10, 30))
    chosen = [1, 4, 20]
    found = followed(wrapped(da.from_array(A, chunks=(5, 8))), chosen)
    assert not found.residuals[chosen].any()  # to the last bit
    assert np.delete(found.residuals, chosen).all()


def test_what_must_be_chosen_is_not_shortened(as_wide):
    D = da.from_array(np.random.default_rng(4).standard_normal((20, 90)), chunks=(20, 30))
    found = select(D, 6, max_error=0.99, must_include=[80, 3, 7])
    assert found.indices.tolist() == [80, 3, 7]
    assert len(found.errors) == len(found.embedding) == 3


def test_a_target_has_no_directions_of_rounding_alone():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((30, 5)) @ rng.standard_normal((5, 80))
    B, exact = rounds._target(wrapped(da.from_array(A, chunks=(30, 40))), 4, None)
    assert exact
    assert B.shape == (30, 5)
    np.testing.assert_allclose(B @ B.T, A @ A.T, atol=1e-9)


def test_what_must_be_chosen_comes_on_top_of_winners():
    A = np.random.default_rng(4).standard_normal((20, 90))
    D = wrapped(da.from_array(A, chunks=(20, 30)))
    found = choose_in_rounds(D, Criterion(), n_select=6, n_winners=4, first=[1, 2, 3])
    assert found.info["winners"] == 3 + 3 * 4


@pytest.mark.parametrize("method", ["greedy", "pivoted-qr"])
@pytest.mark.filterwarnings("error")
def test_a_part_of_nothing_sends_nothing(as_wide, method):
    A = np.random.default_rng(4).standard_normal((20, 90))
    A[:, 30:60] = 0.0
    D = da.from_array(A, chunks=(20, 30))
    found = select(D, 6, method=method)
    assert not set(found.indices) & set(range(30, 60))
    whole = choose_in_rounds(wrapped(D), Criterion(), n_select=6, n_winners=4)
    assert whole.info["winners"] == 2 * 4
    must = [40, 2]
    found = choose_in_rounds(wrapped(D), Criterion(), n_select=6, n_winners=4, first=must)
    assert found.pivots.indices[:2] == must
    allowed = np.arange(90) >= 60
    found = choose_in_rounds(wrapped(D), Criterion(), n_select=6, n_winners=4, candidates=allowed)
    assert found.info["winners"] == 4


def test_unknown_numbers_of_rows_where_they_matter():
    X = da.from_array(np.random.default_rng(0).standard_normal((50, 4)), chunks=(10, 4))
    some = X[X[:, 0] > 0]
    with pytest.raises(ValueError, match=r"X\.compute_chunk_sizes\(\) first"):
        select(some, 2, axis=0)
    assert len(select(some, 2).indices) == 2  # columns need no numbers of rows


def test_how_many_each_part_sends(monkeypatch):
    """As many as are wanted; more of few parts; less where there is no room, but not too few."""
    assert rounds.winners_for(100, 10, 30) == 30
    assert rounds.winners_for(100, 2, 30) == 60
    monkeypatch.setattr(rounds, "WINNERS_BYTES", 8 * 100 * 10 * 12)
    assert rounds.winners_for(100, 10, 30) == 12
    assert rounds.winners_for(100, 10, 30, itemsize=4) == 24
    monkeypatch.setattr(rounds, "WINNERS_BYTES", 1)
    assert rounds.winners_for(100, 10, 30) == 6  # twice as many in all as are chosen
    assert rounds.winners_for(100, 7, 30) == 9
    assert rounds.winners_for(100, 1, 30) == 30
