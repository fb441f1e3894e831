"""One short file for each method or close family: the function and its estimator."""

from .factors.fsfs import FSFSSelector, fsfs
from .factors.jolliffe import JolliffeSelector, jolliffe
from .factors.orthogonal_pfs import OrthogonalPFSSelector, orthogonal_pfs
from .factors.pca_lrg import PCALoadingSelector, pca_lrg
from .factors.pfa import PFASelector, pfa
from .graph.laplacian_score import LaplacianScoreSelector, laplacian_score
from .graph.mcfs import MCFSSelector, mcfs
from .graph.spec import SPECSelector, spec
from .greedy.greedy import GreedySelector, greedy
from .labels.information_gain import InformationGainSelector, information_gain
from .pivoted.pivoted_qr import PivotedQRSelector, pivoted_qr
from .pivoted.random_pivot import RandomPivotSelector, random_pivot
from .pivoted.strong_rrqr import StrongRRQRSelector, strong_rrqr
from .rows import RowSelector
from .sampling.adaptive import AdaptiveSelector, adaptive_sampling
from .sampling.hybrid_css import HybridCSSSelector, hybrid_css
from .sampling.leverage import LeverageSelector, leverage
from .sampling.norms import NormSelector, norm_sampling
from .sampling.uniform import UniformSelector, uniform
from .sparsifiers.bss import BSSSelector, bss
from .sparsifiers.dual_set import (
    DualSetSelector,
    RandomizedDualSetSelector,
    dual_set,
    randomized_dual_set,
)
from .sparsifiers.supervised_dual_set import SupervisedDualSetSelector, supervised_dual_set

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
