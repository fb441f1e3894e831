"""What the command line shows of a selection: a table and a sentence."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..certificates import Certificate
from ..io.formats import Table
from ..operands.containers import times_columns
from ..operands.interface import Operand
from ..registry import Method
from ..selection import Selection
from .beside import Beside, beside, told
from .progress import explained_percent, percent
from .screen import grid
from .treatment import Treated

if TYPE_CHECKING:
    from rich.table import Table as RichTable

__all__ = ["Answer", "selection_table"]


@dataclass(frozen=True)
class Answer:
    """A selection with all that is needed to speak about it; ``A`` is what the method saw."""

    source: str
    table: Table
    selection: Selection
    method: Method
    rows: bool
    treated: Treated
    A: Operand
    max_error: float | None = None
    rescale: bool = True
    compared: Beside | None = None
    certificate: Certificate | None = None

    @property
    def unit(self) -> str:
        """What was chosen."""
        return "row" if self.rows else "column"

    @property
    def names(self) -> list[str]:
        """The names of the chosen, in the order of choice."""
        if not self.rows:
            known: Any = self.table.names
        elif self.table.row_names is not None:
            known = self.table.row_names
        else:
            known = range(self.selection.n_candidates)
        return [str(known[i]) for i in self.selection.indices]

    @property
    def labels(self) -> list[Any] | None:
        """The labels of the chosen rows, as JSON can hold them: None if a number is missing."""
        if not self.rows or self.table.labels is None:
            return None
        labels = self.table.labels[self.selection.indices].tolist()
        return [None if x != x else str(x) if x in (np.inf, -np.inf) else x for x in labels]

    @property
    def reduced(self) -> Table:
        """The chosen part of the data, in the order of the file, times the weights."""
        order = np.argsort(self.selection.indices)
        chosen = self.selection.indices[order].tolist()
        table = self.table.take(**{"rows" if self.rows else "columns": chosen})
        weights = self.selection.factors  # in the units of the file
        if weights is None or not self.rescale:
            return table
        X = table.X.T if self.rows else table.X
        X = times_columns(X, weights[order])
        return dataclasses.replace(table, X=X.T if self.rows else X)

    def lost(self) -> float:
        """Return the relative error that is left, computed from the data if it is not known."""
        errors = self.selection.relative_errors
        if errors is not None:
            return float(errors[-1]) if len(errors) else 1.0
        from ..metrics.reconstruction import error_of

        return error_of(self.A, self.selection.indices)

    def to_dict(self, *, whole: bool = False) -> dict[str, Any]:
        """Return what JSON is to hold; whole, it has the coefficients. from_dict reads it."""
        errors = self.selection.relative_errors
        kept = self.selection if whole and not self.rows else self.selection.replace(embedding=None)
        return {
            **kept.to_dict(embedding=False),
            "source": self.source,
            "of": f"{self.unit}s",
            "method": self.selection.info.get("method", self.method.name),
            "names": self.names,
            "labels": self.labels,
            "relative_errors": None if errors is None else errors.tolist(),
            "relative_error": self.lost(),
            "explained": 1.0 - self.lost(),
            **({} if self.compared is None else self.compared.to_dict()),
            "data": self.treated.to_dict(),
            **({} if self.certificate is None else {"certificate": self.certificate.to_dict()}),
        }

    def beside_others(self, seed: int) -> Answer:
        """Return the answer with what to compare it with."""
        if self.of_target or self.selection.info.get("errors_of") == "target":
            return self
        size = self.selection.info.get("size")
        if size is not None:  # say what its table says
            found = told(size, self.A)
        else:
            candidates = None if self.rows else self.treated.preparation.varying
            found = beside(self.A, len(self.selection), candidates, seed)
        return dataclasses.replace(self, compared=found)

    def certificate_lines(self) -> list[str]:
        """Return the certificate as lines of text, after an empty one."""
        return [] if self.certificate is None else ["", *str(self.certificate).splitlines()]

    @property
    def of_target(self) -> bool:
        """Whether a target is explained, and not the data."""
        return self.method.supervised == "target"

    def sentence(self) -> str:
        """Return a sentence on how much is explained, beside what could be."""
        count, lost, n = len(self.selection), self.lost(), self.selection.n_candidates
        whole = f"of all {n}" if n > 1 else "of the data"
        if self.of_target:
            whole = f"of the target {self.table.label_name!r}"
        unit = self.unit if n == 1 else f"{self.unit}s"
        explain = "explains" if count == 1 else "explain"
        text = (
            f"{count} of {n} {unit} {explain} {explained_percent(1 - lost)} % of the "
            f"{self.treated.quantity} {whole}"
        )
        if self.max_error is not None and lost > self.max_error:
            text += (
                f"; {percent(lost)} % is lost, more than the {percent(self.max_error)} % allowed"
            )
        return text + self._beside() + "."

    def stands_for_lines(self) -> list[str]:
        """Return a line on how near all are to those that stand for them, if any do."""
        info = self.selection.info
        if "stands_for" not in info:
            return []
        words = self.method.selector.objective_words  # type: ignore[attr-defined]
        ours, random = info["objective"], info["objective_of_random"]
        text = f"The {words} is {ours:.4g}"
        if random > 0:
            text += f", {100 * ours / random:.0f} % of that of random {self.unit}s"
        return [text + "."]

    def _beside(self) -> str:
        """Return what could have been explained, and what random choice would explain."""
        other, count = self.compared, len(self.selection)
        if other is None:
            return ""
        directions = "no direction" if count == 1 else f"no {count} directions"
        best = f"; {directions} could explain more than {explained_percent(other.bound)} %"
        if not other.exact:
            directions = "the best direction" if count == 1 else f"the best {count} directions"
            best = f"; {directions} would explain about {explained_percent(other.bound)} %"
        if other.random is None:
            return best
        unit = self.unit if count == 1 else f"{self.unit}s"
        explain = "explains" if count == 1 else "explain"
        return f"{best}; {count} random {unit} {explain} {explained_percent(other.random)} %"


def selection_table(answer: Answer) -> RichTable:
    """Return the choices, one in a line."""
    selection, errors = answer.selection, answer.selection.relative_errors
    columns: dict[str, list[Any]] = {"choice": list(range(1, len(selection) + 1))}
    if not answer.rows or answer.table.row_names is not None:
        columns[answer.unit] = answer.names
    columns["index"] = selection.indices.tolist()
    if answer.labels is not None:
        columns[answer.table.label_name] = [
            "" if label is None else label for label in answer.labels
        ]
    if selection.weights is not None:
        columns["weight"] = [f"{weight:.4g}" for weight in selection.weights]
    if "stands_for" in selection.info:
        columns["stands for"] = [f"{count:.6g}" for count in selection.info["stands_for"]]
    if errors is not None:
        columns["explained, %"] = [explained_percent(1 - error) for error in errors]
        columns["left, %"] = [percent(error) for error in errors]
    return grid([*columns], zip(*columns.values(), strict=True), left=[answer.unit])
