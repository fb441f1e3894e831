"""Every reported figure, recomputed from the data and the answer alone."""

from .kernel_features import kernel_accuracy
from .partition_measures import (
    entropy,
    f_measure,
    kmeans_objective,
    matched_accuracy,
    nmi,
    normalized_objective,
    overall_similarity,
    partition_index,
    purity,
    separation_index,
)
from .reconstruction import best_rank_error, reconstruction_error, relative_accuracy

__all__ = [
    "best_rank_error",
    "entropy",
    "f_measure",
    "kernel_accuracy",
    "kmeans_objective",
    "matched_accuracy",
    "nmi",
    "normalized_objective",
    "overall_similarity",
    "partition_index",
    "purity",
    "reconstruction_error",
    "relative_accuracy",
    "separation_index",
]
