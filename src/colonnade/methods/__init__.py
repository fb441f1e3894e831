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
from .leverage import LeverageSelector, leverage
from .norms import NormSelector, norm_sampling
from .pca_lrg import PCALoadingSelector, pca_lrg
from .pfa import PFASelector, pfa
from .pivoted_qr import PivotedQRSelector, pivoted_qr
from .random_pivot import RandomPivotSelector, random_pivot
from .rows import RowSelector
from .strong_rrqr import StrongRRQRSelector, strong_rrqr
from .laplacian import LaplacianScoreSelector, laplacian_score
from .mcfs import MCFSSelector, mcfs
from .pivoted_qr import PivotedQRSelector, pivoted_qr
from .random_pivot import RandomPivotSelector, random_pivot
from .rows import RowSelector
from .spec import SPECSelector, spec
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
    "LeverageSelector",
    "NormSelector",
    "OrthogonalPFSSelector",
    "PCALoadingSelector",
    "PFASelector",
    "LaplacianScoreSelector",
    "MCFSSelector",
    "PivotedQRSelector",
    "RandomPivotSelector",
    "RandomizedDualSetSelector",
    "RowSelector",
    "StrongRRQRSelector",
    "SPECSelector",
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
    "leverage",
    "norm_sampling",
    "orthogonal_pfs",
    "pca_lrg",
    "pfa",
    "pivoted_qr",
    "random_pivot",
    "randomized_dual_set",
    "strong_rrqr",
    "laplacian_score",
    "mcfs",
    "pivoted_qr",
    "random_pivot",
    "randomized_dual_set",
    "spec",
    "supervised_dual_set",
    "uniform",
]
