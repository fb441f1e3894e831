"""One slow, obvious reference for every method, written without the library.

Every module here but ``textbook``, which they share, is a kind of methods: it has the name of the
folder in which these are, and

- ``ORACLES``: for each method a function of a dense float64 matrix, how many columns to choose
  and the random state that the method was given. It returns the columns in order or, for
  methods that rescale, the columns and their weights.
- ``PARAMS`` (optional): for each method that needs more than that, a function of the matrix and
  the number of columns that returns the parameters to call the method with.
- ``EXPECTED_LOSS`` (optional): for each method with a bound on the expected share of ‖A‖² that
  is lost, a function of the matrix and the number of columns that returns it.
- ``UNFIT`` (optional): reasons why a method cannot be compared on a matrix, by the pair of their
  names; the comparison is then skipped, and the run prints the reason.
"""

from __future__ import annotations

import importlib
import pkgutil

from .greedy import greedy, greedy_by_definition, group_sums
from .textbook import error, error_path, residual, target_for

__all__ = [
    "BY_KIND",
    "EXPECTED_LOSS",
    "ORACLES",
    "PARAMS",
    "UNFIT",
    "error",
    "error_path",
    "greedy",
    "greedy_by_definition",
    "group_sums",
    "residual",
    "target_for",
]

BY_KIND = {
    module.name: importlib.import_module(f"{__name__}.{module.name}")
    for module in pkgutil.iter_modules(__path__)
    if module.name != "textbook"
}


def _joined(attribute):
    out = {}
    for kind in BY_KIND.values():
        part = getattr(kind, attribute, {})
        assert not set(part) & set(out), f"{attribute} has an entry twice"
        out |= part
    return out


ORACLES = _joined("ORACLES")
PARAMS = _joined("PARAMS")
UNFIT = _joined("UNFIT")
EXPECTED_LOSS = _joined("EXPECTED_LOSS")
