"""Projections to few dimensions: random ones, and the singular value decomposition.

They are what selections of actual columns compete with. See :func:`dimension` for how many
dimensions k clusters need.
"""

from .gaussian import GaussianProjection
from .hadamard import HadamardProjection
from .rules import dimension
from .signs import SignProjection
from .sparse_signs import SparseSignProjection
from .svd import SVDProjection

__all__ = [
    "GaussianProjection",
    "HadamardProjection",
    "SVDProjection",
    "SignProjection",
    "SparseSignProjection",
    "dimension",
]
