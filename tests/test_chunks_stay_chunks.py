"""Whatever takes data works on chunks of it or refuses them; nothing loads all of them."""

from __future__ import annotations

import inspect
import warnings

import dask.array as da
import pytest
from chunks import cut, even
from explicit_chunks import table
from sklearn.base import BaseEstimator

import colonnade
from colonnade import ChunkedTable, GreedySelector, Kernel, certify, metrics

X = table()
LABELS = (X[:, 0] > X[:, 1]).astype(int)
SMALL = {"n_select": 3, "n_components": 3, "n_clusters": 2, "selector": GreedySelector(3)}
SMALL["reducer"] = GreedySelector(3)
SUPERVISED = ("RLSClassifier", "InformationGainSelector", "SupervisedDualSetSelector")
METHODS = (
    "transform", "predict", "score", "decision_function", "fit_predict", "fit_transform",
    "certificate", "approximation_ratio",
)  # fmt: skip


def estimators():
    found = ((name, getattr(colonnade, name)) for name in colonnade.__all__)
    classes = ((name, kind) for name, kind in found if inspect.isclass(kind))
    return [name for name, kind in classes if issubclass(kind, BaseEstimator)]


def refusing(method):
    """Return the method of an array, which fails if the array has as many rows as all data."""

    def call(array, *arguments, **options):
        assert array.ndim < 2 or array.shape[0] < len(X), "all chunks were loaded"
        return method(array, *arguments, **options)

    return call


@pytest.fixture(params=["dense", "CSR"])
def chunks(request, monkeypatch):
    """Chunks, of which all together are asked for by nobody."""

    for name in ("__array__", "compute"):
        before = getattr(da.Array, name)
        monkeypatch.setattr(da.Array, name, refusing(before))
    return cut(X, even(len(X), 3), even(X.shape[1], 2), request.param)


def works_or_refuses(call, *arguments):
    """Call something; return whether it refused chunks, by one sentence about them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call(*arguments)
    except (TypeError, ValueError) as error:
        text = str(error)
        assert "in chunks" in text or "in memory" in text, text
        assert "\n" not in text
        assert ". " not in text
        return True
    return False


@pytest.mark.parametrize("name", estimators())
def test_estimators(name, chunks):
    kind = getattr(colonnade, name)
    known = inspect.signature(kind).parameters
    model = kind(**{key: value for key, value in SMALL.items() if key in known})
    labels = (LABELS,) if name in SUPERVISED else ()
    works_or_refuses(model.fit, chunks, *labels)
    model = kind(**model.get_params(deep=False)).fit(X, *labels)
    for method in METHODS:
        if hasattr(model, method):
            supervised = method.startswith("fit") or (method == "score" and name == SUPERVISED[0])
            works_or_refuses(getattr(model, method), chunks, *(labels if supervised else ()))


@pytest.mark.parametrize(
    "name", ["FastSpectralClustering", "SphericalKMeans", "RepresentativeKMeans"]
)
@pytest.mark.parametrize("wrap", [lambda X: X, ChunkedTable])
def test_what_looks_at_all_rows_together_refuses(name, wrap, chunks):
    model = getattr(colonnade, name)(2)
    assert works_or_refuses(model.fit, wrap(chunks))
    assert works_or_refuses(model.fit_predict, wrap(chunks))
    if name == "SphericalKMeans":
        model.fit(X)
        assert works_or_refuses(model.predict, wrap(chunks))
        assert works_or_refuses(model.score, wrap(chunks))


def test_functions(chunks):
    square = cut(X @ X.T, even(len(X), 3), even(len(X), 2))
    chosen = GreedySelector(3).fit(X).selection_
    for name in ("kmeans_objective", "normalized_objective", "overall_similarity"):
        works_or_refuses(getattr(metrics, name), chunks, LABELS)
    for name in ("partition_index", "separation_index"):
        works_or_refuses(getattr(metrics, name), chunks, LABELS)
    for name in ("reconstruction_error", "relative_accuracy"):
        works_or_refuses(getattr(metrics, name), chunks, chosen)
    works_or_refuses(metrics.best_rank_error, chunks, 3)
    for function in (colonnade.describe, lambda A: colonnade.compare(A, 3)):
        works_or_refuses(function, chunks)
    for function in (certify, colonnade.explain):
        works_or_refuses(function, chunks, chosen)
    works_or_refuses(colonnade.low_rank, chunks, 3)
    works_or_refuses(colonnade.describe_clusters, chunks, LABELS)
    assert works_or_refuses(Kernel, square)
    assert works_or_refuses(colonnade.Covariance, square)
    assert works_or_refuses(metrics.kernel_accuracy, square, X)
