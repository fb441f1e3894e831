"""Kernel features of dask arrays: landmarks from rows that are fetched, features when wanted."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from explicit_chunks import dense, table

from colonnade import EnsembleNystroem, Nystroem, resources

da = pytest.importorskip("dask.array", reason="dask is not installed: pip install colonnade[dask]")

X = table(90, 6)
GAMMA = {"gamma": 0.02, "n_components": 8, "random_state": 0}


@pytest.mark.parametrize(
    "given", [{}, {"landmarks": "uniform"}, {"landmarks": "greedy"}, {"rank": 3}]
)
def test_features_of_new_points(given, dask_container):
    fitted = Nystroem(**GAMMA, **given).fit(X)
    Z = fitted.transform(dask_container(X))
    assert Z.shape[1] == fitted.transform(X).shape[1]
    np.testing.assert_allclose(dense(Z), fitted.transform(X), atol=1e-8)


def test_a_precomputed_kernel_with_the_points_of_a_fit(dask_container):
    K = X @ X.T
    fitted = Nystroem("precomputed", n_components=4, landmarks="uniform", random_state=0).fit(K)
    np.testing.assert_allclose(dense(fitted.transform(dask_container(K))), fitted.transform(K))


@pytest.mark.parametrize(
    ("given", "passes"),
    [
        ({}, 1),
        ({"kernel": "cosine", "gamma": None}, 1),
        ({"kernel": "linear", "gamma": None, "n_components": 5}, 1),
        ({"landmarks": "short-kmeans", "landmarks_params": {"n_sample": 40, "n_iter": 2}}, 1),
        ({"landmarks": "uniform"}, 1),
        ({"rank": 3}, 2),
        ({"rank": 3, "rank_formula": "traditional"}, 1),
        ({"landmarks": [80, 3, 81]}, 2 / 3),
    ],
)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_landmarks_are_those_of_an_array(given, passes, kind):
    parameters = {**GAMMA, **given}
    known = Nystroem(**parameters).fit(kind(X))
    chunks = da.from_array(X, chunks=(30, 4)).map_blocks(kind, dtype=X.dtype)
    found = Nystroem(**parameters)
    with resources() as used:
        Z = found.fit_transform(chunks)
    np.testing.assert_allclose(used.used.passes, passes)
    # blocks were read, and of these no more than the landmarks or the sample were sent
    np.testing.assert_array_equal(found.component_indices_, known.component_indices_)
    assert sp.issparse(found.components_) == (kind is sp.csr_array)
    np.testing.assert_allclose(dense(Z), known.transform(X), atol=1e-8)
    if "rank" in given and "rank_formula" not in given:
        np.testing.assert_allclose(found.relative_errors_, known.relative_errors_)
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_allclose(again.transform(X), known.transform(X), atol=1e-8)


def test_only_wanted_rows_are_sent():
    many = table(3000, 6)
    with resources() as used:
        Nystroem(**GAMMA, landmarks=[5, 2999]).fit(da.from_array(many, chunks=(1000, 6)))
    assert used.used.bytes_sent == 2 * 6 * 8
    np.testing.assert_allclose(used.used.passes, 2 / 3)


def test_where_means_stand_for_nothing_rows_are_landmarks():
    chunks = da.from_array(X, chunks=(30, 6))
    found = Nystroem("laplacian", **GAMMA).fit(chunks)
    assert len(set(found.component_indices_)) == 8
    np.testing.assert_array_equal(found.components_, X[found.component_indices_])
    uneven = X.copy()
    uneven[7] *= 1e4
    model = Nystroem("linear", n_components=3, random_state=0).fit(
        da.from_array(uneven, chunks=(30, 6))
    )
    assert 7 in model.component_indices_


def test_an_ensemble_with_equal_weights():
    parameters = {**GAMMA, "n_experts": 3, "weights": "uniform"}
    known = EnsembleNystroem(**parameters).fit(X)
    chunks = da.from_array(X, chunks=(30, 4))
    with resources() as used:
        Z = EnsembleNystroem(**parameters).fit_transform(chunks)
    assert used.used.passes == 1
    np.testing.assert_allclose(dense(Z), known.transform(X), atol=1e-8)
    learned = EnsembleNystroem(**{**parameters, "weights": "ridge"}).fit(X)
    np.testing.assert_allclose(dense(learned.transform(chunks)), learned.transform(X), atol=1e-8)


def test_nothing_is_computed_before_it_is_asked_for(counted_blocks):
    chunks, read = counted_blocks(X, (30, 4))
    Z = Nystroem(**GAMMA).fit(X).transform(chunks)
    assert read == []
    Z[:30].compute()
    assert sorted(read) == [(0, 0), (0, 1)]


def test_empty_chunks_have_no_rows():
    chunks = da.from_array(X, chunks=((30, 0, 60), (6,)))
    for rank in (None, 3):
        known = Nystroem(**GAMMA, rank=rank).fit(X)
        Z = Nystroem(**GAMMA, rank=rank).fit_transform(chunks)
        np.testing.assert_allclose(dense(Z), known.transform(X), atol=1e-8)


def test_float32_stays_float32():
    few = X.astype(np.float32)
    Z = Nystroem(**GAMMA).fit(few).transform(da.from_array(few, chunks=(30, 4)))
    assert Z.dtype == dense(Z).dtype == np.float32


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Nystroem(landmarks="greedy"), "choose 'auto', 'short-kmeans', 'uniform' or row numbers"),
        (Nystroem(landmarks="kmeans"), "choose 'auto', 'short-kmeans', 'uniform' or row numbers"),
        (EnsembleNystroem(), 'choose weights="uniform"'),
        (Nystroem(landmarks=[90]), "rows are numbered 0 to 89"),
        (Nystroem(landmarks="uniform", landmarks_params={"a": 1}), "takes no parameters"),
        (Nystroem(landmarks="short-kmeans", landmarks_params={"n_sample": 0}), "n_sample"),
    ],
)
def test_what_is_refused_says_what_works(model, message):
    model.set_params(n_components=4)
    with pytest.raises((TypeError, ValueError), match=message):
        model.fit(da.from_array(X, chunks=(30, 4)))


def test_pairs_and_rows_that_nobody_counted_are_refused():
    chunks = da.from_array(X, chunks=(30, 4))
    for model in (Nystroem, EnsembleNystroem):
        given = {"weights": "uniform"} if model is EnsembleNystroem else {}
        with pytest.raises(TypeError, match="pass the points, with the name of their kernel"):
            model("precomputed", n_components=4, **given).fit(chunks @ chunks.T)
        with pytest.raises(ValueError, match=r"X\.compute_chunk_sizes\(\)"):
            model(n_components=4, **given).fit(chunks[chunks[:, 0] > -np.inf])
