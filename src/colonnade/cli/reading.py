"""Which file a command reads, and how: the options that all commands on files share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from .. import io
from ..io.formats import Options, Table
from .input import spelling, split_names
from .progress import Reporter

__all__ = ["Reading"]

PANEL = "Reading the file"
"""Under which heading help lists these options."""


@dataclass(frozen=True)
class Reading:
    """A file and the options of its reader; messages spell these as the user does."""

    label_flag: ClassVar[str] = "--label"

    file: Annotated[
        Path,
        typer.Argument(
            help="CSV, TSV, text (also .gz), Parquet, NPY, NPZ, MatrixMarket or svmlight."
        ),
    ]
    label: Annotated[
        str | None,
        typer.Option(
            help="Leave this column out and keep it as the label: a name, or a number from 0 "
            "(-1 is the last). In an NPZ file also the name of an array.",
            rich_help_panel=PANEL,
        ),
    ] = None
    drop: Annotated[
        list[str] | None,
        typer.Option(help="Leave these columns out altogether.", rich_help_panel=PANEL),
    ] = None
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="Whether line 1 of a text file holds names.",
            rich_help_panel=PANEL,
        ),
    ] = None
    delimiter: Annotated[
        str | None,
        typer.Option(
            help="What separates fields; 'tab' and 'space' are known.", rich_help_panel=PANEL
        ),
    ] = None
    key: Annotated[
        str | None,
        typer.Option(help="Which array of an NPZ file to take.", rich_help_panel=PANEL),
    ] = None

    def table(self, report: Reporter) -> Table:
        """Read the file."""
        report.phase(f"reading {self.file.name}")
        names = tuple(split_names(self.drop))
        options = Options(
            self.label, names, self.header, self.delimiter, self.key, spelling(self.label_flag)
        )
        return io.read_with(self.file, options)
