"""One short file for each method or close family: the function and its estimator."""

from .greedy import GreedySelector, greedy
from .pivoted_qr import PivotedQRSelector, pivoted_qr
from .random_pivot import RandomPivotSelector, random_pivot
from .rows import RowSelector
from .uniform import UniformSelector, uniform

__all__ = [
    "GreedySelector",
    "PivotedQRSelector",
    "RandomPivotSelector",
    "RowSelector",
    "UniformSelector",
    "greedy",
    "pivoted_qr",
    "random_pivot",
    "uniform",
]
