"""The data sets that experiments take: which are there, and where the others can be had."""

from __future__ import annotations

from collections.abc import Iterable

from .. import datasets
from ..datasets.library import FOLDER

__all__ = ["WHERE", "DataMissingError", "available", "missing_sentence"]

_CAI = "Deng Cai's collection of data for dimensionality reduction (MAT files)"
_FEATURES = "the data of scikit-feature (jundongl/scikit-feature)"
_CLUTO = "the collections of the CLUTO toolkit (TREC)"
WHERE = {
    "orl_64x64": f"{_CAI}, ORL_64x64.mat",
    "orl_32x32": f"{_CAI}, ORL_32x32.mat",
    "coil20": f"{_CAI}, COIL20.mat",
    "isolet": f"{_CAI}, Isolet1.mat, or {_FEATURES}",
    "usps": f"{_CAI}, USPS.mat, or zip.train and zip.test of Elements of Statistical Learning",
    "tdt2": f"{_CAI}, TDT2.mat (the 30 largest categories)",
    "20news": f"{_CAI}, 20NewsHome.mat, or the text 20news-bydate",
    "20news_full": f"{_CAI}, 20NewsHome.mat, or the text 20news-bydate",
    "reuters21578": f"{_CAI}, Reuters21578.mat; with trainIdx - 1 as train_idx",
    "mnist_2k2k": f"{_CAI}, 2k2k.mat, or the first 2000 images of MNIST's two parts",
    "mnist": f"{_CAI}, or the files of MNIST, training images first",
    "pie_68": "the CMU PIE faces of 68 persons, 11554 images of 64 × 64 pixels",
    "pie_pose27": f"{_CAI}, PIE_pose27.mat",
    "pie_20": f"{_CAI}, PIE_32x32.mat, the first 20 persons (3400 images)",
    "yaleb_32x32": f"{_CAI}, YaleB_32x32.mat",
    "reviews": f"{_CLUTO}, reviews",
    "la1": f"{_CLUTO}, la1",
    "nips_184x6314": "papers of NIPS 2001 to 2003 in three of its sections as counts of terms, "
    "once at robotics.stanford.edu/~gal; terms as names of the columns",
    "sarcoma_stt": "the R package rCUR (STTm, STTa), or Nielsen et al. (2002)",
}
"""Where data sets of the documents come from."""


class DataMissingError(Exception):
    """None of the data of an experiment is there.

    Attributes
    ----------
    names : tuple of str
        The data sets.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(names)
        super().__init__(missing_sentence(self.names))


def available(names: Iterable[str]) -> dict[str, bool]:
    """Return which data sets can be loaded now."""
    known = set(datasets.names())
    return {name: name in known for name in dict.fromkeys(names)}


def missing_sentence(names: Iterable[str]) -> str:
    """Return which data sets are missing and where to get them, in a sentence.

    Examples
    --------
    >>> from colonnade.reproduction.wanted_data import missing_sentence
    >>> print(missing_sentence(["la1"]))
    missing data: la1 (the collections of the CLUTO toolkit (TREC), la1); save X and y of each as \
NAME.npz in a folder and name it in the environment variable COLONNADE_DATA
    """
    told = "; ".join(f"{name} ({WHERE.get(name, 'made by the experiment')})" for name in names)
    return (
        f"missing data: {told}; save X and y of each as NAME.npz in a folder and name it in the "
        f"environment variable {FOLDER}"
    )
