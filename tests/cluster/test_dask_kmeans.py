"""k-means on dask arrays against k-means on the same rows in memory."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, make_blobs

from colonnade import (
    ChunkedTable,
    GreedySelector,
    ReducedKMeans,
    RepresentativeKMeans,
    SignProjection,
    resources,
)
from colonnade.cluster.block_means import without_rows

da = pytest.importorskip("dask.array")

DIGITS = load_digits().data[:1200]
BLOBS = make_blobs(7000, 30, centers=6, cluster_std=6.0, random_state=0)[0]
CHUNKS = {"rows": (400, -1), "columns": (-1, 17), "blocks": (350, 23)}
SMALL = GreedySelector(3)
LIKE = 1.005
"""The objective may be this many times that of the data in memory."""


def chunked(X, chunks=(400, -1), form=None):
    array = da.from_array(X, chunks=chunks)
    return array if form is None else array.map_blocks(form, dtype=X.dtype)


def in_memory(X, k, **options):
    weights = options.pop("sample_weight", None)
    return ReducedKMeans(k, random_state=0, **options).fit(X, sample_weight=weights)


@pytest.mark.parametrize("form", [None, sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("chunks", list(CHUNKS))
def test_the_objective_is_that_of_the_rows_in_memory(chunks, form):
    model = ReducedKMeans(10, random_state=0).fit(chunked(DIGITS, CHUNKS[chunks], form))
    gaps = DIGITS - _means(DIGITS, model.labels_, 10)[model.labels_]
    np.testing.assert_allclose(model.inertia_, np.square(gaps).sum(), rtol=1e-9)
    assert model.inertia_ <= LIKE * in_memory(DIGITS, 10).inertia_
    assert type(model.labels_) is type(model.cluster_centers_) is np.ndarray
    assert (model.predict(DIGITS) == model.labels_).all()


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.int64])
def test_other_types_of_numbers(dtype):
    X = DIGITS.astype(dtype)
    model = ReducedKMeans(10, random_state=0).fit(chunked(X, (350, 23)))
    plain = in_memory(X, 10)
    assert model.inertia_ <= LIKE * plain.inertia_
    assert model.cluster_centers_.dtype == plain.cluster_centers_.dtype


def test_float32_far_from_zero_is_told_apart():
    X = (BLOBS + 1e5).astype(np.float32)
    model = ReducedKMeans(6, random_state=0).fit(chunked(X, (1000, -1)))
    assert model.cluster_centers_.dtype == np.float64
    assert model.inertia_ <= LIKE * in_memory(X, 6).inertia_


def test_many_rows_take_few_passes_and_are_drawn_alike_for_all_chunks():
    with resources() as given:
        model = ReducedKMeans(6, random_state=0).fit(chunked(BLOBS, (1000, -1)))
    # sums, sample, directions, means; then one pass for each iteration
    assert 5 <= given.used.passes <= 4 + 8
    assert model.inertia_ <= LIKE * in_memory(BLOBS, 6).inertia_
    other = ReducedKMeans(6, random_state=0).fit(chunked(BLOBS, (1700, 11)))
    assert (model.labels_ == other.labels_).all()
    with resources() as given:
        fewer = ReducedKMeans(6, random_state=0, n_polish=2).fit(chunked(BLOBS, (1000, -1)))
    assert given.used.passes == 4 + 2
    assert len(fewer.labels_) == len(BLOBS)


def test_the_objective_is_about_the_means_of_the_labels():
    model = ReducedKMeans(10, SMALL, random_state=0, n_polish=1).fit(chunked(DIGITS))
    gaps = DIGITS - _means(DIGITS, model.labels_, 10)[model.labels_]
    np.testing.assert_allclose(model.inertia_, np.square(gaps).sum(), rtol=1e-9)
    assert -model.score(chunked(DIGITS)) > 1.0001 * model.inertia_


def test_iterations_that_hardly_help_are_left_out():
    X = np.random.default_rng(0).normal(size=(6000, 4))
    with resources() as given:
        ReducedKMeans(6, random_state=0).fit(chunked(X, (2000, -1)))
    assert given.used.passes <= 3 + 4


def test_few_features_need_no_directions():
    X = BLOBS[:, :5]
    with resources() as given:
        model = ReducedKMeans(6, random_state=0, n_polish=1).fit(chunked(X, (1000, -1)))
    assert given.used.passes == 4  # sums, rows, means, one iteration
    assert model.reducer_ is None
    assert model.inertia_ <= LIKE * in_memory(X, 6).inertia_


@pytest.mark.parametrize("scale", ["std", "max", "auto", np.linspace(1.0, 3.0, 30)])
def test_units_and_weights(scale):
    X = BLOBS[:3000] * np.linspace(1.0, 20.0, 30)
    weights = np.random.default_rng(0).integers(0, 3, len(X))
    rows = chunked(X, (700, 11))
    model = ReducedKMeans(6, random_state=0, scale=scale).fit(rows, sample_weight=weights)
    plain = in_memory(X, 6, scale=scale, sample_weight=weights)
    np.testing.assert_equal(model.units_ is None, plain.units_ is None)
    np.testing.assert_allclose(model.units_, plain.units_, rtol=1e-9)
    assert model.inertia_ <= LIKE * plain.inertia_
    assert (model.labels_ == model.predict(X)).all()
    lazily = da.from_array(weights, chunks=1000)
    score = model.score(rows, sample_weight=lazily)
    np.testing.assert_allclose(score, model.score(X, sample_weight=weights), rtol=1e-9)
    assert score <= -model.inertia_ * (1 - 1e-9)


def test_rows_without_weight_have_the_nearest_centre_also_without_polishing():
    weights = np.ones(len(DIGITS))
    weights[::3] = 0.0
    model = ReducedKMeans(10, random_state=0, n_polish=0)
    model.fit(chunked(DIGITS), sample_weight=weights)
    nearest = model.predict(DIGITS)
    assert (model.labels_[::3] == nearest[::3]).all()
    plain = in_memory(DIGITS, 10, n_polish=0, sample_weight=weights)
    np.testing.assert_allclose(model.inertia_, plain.inertia_, rtol=5e-3)


def test_given_centres_are_where_it_starts():
    start = BLOBS[:6]
    model = ReducedKMeans(6, random_state=0, init=start).fit(chunked(BLOBS, (1000, -1)))
    plain = in_memory(BLOBS, 6, init=start)
    assert (model.labels_ == plain.labels_).mean() > 0.99


def test_a_centre_that_gets_no_row_takes_the_farthest():
    # those at 2 would go to a centre at the mean of all
    X = np.repeat([[30.0], [-10.0], [10.0], [2.0]], [1, 60, 30, 9], axis=0)
    start = np.array([[-10.0], [10.0], [1e3]])
    options = {"init": start, "max_iter": 1, "n_polish": 0, "random_state": 0}
    model = ReducedKMeans(3, **options).fit(chunked(X, (40, -1)))
    assert (model.labels_ == ReducedKMeans(3, **options).fit(X).labels_).all()
    assert (model.labels_ == model.labels_[0]).sum() == 1


def test_one_cluster_is_all_rows():
    model = ReducedKMeans(1).fit(chunked(DIGITS))
    np.testing.assert_allclose(model.inertia_, len(DIGITS) * DIGITS.var(axis=0).sum(), rtol=1e-9)


def test_a_selector_reduces():
    names = [f"pixel {j}" for j in range(64)]
    table = ChunkedTable(chunked(DIGITS, (350, 23)), names)
    reducer = GreedySelector(12, center=True)
    model = ReducedKMeans(10, reducer, random_state=0, scale=np.full(64, 2.0)).fit(table)
    plain = in_memory(DIGITS, 10, reducer=reducer, scale=np.full(64, 2.0))
    assert model.reducer_.indices_.tolist() == plain.reducer_.indices_.tolist()
    assert model.feature_names_in_.tolist() == names
    assert model.inertia_ <= LIKE * plain.inertia_


def test_frames_have_names_and_unknown_sizes():
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame(DIGITS, columns=[f"pixel {j}" for j in range(64)])
    chunks = dd.from_pandas(frame, npartitions=3)
    with resources() as given:
        model = ReducedKMeans(10, random_state=0, n_polish=1).fit(chunks)
    assert given.used.passes == 4 + 1 + 1  # one counts the rows
    assert model.feature_names_in_.tolist() == list(frame.columns)
    predicted = model.predict(chunks)
    assert np.isnan(predicted.shape[0])
    assert (predicted.compute() == model.labels_).all()
    np.testing.assert_allclose(model.score(chunks), model.score(frame), rtol=1e-9)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(dd.from_pandas(frame.rename(columns={"pixel 3": "other"}), npartitions=2))


def test_chunks_without_rows():
    X = chunked(DIGITS, ((500, 0, 700), (64,)))
    assert 0 in X.chunks[0]
    model = ReducedKMeans(10, random_state=0).fit(X)
    assert (model.predict(X).compute() == model.labels_).all()
    some = np.repeat([True, False, True], 400)
    fewer = chunked(DIGITS)[da.from_array(some, chunks=400)]  # nobody knows that one is empty
    assert (model.predict(fewer).compute() == model.labels_[some]).all()
    assert (ReducedKMeans(10, random_state=0).fit(fewer).predict(DIGITS[some]) < 10).all()


def test_what_is_sent_to_the_blocks_has_nothing_of_the_rows():
    sent = without_rows(in_memory(DIGITS, 10))
    assert max(np.size(value) for value in vars(sent).values()) == 10 * 64


def test_new_rows_are_looked_at_when_they_are_asked_for():
    seen = []

    def counted(block):
        seen.append(1)
        return block

    model = in_memory(DIGITS, 10)
    # the function is called once for an empty block, to see what it returns
    X = chunked(DIGITS, (350, 23)).map_blocks(counted, dtype=float, meta=np.empty((0, 0)))
    before = len(seen)
    labels, gaps = model.predict(X), model.transform(X)
    assert isinstance(labels, da.Array)
    assert isinstance(gaps, da.Array)
    assert len(seen) == before
    assert (labels.compute() == model.labels_).all()
    assert len(seen) == before + 12
    assert gaps.dtype == float
    np.testing.assert_allclose(gaps.compute(), model.transform(DIGITS), rtol=1e-9)
    small = model.fit(DIGITS.astype(np.float32)).transform(chunked(DIGITS.astype(np.float32)))
    assert small.dtype == small.compute().dtype == np.float32


def test_fit_transform_is_lazy_and_fit_predict_is_not():
    model = ReducedKMeans(10, random_state=0)
    gaps = model.fit_transform(chunked(DIGITS))
    assert isinstance(gaps, da.Array)
    assert (gaps.argmin(axis=1).compute() == model.labels_).all()
    assert type(model.fit_predict(chunked(DIGITS))) is np.ndarray


def test_nothing_of_dask_is_kept():
    model = ReducedKMeans(10, GreedySelector(12), random_state=0).fit(chunked(DIGITS))
    kept = pickle.dumps(model)
    assert b"dask" not in kept
    assert (pickle.loads(kept).predict(DIGITS) == model.labels_).all()


def test_what_is_no_number_is_named():
    X = DIGITS.copy()
    X[555, 33] = np.nan
    with pytest.raises(ValueError, match=r"NaN in block \(1, 1\), at row 555, column 33"):
        ReducedKMeans(10).fit(chunked(X, (400, 32)))
    with pytest.raises(ValueError, match="row 555, column 33"):
        in_memory(DIGITS, 10).predict(chunked(X, (400, 32))).compute()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"online": True}, "set online=False"),
        ({"scale": "robust"}, "needs medians"),
        ({"reducer": SignProjection(20)}, "takes no dask arrays"),
        ({"n_clusters": 2000}, "n_samples=1200"),
        ({"n_init": 0}, "n_init"),
    ],
)
def test_what_is_refused(options, says):
    with pytest.raises((TypeError, ValueError), match=says):
        ReducedKMeans(**{"n_clusters": 10, **options}).fit(chunked(DIGITS))


def test_what_looks_at_all_rows_says_so():
    with pytest.raises(TypeError, match="pass an array"):
        in_memory(DIGITS, 10).approximation_ratio(chunked(DIGITS))
    with pytest.raises(TypeError, match="pass an array"):
        RepresentativeKMeans(10).fit(chunked(DIGITS))


def _means(X, labels, k):
    return np.array([X[labels == j].mean(axis=0) for j in range(k)])


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as found,
    ):
        yield found


def test_processes_find_what_threads_find(client):
    rows, options = chunked(BLOBS, (2500, 16)), {"scale": "std", "n_polish": 2}
    with client.as_current():
        model = ReducedKMeans(6, random_state=0, **options).fit(rows)
        labels = model.predict(rows).compute()
    import dask

    with dask.config.set(scheduler="threads", num_workers=2):
        other = ReducedKMeans(6, random_state=0, **options).fit(rows)
    assert (labels == model.labels_).all()
    assert (model.labels_ == other.labels_).all()
    np.testing.assert_allclose(model.cluster_centers_, other.cluster_centers_, rtol=1e-9)
