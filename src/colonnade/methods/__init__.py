"""One short file for each method or close family: the function and its estimator."""

from .adaptive import AdaptiveSelector, adaptive_sampling
from .bss import BSSSelector, bss
from .dual_set import DualSetSelector, RandomizedDualSetSelector, dual_set, randomized_dual_set
from .greedy import GreedySelector, greedy
from .leverage import LeverageSelector, leverage
from .norms import NormSelector, norm_sampling
from .hybrid_css import HybridCSSSelector, hybrid_css
from .information_gain import InformationGainSelector, information_gain
from .pivoted_qr import PivotedQRSelector, pivoted_qr
from .random_pivot import RandomPivotSelector, random_pivot
from .rows import RowSelector
from .strong_rrqr import StrongRRQRSelector, strong_rrqr
from .supervised_dual_set import SupervisedDualSetSelector, supervised_dual_set
from .uniform import UniformSelector, uniform

__all__ = [
    "AdaptiveSelector",
    "BSSSelector",
    "DualSetSelector",
    "GreedySelector",
    "LeverageSelector",
    "NormSelector",
    "HybridCSSSelector",
    "InformationGainSelector",
    "PivotedQRSelector",
    "RandomPivotSelector",
    "RandomizedDualSetSelector",
    "RowSelector",
    "StrongRRQRSelector",
    "SupervisedDualSetSelector",
    "UniformSelector",
    "adaptive_sampling",
    "bss",
    "dual_set",
    "greedy",
    "leverage",
    "norm_sampling",
    "hybrid_css",
    "information_gain",
    "pivoted_qr",
    "random_pivot",
    "randomized_dual_set",
    "strong_rrqr",
    "supervised_dual_set",
    "uniform",
]
