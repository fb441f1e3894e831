"""What is measured in a comparison, and how it is shown."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MEASURES", "Measure"]


@dataclass(frozen=True)
class Measure:
    """Something that is measured in every run.

    Attributes
    ----------
    key : str
        What it is called in tables and files.
    title : str
        What it is.
    larger_is_better : bool
        Whether large values are good.
    factor : float
        What values are multiplied by where they are shown.
    digits : int
        How many digits behind the point are shown; −1 for two significant ones.
    panel : str
        What it is in a picture.
    beside : str
        The key of a measure that is shown in brackets behind it, if there is one.
    """

    key: str
    title: str
    panel: str
    larger_is_better: bool = True
    factor: float = 1.0
    digits: int = 2
    beside: str = ""

    @property
    def deviates(self) -> bool:
        """Whether deviations are shown; of time and memory the size alone matters."""
        return self.digits >= 0

    def show(self, value: float) -> str:
        """Return a value as text.

        Examples
        --------
        >>> from colonnade.comparison.measures import MEASURES
        >>> MEASURES["held_out"].show(0.5662), MEASURES["seconds"].show(0.0123)
        ('56.6', '0.012')
        """
        value *= self.factor
        if self.digits >= 0:
            return f"{round(value, self.digits) + 0.0:.{self.digits}f}"  # -0.0 + 0.0 is 0.0
        return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.2g}"


MEASURES = {
    measure.key: measure
    for measure in (
        Measure("held_out", "variance of held-out rows explained, %", "held-out rows explained, %",
                factor=100, digits=1),
        Measure("accuracy", "held-out rows classified right, %",
                "held-out rows classified right, %", factor=100, digits=1),
        Measure("nmi", "k-means of held-out rows: agreement with the label (NMI), %",
                "k-means: NMI, %", factor=100, digits=1),
        Measure("cost", "k-means of held-out rows: objective, over that on all columns",
                "k-means: objective, over that on all columns", larger_is_better=False),
        Measure("stability", "same columns from the other half of the rows (Kuncheva's index)",
                "stability (Kuncheva's index)"),
        Measure("seconds", "time of a choice, s (memory beside the data, MiB)", "time, s",
                larger_is_better=False, digits=-1, beside="memory"),
        Measure("memory", "memory of a choice beside the data, MiB", "memory, MiB",
                larger_is_better=False, factor=2.0**-20, digits=-1),
    )
}  # fmt: skip
"""All measures by their keys, in the order in which they are shown."""
