"""Groups of methods against SciPy's t-test."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from colonnade.comparison.significance import Summary, significance_groups, welch_p_value


def test_a_summary_is_mean_and_deviation():
    values = [0.2, 0.5, 0.9]
    found = Summary.of(values)
    assert (found.mean, found.deviation) == pytest.approx((np.mean(values), np.std(values, ddof=1)))
    assert found.runs == 3
    assert Summary.of([4.0]) == Summary(4.0, 0.0, 1)
    assert np.isnan(Summary.of([]).mean)


@pytest.mark.parametrize("sizes", [(5, 5), (4, 12)])
def test_p_values_are_those_of_scipy(sizes):
    rng = np.random.default_rng(0)
    first, second = rng.normal(0.5, 1.0, sizes[0]), rng.normal(0.0, 3.0, sizes[1])
    expected = stats.ttest_ind(first, second, equal_var=False, alternative="greater").pvalue
    found = welch_p_value(Summary.of(first), Summary.of(second))
    assert found == pytest.approx(expected, rel=1e-9)
    assert welch_p_value(Summary.of(second), Summary.of(first)) == pytest.approx(1 - expected)


def test_without_deviation_different_means_differ():
    assert welch_p_value(Summary(0.6, 0.0, 3), Summary(0.5, 0.0, 3)) == 0.0
    assert welch_p_value(Summary(0.5, 0.0, 3), Summary(0.6, 0.0, 3)) == 1.0
    assert welch_p_value(Summary(0.5, 0.0, 3), Summary(0.5 + 1e-16, 0.0, 3)) == 0.5


def test_a_group_ends_where_the_next_is_worse():
    runs = {
        "bad": Summary(0.1, 0.01, 9),
        "best": Summary(0.9, 0.01, 9),
        "nearly": Summary(0.895, 0.02, 9),
        "middle": Summary(0.5, 0.01, 9),
        "none": Summary.of([]),
    }
    assert significance_groups(runs) == {"best": 1, "nearly": 1, "middle": 2, "bad": 3}
    small = significance_groups(runs, larger_is_better=False)
    assert small == {"bad": 1, "middle": 2, "nearly": 3, "best": 3}


def test_the_test_has_one_tail():
    """A difference that is significant with one tail at 95 %, and not with two."""
    better, worse = Summary(0.9, 0.1, 10), Summary(0.82, 0.1, 10)
    assert 0.025 < welch_p_value(better, worse) < 0.05
    assert significance_groups({"better": better, "worse": worse}) == {"better": 1, "worse": 2}


def test_small_deviations_are_no_rounding():
    first, second = np.array([0.9, 0.9001, 0.9002]), np.array([0.90005, 0.9001, 0.89995])
    expected = stats.ttest_ind(first, second, equal_var=False, alternative="greater").pvalue
    assert 0.2 < expected < 0.5
    assert welch_p_value(Summary.of(first), Summary.of(second)) == pytest.approx(expected)
