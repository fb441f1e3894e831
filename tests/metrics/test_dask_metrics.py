"""What is measured on dask arrays is what is measured on arrays, by one pass or two."""

from __future__ import annotations

import numpy as np
import pytest
from explicit_chunks import table

from colonnade import certify, explain, low_rank, resources, select
from colonnade.metrics import best_rank_error, reconstruction_error, relative_accuracy
from colonnade.operands.chunked import array

da = pytest.importorskip("dask.array", reason="dask is not installed: pip install colonnade[dask]")

X = table()
WAYS = [{}, {"center": True}, {"center": True, "scale": "std"}]
MEASURES = {
    "error": reconstruction_error,
    "total": lambda A, S: reconstruction_error(A, S, relative=False),
    "numbers": lambda A, S: reconstruction_error(A, S.indices, center=True),
    "accuracy": relative_accuracy,
    "best": lambda A, S: best_rank_error(A, len(S)),
    "centred best": lambda A, S: best_rank_error(A, len(S), center=True, scale="std"),
}


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("way", WAYS)
def test_a_measure_takes_one_pass(measure, way, dask_container):
    selection = select(X, 4, **way)
    with resources() as given:
        found = MEASURES[measure](dask_container(X), selection)
    assert given.used.passes == 1
    np.testing.assert_allclose(found, MEASURES[measure](X, selection), rtol=1e-9)


@pytest.mark.parametrize("way", WAYS)
def test_a_certificate_takes_one_pass(way, dask_container):
    for selection in (select(X, 4, **way), select(X, 6, method="bss", rank=3, **way)):
        with resources() as given:
            found = certify(dask_container(X), selection)
        assert given.used.passes == 1
        known = certify(X, selection)
        assert found.holds
        assert [check.key for check in found.checks] == [check.key for check in known.checks]
        for check in known.checks:
            np.testing.assert_allclose(found[check.key].measured, check.measured, rtol=1e-8)


def test_where_little_is_left_a_second_pass_measures_it(dask_container):
    rng = np.random.default_rng(0)
    nearly = rng.normal(size=(90, 3)) @ rng.normal(size=(3, 9)) + 1e-7 * rng.normal(size=(90, 9))
    selection = select(nearly, 3)
    for measure, rtol in ((reconstruction_error, 1e-4), (relative_accuracy, 1e-4)):
        with resources() as given:
            found = measure(dask_container(nearly), selection)
        assert given.used.passes == 2
        np.testing.assert_allclose(found, measure(nearly, selection), rtol=rtol)
    np.testing.assert_allclose(
        reconstruction_error(dask_container(nearly), selection, rank=2),
        reconstruction_error(nearly, selection, rank=2),
    )


def test_chosen_columns_that_nearly_depend_take_a_second_pass():
    close = X.copy()
    close[:, 1] = close[:, 0] + 1e-5 * close[:, 1]
    chunks = da.from_array(close, chunks=(30, 12))
    with resources() as given:
        found = reconstruction_error(chunks, [0, 1])
    assert given.used.passes == 2
    np.testing.assert_allclose(found, reconstruction_error(close, [0, 1]), rtol=1e-9)


@pytest.mark.parametrize("way", WAYS)
def test_weights_of_rows(way):
    weights = np.arange(90.0) % 4
    selection = select(X, 4, sample_weight=weights, **way)
    chunks = da.from_array(X, chunks=(40, 5))
    for measure in (reconstruction_error, relative_accuracy):
        found = measure(chunks, selection, sample_weight=weights)
        np.testing.assert_allclose(found, measure(X, selection, sample_weight=weights))
    assert certify(chunks, selection, sample_weight=weights).holds


@pytest.mark.parametrize("way", WAYS)
def test_columns_that_are_too_many_for_inner_products(way, monkeypatch):
    wide = table(30, 80)
    selection = select(wide, 4, **way)
    monkeypatch.setattr(array, "MOST_PRODUCTS", 40)
    chunks = da.from_array(wide, chunks=(10, 30))
    for measure in (reconstruction_error, relative_accuracy):
        np.testing.assert_allclose(measure(chunks, selection), measure(wide, selection))
    known = certify(wide, selection)
    for check in certify(chunks, selection).checks:
        np.testing.assert_allclose(check.measured, known[check.key].measured)
    # so little is left that a difference could not tell it
    rng = np.random.default_rng(0)
    nearly = rng.normal(size=(30, 3)) @ rng.normal(size=(3, 80)) + 1e-8 * wide
    few = select(nearly, 4, **way)
    found = reconstruction_error(da.from_array(nearly, chunks=(10, 30)), few)
    np.testing.assert_allclose(found, reconstruction_error(nearly, few), rtol=1e-6)


@pytest.mark.parametrize(
    "given", [{"n_clusters": 2}, {"clusters": np.arange(90) % 2}, {"labels": np.arange(90) % 2}]
)
def test_what_is_about_single_rows_is_refused(given):
    chunks = da.from_array(X, chunks=(40, 5))
    with pytest.raises(TypeError, match=f"{next(iter(given))} would look at rows one by one"):
        certify(chunks, select(X, 4), **given)


def test_values_for_each_row_are_refused():
    chunks = da.from_array(X, chunks=(40, 5))
    with pytest.raises(TypeError, match="reconstruction_error"):
        low_rank(chunks, [0, 1])


def test_names_of_a_frame_are_explained():
    pd = pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe", reason="dask.dataframe is not installed")
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(12)])
    selection = select(frame, 3, center=True)
    turned = dd.from_pandas(frame[frame.columns[::-1]], npartitions=3)
    found = explain(turned, selection)
    assert found.names == tuple(frame.columns)
    np.testing.assert_allclose(found.explained, explain(frame, selection).explained, atol=1e-9)
