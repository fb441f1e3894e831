"""Classifiers of dask arrays against those of the same rows in memory."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits
from sklearn.model_selection import KFold, ShuffleSplit

from colonnade import ChunkedTable, RLSClassifier, resources
from colonnade.classify import block_fits
from colonnade.linalg.lsqr import lsqr

da = pytest.importorskip("dask.array")

DIGITS, LABELS = (part[:700] for part in load_digits(return_X_y=True))
CHUNKS = {"rows": (200, -1), "columns": (-1, 17), "blocks": (150, 23)}
WEIGHTS = np.random.default_rng(0).integers(0, 3, len(DIGITS)).astype(float)


def chunked(X, chunks=(200, -1), form=None):
    array = da.from_array(X, chunks=chunks)
    return array if form is None else array.map_blocks(form, dtype=X.dtype)


def assert_alike(model, plain, rtol=1e-6):
    size = np.abs(plain.coef_).max()
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=rtol, atol=rtol * size)
    np.testing.assert_allclose(model.intercept_, plain.intercept_, rtol=rtol, atol=rtol)
    assert model.coef_.dtype == plain.coef_.dtype
    assert model.alpha_ == plain.alpha_
    assert model.classes_.tolist() == plain.classes_.tolist()
    if hasattr(plain, "cv_scores_"):
        np.testing.assert_allclose(model.cv_scores_, plain.cv_scores_, rtol=1e-9)
        np.testing.assert_allclose(model.cv_losses_, plain.cv_losses_, rtol=rtol)


@pytest.mark.parametrize("form", [None, sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("chunks", list(CHUNKS))
def test_one_pass_finds_the_coefficients(chunks, form):
    with resources() as given:
        model = RLSClassifier(2.0, fit_intercept=True)
        model.fit(chunked(DIGITS, CHUNKS[chunks], form), LABELS)
    assert given.used.passes == 1
    assert model.form_ == "primal"
    assert_alike(model, RLSClassifier(2.0, fit_intercept=True).fit(DIGITS, LABELS), 1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.int64])
@pytest.mark.parametrize("form", [None, sp.csr_array])
def test_other_types_of_numbers(dtype, form):
    X = DIGITS.astype(dtype)
    model = RLSClassifier().fit(chunked(X, (150, 23), form), LABELS)
    assert_alike(model, RLSClassifier().fit(X, LABELS))


@pytest.mark.parametrize(
    ("options", "passes"),
    [
        ({"scale": "std"}, 1),
        ({"scale": "max", "fit_intercept": True}, 1),
        ({"scale": "auto"}, 1),
        ({"scale": np.linspace(1.0, 3.0, 64), "fit_intercept": True}, 1),
        ({"class_weight": "balanced", "fit_intercept": True}, 1),
        ({"class_weight": {0: 3.0}, "scale": "std"}, 2),
        ({"alpha": 0.0}, 2),
        ({"alpha": 0.0, "fit_intercept": True, "scale": "std"}, 2),
    ],
)
def test_units_and_weights(options, passes):
    for weights in (None, WEIGHTS):
        with resources() as given:
            model = RLSClassifier(**options).fit(chunked(DIGITS, (150, 23)), LABELS, weights)
        assert given.used.passes == passes
        plain = RLSClassifier(**options).fit(DIGITS, LABELS, weights)
        np.testing.assert_equal(model.units_ is None, plain.units_ is None)
        assert_alike(model, plain)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize(
    ("options", "passes"),
    [
        ({"alpha": [10.0, 1e3, 1e5]}, 2),
        ({"alpha": [10.0, 1e3, 1e5], "fit_intercept": True, "scale": "std"}, 2),
        ({"alpha": [0.0, 1e-3, 1.0, 1e3], "fit_intercept": True}, 3),
        ({"alpha": [0.1, 1e2, 1e4], "cv": 4}, 2),
        ({"alpha": [1.0, 1e3], "cv": KFold(3), "fit_intercept": True, "scale": "max"}, 2),
    ],
)
def test_of_several_lambdas_the_same_is_best(options, passes, weights):
    labels = LABELS % 2 if options.get("cv") == 4 else LABELS
    with resources() as given:
        model = RLSClassifier(**options).fit(chunked(DIGITS, (150, 23)), labels, weights)
    assert given.used.passes == passes
    assert_alike(model, RLSClassifier(**options).fit(DIGITS, labels, weights))


def test_rows_that_alone_have_a_feature_are_left_out_as_in_memory():
    X = DIGITS[:300].copy()
    X[7, 0] = 9.0  # a column of zeros otherwise
    X[9, 32] = 9.0
    options = {"alpha": [0.0, 1e-9, 1e-3, 1.0], "fit_intercept": True}
    plain = RLSClassifier(**options).fit(X, LABELS[:300])
    assert_alike(RLSClassifier(**options).fit(chunked(X, (100, -1)), LABELS[:300]), plain, 1e-5)


def test_folds_that_do_not_hold_all_rows():
    pairs = [(np.delete(np.arange(700), test), test) for test in np.split(np.arange(200), 4)]
    model = RLSClassifier([1.0, 1e4], cv=pairs).fit(chunked(DIGITS), LABELS)
    assert_alike(model, RLSClassifier([1.0, 1e4], cv=pairs).fit(DIGITS, LABELS))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"fit_intercept": True, "scale": "std"},
        {"class_weight": {0: 30.0}, "scale": "std", "fit_intercept": True},
    ],
)
def test_many_features_take_two_passes_for_each_step(options, monkeypatch):
    monkeypatch.setattr(block_fits, "MOST_PRODUCTS", 50)
    rows = chunked(DIGITS, (150, 23), sp.csr_array)
    with resources() as given:
        model = RLSClassifier(100.0, **options).fit(rows, LABELS, WEIGHTS)
    assert model.form_ == "lsqr"
    # sums, a product to begin with, and two for each step; units that classes have no part in
    assert given.used.passes % 2 == ("class_weight" in options)
    assert 6 <= given.used.passes <= 60
    plain = RLSClassifier(100.0, **options).fit(DIGITS, LABELS, WEIGHTS)
    assert_alike(model, plain)
    with pytest.raises(ValueError, match="give one alpha"):
        RLSClassifier([1.0, 2.0]).fit(rows, LABELS)
    with pytest.raises(ValueError, match='leave solver="auto"'):
        RLSClassifier(solver="direct").fit(rows, LABELS)


@pytest.mark.parametrize(("limit", "form"), [(63, "lsqr"), (64, "primal")])
def test_products_of_all_features_of_few_rows(limit, form, monkeypatch):
    monkeypatch.setattr(block_fits, "ALWAYS_DIRECT", limit)
    model = RLSClassifier(1.0).fit(chunked(DIGITS[:40], (15, -1)), LABELS[:40])
    assert model.form_ == form
    assert_alike(model, RLSClassifier(1.0).fit(DIGITS[:40], LABELS[:40]))


def test_fewer_rows_than_features():
    X, y = DIGITS[:40], LABELS[:40]
    plain = RLSClassifier(1.0).fit(X, y)
    assert plain.form_ == "dual"
    assert_alike(RLSClassifier(1.0).fit(chunked(X, (15, -1)), y), plain)


def test_labels_and_weights_in_chunks_and_words():
    words = np.array(["odd", "even"])[LABELS % 2]
    model = RLSClassifier().fit(
        chunked(DIGITS),
        da.from_array(words, chunks=99),
        sample_weight=da.from_array(WEIGHTS, chunks=99),
    )
    plain = RLSClassifier().fit(DIGITS, words, WEIGHTS)
    assert_alike(model, plain)
    predicted = model.predict(chunked(DIGITS))
    assert predicted.dtype == words.dtype
    assert predicted.compute().tolist() == plain.predict(DIGITS).tolist()


def test_frames_have_names_and_unknown_sizes():
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame(DIGITS, columns=[f"pixel {j}" for j in range(64)])
    rows = dd.from_pandas(frame.assign(digit=LABELS), npartitions=3)
    data, labels = rows.drop(columns="digit"), rows["digit"]
    with resources() as given:
        model = RLSClassifier().fit(data, labels)
    assert given.used.passes == 2  # one counts the rows
    assert_alike(model, RLSClassifier().fit(frame, LABELS))
    assert model.feature_names_in_.tolist() == list(frame.columns)
    values = model.decision_function(data)
    assert np.isnan(values.shape[0])
    np.testing.assert_allclose(values.compute(), model.decision_function(frame), atol=1e-9)
    assert model.score(data, labels) == model.score(frame, LABELS)
    table = ChunkedTable(chunked(DIGITS), list(frame.columns))
    assert RLSClassifier().fit(table, LABELS).feature_names_in_.tolist() == list(frame.columns)


def test_new_rows_are_looked_at_when_they_are_asked_for():
    seen = []

    def counted(block):
        seen.append(1)
        return block

    model = RLSClassifier(fit_intercept=True).fit(DIGITS, LABELS)
    X = chunked(DIGITS, (200, 23)).map_blocks(counted, dtype=float, meta=np.empty((0, 0)))
    before = len(seen)
    labels, values = model.predict(X), model.decision_function(X)
    assert isinstance(labels, da.Array)
    assert isinstance(values, da.Array)
    assert len(seen) == before
    assert values.shape == (700, 10)
    assert (labels.compute() == model.predict(DIGITS)).all()
    assert len(seen) == before + 12
    np.testing.assert_allclose(values.compute(), model.decision_function(DIGITS), atol=1e-9)
    two = RLSClassifier().fit(DIGITS, LABELS % 2)
    assert two.decision_function(X).shape == (700,)
    wanted = two.score(DIGITS, LABELS % 2, sample_weight=WEIGHTS)
    found = two.score(X, da.from_array(LABELS % 2, chunks=50), sample_weight=WEIGHTS)
    assert found == wanted


def test_nothing_of_dask_is_kept():
    model = RLSClassifier([1.0, 10.0], scale="std").fit(chunked(DIGITS), LABELS)
    kept = pickle.dumps(model)
    assert b"dask" not in kept
    assert (pickle.loads(kept).predict(DIGITS) == model.predict(DIGITS)).all()


def test_what_was_added_up_is_kept_with_its_labels(tmp_path):
    with resources(checkpoint=tmp_path):
        model = RLSClassifier().fit(chunked(DIGITS), LABELS)
    with resources(checkpoint=tmp_path) as given:
        again = RLSClassifier().fit(chunked(DIGITS), LABELS)
    assert given.used.bytes_sent == 0  # blocks are compared, and nothing is added up again
    assert_alike(again, model)
    with resources(checkpoint=tmp_path), pytest.raises(ValueError, match="differs in targets"):
        RLSClassifier().fit(chunked(DIGITS), LABELS[::-1])


def test_what_is_no_number_is_named():
    X = DIGITS.copy()
    X[333, 33] = np.inf
    with pytest.raises(ValueError, match=r"infinity in block \(1, 1\), at row 333, column 33"):
        RLSClassifier().fit(chunked(X, (200, 32)), LABELS)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"kernel": "rbf"}, 'set kernel="linear"'),
        ({"scale": "robust"}, "needs medians"),
        ({"alpha": [0.0, 1.0], "cv": 3}, "choose alphas above"),
        ({"alpha": [1.0, 2.0], "cv": ShuffleSplit(3)}, "more than once"),
    ],
)
def test_what_is_refused(options, says):
    with pytest.raises(ValueError, match=says):
        RLSClassifier(**options).fit(chunked(DIGITS), LABELS)


def test_folds_of_many_features_are_refused(monkeypatch):
    monkeypatch.setattr(block_fits, "MOST_FOLDED", 50)
    with pytest.raises(ValueError, match="set cv=None"):
        RLSClassifier([1.0, 2.0], cv=3).fit(chunked(DIGITS), LABELS)


def test_labels_are_checked():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        RLSClassifier().fit(chunked(DIGITS), LABELS[1:])
    with pytest.raises(ValueError, match="one class only"):
        RLSClassifier().fit(chunked(DIGITS), np.zeros(len(DIGITS), dtype=int))


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
    rows = chunked(DIGITS, (300, 40))
    options = {"alpha": [10.0, 1e3], "fit_intercept": True, "scale": "std"}
    with client.as_current():
        model = RLSClassifier(**options).fit(rows, LABELS, WEIGHTS)
        folded = RLSClassifier(**options, cv=3).fit(rows, LABELS)
        labels = model.predict(rows).compute()
    import dask

    with dask.config.set(scheduler="threads", num_workers=2):
        other = RLSClassifier(**options).fit(rows, LABELS, WEIGHTS)
        again = RLSClassifier(**options, cv=3).fit(rows, LABELS)
    assert (labels == other.predict(DIGITS)).all()
    assert_alike(model, other, 1e-9)
    assert_alike(folded, again, 1e-9)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("scale", [None, "std"])
def test_lsqr_ends_by_the_size_of_the_data_that_it_sees(monkeypatch, fit_intercept, scale):
    """Far from zero, in several units, with weights: the Frobenius norm of what is left."""
    rng = np.random.default_rng(0)
    X = 7.0 + rng.standard_normal((60, 5)) * [1.0, 2.0, 30.0, 4.0, 0.5]
    y, w = np.arange(60) % 2, rng.random(60)
    seen = {}

    def watched(matmat, *given, **how):
        Z = np.column_stack([matmat(unit) for unit in np.eye(5)[:, :, None]])
        seen.update(how, norm=np.linalg.norm(Z))
        return lsqr(matmat, *given, **how)

    monkeypatch.setattr(block_fits, "lsqr", watched)
    model = RLSClassifier(solver="lsqr", fit_intercept=fit_intercept, scale=scale)
    model.fit(da.from_array(X, chunks=(20, 3)), y, sample_weight=w)
    assert seen["size"] == pytest.approx(seen["norm"], rel=1e-9)
