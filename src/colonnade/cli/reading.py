"""Which file a command reads, and how: the options that all commands on files share."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from .. import io
from ..io.formats import Options, Table
from .data import FILLING, about_filled, about_left_out, gap_fills, with_fills
from .errors import InputError
from .input import parse_frequency, spelling, split_names
from .progress import Reporter
from .screen import note

__all__ = ["Reading"]

PANEL = "Reading the file"
"""Under which heading help lists these options."""
BLANKS = {"\t": "tab", " ": "space"}
"""Delimiters that cannot be seen, and what they are called."""


@dataclass(frozen=True)
class Reading:
    """A file and the options of its reader; messages spell these as the user does."""

    label_flag: ClassVar[str] = "--label"

    file: Annotated[
        Path,
        typer.Argument(
            help="CSV, TSV, text (also .gz), Parquet, Feather, Excel, NPY, NPZ, Zarr, HDF5 (.h5), "
            "AnnData (.h5ad), MatrixMarket or svmlight; - is standard input."
        ),
    ]
    label: Annotated[
        str | None,
        typer.Option(
            help="Leave this column out and keep it as the label: a name, or a number from 0 "
            "(-1 is the last). In an NPZ file also the name of an array, in .h5ad obs:NAME.",
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
        typer.Option(
            help="Which array of an NPZ, Zarr or HDF5 file to take.", rich_help_panel=PANEL
        ),
    ] = None

    sheet: Annotated[
        str | None,
        typer.Option(
            help="Which sheet of an Excel file to read: a name, or a number from 0.",
            rich_help_panel=PANEL,
        ),
    ] = None
    layer: Annotated[
        str | None,
        typer.Option(
            help="Which layer of an AnnData file (.h5ad) to take; X by default.",
            rich_help_panel=PANEL,
        ),
    ] = None
    format: Annotated[
        str | None,
        typer.Option(
            help="What the file is, if its extension does not say so: csv, tsv, parquet, ... "
            "Standard input is csv by default.",
            rich_help_panel=PANEL,
        ),
    ] = None
    names: Annotated[
        Path | None,
        typer.Option(
            help="A text file with the names of the columns, one in a line, for formats without "
            "names.",
            rich_help_panel=PANEL,
        ),
    ] = None
    row_names: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Leave this column out and take it as names of the rows.",
            rich_help_panel=PANEL,
        ),
    ] = None
    numeric_only: Annotated[
        bool,
        typer.Option(
            "--numeric-only",
            help="Leave out, and name, all columns that hold text, dates or identifiers.",
            rich_help_panel=PANEL,
        ),
    ] = False
    missing: Annotated[
        str,
        typer.Option(
            metavar="HOW",
            help="What becomes of gaps: error, drop-rows, drop-columns, mean, median, or pairwise "
            "(for [bold]select[/bold]: products of columns from the rows that both have).",
            rich_help_panel=PANEL,
        ),
    ] = "error"
    transform: Annotated[
        str | None,
        typer.Option(
            metavar="HOW",
            help="What to do to counts: log1p, or tfidf as scikit-learn does it.",
            rich_help_panel=PANEL,
        ),
    ] = None
    min_df: Annotated[
        str | None,
        typer.Option(
            help="Leave out columns that are not zero in fewer rows: 5, 0.01 or 1%.",
            rich_help_panel=PANEL,
        ),
    ] = None
    max_df: Annotated[
        str | None,
        typer.Option(
            help="Leave out columns that are not zero in more rows: 500, 0.9 or 90%.",
            rich_help_panel=PANEL,
        ),
    ] = None

    def given(self) -> list[str]:
        """Return the options that differ from their defaults, as they are written in a shell.

        Examples
        --------
        >>> Reading(Path("x.txt"), label="kind", delimiter=" ", header=False).given()
        ['--label kind', '--no-header', '--delimiter space']
        """
        spelled = spelling(self.label_flag)
        out = []
        for option in fields(self):
            value = getattr(self, option.name)
            if option.name == "file" or value == option.default:
                continue
            if option.name == "drop":
                value = tuple(split_names(value))
                if not value:
                    continue
            if option.name == "delimiter":
                value = BLANKS.get(value, value)
            out.append(spelled(option.name, value))
        return out

    def table(self, report: Reporter, wanted: Collection[str] = ()) -> Table:
        """Read the file, and say what was left out; gaps are NaN if a method is to fill them.

        Parameters
        ----------
        report : Reporter
            Told what is going on.
        wanted : collection of str
            Names of columns that are known to be data. If there are any, columns that hold no
            numbers are left out without a word: whoever wants them will miss them.
        """
        report.phase(f"reading {self.file.name}")
        options = Options(
            label=self.label,
            drop=tuple(split_names(self.drop)),
            header=self.header,
            delimiter=self.delimiter,
            key=self.key,
            sheet=self.sheet,
            layer=self.layer,
            format=self.format,
            names=self.names,
            row_names=self.row_names,
            numeric_only=self.numeric_only or bool(wanted),
            missing=self.missing,
            transform=self.transform,
            min_df=parse_frequency("--min-df", self.min_df),
            max_df=parse_frequency("--max-df", self.max_df),
            wanted=frozenset(wanted),
            spelled=spelling(self.label_flag),
        )
        table = io.read_with(self.file, options)
        for sentence in about_left_out(replace(table, left_out={}) if wanted else table):
            note(sentence)
        return table

    def table_with_gaps(self, report: Reporter, wanted: Collection[str] = ()) -> Table:
        """Read the file with NaN for its gaps, unless the user wants rows or columns dropped."""
        bears = self.missing if self.missing != "error" else FILLING[0]
        return replace(self, missing=bears).table(report, wanted)

    def complete_table(self, report: Reporter, wanted: Collection[str] = ()) -> Table:
        """Read the file, and fill what gaps there are."""
        self.check_fillable()
        return self.filled(self.table(report, wanted))

    def filled(self, table: Table) -> Table:
        """Return a table whose gaps are filled if the user wants this, and say how many."""
        if self.missing not in FILLING:
            return table
        fills = gap_fills(table, self.missing)
        if fills is not None:
            note(about_filled(table, self.missing))
        return with_fills(table, fills)

    def check_fillable(self) -> None:
        """Raise InputError for a way to treat gaps that is only for choosing columns."""
        if self.missing == "pairwise":
            raise InputError(
                "--missing pairwise is for choosing columns: for colonnade select, without --rows, "
                "--certify and --covariance; choose mean or median here"
            )

    @property
    def sources(self) -> list[Path]:
        """The files that are read, and must not be overwritten."""
        return [self.file] if self.names is None else [self.file, self.names]
