"""Choose the columns that hold your data up.

colonnade picks a few actual features, or representative rows, out of a large matrix, and says
how much was lost. Start with :func:`select` or :class:`GreedySelector`.
"""

# Public names are imported when they are first used, so that the command line starts, and can be
# interrupted, without waiting for all of the library. Type checkers read ``__init__.pyi``.

_MODULES = ("datasets", "metrics")
_NAMES = {
    "certificates": ("Certificate", "certify"),
    "classify": ("RLSClassifier",),
    "cluster": (
        "FastSpectralClustering",
        "ReducedKMeans",
        "RepresentativeKMeans",
        "SphericalKMeans",
    ),
    "operands.kernel": ("Kernel",),
    "metrics.approximations": ("ColumnApproximation", "low_rank"),
    "selectors": (
        "AdaptiveSelector",
        "BSSSelector",
        "DualSetSelector",
        "FSFSSelector",
        "GreedySelector",
        "HybridCSSSelector",
        "InformationGainSelector",
        "JolliffeSelector",
        "LaplacianScoreSelector",
        "LeverageSelector",
        "MCFSSelector",
        "NormSelector",
        "OrthogonalPFSSelector",
        "PCALoadingSelector",
        "PFASelector",
        "PivotedQRSelector",
        "RandomPivotSelector",
        "RandomizedDualSetSelector",
        "RowSelector",
        "SPECSelector",
        "StrongRRQRSelector",
        "SupervisedDualSetSelector",
        "UniformSelector",
        "adaptive_sampling",
        "bss",
        "dual_set",
        "fsfs",
        "greedy",
        "hybrid_css",
        "information_gain",
        "jolliffe",
        "laplacian_score",
        "leverage",
        "mcfs",
        "norm_sampling",
        "orthogonal_pfs",
        "pca_lrg",
        "pfa",
        "pivoted_qr",
        "random_pivot",
        "randomized_dual_set",
        "spec",
        "strong_rrqr",
        "supervised_dual_set",
        "uniform",
    ),
    "nystroem": ("EnsembleNystroem", "Nystroem"),
    "operands.entrance": ("as_operand",),
    "operands.interface": ("Operand",),
    "projections": (
        "GaussianProjection",
        "HadamardProjection",
        "SVDProjection",
        "SignProjection",
        "SparseSignProjection",
    ),
    "registry": ("METHODS", "Method"),
    "selectors.door": ("select",),
    "selection": ("Selection",),
    "foundation.alerts": ("RankReachedWarning",),
}
"""The public names, by the module that they come from."""
_HOMES = {_name: _module for _module, _names in _NAMES.items() for _name in _names}

__all__ = sorted([*_MODULES, *_HOMES])


def __getattr__(name: str) -> object:
    value = globals()[name] = _version() if name == "__version__" else _import(name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})


def _import(name: str) -> object:
    """Return what is behind a public name, or a module as if it had been imported already."""
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    missing = AttributeError(f"module {__name__!r} has no attribute {name!r}")
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
