"""Choose the columns that hold your data up.

colonnade picks a few actual features, or representative rows, out of a large matrix, and says
how much was lost. Start with :func:`select` or :class:`GreedySelector`.
"""

from importlib.metadata import PackageNotFoundError as _PackageNotFoundError
from importlib.metadata import version as _version

from . import datasets, metrics
from .certify import Certificate, certify
from .classify import RLSClassifier
from .cluster import (
    FastSpectralClustering,
    ReducedKMeans,
    RepresentativeKMeans,
    SphericalKMeans,
)
from .kernel_operand import Kernel
from .lowrank import ColumnApproximation, low_rank
from .methods import (
    AdaptiveSelector,
    BSSSelector,
    DualSetSelector,
    FSFSSelector,
    GreedySelector,
    HybridCSSSelector,
    InformationGainSelector,
    JolliffeSelector,
    LaplacianScoreSelector,
    LeverageSelector,
    MCFSSelector,
    NormSelector,
    OrthogonalPFSSelector,
    PCALoadingSelector,
    PFASelector,
    PivotedQRSelector,
    RandomizedDualSetSelector,
    RandomPivotSelector,
    RowSelector,
    SPECSelector,
    StrongRRQRSelector,
    SupervisedDualSetSelector,
    UniformSelector,
    adaptive_sampling,
    bss,
    dual_set,
    fsfs,
    greedy,
    hybrid_css,
    information_gain,
    jolliffe,
    laplacian_score,
    leverage,
    mcfs,
    norm_sampling,
    orthogonal_pfs,
    pca_lrg,
    pfa,
    pivoted_qr,
    random_pivot,
    randomized_dual_set,
    spec,
    strong_rrqr,
    supervised_dual_set,
    uniform,
)
from .nystroem import EnsembleNystroem, Nystroem
from .operand import Operand, as_operand
from .projections import (
    GaussianProjection,
    HadamardProjection,
    SignProjection,
    SparseSignProjection,
    SVDProjection,
)
from .registry import METHODS, Method
from .selecting import select
from .selection import Selection
from .validation import RankReachedWarning

try:
    __version__ = _version("colonnade")
except _PackageNotFoundError:  # running from a source tree that is not installed
    __version__ = "0+unknown"

__all__ = [
    "METHODS",
    "AdaptiveSelector",
    "BSSSelector",
    "Certificate",
    "ColumnApproximation",
    "DualSetSelector",
    "EnsembleNystroem",
    "FSFSSelector",
    "FastSpectralClustering",
    "GaussianProjection",
    "GreedySelector",
    "HadamardProjection",
    "HybridCSSSelector",
    "InformationGainSelector",
    "JolliffeSelector",
    "Kernel",
    "LaplacianScoreSelector",
    "LeverageSelector",
    "MCFSSelector",
    "Method",
    "NormSelector",
    "Nystroem",
    "Operand",
    "OrthogonalPFSSelector",
    "PCALoadingSelector",
    "PFASelector",
    "PivotedQRSelector",
    "RLSClassifier",
    "RandomPivotSelector",
    "RandomizedDualSetSelector",
    "RankReachedWarning",
    "ReducedKMeans",
    "RepresentativeKMeans",
    "RowSelector",
    "SPECSelector",
    "SVDProjection",
    "Selection",
    "SignProjection",
    "SparseSignProjection",
    "SphericalKMeans",
    "StrongRRQRSelector",
    "SupervisedDualSetSelector",
    "UniformSelector",
    "adaptive_sampling",
    "as_operand",
    "bss",
    "certify",
    "datasets",
    "dual_set",
    "fsfs",
    "greedy",
    "hybrid_css",
    "information_gain",
    "jolliffe",
    "laplacian_score",
    "leverage",
    "low_rank",
    "mcfs",
    "metrics",
    "norm_sampling",
    "orthogonal_pfs",
    "pca_lrg",
    "pfa",
    "pivoted_qr",
    "random_pivot",
    "randomized_dual_set",
    "select",
    "spec",
    "strong_rrqr",
    "supervised_dual_set",
    "uniform",
]
