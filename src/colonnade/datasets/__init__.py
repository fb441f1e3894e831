"""Data sets by name: scikit-learn's own, a folder of files, and made ones with a known answer.

``load(name)`` looks among the generators, then among the sets that come with scikit-learn, then
among the ``.npz`` files in the folder that the environment variable ``COLONNADE_DATA`` names. Such
a file holds a dense ``X``, or the members that ``scipy.sparse.save_npz`` writes. It may also hold
``y``, names of the columns (as ``columns``, ``feature_names``, ``terms`` or ``genes``) and
``classnames`` (names of the sorted values of ``y``). Pickles are refused.
"""

from .dataset import Dataset
from .library import describe, load, names
from .plant import make_plant_table

__all__ = ["Dataset", "describe", "load", "make_plant_table", "names"]
