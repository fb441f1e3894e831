"""From the words of the command line to projections and reducers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..cluster.reduced import EXTRA_DIMENSIONS
from ..foundation.documentation import in_order
from ..io.formats import Table
from ..registry import Method
from .data import check_limit, target_of
from .errors import InputError
from .input import find_method, no_such, parse_params, parse_size, parse_values
from .treatment import ADJUST

__all__ = [
    "PROJECTION_NAMES",
    "Reduction",
    "check_projection",
    "n_directions",
    "projection_class",
    "projection_values",
]

PROJECTIONS = {
    "sign": "SignProjection",
    "gaussian": "GaussianProjection",
    "sparse-sign": "SparseSignProjection",
    "hadamard": "HadamardProjection",
    "svd": "SVDProjection",
}
"""What the projections are called on the command line."""
PROJECTION_NAMES = ", ".join(PROJECTIONS)

FLAGS = {"n_components": "-n", **ADJUST}
"""Parameters of projections that have an option of their own."""
FINDING = ("eps", "n_clusters")
"""Parameters from which a projection finds its size."""
SIZING = {"fsfs": "n_neighbors"}
"""Parameters, in addition to max_error, from which the number of columns follows."""


def check_projection(name: str) -> None:
    """Raise InputError, with the projections that there are, if this is none."""
    if name not in PROJECTIONS:
        raise no_such("projection", name, PROJECTIONS)


def projection_class(name: str) -> type[Any]:
    """Return the class of a projection."""
    import colonnade

    made: type[Any] = getattr(colonnade, PROJECTIONS[name])
    return made


def projection_values(
    name: str, given: list[str] | None, size: int | float | str | None, flags: Mapping[str, str]
) -> dict[str, Any]:
    """Return what --param sets for a projection; ``flags`` are options for other parameters."""
    known = in_order(projection_class(name))
    allowed = [parameter for parameter in known if parameter not in flags]
    params = parse_values(f"projection {name!r}", given, allowed, flags=flags)
    idle = [parameter for parameter in (*FINDING, "rule") if parameter in params]
    if size is not None and idle:
        raise InputError(
            f"--param {idle[0]}={params[idle[0]]}: -n gives the number of directions; "
            f"leave {idle[0]} out"
        )
    return params


def n_directions(name: str, size: int | float, table: Table, file: Path) -> int:
    """Return how many directions -n asks for; raise InputError if there are fewer."""
    rows, columns = table.X.shape
    unit, limit = "column", columns
    if name == "svd" and rows < columns:
        unit, limit = "row", rows
    check_limit("-n", size, file, limit, unit)
    return size if isinstance(size, int) else min(limit, max(1, round(size * columns)))


def _made(name: str, center: bool, size: Any, **params: Any) -> Any:
    """Return a projection of centred data, or not."""
    return projection_class(name)(size, **{"center": center, **params})


@dataclass(frozen=True)
class Reduction:
    """How rows are made shorter before they are clustered, as far as the words say.

    Attributes
    ----------
    name : str
        "auto", "none", a projection or a method.
    clusters : int
        How many clusters to make.
    size : int, float or None
        To how many columns or directions.
    params : dict
        Parameters of the projection or method.
    """

    name: str
    clusters: int
    size: int | float | str | None
    params: dict[str, Any]

    @classmethod
    def parse(
        cls, name: str, clusters: int, number: str | None, param: list[str] | None
    ) -> Reduction:
        """Check all that can be checked without the data."""
        from .. import METHODS

        known = ["auto", *PROJECTIONS, "none", *METHODS]
        if name not in known:
            listed = f"auto, {PROJECTION_NAMES}, none and the methods of `colonnade methods`"
            raise no_such("reducer", name, known, listed)
        size = parse_size(number)
        if isinstance(size, str) and name not in METHODS:
            raise InputError(f"-n {size} is for columns; give a number of directions, such as 20")
        if name == "none":
            if size is not None or param:
                raise InputError("--reducer none keeps all columns; leave -n and --param out")
            return cls(name, clusters, None, {})
        if name == "auto":
            params = projection_values("svd", param, size, FLAGS)
            # the default is a shortcut; with more parameters it is the projection itself
            return cls("svd" if size or params else name, clusters, size, params)
        if name in PROJECTIONS:
            params = projection_values(name, param, size, FLAGS)
            if size is None and not params.keys() & set(FINDING):
                raise InputError(
                    f"say with -n to how many directions {name!r} is to go (20 or 10%), or with "
                    f"--param eps=0.5 how exactly {clusters} clusters are to be kept"
                )
            return cls(name, clusters, size, params)
        entry = find_method(name)
        params = parse_params(entry, param, flags=ADJUST)
        sizing = [p for p in ("max_error", SIZING.get(name)) if p in entry.parameters]
        if size is None and not set(sizing) & set(params):
            also = f", or set {' or '.join(sizing)} with --param" if sizing else ""
            raise InputError(
                f"say with -n how many columns {name!r} is to choose (20 or 10%){also}"
            )
        if "n_clusters" in entry.parameters:
            params.setdefault("n_clusters", clusters)
        return cls(name, clusters, size, params)

    @property
    def entry(self) -> Method | None:
        """The method that chooses columns, if one does."""
        return None if self.name in ("auto", "none", *PROJECTIONS) else find_method(self.name)

    def make(self, table: Table, file: Path, center: bool) -> Any:
        """Return the transformer, for centred data or not; None stands for the default one."""
        if self.name == "auto":
            return None
        if self.name == "none":
            from sklearn.preprocessing import FunctionTransformer

            return FunctionTransformer(accept_sparse=True)
        if self.entry is None:
            return self._projection(table, file, center)
        import colonnade

        check_limit("-n", self.size, file, table.X.shape[1], "column")
        # whoever clusters has scaled the data before
        given = {"center": center, "scale": None, **self.entry.preset, **self.params}
        if self.entry.supervised == "target":
            given["target"] = "y"
        return getattr(colonnade, self.entry.estimator)(self.size, **given)

    def _projection(self, table: Table, file: Path, center: bool) -> Any:
        make = partial(_made, self.name, center)
        if self.size is not None:
            assert not isinstance(self.size, str), "rules are for columns"
            return make(n_directions(self.name, self.size, table, file), **self.params)
        if self.params.keys() & set(FINDING):
            return make("auto", **{"n_clusters": self.clusters, **self.params})
        return make(min(self.clusters + EXTRA_DIMENSIONS, *table.X.shape), **self.params)

    def target(self, table: Table) -> Any:
        """Return what a method that needs labels gets."""
        if self.entry is None:
            return None
        kind = "target" if self.params.get("target") == "y" else self.entry.supervised
        return target_of(self.name, kind, table) if kind else None
