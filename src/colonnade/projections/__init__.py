"""Projections to few dimensions: random ones, and the singular value decomposition.

They are what selections of actual columns compete with. See :func:`dimension` for how many
dimensions k clusters need.
"""

from .dimensions import dimension
from .gaussian import GaussianProjection
from .hadamard import HadamardProjection
from .signs import SignProjection
from .singular_vectors import SVDProjection
from .sparse_signs import SparseSignProjection

__all__ = [
    "GaussianProjection",
    "HadamardProjection",
    "SVDProjection",
    "SignProjection",
    "SparseSignProjection",
    "dimension",
]
