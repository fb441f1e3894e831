"""pandas frames to tables and back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..foundation.typing import Array
from ..operands.containers import dense
from .column_kinds import are_dates, nested_kind
from .settling import settle
from .table import NUMBERS, FileError, Options, Plan, Refused, Table, Where

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "from_frame",
    "import_arrow",
    "import_pandas",
    "import_parquet",
    "plain",
    "sorted_out",
    "to_frame",
]


def from_frame(
    path: Path,
    frame: pd.DataFrame,
    plan: Plan,
    options: Options,
    where: Where,
    *,
    labels: Array | None = None,
    row_names: Array | None = None,
) -> Table:
    """Return a table of the numbers in a pandas frame; raise FileError if there is more."""
    body = frame if plan.keep is None else frame.iloc[:, plan.keep]
    columns = plan.columns
    refused: list[Refused] = []
    if all(isinstance(dtype, np.dtype) and dtype.kind in "fiu" for dtype in body.dtypes):
        X = body.to_numpy()
    else:
        names = columns or [f"x{j}" for j in range(body.shape[1])]
        found, refused = sorted_out(body, names)
        X = np.column_stack([*found.values()]) if found else np.zeros((len(body), 0))
        if refused:
            columns = [names[j] for j in found]
    table = Table(X, columns, labels, plan.label_name, row_names)
    return settle(path, table, where, options, refused)


def sorted_out(body: pd.DataFrame, names: Sequence[str]) -> tuple[dict[int, Array], list[Refused]]:
    """Return the columns of a frame that hold numbers, and what is to be said of the others."""
    numbers = {j: _numbers(body.iloc[:, j]) for j in range(body.shape[1])}
    refused = [
        _refused(names[j], body.iloc[:, j]) for j, column in numbers.items() if column is None
    ]
    return {j: column for j, column in numbers.items() if column is not None}, refused


def _numbers(column: pd.Series[Any]) -> Array | None:
    """Return a column as an array, None if it holds anything but numbers and gaps."""
    pd = import_pandas()
    kind = column.dtype.kind if isinstance(column.dtype, np.dtype) else ""
    if kind in ("f", "i", "u"):
        return column.to_numpy()
    if kind == "O":
        numeric = {"decimal", "integer", "floating", "mixed-integer-float", "boolean", "empty"}
        if pd.api.types.infer_dtype(column, skipna=True) not in numeric:
            return None
        return cast(Array, column.astype(float).to_numpy())
    if column.isna().all():  # gaps of any type are gaps
        return np.full(len(column), np.nan)
    if not pd.api.types.is_numeric_dtype(column.dtype) or kind == "c":
        return None
    if kind == "b":
        return column.to_numpy().astype(np.uint8)
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _refused(name: str, column: pd.Series[Any]) -> Refused:
    """Return what a column holds that is no number, and where the first such entry is."""
    pd = import_pandas()
    filled = column.notna().to_numpy()
    row = int(filled.argmax())
    nested = nested_kind(column.iloc[row]) if column.dtype.kind == "O" else ""
    if nested:  # such entries can neither be compared nor read as numbers
        return Refused(name, nested, row, " ".join(str(column.iloc[row]).split()))
    dates = column.dtype.kind in "mM" or pd.api.types.infer_dtype(column, skipna=True) in (
        "date", "datetime", "datetime64", "time", "timedelta", "timedelta64", "period"
    )  # fmt: skip
    if dates:
        return Refused(name, "dates", row, str(column.iloc[row]))
    wrong = filled & pd.to_numeric(column, errors="coerce").isna().to_numpy()
    row = int((wrong if wrong.any() else filled).argmax())
    kind = "dates" if filled.any() and are_dates(column[filled].unique()) else "text"
    distinct = bool(filled.all() and column.is_unique)
    return Refused(name, kind, row, str(column.iloc[row]), distinct)


def plain(column: pd.Series[Any]) -> Array:
    """Return labels or row names as numbers or text, never as objects."""
    values = column.to_numpy()
    if values.dtype.kind in NUMBERS:
        return values
    return np.array(["" if gap else str(v) for v, gap in zip(values, column.isna(), strict=True)])


def to_frame(table: Table) -> pd.DataFrame:
    """Return a pandas frame with the labels as its last column and the row names as index."""
    frame = import_pandas().DataFrame(dense(table.X), columns=table.names, index=table.row_names)
    if table.labels is not None:
        name = table.label_name
        while name in frame.columns:
            name += "_"
        frame[name] = table.labels
    return frame


def import_pandas() -> Any:
    """Return pandas; raise FileError with how to install it."""
    try:
        import pandas as pd
    except ModuleNotFoundError as error:
        raise FileError(
            "CSV, Parquet, Feather and Excel files need pandas; install it with "
            'pip install "colonnade[cli]"'
        ) from error
    return pd


def import_arrow() -> Any:
    """Return pyarrow with its files; raise FileError with how to install it."""
    try:
        import pyarrow
        import pyarrow.feather
        import pyarrow.ipc
    except ModuleNotFoundError as error:
        raise FileError(
            'Feather and Parquet files need pyarrow; install it with pip install "colonnade[cli]"'
        ) from error
    return pyarrow


def import_parquet() -> Any:
    """Return pyarrow.parquet; raise FileError with how to install it."""
    try:
        import pyarrow.parquet as parquet
    except ModuleNotFoundError as error:
        raise FileError(
            'Parquet files need pyarrow; install it with pip install "colonnade[cli]"'
        ) from error
    return parquet
