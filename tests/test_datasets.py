"""The known answers are known, and files are read as they are or refused clearly."""

from __future__ import annotations

import dataclasses
import itertools
import os
import pickle
import subprocess
import sys
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp

import colonnade
from colonnade import datasets
from colonnade.datasets import load, make_plant_table
from colonnade.datasets.generators import GENERATORS
from colonnade.datasets.library import EMBEDDED

REAL_FOLDER = os.environ.get("COLONNADE_DATA")
SMALL = {
    "low_rank": {"n_samples": 30, "n_features": 20, "rank": 4, "noise": 0.1},
    "planted": {"n_samples": 30, "n_features": 20, "n_select": 4},
    "graded": {"n_samples": 30, "n_features": 20},
    "duplicated": {"n_samples": 30, "n_distinct": 5, "n_copies": 4},
    "clusters": {"n_samples": 30, "n_features": 20, "n_informative": 4},
    "rlsc": {"n_samples": 30, "n_features": 20, "n_informative": 4},
    "plant_table": {"n_samples": 30, "n_features": 20, "n_signals": 4, "missing": 0.1},
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("COLONNADE_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def no_folder(monkeypatch):
    monkeypatch.delenv("COLONNADE_DATA", raising=False)


def css_error(X, chosen):
    """Squared error of X projected on its chosen columns."""
    C = X[:, list(chosen)]
    return np.sum((X - C @ np.linalg.lstsq(C, X, rcond=None)[0]) ** 2)


# ---------------------------------------------------------------- generators


def test_every_generator_is_tried_here():
    assert set(GENERATORS) == set(SMALL)


@pytest.mark.parametrize("name", SMALL)
def test_same_state_same_data(name):
    first, again = (load(name, random_state=3, **SMALL[name]) for _ in range(2))
    np.testing.assert_array_equal(first.X, again.X)
    for key, value in first.truth.items():
        np.testing.assert_array_equal(value, again.truth[key])
    given = load(name, random_state=np.random.RandomState(3), **SMALL[name])
    np.testing.assert_array_equal(first.X, given.X)
    assert not np.array_equal(first.X, load(name, random_state=4, **SMALL[name]).X)
    fresh, other = (load(name, random_state=None, **SMALL[name]) for _ in range(2))
    assert not np.array_equal(fresh.X, other.X)
    default, zero = load(name, **SMALL[name]), load(name, random_state=0, **SMALL[name])
    np.testing.assert_array_equal(default.X, zero.X)
    assert first.name == name
    assert first.description == GENERATORS[name].__doc__.splitlines()[0]
    assert first.X.shape == (30, 20)


def test_generators_leave_the_global_state_alone():
    np.random.seed(5)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    for name in SMALL:
        load(name, **SMALL[name])
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


@pytest.mark.parametrize(("m", "n", "rank"), [(40, 25, 3), (10, 30, 10), (7, 5, 1)])
def test_low_rank_has_the_rank_and_the_basis(m, n, rank):
    data = load("low_rank", n_samples=m, n_features=n, rank=rank)
    Q, H = data.truth["basis"], data.truth["coefficients"]
    assert data.truth["rank"] == rank == np.linalg.matrix_rank(data.X)
    assert data.X.shape == (m, n)
    np.testing.assert_allclose(Q.T @ Q, np.eye(rank), atol=1e-13)
    np.testing.assert_allclose(Q @ H, data.X, atol=1e-13)


def test_low_rank_noise_has_the_level_asked_for():
    data = load("low_rank", n_samples=300, n_features=200, rank=20, noise=0.5)
    signal = data.truth["basis"] @ data.truth["coefficients"]
    noise = data.X - signal
    assert signal.std() == pytest.approx(1.0, rel=0.1)
    assert noise.std() == pytest.approx(0.5, rel=0.02)
    assert abs(np.corrcoef(noise.ravel(), signal.ravel())[0, 1]) < 0.02


@pytest.mark.parametrize("seed", range(5))
def test_planted_columns_rebuild_all_others_and_all_are_needed(seed):
    data = load("planted", n_select=4, noise=0, random_state=seed)
    X, indices = data.X, data.truth["indices"]
    total = np.sum(X**2)
    assert css_error(X, indices) < 1e-26 * total
    for left_out in indices:
        assert css_error(X, set(indices) - {left_out}) > 1e-3 * total
    assert data.truth["error"] == 0
    assert not data.truth["unique"]
    assert len(indices) == 4
    assert list(indices) == sorted(indices)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("noise", [0.01, 0.1, 0.9])
def test_planted_columns_are_the_only_best_ones(noise, seed):
    data = load("planted", n_samples=12, n_features=9, n_select=3, noise=noise, random_state=seed)
    errors = {s: css_error(data.X, s) for s in itertools.combinations(range(9), 3)}
    (best, least), (_, second) = sorted(errors.items(), key=lambda item: item[1])[:2]
    assert best == tuple(data.truth["indices"])
    assert second > least * (1 + 1e-6)
    tail = np.linalg.svd(data.X, compute_uv=False)[3:]
    assert least == pytest.approx(np.sum(tail**2), rel=1e-9)
    assert data.truth["error"] == pytest.approx(least, rel=1e-9)
    assert data.truth["unique"]


def test_planted_noise_is_the_ratio_of_singular_values():
    X = load("planted", n_select=4, noise=0.3).X
    s = np.linalg.svd(X, compute_uv=False)
    assert s[4] / s[3] == pytest.approx(0.3, rel=1e-10)


def test_planted_columns_are_not_always_at_the_front():
    places = {tuple(load("planted", random_state=i).truth["indices"]) for i in range(5)}
    assert len(places) == 5


@pytest.mark.parametrize(("m", "n"), [(30, 20), (20, 30), (5, 5), (4, 1)])
@pytest.mark.parametrize("smallest", [1e-12, 1e-3, 1.0])
def test_graded_singular_values(m, n, smallest):
    data = load("graded", n_samples=m, n_features=n, smallest=smallest)
    s = data.truth["singular_values"]
    assert data.X.shape == (m, n)
    # the SVD is right to a few units of rounding of the largest value
    np.testing.assert_allclose(np.linalg.svd(data.X, compute_uv=False), s, atol=1e-14, rtol=0)
    assert s[0] == 1
    if min(m, n) > 1:
        assert s[-1] == smallest
        np.testing.assert_allclose(s[1:] / s[:-1], s[1] / s[0], rtol=1e-9)


def test_graded_goes_down_to_the_default():
    assert load("graded").truth["singular_values"][-1] == 1e-12


def test_duplicated_groups_duplicate_and_nothing_else_does():
    data = load("duplicated", n_samples=6, n_distinct=7, n_copies=3)
    X, groups = data.X, data.truth["groups"]
    assert groups.shape == (7, 3)
    assert sorted(groups.ravel()) == list(range(21))
    group_of = np.empty(21, dtype=int)
    group_of[groups] = np.arange(7)[:, None]
    equal = (X[:, :, None] == X[:, None, :]).all(axis=0)
    np.testing.assert_array_equal(equal, group_of[:, None] == group_of)
    assert (np.diff(group_of) != 0).sum() > 7  # shuffled: not one group after the other


def test_clusters_are_where_the_truth_says():
    data = load("clusters", n_samples=2000, n_features=30, n_clusters=4, separation=8.0)
    informative, labels = data.truth["informative"], data.truth["labels"]
    centers = data.truth["centers"]
    np.testing.assert_array_equal(data.y, labels)
    assert np.bincount(labels).tolist() == [500] * 4
    assert (np.diff(labels) != 0).mean() > 0.5
    gaps = [np.linalg.norm(a - b) for a, b in itertools.combinations(centers, 2)]
    assert min(gaps) == pytest.approx(8.0)
    means = np.array([data.X[labels == c].mean(axis=0) for c in range(4)])
    np.testing.assert_allclose(means[:, informative], centers, atol=0.2)
    others = np.setdiff1d(np.arange(30), informative)
    assert len(others) == 25
    np.testing.assert_allclose(means[:, others], 0, atol=0.2)
    np.testing.assert_allclose((data.X - means[labels]).std(axis=0), 1, atol=0.1)
    # nearest centre in the informative features finds the labels
    d = np.linalg.norm(data.X[:, informative][:, None] - centers, axis=2)
    assert (d.argmin(axis=1) == labels).mean() > 0.999


def test_rlsc_is_the_set_of_the_paper():
    data = load("rlsc")
    assert data.X.shape == (30, 1000)
    np.testing.assert_array_equal(data.truth["informative"], np.arange(90)[::-1])
    many = load("rlsc", n_samples=4000, n_features=20, n_informative=6)
    assert set(many.y) == {-1, 1}
    assert abs(many.y.mean()) < 0.1
    np.testing.assert_array_equal(many.y, many.truth["labels"])
    for label in (-1, 1):
        rows = many.X[many.y == label]
        expected = np.r_[-label * np.arange(1, 7), np.zeros(14)]
        np.testing.assert_allclose(rows.mean(axis=0), expected, atol=0.12)
        np.testing.assert_allclose(rows.std(axis=0), 1, atol=0.1)
    scores = np.abs(many.X.T @ many.y)
    np.testing.assert_array_equal(np.argsort(-scores)[:6], many.truth["informative"])


def test_plant_table_has_two_names():
    params = {"n_samples": 40, "n_features": 12, "n_signals": 3, "drift": 0.5, "random_state": 4}
    made, loaded = make_plant_table(**params), load("plant_table", **params)
    np.testing.assert_array_equal(made.X, loaded.X)
    np.testing.assert_array_equal(made.truth["X_new"], loaded.truth["X_new"])
    np.testing.assert_array_equal(
        make_plant_table(missing=0.3).X, load("plant_table", missing=0.3).X
    )
    with pytest.raises(ValueError, match=r"missing=-1,.* 0\.0 or more"):
        make_plant_table(missing=-1)


@pytest.mark.parametrize("params", [{}, {"n_samples": 300, "n_features": 6, "n_signals": 2}])
def test_plant_table_is_signals_in_units_and_noise(params):
    data = make_plant_table(**params)
    truth, n = data.truth, data.X.shape[1]
    signals = truth["signals"]
    np.testing.assert_allclose(signals.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(signals.std(axis=0), 1)
    # smooth: a step is a small part of the spread
    assert np.diff(signals, axis=0).std(axis=0).max() < 0.6
    assert truth["loadings"].shape == (signals.shape[1], n)
    assert np.linalg.matrix_rank(truth["loadings"] / truth["offsets"]) == signals.shape[1]
    varying = np.setdiff1d(np.arange(n), truth["constants"])
    sigma = truth["noise"][varying]
    assert sigma.min() > 0
    files = [(data.X, signals), (truth["X_new"], truth["signals_new"])]
    noise = [(X - truth["offsets"] - S @ truth["loadings"])[:, varying] / sigma for X, S in files]
    for Z in noise:
        np.testing.assert_allclose(Z.mean(axis=0), 0, atol=0.3)
        np.testing.assert_allclose(Z.std(axis=0), 1, atol=0.2)
    assert np.abs(np.mean(noise[0] * noise[1], axis=0)).max() < 0.3, "the same noise in both files"


def test_plant_table_has_constants_copies_and_mixed_units():
    data = make_plant_table()
    names, truth = data.feature_names, data.truth
    assert data.X.shape == truth["X_new"].shape == (2000, 61)
    assert len(set(names)) == len(names) == len(truth["units"]) == 61
    assert names == sorted(names)
    column = {name: (data.X[:, j], truth["X_new"][:, j]) for j, name in enumerate(names)}
    constants = [names[j] for j in truth["constants"]]
    assert constants == ["firmware", "period_s"]
    for name, files in column.items():
        assert (np.ptp(np.concatenate(files)) == 0) == (name in constants)
    for pascal, bar in zip(column["PI101_Pa"], column["PI101_bar"], strict=True):
        np.testing.assert_allclose(pascal / 1e5, bar, rtol=1e-13)
    for celsius, kelvin in zip(column["TI102_degC"], column["TI102_K"], strict=True):
        np.testing.assert_allclose(celsius + 273.15, kelvin, rtol=1e-13)
    mean, spread = np.delete([data.X.mean(axis=0), data.X.std(axis=0)], truth["constants"], axis=1)
    assert mean.max() / mean.min() > 5e7
    assert spread.max() / spread.min() > 1e6
    assert (mean / spread).max() > 50
    for name, unit in zip(names, truth["units"], strict=True):
        assert name == "firmware" or name.endswith(f"_{unit}")


def test_plant_table_drifts_as_far_as_asked():
    def moved(drift):
        truths = [load("plant_table", n_samples=50, drift=drift, random_state=i).truth
                  for i in range(20)]  # fmt: skip
        new = np.hstack([truth["signals_new"] for truth in truths])
        return new.mean(axis=0), new.std(axis=0)

    shift, factor = moved(0.0)
    np.testing.assert_allclose(shift, 0, atol=1e-12)
    np.testing.assert_allclose(factor, 1)
    shift, factor = moved(0.8)
    for values, least, most in [(shift, -0.8, 0.8), (factor, 1 / 1.8, 1.8)]:
        assert least <= values.min() < least + 0.1
        assert most - 0.1 < values.max() <= most


def test_plant_table_has_gaps_and_nothing_else_changes():
    whole, gaps = make_plant_table(), make_plant_table(missing=0.2)
    assert not np.isnan(whole.X).any()
    for X, Y in [(whole.X, gaps.X), (whole.truth["X_new"], gaps.truth["X_new"])]:
        missing = np.isnan(Y)
        assert missing.mean() == pytest.approx(0.2, abs=0.01)
        np.testing.assert_allclose(missing.mean(axis=0), 0.2, atol=0.05)
        np.testing.assert_array_equal(Y[~missing], X[~missing])


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("low_rank", {"rank": 61}, r"rank=61,.* 1 to 60 \(limited by n_samples and n_features\)"),
        ("low_rank", {"rank": 2.0}, r"rank=2\.0,.* an integer, 1 or more"),
        ("low_rank", {"n_samples": 0}, r"n_samples=0,.* 1 or more"),
        ("low_rank", {"n_samples": True}, r"n_samples=True,.* an integer"),
        ("low_rank", {"noise": -0.1}, r"noise=-0\.1,.* a finite number, 0\.0 or more"),
        ("low_rank", {"noise": float("nan")}, "noise=nan,"),
        ("low_rank", {"noise": float("inf")}, "noise=inf,"),
        ("low_rank", {"noise": "loud"}, "noise='loud',"),
        ("planted", {"n_select": 101}, r"n_select=101,.* 1 to 60"),
        ("planted", {"noise": 1.0}, r"noise=1\.0,.* 0\.0 to 0\.99"),
        ("planted", {"n_select": 30}, r"2 \* n_select < n_features, but n_select=30.*noise=0"),
        ("planted", {"n_select": 5, "n_samples": 5}, r"n_select < n_samples"),
        ("graded", {"smallest": 0.0}, r"smallest=0\.0,.* 1e-300 to 1\.0"),
        ("graded", {"smallest": 2.0}, r"smallest=2\.0,.* 1e-300 to 1\.0"),
        ("duplicated", {"n_copies": 0}, "n_copies=0,"),
        ("clusters", {"n_clusters": 1}, r"n_clusters=1,.* 2 to 150 \(limited by n_samples\)"),
        ("clusters", {"n_informative": 61}, r"n_informative=61,.* 1 to 60"),
        ("rlsc", {"n_informative": 1001}, r"n_informative=1001,.* 1 to 1000"),
        ("rlsc", {"random_state": -1}, r"random_state=-1,.* 0 to 4294967295"),
        ("rlsc", {"random_state": "a"}, "random_state='a',"),
        ("plant_table", {"n_samples": 1}, r"n_samples=1,.* an integer, 2 or more"),
        ("plant_table", {"n_features": 5}, r"n_features=5,.* an integer, 6 or more"),
        (
            "plant_table",
            {"n_features": 11},
            r"n_signals=8,.* 1 to 7 \(limited by n_features, less four\)",
        ),
        ("plant_table", {"n_signals": 58}, r"n_signals=58,.* 1 to 57 \(limited by n_features"),
        ("plant_table", {"drift": -0.5}, r"drift=-0\.5,.* a finite number, 0\.0 or more"),
        ("plant_table", {"missing": 1.0}, r"missing=1\.0,.* a finite number, 0\.0 to 0\.99"),
    ],
)
def test_wrong_parameters_are_named_with_what_is_allowed(name, params, message):
    with pytest.raises(ValueError, match=message):
        load(name, **params)


@pytest.mark.parametrize(("name", "count"), [("planted", "n_select"), ("low_rank", "rank")])
def test_numbers_of_numpy_are_numbers(name, count):
    params = {"n_samples": np.int32(9), "n_features": np.int64(8), count: np.uint8(2)}
    data = load(name, noise=np.float32(0.5), random_state=np.int64(2), **params)
    assert data.X.shape == (9, 8)


@pytest.mark.parametrize("param", ["size", "rng"])
def test_unknown_parameters_are_refused_with_the_known_ones(param):
    known = "n_samples, n_distinct, n_copies, random_state"
    with pytest.raises(TypeError, match=f"'duplicated' takes {known}, not '{param}'"):
        load("duplicated", **{param: 3})


# ---------------------------------------------------------------- embedded sets


@pytest.mark.parametrize(
    ("name", "shape", "classes"),
    [
        ("iris", (150, 4), 3),
        ("wine", (178, 13), 3),
        ("digits", (1797, 64), 10),
        ("breast_cancer", (569, 30), 2),
        ("diabetes", (442, 10), None),
    ],
)
def test_sets_of_scikit_learn(name, shape, classes):
    data = load(name)
    assert data.X.shape == shape
    assert data.y.shape == shape[:1]
    assert len(data.feature_names) == shape[1]
    assert all(type(f) is str for f in data.feature_names)
    if classes is None:
        assert data.target_names is None
    else:
        assert len(data.target_names) == classes == len(np.unique(data.y))
        assert all(type(t) is str for t in data.target_names)
    assert data.truth == {}
    assert str(shape[0]) in data.description
    with pytest.raises(TypeError, match=f"'{name}' takes no parameters, but got n_samples"):
        load(name, n_samples=3)


def test_dataset_is_frozen_and_prints_short():
    data = load("iris")
    assert repr(data) == "Dataset('iris', 150 × 4, dense float64)"
    with pytest.raises(dataclasses.FrozenInstanceError):
        data.name = "other"


# ---------------------------------------------------------------- files


def test_dense_file(folder):
    X = np.arange(12, dtype=np.uint8).reshape(3, 4)
    y = np.array([1, 2, 1], dtype=np.int16)
    np.savez(folder / "pixels.npz", X=X, y=y, genes=np.array([b"a", b"b\xc3\xa9", b"c", b"\xff"]),
             classnames=np.array(["no", "yes"]))  # fmt: skip
    data = load("pixels")
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, y)
    assert (data.X.dtype, data.y.dtype) == (np.uint8, np.int16)
    assert data.feature_names == ["a", "bé", "c", "\\xff"]
    assert data.target_names == ["no", "yes"]
    assert (data.name, data.truth) == ("pixels", {})
    assert data.description == "3 × 4 of uint8, from the file pixels.npz."
    with pytest.raises(TypeError, match="takes no parameters"):
        load("pixels", random_state=0)


def test_dense_file_with_X_alone(folder):
    np.savez_compressed(folder / "bare.npz", X=np.eye(2, dtype=np.float32))
    data = load("bare")
    assert data.X.dtype == np.float32
    assert data.y is data.feature_names is data.target_names is None


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr"])
@pytest.mark.parametrize("kind", [sp.coo_matrix, sp.coo_array])
def test_sparse_file(folder, form, kind):
    dense = np.array([[0, 3, 0], [200, 0, 0], [0, 0, 0], [7, 0, 1]], dtype=np.uint8)
    sp.save_npz(folder / "words.npz", kind(dense).asformat(form))
    with np.load(folder / "words.npz") as members:
        members = dict(members)
    terms = np.array([b"one", b"two", b"three"])
    np.savez(folder / "words.npz", **members, y=np.arange(4, dtype=np.int16), terms=terms)
    data = load("words")
    assert sp.issparse(data.X)
    assert (data.X.format, data.X.dtype) == ("csr", np.uint8)
    np.testing.assert_array_equal(data.X.toarray(), dense)
    np.testing.assert_array_equal(data.y, np.arange(4))
    assert data.feature_names == ["one", "two", "three"]
    assert repr(data) == "Dataset('words', 4 × 3, sparse uint8)"


class Bomb:
    """Unpickling this would be seen."""

    def __reduce__(self):
        return (os.mkdir, (os.environ["COLONNADE_DATA"] + "/exploded",))


SPARSE = {"data": np.ones(2), "indptr": np.array([0, 1, 2]), "shape": np.array([2, 3]),
          "format": np.array(b"csr")}  # fmt: skip
BAD_MEMBERS = {
    "pickled X": ({"X": np.array([[Bomb()]], dtype=object)}, "'X' holds pickled"),
    "pickled y": ({"X": np.eye(1), "y": np.array([Bomb()], dtype=object)}, "'y' holds pickled"),
    "pickled terms": (
        {"X": np.eye(1), "terms": np.array([Bomb()], dtype=object)},
        "'terms' holds pickled",
    ),
    "pickled sparse": (
        {**SPARSE, "indices": np.array([Bomb(), 0], dtype=object)},
        "'indices' holds pickled",
    ),
    "no X": ({"Z": np.eye(2)}, "neither X nor a sparse matrix, only Z"),
    "a vector": ({"X": np.ones(3)}, r"shape \(3,\), but a matrix has two dimensions"),
    "words": ({"X": np.array([["a"]])}, "has dtype <U1: text; encode it as numbers"),
    "short y": ({"X": np.eye(3), "y": np.ones(2)}, r"'y' has shape \(2,\), .* matrix has 3 rows"),
    "y a matrix": ({"X": np.eye(3), "y": np.eye(3)}, r"'y' has shape \(3, 3\)"),
    "short terms": ({"X": np.eye(3), "terms": np.array([b"a"])}, r"'terms' has shape \(1,\)"),
    "index out of range": ({**SPARSE, "indices": np.array([0, 3])}, "indices|index"),
    "sparse without indices": (SPARSE, "indices"),
    "strange format": ({**SPARSE, "format": np.array(b"xyz")}, "xyz"),
}


@pytest.mark.parametrize("case", BAD_MEMBERS)
def test_files_with_wrong_members_are_refused(folder, case):
    members, message = BAD_MEMBERS[case]
    np.savez(folder / "bad.npz", **members)
    with pytest.raises(ValueError, match=message) as caught:
        load("bad")
    assert f"cannot load the data set {folder / 'bad.npz'}: " in str(caught.value)
    assert not (folder / "exploded").exists()


def whole_file(folder, compressed=True):
    rng = np.random.default_rng(0)
    save = np.savez_compressed if compressed else np.savez
    save(folder / "part.npz", X=rng.integers(0, 9, (50, 40)), y=np.arange(50))
    return (folder / "part.npz").read_bytes()


@pytest.mark.parametrize(
    ("share", "reason"),
    [
        (0.0, "the file is empty"),
        *((share, "this NPZ file is cut short") for share in (0.01, 0.5, 0.99)),
    ],
)
def test_truncated_files_are_refused(folder, share, reason):
    content = whole_file(folder)
    (folder / "part.npz").write_bytes(content[: int(share * len(content))])
    with pytest.raises(ValueError, match=rf"data set .*part\.npz: {reason}"):
        load("part")


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("where", [0.1, 0.3, 0.5])
def test_damaged_files_are_refused(folder, compressed, where):
    content = bytearray(whole_file(folder, compressed))
    place = int(where * len(content))
    content[place : place + 8] = bytes(255 - b for b in content[place : place + 8])
    (folder / "part.npz").write_bytes(content)
    with pytest.raises(ValueError, match="cannot load the data set"):
        load("part")


def test_members_cut_inside_an_intact_archive_are_refused(folder):
    whole_file(folder)
    with zipfile.ZipFile(folder / "part.npz") as archive:
        member = archive.read("X.npy")
    with zipfile.ZipFile(folder / "cut.npz", "w") as archive:
        archive.writestr("X.npy", member[: len(member) // 2])
    with pytest.raises(ValueError, match="cannot load the data set"):
        load("cut")


def test_other_files_named_npz_are_refused(folder):
    (folder / "pickle.npz").write_bytes(pickle.dumps(Bomb()))
    with (folder / "npy.npz").open("wb") as stream:
        np.save(stream, np.eye(2))
    (folder / "folder.npz").mkdir()
    reasons = {"pickle": "is not an NPZ file", "npy": "is not an NPZ", "folder": "is a directory"}
    for name, reason in reasons.items():
        with pytest.raises(ValueError, match=rf"data set .*{name}\.npz: this {reason}"):
            load(name)
    assert not (folder / "exploded").exists()


# ---------------------------------------------------------------- names and messages


def test_names_and_where_they_come_from(folder):
    np.savez(folder / "mine.npz", X=np.eye(2))
    np.savez(folder / "iris.npz", X=np.eye(2))
    (folder / "notes.txt").write_text("not a data set")
    expected = {*GENERATORS, *EMBEDDED, "mine"}
    assert datasets.names() == sorted(expected)
    described = datasets.describe()
    assert list(described) == datasets.names()
    assert described["mine"] == "mine.npz (file in COLONNADE_DATA)"
    assert described["graded"].endswith("to nearly nothing. (generated)")
    assert described["iris"].endswith("(scikit-learn)")
    assert load("iris").X.shape == (150, 4)


def test_unknown_name_without_a_folder(no_folder):
    assert datasets.names() == sorted({*GENERATORS, *EMBEDDED})
    with pytest.raises(ValueError, match="no data set 'isolet'") as caught:
        load("isolet")
    assert "variable COLONNADE_DATA (a folder of .npz files) is not set." in str(caught.value)
    assert str(caught.value).endswith("Available: " + ", ".join(datasets.names()))


def test_unknown_name_with_a_folder(folder):
    np.savez(folder / "isolet.npz", X=np.eye(2))
    with pytest.raises(ValueError, match=r"'isollet'; did you mean 'isolet'\?") as caught:
        load("isollet", n_samples=2)
    assert f"variable COLONNADE_DATA names {folder}. Available: " in str(caught.value)
    assert ", isolet, " in str(caught.value)
    with pytest.raises(ValueError, match=r"no data set 'qqqqqq'\. The environment"):
        load("qqqqqq")
    with pytest.raises(ValueError, match=r"no data set '\.\./isolet'"):
        load("../isolet")


def test_folder_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setenv("COLONNADE_DATA", str(tmp_path / "gone"))
    assert "iris" in datasets.names()
    with pytest.raises(ValueError, match=r"gone, which is no folder\."):
        load("tdt2")


def test_import_is_light():
    script = (
        "import sys, types, importlib.util, pathlib\n"
        "root = pathlib.Path(sys.argv[1])\n"
        "package = types.ModuleType('colonnade'); package.__path__ = [str(root)]\n"
        "sys.modules['colonnade'] = package\n"
        "import colonnade.datasets\n"
        "print(sorted({'sklearn', 'pandas', 'numba', 'dask'} & set(sys.modules)))\n"
    )
    root = os.path.dirname(colonnade.__file__)
    command = [sys.executable, "-c", script, root]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "shape", "nnz", "dtype", "classes"),
    [
        ("isolet", (1560, 617), None, "float32", 26),
        ("orl_64x64", (400, 4096), None, "uint8", 40),
        ("orl_32x32", (400, 1024), None, "uint8", 40),
        ("tdt2", (9394, 36771), 1224135, "uint8", 30),
        ("20news", (18774, 16201), 2259086, "uint16", 20),
        ("sarcoma_stt", (31, 5520), None, "float32", 3),
    ],
)
def test_real_files(name, shape, nnz, dtype, classes):
    if not REAL_FOLDER:
        pytest.skip("COLONNADE_DATA is not set, so there are no real files to read")
    if name not in datasets.names():
        pytest.skip(f"{name}.npz is not in COLONNADE_DATA")
    data = load(name)
    assert (data.X.shape, data.X.dtype) == (shape, dtype)
    assert len(np.unique(data.y)) == classes
    assert sp.issparse(data.X) == (nnz is not None)
    if nnz is not None:
        assert data.X.nnz == nnz
    if name in ("20news", "sarcoma_stt"):
        assert len(data.feature_names) == shape[1]
        assert len(data.target_names) == classes
