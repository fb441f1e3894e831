"""Information gain: against the definition and scikit-learn, on counts, bins and values."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from matrices import NASTY, nasty
from oracles.labels import entropy, labels_for, mutual_information
from sklearn.datasets import load_digits
from sklearn.feature_selection import mutual_info_classif
from sklearn.metrics import mutual_info_score

from colonnade import InformationGainSelector, Kernel, select
from colonnade.operands.sparse import Sparse


def scores(A, labels, **params):
    """The information of every feature, by its number."""
    n = A.shape[1]
    found = select(A, n, method="information-gain", labels=labels, **params)
    out = np.empty(n)
    out[found.indices] = found.info["information"]
    assert (np.diff(found.info["information"]) <= 1e-9).all()
    return out


def words(seed=0, m=80, n=40, n_classes=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, m)
    return rng.poisson(0.2 + rng.exponential(size=(n_classes, n))[y]), y


@pytest.mark.parametrize("put", [np.asarray, sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("threshold", [-0.5, 0.0, 0.5, 1, 2.0])
def test_presence_is_mutual_info_score(put, threshold):
    A, y = words()
    A = A - 2 * (np.arange(40) % 5 == 0)  # some negative entries too
    expected = [mutual_info_score(y, column > threshold) for column in A.T]
    found = scores(put(A.astype(float)), y, threshold=threshold)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("matrix", NASTY)
@pytest.mark.parametrize("bins", [2, 5])
def test_bins_are_quantiles(matrix, bins):
    A = nasty(matrix)
    if len(A) == 1:
        return
    y = labels_for(A, 1)
    edges = np.quantile(A, np.arange(1, bins) / bins, axis=0)
    cells = (A[None] > edges[:, None]).sum(axis=0)
    expected = [mutual_information(cell, y) for cell in cells.T]
    np.testing.assert_allclose(scores(A, y, bins=bins), expected, atol=1e-9)
    np.testing.assert_allclose(scores(sp.csr_array(A), y, bins=bins), expected, atol=1e-9)


def test_values_by_nearest_neighbours():
    X, y = load_digits(return_X_y=True)
    X, y = X[:200, 18:30], y[:200]
    expected = mutual_info_classif(X, y, discrete_features=False, random_state=0)
    np.testing.assert_allclose(scores(X, y, bins=None), expected, atol=1e-12)
    np.testing.assert_allclose(scores(sp.csc_array(X), y, bins=None), expected, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_between_nothing_and_the_entropy_of_the_labels(seed):
    A, y = words(seed)
    A = np.column_stack([np.ones(80), y == 0, A]).astype(float)
    y = (y == 0).astype(int)
    found = select(A, 5, method="information-gain", labels=y)
    everything = scores(A, y)
    assert (everything >= 0).all()
    assert (everything <= entropy(y) + 1e-12).all()
    assert found.info["entropy"] == pytest.approx(entropy(y))
    assert everything[0] == 0.0  # exactly: a constant tells nothing
    assert everything[1] == pytest.approx(entropy(y))
    assert found.indices[0] == 1


def test_independent_features_tie_at_exactly_zero():
    A = np.tile(np.array([[0.0, 1.0, 1.0], [1.0, 1.0, 0.0]]), (6, 7))
    y = np.repeat([0, 1, 2], 4)
    assert not scores(A, y).any()
    assert select(A, 4, method="information-gain", labels=y).indices.tolist() == [0, 1, 2, 3]


def test_equal_features_go_by_number():
    A, y = words(2)
    B = np.hstack([A, 3 * A])[:, np.random.default_rng(0).permutation(80)]
    order = select(B, 80, method="information-gain", labels=y).indices
    level = np.round(scores(B, y)[order], 9)
    for value in np.unique(level):
        assert (np.diff(order[level == value]) > 0).all()


def test_rounding_does_not_part_equals():
    """The same counts in other classes: sums in another order, but the same information."""
    y = np.repeat([0, 1, 2, 3], 11)
    A = np.zeros((44, 24))
    for i, counts in enumerate(itertools.permutations([1, 4, 6, 9])):
        for c, count in enumerate(counts):
            A[11 * c : 11 * c + count, i] = 1.0
    assert len(set(scores(A, y))) > 1
    assert select(A, 24, method="information-gain", labels=y).indices.tolist() == list(range(24))


def test_labels_of_any_kind():
    A, y = words(3)
    expected = select(A, 6, method="information-gain", labels=y)
    for labels in (y * 1.5, np.array(["a", "b", "c"])[y], np.eye(3)[y], y.tolist()):
        found = select(A, 6, method="information-gain", labels=labels)
        assert found.indices.tolist() == expected.indices.tolist()
    fitted = InformationGainSelector(6).fit(A, np.array(["a", "b", "c"])[y])
    assert fitted.indices_.tolist() == expected.indices.tolist()


def test_a_class_for_every_row():
    """As many classes as rows: presence then tells its own entropy."""
    A, _ = words(4)
    found = scores(A, np.random.default_rng(0).standard_normal(80))
    np.testing.assert_allclose(found, [entropy(column > 0) for column in A.T], atol=1e-12)
    with pytest.raises(ValueError, match="every row has a class of its own"):
        select(A, 3, method="information-gain", labels=np.arange(80), bins=None)


def test_scale_moves_the_threshold_along():
    A, y = words(5)
    expected = scores(A, y, threshold=1.5)
    for scale in (2.0**-120, 2.0**120):
        found = scores(A * scale, y, threshold=1.5 * scale)
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_no_more_sparse_columns_are_made_dense_than_are_chosen(monkeypatch):
    """Presence needs the nonzero entries alone; the error path asks for the chosen columns."""
    columns = Sparse.columns

    def watched(self, j):
        out = columns(self, j)
        assert out.shape[1] <= 5
        return out

    monkeypatch.setattr(Sparse, "columns", watched)
    rng = np.random.default_rng(0)
    A = sp.random_array((400, 900), density=0.02, rng=rng, format="csr")
    assert len(select(A, 5, method="information-gain", labels=rng.integers(0, 4, 400))) == 5


def test_inclusions_and_exclusions_are_kept():
    A, y = words(6)
    order = select(A, 40, method="information-gain", labels=y).indices.tolist()
    found = select(
        A, 5, method="information-gain", labels=y, must_include=[order[-1]], exclude=[order[0]]
    )
    assert found.indices.tolist() == [order[-1], *order[1:5]]
    enough = select(A, method="information-gain", labels=y, max_error=0.3)
    assert enough.relative_errors[-1] <= 0.3 < enough.relative_errors[-2]
    assert enough.indices.tolist() == order[: len(enough)]
    refined = select(A, 5, method="information-gain", labels=y, refine=True)
    assert refined.errors[-1] <= select(A, 5, method="information-gain", labels=y).errors[-1]
    assert refined.indices.tolist() != order[:5]
    everything = scores(A, y)
    for one in (found, refined):
        np.testing.assert_array_equal(one.info["information"], everything[one.indices])


@pytest.mark.parametrize(
    ("params", "error", "words_"),
    [
        ({"bins": "presense"}, ValueError, "bins='presense'; choose"),
        ({"bins": 1}, ValueError, "bins=1; choose at least 2"),
        ({"bins": 2.5}, TypeError, "bins must be an integer"),
        ({"bins": True}, TypeError, "bins must be an integer"),
        ({"threshold": np.nan}, ValueError, "threshold=nan; choose a finite number"),
        ({"threshold": "0"}, TypeError, "threshold must be a finite number, got '0'"),
        ({"labels": np.zeros(80)}, ValueError, r"one class only, 0\.0; information"),
        ({"labels": np.zeros(80, int)}, ValueError, "one class only, 0; information"),
        ({"labels": ["a"] * 80}, ValueError, "one class only, 'a'; information"),
        ({"labels": np.array(["a", 1, 2.0, 3] * 20, object)}, TypeError, "sorted: str and int;"),
        ({"labels": np.array([1j, 2j] * 40, object)}, TypeError, "complex, without an order"),
        ({"labels": np.zeros(7)}, ValueError, "the data has 80 rows"),
        ({"labels": [None] * 80}, ValueError, "the label of row 0 is missing"),
    ],
)
def test_bad_input(params, error, words_):
    A, y = words()
    with pytest.raises(error, match=words_):
        select(A, 3, method="information-gain", **{"labels": y, **params})


def test_labels_and_columns_are_needed():
    A, _ = words()
    with pytest.raises(TypeError, match="needs labels: pass labels=y"):
        select(A, 3, method="information-gain")
    with pytest.raises(ValueError, match="requires y to be passed"):
        InformationGainSelector(3).fit(A)
    with pytest.raises(TypeError, match="pass the data"):
        select(Kernel(A.T @ A), 3, method="information-gain", labels=np.arange(40) % 2)
