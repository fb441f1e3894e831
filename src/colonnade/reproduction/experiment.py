"""What an experiment is: runs that can be shared, and what a table or figure reads from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..comparison.ledger import Job, Outcome
from ..comparison.significance import LEVEL
from .findings import Findings

__all__ = ["DOCUMENTS", "SIGNIFICANT", "Experiment", "Study"]

Results = Sequence[tuple[Job, Outcome]]

SIGNIFICANT = 1 - LEVEL
"""A smaller p-value is significant, at the level of the thesis and of the groups in tables."""

DOCUMENTS = {
    "boutsidis-2009": "Boutsidis, Mahoney & Drineas (2009), Unsupervised feature selection for "
    "the k-means clustering problem",
    "boutsidis-2010": "Boutsidis, Zouzias & Drineas (2010), Random projections for k-means "
    "clustering",
    "boutsidis-2013": "Boutsidis & Magdon-Ismail (2013), Deterministic feature selection for "
    "k-means clustering",
    "farahat-2012": "Farahat (2012), Greedy representative selection for unsupervised data "
    "analysis (thesis, University of Waterloo)",
    "paul-2014": "Paul & Drineas (2014), Deterministic feature selection for regularized least "
    "squares classification",
}
"""The documents, by how their experiments are named."""


@dataclass(frozen=True)
class Study:
    """Runs of one kind, of which tables and figures take what they need.

    Attributes
    ----------
    name : str
        The file of the runs.
    run : callable
        Does one job; a function of a module, which other processes import.
    version : int
        To be raised when the function changes what it does, so that old runs are refused.
    """

    name: str
    run: Callable[[Job], Outcome]
    version: int = 1


@dataclass(frozen=True)
class Experiment:
    """A table or a figure of a document.

    Attributes
    ----------
    name : str
        Authors, year, table or figure: ``"farahat-2012-table-4.2"``.
    title : str
        What it shows, in our words.
    study : Study
        Where its runs come from.
    jobs : callable
        Returns the jobs; asked whether a quick run is wanted, which has few of them and small ones.
        Every job has the key ``"data"``, the name of a data set.
    report : callable
        Returns the findings from the outcomes of the jobs whose data is there.
    settings : str
        How it was done, as far as the title does not say.
    minutes : float
        About how long it takes on two cores if no runs are there yet.
    """

    name: str
    title: str
    study: Study
    jobs: Callable[[bool], Sequence[Job]]
    report: Callable[[Results], Findings]
    settings: str
    minutes: float

    @property
    def document(self) -> str:
        """The document that it is from."""
        return DOCUMENTS["-".join(self.name.split("-")[:2])]

    @property
    def place(self) -> str:
        """Where it stands in the document: ``"Table 4.2"``."""
        kind, _, number = self.name.split("-", 2)[2].partition("-")
        return f"{kind.capitalize()} {number}"

    def data(self, quick: bool = False) -> list[str]:
        """Return the names of the data sets that it takes."""
        return list(dict.fromkeys(str(job["data"]) for job in self.jobs(quick)))

    def to_dict(self) -> dict[str, Any]:
        """Return what it is, as JSON has it."""
        about = ("name", "title", "document", "place", "settings", "minutes")
        return {key: getattr(self, key) for key in about}
