"""What is done to data before the experiments, against plain formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp

from colonnade.datasets.library import DatasetError
from colonnade.reproduction.preparation import (
    frequent_terms,
    loaded,
    tf_idf,
    training_rows,
    unit_rows,
)

COUNTS = np.array([[1, 0, 2, 0], [3, 4, 0, 0], [5, 0, 0, 0], [2, 1, 7, 0]], dtype=np.uint8)
FORMS = pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csr_matrix, sp.csc_array])


def plain(X):
    return X.toarray() if sp.issparse(X) else X


@FORMS
def test_rare_terms_are_left_out_by_documents_not_by_counts(form):
    np.testing.assert_array_equal(plain(frequent_terms(form(COUNTS), 2)), COUNTS[:, :3])
    np.testing.assert_array_equal(plain(frequent_terms(form(COUNTS), 3)), COUNTS[:, :1])
    assert frequent_terms(form(COUNTS)).shape == (4, 0)


@FORMS
def test_tf_idf_is_the_count_times_the_logarithm_of_rareness(form):
    given = form(COUNTS)
    found = plain(tf_idf(given))
    for j in range(4):
        df = sum(COUNTS[i, j] > 0 for i in range(4))
        for i in range(4):
            expected = COUNTS[i, j] * math.log(4 / df) if df else 0.0
            assert found[i, j] == pytest.approx(expected, abs=1e-15)
    np.testing.assert_array_equal(plain(given), COUNTS)  # the user's data is as it was


@FORMS
def test_rows_have_length_one_and_empty_ones_stay(form):
    X = np.vstack([COUNTS[:3], np.zeros((1, 4), dtype=np.uint8)])
    found = plain(unit_rows(form(X)))
    lengths = [math.sqrt(sum(float(v) ** 2 for v in row)) for row in found]
    assert lengths == pytest.approx([1, 1, 1, 0])
    assert found[0] == pytest.approx([1 / math.sqrt(5), 0, 2 / math.sqrt(5), 0])


def test_a_data_set_is_read_once():
    loaded.cache_clear()
    assert loaded("iris")[0] is loaded("iris")[0]
    assert loaded.cache_info().hits == 1


def test_the_training_set_is_that_of_the_file(tmp_path, monkeypatch):
    monkeypatch.setenv("COLONNADE_DATA", str(tmp_path))
    np.savez(tmp_path / "some.npz", X=np.eye(3), train_idx=np.array([2, 0], dtype=np.int16))
    np.testing.assert_array_equal(training_rows("some"), [2, 0])
    np.savez(tmp_path / "some.npz", X=np.eye(3))
    with pytest.raises(DatasetError, match=r"some\.npz: this does not tell .* as 'train_idx'"):
        training_rows("some")
    (tmp_path / "some.npz").write_bytes(b"PK\x03\x04 and nothing else")
    with pytest.raises(DatasetError, match=r"cannot read the training set of 'some': .*some\.npz"):
        training_rows("some")
    for name in ("iris", "other"):  # without a file, or not there
        with pytest.raises(DatasetError, match=f"'{name}' has no file that tells its training set"):
            training_rows(name)
