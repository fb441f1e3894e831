"""One short file for each method or close family: the function and its estimator."""

from .adaptive import AdaptiveSelector, adaptive_sampling
from .bss import BSSSelector, bss
from .cui_dy import OrthogonalPFSSelector, orthogonal_pfs
from .dual_set import DualSetSelector, RandomizedDualSetSelector, dual_set, randomized_dual_set
from .fsfs import FSFSSelector, fsfs
from .greedy import GreedySelector, greedy
from .hybrid_css import HybridCSSSelector, hybrid_css
from .information_gain import InformationGainSelector, information_gain
from .jolliffe import JolliffeSelector, jolliffe
from .laplacian import LaplacianScoreSelector, laplacian_score
from .leverage import LeverageSelector, leverage
from .mcfs import MCFSSelector, mcfs
from .norms import NormSelector, norm_sampling
from .pca_lrg import PCALoadingSelector, pca_lrg
from .pfa import PFASelector, pfa
from .pivoted_qr import PivotedQRSelector, pivoted_qr
from .random_pivot import RandomPivotSelector, random_pivot
from .rows import RowSelector
from .spec import SPECSelector, spec
from .strong_rrqr import StrongRRQRSelector, strong_rrqr
from .supervised_dual_set import SupervisedDualSetSelector, supervised_dual_set
from .uniform import UniformSelector, uniform

__all__ = [
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
]
