"""Choose the columns that hold your data up.

colonnade picks a few actual features, or representative rows, out of a large matrix, and says
how much was lost. Start with :func:`select` or :class:`GreedySelector`.
"""

from importlib.metadata import PackageNotFoundError as _PackageNotFoundError
from importlib.metadata import version as _version

from . import datasets, metrics
from .certify import Certificate, certify
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
    LeverageSelector,
    NormSelector,
    OrthogonalPFSSelector,
    PCALoadingSelector,
    PFASelector,
    LaplacianScoreSelector,
    MCFSSelector,
    PivotedQRSelector,
    RandomizedDualSetSelector,
    RandomPivotSelector,
    RowSelector,
    StrongRRQRSelector,
    SPECSelector,
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
    leverage,
    norm_sampling,
    orthogonal_pfs,
    pca_lrg,
    pfa,
    pivoted_qr,
    random_pivot,
    randomized_dual_set,
    strong_rrqr,
    laplacian_score,
    mcfs,
    pivoted_qr,
    random_pivot,
    randomized_dual_set,
    spec,
    supervised_dual_set,
    uniform,
)
from .operand import Operand, as_operand
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
    "FSFSSelector",
    "GreedySelector",
    "HybridCSSSelector",
    "InformationGainSelector",
    "JolliffeSelector",
    "Kernel",
    "LeverageSelector",
    "LaplacianScoreSelector",
    "MCFSSelector",
    "Method",
    "NormSelector",
    "Operand",
    "OrthogonalPFSSelector",
    "PCALoadingSelector",
    "PFASelector",
    "PivotedQRSelector",
    "RandomPivotSelector",
    "RandomizedDualSetSelector",
    "RankReachedWarning",
    "RowSelector",
    "SPECSelector",
    "Selection",
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
    "leverage",
    "laplacian_score",
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
    "strong_rrqr",
    "spec",
    "supervised_dual_set",
    "uniform",
]
