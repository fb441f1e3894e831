"""Projections of dask arrays: as of arrays, when they are asked for."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from explicit_chunks import dense, table

from colonnade import (
    GaussianProjection,
    HadamardProjection,
    SignProjection,
    SparseSignProjection,
    SVDProjection,
    resources,
)

da = pytest.importorskip("dask.array", reason="dask is not installed: pip install colonnade[dask]")

X = table(90, 20)
WAYS = [{}, {"center": True}, {"center": True, "scale": "std"}]
RANDOM = [GaussianProjection, HadamardProjection, SignProjection, SparseSignProjection]


@pytest.mark.parametrize("projection", RANDOM)
@pytest.mark.parametrize("way", WAYS)
def test_random_projections_of_chunks(projection, way, dask_container):
    chunks = dask_container(X)
    model = projection(6, random_state=0, **way)
    with resources() as given:
        found = model.fit_transform(chunks)
    assert given.used.passes == (1 if way else 0)  # for means and units
    known = projection(6, random_state=0, **way).fit(X)
    assert found.chunks[1] == (6,)
    assert len(found.chunks[0]) == chunks.numblocks[0]
    np.testing.assert_allclose(dense(found), known.transform(X), atol=1e-12)
    np.testing.assert_allclose(dense(known.transform(chunks)), known.transform(X), atol=1e-12)
    if way:
        assert isinstance(model.means_, np.ndarray)
        np.testing.assert_allclose(model.means_, known.means_)


@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_singular_vectors_of_tall_chunks_take_one_pass(way, whiten, dask_container):
    chunks = dask_container(X)
    model = SVDProjection(4, whiten=whiten, **way)
    with resources() as given:
        found = model.fit_transform(chunks)
    assert given.used.passes == 1
    known = SVDProjection(4, whiten=whiten, **way).fit(X)
    np.testing.assert_allclose(model.singular_values_, known.singular_values_)
    np.testing.assert_allclose(model.components_, known.components_, atol=1e-9)
    np.testing.assert_allclose(dense(found), known.transform(X), atol=1e-9)
    back = model.inverse_transform(found)
    np.testing.assert_allclose(dense(back), known.inverse_transform(known.transform(X)), atol=1e-9)


@pytest.mark.parametrize(("way", "passes"), [(WAYS[0], 6), (WAYS[1], 7)])
def test_each_product_of_the_stochastic_algorithm_is_a_pass(way, passes):
    model = SVDProjection(4, algorithm="stochastic", n_power=2, random_state=0, **way)
    known = SVDProjection(4, algorithm="stochastic", n_power=2, random_state=0, **way).fit(X)
    with resources() as given:
        model.fit(da.from_array(X, chunks=(30, 7)))
    assert given.used.passes == passes
    np.testing.assert_allclose(model.singular_values_, known.singular_values_)
    np.testing.assert_allclose(model.components_, known.components_, atol=1e-9)


def test_singular_vectors_of_wide_chunks_take_two_passes():
    known = SVDProjection(4).fit(X.T)
    with resources() as given:
        model = SVDProjection(4).fit(da.from_array(X.T, chunks=(7, 30)))
    assert given.used.passes == 2
    np.testing.assert_allclose(model.singular_values_, known.singular_values_)
    np.testing.assert_allclose(model.components_, known.components_, atol=1e-9)


def test_small_singular_values_take_a_triangle_that_is_a_second_pass():
    U, _, Vt = np.linalg.svd(X, full_matrices=False)
    small = U[:, :6] * 10.0 ** -np.arange(0, 12, 2) @ Vt[:6]
    with resources() as given:
        model = SVDProjection(6).fit(da.from_array(small, chunks=(30, 7)))
    assert given.used.passes == 2
    np.testing.assert_allclose(model.singular_values_, 10.0 ** -np.arange(0, 12, 2), rtol=1e-4)


@pytest.mark.parametrize("projection", [*RANDOM, SVDProjection])
def test_nothing_is_computed_before_it_is_asked_for(projection, counted_blocks):
    chunks, read = counted_blocks(X, (30, 7))
    model = projection(3, random_state=0)
    if projection is SVDProjection:
        model.fit(X)
    Z = model.transform(chunks) if projection is SVDProjection else model.fit_transform(chunks)
    expected = model.transform(X)
    model.fit(X[:, ::-1])  # what was asked for before stays
    assert read == []
    np.testing.assert_allclose(Z[30:60].compute(), expected[30:60], atol=1e-12)
    assert sorted(read) == [(1, 0), (1, 1), (1, 2)]


@pytest.mark.parametrize("projection", [*RANDOM, SVDProjection])
def test_float32_stays_float32(projection, dask_container):
    few = X.astype(np.float32)
    model = pickle.loads(pickle.dumps(projection(3, random_state=0).fit(dask_container(few))))
    Z = model.transform(dask_container(few))
    assert Z.dtype == dense(Z).dtype == np.float32
    np.testing.assert_allclose(dense(Z), model.transform(few), rtol=1e-3, atol=1e-4)
    whole = np.arange(180).reshape(9, 20)
    np.testing.assert_allclose(
        dense(model.transform(dask_container(whole))), model.transform(whole), rtol=1e-6
    )


def test_empty_chunks_have_no_rows():
    chunks = da.from_array(X, chunks=((30, 0, 60), (20,)))
    model = HadamardProjection(3, center=True, random_state=0).fit(X)
    np.testing.assert_allclose(dense(model.transform(chunks)), model.transform(X), atol=1e-12)
    model = SVDProjection(3).fit(chunks)
    np.testing.assert_allclose(dense(model.transform(chunks)), model.transform(X), atol=1e-12)


def test_what_is_refused_says_why():
    chunks = da.from_array(X, chunks=(30, 7))
    uncounted = chunks[chunks[:, 0] > -np.inf]
    with pytest.raises(ValueError, match=r"X\.compute_chunk_sizes\(\) first, or give n_components"):
        SignProjection().fit(uncounted)
    with pytest.raises(ValueError, match=r"X\.compute_chunk_sizes\(\)"):
        SVDProjection(3, algorithm="stochastic").fit(uncounted)
    model = SVDProjection(3).fit(X)
    with pytest.raises(ValueError, match="X has 7 features"):
        model.transform(chunks[:, :7])
    with pytest.raises(ValueError, match="Z has 7 columns, but there are 3"):
        model.inverse_transform(chunks[:, :7])
    with pytest.raises(ValueError, match=r"set_output\(transform='default'\)"):
        SVDProjection(3).fit(X).set_output(transform="pandas").transform(chunks)
    gap = X.copy()
    gap[40, 8] = np.nan
    with pytest.raises(ValueError, match=r"NaN in block \(1, 1\), at row 40, column 8"):
        model.transform(da.from_array(gap, chunks=(30, 7))).compute()
