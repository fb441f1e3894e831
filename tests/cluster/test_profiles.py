"""What sets clusters apart, by group means of pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_wine

from colonnade import ReducedKMeans, RepresentativeKMeans, describe_clusters


@pytest.fixture
def frame():
    return load_wine(as_frame=True).data


def test_distances_by_pandas(frame):
    labels = load_wine().target + 1
    found = describe_clusters(frame, labels, n_columns=4, n_rows=2)
    z = (frame - frame.mean()) / frame.std(ddof=0)
    means = z.groupby(labels).mean()
    for k, label in enumerate([1, 2, 3]):
        best = means.loc[label].abs().sort_values(ascending=False).index[:4]
        assert [found.name_of(j) for j in found.columns[k]] == best.tolist()
        np.testing.assert_allclose(found.distances[k], means.loc[label, best])
        inside = frame[labels == label]
        np.testing.assert_allclose(found.means[k], inside[best].mean())
        near = np.square(inside - inside.mean()).sum(axis=1).sort_values().index[:2]
        assert found.rows[k].tolist() == near.tolist()
    assert found.labels.tolist() == [1, 2, 3]
    assert found.sizes.tolist() == np.bincount(labels)[1:].tolist()
    first = found.to_dict()[0]
    assert (first["cluster"], first["size"]) == (1, 59)
    assert isinstance(first["cluster"], int)
    assert first["columns"][0]["name"] == "proline"


def test_words_of_sparse_documents():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.2, size=(40, 12)) * 1.0
    labels = np.array(["u", "v"] * 20)
    X[labels == "u", 3] += 5
    found = describe_clusters(sp.csr_array(X), labels, n_columns=3)
    assert found.by == "mean"
    order = np.argsort(-X[labels == "u"].mean(axis=0), kind="stable")
    assert found.columns[0].tolist() == order[:3].tolist()
    np.testing.assert_allclose(found.means[0], X[labels == "u"].mean(axis=0)[order[:3]])
    dense = describe_clusters(X, labels, n_columns=3, by="mean")
    np.testing.assert_array_equal(dense.columns, found.columns)
    for one, other in zip(dense.rows, found.rows, strict=True):
        np.testing.assert_array_equal(one, other)
    apart = describe_clusters(sp.csr_array(X), labels, n_columns=3, by="distance")
    np.testing.assert_array_equal(apart.columns, describe_clusters(X, labels, n_columns=3).columns)


def test_models_describe_themselves_in_their_units(frame):
    model = ReducedKMeans(3, scale="std", random_state=0).fit(frame)
    found = model.describe(frame, n_columns=2, n_rows=1, row_names=[f"r{i}" for i in range(178)])
    z = frame / frame.std(ddof=0)
    for k in range(3):
        inside = z[model.labels_ == k]
        near = np.square(inside - inside.mean()).sum(axis=1).idxmin()
        assert found.named_rows(k) == [f"r{near}"]
    assert found.names == tuple(frame.columns)
    other = RepresentativeKMeans(3, random_state=0).fit(frame)
    assert len(other.describe(frame).labels) == 3


def test_constant_columns_set_nothing_apart():
    X = np.column_stack([np.full(6, 0.1), np.arange(6.0)])
    found = describe_clusters(X, [0, 0, 0, 1, 1, 1], n_columns=5)
    assert found.columns.shape == (2, 2)
    assert found.columns[:, 0].tolist() == [1, 1]
    assert found.distances[:, 1].tolist() == [0, 0]
    assert isinstance(found.table(), pd.DataFrame)
    assert "<table>" in found._repr_html_()
    assert repr(found) == "ClusterProfiles(2 clusters, by distance)"


def test_what_is_refused():
    X = np.eye(3)
    with pytest.raises(ValueError, match=r"labels has shape \(2,\), but X has 3 rows"):
        describe_clusters(X, [0, 1])
    with pytest.raises(ValueError, match="by='median' is unknown; choose 'distance', 'mean'"):
        describe_clusters(X, [0, 1, 1], by="median")
    with pytest.raises(ValueError, match="n_columns"):
        describe_clusters(X, [0, 1, 1], n_columns=0)
