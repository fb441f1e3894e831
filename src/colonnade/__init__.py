"""Choose the columns that hold your data up.

colonnade picks a few actual features, or representative rows, out of a large matrix, and says
how much was lost. Start with :func:`select` or :class:`GreedySelector`.
"""

from importlib.metadata import PackageNotFoundError as _PackageNotFoundError
from importlib.metadata import version as _version

from . import datasets, metrics
from .kernel_operand import Kernel
from .lowrank import ColumnApproximation, low_rank
from .methods import (
    GreedySelector,
    PivotedQRSelector,
    RandomPivotSelector,
    RowSelector,
    UniformSelector,
    greedy,
    pivoted_qr,
    random_pivot,
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
    "ColumnApproximation",
    "GreedySelector",
    "Kernel",
    "Method",
    "Operand",
    "PivotedQRSelector",
    "RandomPivotSelector",
    "RankReachedWarning",
    "RowSelector",
    "Selection",
    "UniformSelector",
    "as_operand",
    "datasets",
    "greedy",
    "low_rank",
    "metrics",
    "pivoted_qr",
    "random_pivot",
    "select",
    "uniform",
]
