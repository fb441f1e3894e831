"""Clustering that is fast because it works on few columns, rows or directions."""

from .reduced import ReducedKMeans
from .representative import RepresentativeKMeans
from .spectral import FastSpectralClustering
from .spherical import SphericalKMeans

__all__ = ["FastSpectralClustering", "ReducedKMeans", "RepresentativeKMeans", "SphericalKMeans"]
