"""Small cases that once went wrong."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from calls import run
from matrices import NASTY, nasty
from oracles import error
from sklearn.cluster import KMeans
from sklearn.metrics.pairwise import rbf_kernel
from threadpoolctl import threadpool_info

from colonnade import (
    METHODS,
    GreedySelector,
    Kernel,
    RankReachedWarning,
    RowSelector,
    metrics,
    select,
)

near = np.random.RandomState(0).randn(100, 6)
near[:, 1] = near[:, 0] + 1e-8 * np.random.RandomState(1).randn(100)


@pytest.mark.filterwarnings("ignore::colonnade.RankReachedWarning")
@pytest.mark.parametrize("n_select", [9, 15, 30])
def test_refining_a_smooth_kernel_or_vandermonde_matrix(n_select):
    smooth = Kernel(np.linspace(0, 1, 60)[:, None], kernel="rbf", gamma=1.0)
    found = select(smooth, n_select, refine=True)
    assert found.errors[-1] <= select(smooth, n_select).errors[-1] * (1 + 1e-9)
    V = np.vander(np.linspace(0, 1, 40), 30)
    found = select(V, n_select, must_include=[10], refine=True)
    assert found.indices[0] == 10
    assert found.errors[-1] <= select(V, n_select, must_include=[10]).errors[-1] * (1 + 1e-9)


def test_refining_does_not_lose_near_duplicates():
    plain = select(near, 2, exclude=[2, 3, 4, 5])
    refined = select(near, 2, exclude=[2, 3, 4, 5], refine=True)
    assert sorted(refined.indices) == sorted(plain.indices) == [0, 1]
    assert refined.errors[-1] <= plain.errors[-1] * (1 + 1e-9)


@pytest.mark.parametrize("X", [near, near[:7], near.T @ near], ids=["tall", "few rows", "square"])
def test_error_path_of_forced_near_duplicates(X):
    for found in (
        select(X, 2, must_include=[0, 1]),
        select(X, 2, must_include=[1], exclude=[2, 3, 4, 5]),
        select(X, 2, method="uniform", exclude=[2, 3, 4, 5], random_state=0),
    ):
        assert found.relative_errors[-1] == pytest.approx(
            metrics.reconstruction_error(X, found), rel=1e-6
        )


def test_error_path_of_uniform_draws_from_a_vandermonde_matrix():
    V = np.vander(np.linspace(0, 1, 60), 20)
    found = select(V, 12, method="uniform", random_state=0)
    assert found.errors[-1] == pytest.approx(error(V, found.indices.tolist()), rel=1e-6)


@pytest.mark.filterwarnings("ignore::colonnade.RankReachedWarning")
@pytest.mark.parametrize("n_points", [60, 200])
@pytest.mark.parametrize("method", ["greedy", "pivoted-qr", "random-pivot"])
def test_smooth_kernels_report_what_is_left(method, n_points):
    K = rbf_kernel(np.linspace(0, 1, n_points)[:, None], gamma=1.0)
    params = {"random_state": 0} if method == "random-pivot" else {}
    found = select(Kernel(K), 9, method=method, **params)
    true = metrics.reconstruction_error(Kernel(K), found)
    # greedy prefers neighbours, whose kernel columns are nearly parallel: there the rounding of
    # the kernel itself limits what can be known
    known = 1e-5 if method == "greedy" else 1e-11
    assert found.relative_errors[-1] == pytest.approx(true, rel=0.1, abs=known)


def test_integer_kernels_and_points():
    assert select(Kernel(np.eye(3, dtype=int)), 2).indices.tolist() == [0, 1]
    points = np.random.default_rng(0).integers(0, 255, (20, 4)).astype(np.uint8)
    found = select(Kernel(points, kernel="rbf", gamma=1e-4), 5)
    again = select(Kernel(points.astype(float), kernel="rbf", gamma=1e-4), 5)
    assert found.indices.tolist() == again.indices.tolist()


@pytest.mark.parametrize("kernel", ["rbf", "polynomial", "laplacian"])
@pytest.mark.parametrize("put", [np.asarray, sp.csr_array])
def test_kernels_of_float32_points_are_evaluated_in_float64(kernel, put):
    points = np.random.default_rng(0).standard_normal((40, 4)).astype(np.float32)
    short, long = (Kernel(put(points.astype(t)), kernel, gamma=1e-3) for t in ("f4", "f8"))
    np.testing.assert_array_equal(short.gram(), long.gram())
    found, expected = (select(K, 25, method="pivoted-qr") for K in (short, long))
    assert found.indices.tolist() == expected.indices.tolist()
    np.testing.assert_array_equal(found.relative_errors, expected.relative_errors)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, ">i4", ">i2", np.uint8])
def test_extreme_integers(dtype):
    A = np.random.default_rng(1).integers(0, 100, (6, 5)).astype(dtype) + np.dtype(dtype).type(1)
    if np.dtype(dtype).kind == "i":
        A[0, 0] = np.iinfo(dtype).min
    expected = select(A.astype(float), 3).indices.tolist()
    assert select(A, 3).indices.tolist() == expected


def test_sizes_at_the_edge_of_float32():
    A = np.random.default_rng(2).standard_normal((8, 6))
    for scale in (1e-39, 1e-30, 1e30):
        given = (A * scale).astype(np.float32)
        expected = select(given.astype(float), 3).indices.tolist()
        for put in (np.asarray, sp.csr_array):
            assert select(put(given), 3).indices.tolist() == expected
    for scale in (1e-100, 1e100):
        found = select(A, 2, target=A[:, 0] * scale + A[:, 1] * scale)
        assert sorted(found.indices) == [0, 1]
        assert found.total == pytest.approx(((A[:, 0] + A[:, 1]) ** 2).sum() * scale**2)


def test_float32_of_low_rank_stays_of_low_rank_when_sampled():
    rng = np.random.default_rng(3)
    A = (rng.standard_normal((40, 5)) @ rng.standard_normal((5, 60))).astype(np.float32)
    for put in (np.asarray, sp.csc_array):
        with pytest.warns(RankReachedWarning):
            assert len(select(put(A), 30, presample=3.0, random_state=0)) == 5


def test_other_containers():
    A = np.random.default_rng(4).poisson(1.0, (9, 7)).astype(float)
    expected = select(A, 3).indices.tolist()
    for put in (sp.lil_array, sp.dok_array, sp.bsr_array, sp.dia_array):
        assert select(put(A), 3).indices.tolist() == expected
    rows = Kernel(sp.coo_array(A), kernel="rbf", gamma=0.1)
    assert len(select(rows, 3)) == 3
    frame = pd.DataFrame({"a": [True, False, True], "b": [1.5, 2.0, 0.0], "c": [1, 2, 4]})
    assert select(frame, 1).indices.tolist() == select(frame.astype(float), 1).indices.tolist()
    nullable = frame.astype({"c": "Int64"})
    assert select(nullable, 1).indices.tolist() == select(frame, 1).indices.tolist()


def test_warnings_say_what_is_true():
    rng = np.random.default_rng(5)
    A = rng.standard_normal((20, 2)) @ rng.standard_normal((2, 8))
    with pytest.warns(RankReachedWarning, match=r"2 of the 4 choices .* of the target is left"):
        select(A, 4, target=rng.standard_normal(20))
    with pytest.warns(RankReachedWarning, match=r"2 of the 4 choices .* already reconstruct"):
        select(A, 4, method="uniform", refine=True, random_state=0)
    B = rng.standard_normal((20, 4))
    with pytest.warns(RankReachedWarning, match=r"1 choices were made: .* of the data is left"):
        select(B, max_error=0.001, exclude=[1, 2, 3])


def test_metrics_check_what_they_are_given():
    with pytest.raises(ValueError, match="rank=-1"):
        metrics.best_rank_error(near, -1)
    with pytest.raises(TypeError, match="rank must be an integer"):
        metrics.best_rank_error(near, 1.5)
    with pytest.raises(ValueError, match="zero everywhere"):
        metrics.reconstruction_error(np.zeros((3, 3)), [0])
    with pytest.raises(ValueError, match="from 6 columns, the data has 3"):
        metrics.reconstruction_error(near[:, :3], select(near, 2))
    with pytest.raises(ValueError, match="out of range"):
        metrics.relative_accuracy(near * 1e200, [0])


def test_estimators_say_what_they_cannot_take():
    with pytest.raises(ValueError, match="rows have no target y"):
        RowSelector(GreedySelector(target="y")).fit(near, near[:, 0])
    with pytest.raises(TypeError, match="selector must be a selector of columns"):
        RowSelector(KMeans()).fit(near)
    with pytest.raises(TypeError, match="use select and certify for kernels"):
        GreedySelector().fit(Kernel(np.eye(3)))
    assert GreedySelector(2, must_include=3).fit(near).indices_[0] == 3
    assert len(GreedySelector(2, presample=np.int64(2), random_state=0).fit(near).indices_) == 2


def test_threads_leave_the_blas_as_it_was():
    wide = np.random.default_rng(6).standard_normal((40, 300))
    select(wide, 10)  # loads every library that will be there afterwards
    before = [library["num_threads"] for library in threadpool_info()]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: select(wide, 10).indices.tolist(), range(12)))
    assert all(indices == found[0] for indices in found)
    assert [library["num_threads"] for library in threadpool_info()] == before


def test_progress_goes_on_while_refining():
    seen = []
    select(near, 3, refine=True, progress=lambda *args: seen.append(args))
    assert len(seen) > 3
    assert seen[-1][:2] == (3, 3)


@pytest.mark.parametrize("matrix", [name for name in NASTY if not name.startswith("one")])
@pytest.mark.parametrize("name", ["uniform", "leverage-top", "bss", "hybrid-css"])
def test_error_paths_of_columns_taken_whatever_they_are_worth(name, matrix):
    """Near duplicates add a direction each; what is left is known however little it is."""
    A = nasty(matrix)
    A = A / np.abs(A).max()
    found = run(name, A, min(A.shape) - 1)
    true = metrics.reconstruction_error(A, found)
    assert found.relative_errors[-1] == pytest.approx(true, rel=1e-6, abs=1e-26)


def test_near_duplicates_that_must_be_included():
    A = nasty("near duplicates")
    found = run("greedy", A, 8, must_include=[9, 19, 4, 14])
    assert found.relative_errors[-1] == pytest.approx(
        metrics.reconstruction_error(A, found), rel=1e-6
    )


@pytest.mark.parametrize("method", ["whitened-greedy", "greedy", "sgma", "partition-greedy"])
def test_errors_of_smooth_kernels_are_not_too_good_to_be_true(method):
    """Neighbours on a line are all but dependent: directions that are rounding are not taken."""
    for seed in (2, 7, 10, 11):
        X = np.random.default_rng(seed).standard_normal((120, 1))
        K = np.exp(-0.3 * np.square(X - X.T))
        params = {"random_state": 0} if "random_state" in METHODS[method].parameters else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankReachedWarning)
            found = METHODS[method](Kernel(K), 15, **params)
        # in extended precision, without the landmarks that add less than it can tell
        left = K.astype(np.longdouble)
        for p in found.indices:
            if left[p, p] > 1e-17:
                left = left - np.outer(left[p], left[p]) / left[p, p]
        true = float(np.trace(left) / np.trace(K))
        assert found.relative_errors[-1] == pytest.approx(true, rel=0.05, abs=1e-5)


PIVOTING = ["greedy", "partition-greedy", "signed-greedy", "approx-svd", "whitened-greedy", "sgma"]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", [*PIVOTING, "pivoted-qr", "random-pivot", "adaptive-sampling"])
def test_near_parallel_columns_do_not_end_the_choice(name, order):
    """What is left after the first is rounding beside it, until it is computed afresh."""
    A = np.array([[1.0, 1.0, 1.0], [0.0, 1e-9, 2e-9]], order=order)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = run(name, A, 2)
    assert len(found) == 2
    assert found.relative_errors[0] == pytest.approx(error(A, found.indices[:1].tolist()) / 3)
    assert found.relative_errors[1] < 1e-28


def test_the_warning_when_nothing_was_chosen_says_how_much_is_left():
    X = np.diag([3.0, 0.0])
    with pytest.warns(RankReachedWarning, match=r"0 of the 1 choices .* 1 of the data is left"):
        found = select(X, 1, exclude=[0])
    assert len(found) == 0
