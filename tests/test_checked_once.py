"""Data is checked when it enters, and not again on its way through a learner."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from colonnade import (
    DualSetSelector,
    EnsembleNystroem,
    FastSpectralClustering,
    GaussianProjection,
    GreedySelector,
    HadamardProjection,
    Nystroem,
    ReducedKMeans,
    RepresentativeKMeans,
    RLSClassifier,
    RowSelector,
    SignProjection,
    SparseSignProjection,
    SphericalKMeans,
    SVDProjection,
)

CHECKS = ("validate_data", "sklearn_ready")
DATA = np.random.default_rng(0).random((60, 30))
LABELS = np.arange(60) % 2
LEARNERS = {
    "selectors": [GreedySelector(5), DualSetSelector(8, 3), RowSelector(GreedySelector(5))],
    "projections": [
        SignProjection(5, algorithm="blas"),
        SignProjection(5, algorithm="mailman"),
        GaussianProjection(5),
        SparseSignProjection(5),
        HadamardProjection(5),
        SVDProjection(5),
        SVDProjection(5, algorithm="stochastic"),
    ],
    "k-means": [
        ReducedKMeans(3),
        ReducedKMeans(3, SVDProjection(4)),
        ReducedKMeans(3, SignProjection(4)),
        ReducedKMeans(3, DualSetSelector(8, 3)),
        RepresentativeKMeans(3, 5),
        SphericalKMeans(3),
    ],
    "kernels": [
        Nystroem(n_components=5),
        EnsembleNystroem(n_components=5, n_experts=2),
        FastSpectralClustering(3, 10),
    ],
    "classifiers": [RLSClassifier(), RLSClassifier(kernel="rbf")],
}
EVERY = [learner for kind in LEARNERS.values() for learner in kind]


@pytest.fixture
def checks(monkeypatch):
    """The checks that colonnade's modules make, by name."""
    made = []

    def counting(name, check):
        def counted(*args, **options):
            made.append(name)
            return check(*args, **options)

        return counted

    modules = [module for name, module in sys.modules.items() if name.startswith("colonnade")]
    for module in modules:
        for name in {*CHECKS, "check_matrix"} & set(vars(module)):
            monkeypatch.setattr(module, name, counting(name, getattr(module, name)))
    return made


@pytest.mark.parametrize("container", [np.array, sp.csr_array, sp.csc_array, pd.DataFrame])
@pytest.mark.parametrize("learner", EVERY, ids=repr)
@pytest.mark.slow
def test_every_call_checks_its_data_once(learner, container, checks):
    X = container(DATA)
    if learner in LEARNERS["selectors"]:  # what these do to transform is scikit-learn's
        learner.fit(X)
        assert [checks.count(name) for name in CHECKS] == [1, 1]
        return
    for call in ("fit", "transform", "fit_transform", "predict", "score", "fit_predict"):
        if hasattr(learner, call):
            checks.clear()
            given = (X,) if call in ("transform", "predict") else (X, LABELS)
            getattr(learner, call)(*given)
            assert [checks.count(name) for name in CHECKS] == [1, 1], call


@pytest.mark.parametrize("container", [np.array, sp.csr_array])
@pytest.mark.parametrize("learner", [*LEARNERS["projections"], *LEARNERS["k-means"]], ids=repr)
def test_what_was_checked_becomes_an_operand_as_it_is(learner, container, checks):
    learner.fit(container(DATA))
    assert "check_matrix" not in checks


@pytest.mark.parametrize("reducer", [SVDProjection(4), SignProjection(4)], ids=repr)
def test_a_reducer_that_was_handed_checked_data_knows_its_features(reducer):
    names = [f"feature {j}" for j in range(30)]
    model = ReducedKMeans(3, reducer, random_state=0).fit(pd.DataFrame(DATA, columns=names))
    assert model.reducer_.feature_names_in_.tolist() == names
    assert model.reducer_.n_features_in_ == 30
    assert model.reducer_.transform(pd.DataFrame(DATA, columns=names)).shape == (60, 4)
    unnamed = ReducedKMeans(3, reducer, random_state=0).fit(DATA)
    assert not hasattr(unnamed.reducer_, "feature_names_in_")
