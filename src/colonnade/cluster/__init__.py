"""Clustering that is fast because it works on few columns, rows or directions."""

from .profiles import ClusterProfiles, describe_clusters
from .reduced import ReducedKMeans
from .representative import RepresentativeKMeans
from .spectral import FastSpectralClustering
from .spherical import SphericalKMeans

__all__ = [
    "ClusterProfiles",
    "FastSpectralClustering",
    "ReducedKMeans",
    "RepresentativeKMeans",
    "SphericalKMeans",
    "describe_clusters",
]
