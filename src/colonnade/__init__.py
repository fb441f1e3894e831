"""Choose the columns that hold your data up.

colonnade picks a few actual features, or representative rows, out of a large matrix, and says
how much was lost. Start with :func:`select` or :class:`GreedySelector`.
"""

# Public names are imported when they are first used, so that the command line starts, and can be
# interrupted, without waiting for all of the library. Type checkers read ``__init__.pyi``, which
# the build writes (tools/stub.py).

TYPE_CHECKING = False  # importing typing, which has this too, takes longer than all of this file
if TYPE_CHECKING:
    from typing import Any

_MODULES = ("datasets", "metrics")
_NAMES = {
    "certificates": ("Certificate", "certify"),
    "comparison.comparison": ("Comparison",),
    "comparison.contest": ("compare",),
    "classify": ("RLSClassifier",),
    "cluster": (
        "ClusterProfiles",
        "FastSpectralClustering",
        "ReducedKMeans",
        "RepresentativeKMeans",
        "SphericalKMeans",
        "describe_clusters",
    ),
    "foundation.alerts": ("DataWarning", "RankReachedWarning"),
    "io.opening": ("open_data",),
    "metrics.approximations": ("ColumnApproximation", "low_rank"),
    "metrics.describing": ("Description",),
    "metrics.description": ("describe",),
    "metrics.explanation": ("Explanation",),
    "metrics.standing": ("explain",),
    "nystroem": ("EnsembleNystroem", "Nystroem"),
    "operands.chunked.planning": ("Plan",),
    "operands.chunked.resources": ("resources",),
    "operands.chunked.chunked_table": ("ChunkedTable",),
    "operands.covariance": ("Covariance",),
    "operands.entrance": ("as_operand",),
    "operands.interface": ("Operand",),
    "operands.kernel": ("Kernel",),
    "projections": (
        "GaussianProjection",
        "HadamardProjection",
        "SVDProjection",
        "SignProjection",
        "SparseSignProjection",
    ),
    "registry": ("METHODS", "Method"),
    "selection": ("Selection",),
    "selectors.door": ("select",),
    "selectors.planned": ("plan",),
    "selectors.rows": ("RowSelector",),
}
"""The public names, by the module that they come from; in addition, every method's class."""
_HOMES = {_name: _module for _module, _names in _NAMES.items() for _name in _names}


def __getattr__(name: str) -> "Any":
    value = globals()[name] = _find(name)
    return value


def __dir__() -> list[str]:
    return sorted({*_find("__all__"), "__all__", "__doc__", "__name__", "__version__"})


def _find(name: str) -> "Any":
    """Return what is behind a public name, or a module as if it had been imported already."""
    from importlib import import_module

    if name == "__version__":
        return _version()
    if name == "__all__":
        return sorted({*_MODULES, *_HOMES, *import_module(".selectors", __name__).__all__})
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    missing = AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name.endswith("Selector"):
        selectors = vars(import_module(".selectors", __name__))
        if name in selectors:
            return selectors[name]
    if name.startswith("_") or not name.isidentifier():
        raise missing
    try:
        return import_module(f".{name}", __name__)
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{name}":
            raise
        raise missing from None


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("colonnade")
    except PackageNotFoundError:  # running from a source tree that is not installed
        return "0+unknown"
