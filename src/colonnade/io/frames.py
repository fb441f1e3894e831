"""pandas frames to tables and back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..foundation.typing import Array
from ..operands.containers import dense
from .phrases import counted
from .table import NUMBERS, FileError, Options, Plan, Table, Where, check_values

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["about_text", "from_frame", "import_pandas", "import_parquet", "plain", "to_frame"]


def from_frame(
    path: Path,
    frame: pd.DataFrame,
    plan: Plan,
    options: Options,
    where: Where,
    labels: Array | None,
) -> Table:
    """Return a table of the numbers in a pandas frame; raise FileError if there is more."""
    body = frame if plan.keep is None else frame.iloc[:, plan.keep]
    columns = plan.columns
    if all(isinstance(dtype, np.dtype) and dtype.kind in "fiu" for dtype in body.dtypes):
        X = body.to_numpy()
    else:
        numbers = [_numbers(body.iloc[:, j]) for j in range(body.shape[1])]
        text = [j for j, column in enumerate(numbers) if column is None]
        if text:
            row, value = _first_text(body.iloc[:, text[0]])
            name = columns[text[0]] if columns else f"x{text[0]}"
            raise FileError(
                f"{path}: {about_text(name, value, where(row), len(text) - 1, options)}"
            )
        X = np.column_stack(numbers)  # type: ignore[arg-type]
    check_values(path, X, columns, where, options)
    return Table(X, columns, labels, plan.label_name)


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
    if not pd.api.types.is_numeric_dtype(column.dtype) or kind == "c":
        return None
    if kind == "b":
        return column.to_numpy().astype(np.uint8)
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _first_text(column: pd.Series[Any]) -> tuple[int, str]:
    """Return where the first entry is that is no number, and what it is."""
    pd = import_pandas()
    filled = column.notna().to_numpy()
    wrong = filled & pd.to_numeric(column, errors="coerce").isna().to_numpy()
    row = int((wrong if wrong.any() else filled).argmax())
    return row, str(column.iloc[row])


def about_text(name: str, value: str, where: str, more: int, options: Options) -> str:
    """Return a sentence on the text in a column, and what to do about it."""
    value = value if len(value) <= 40 else value[:37] + "..."
    others = f" (and {counted(more, 'more such column')})" if more else ""
    advice = f"leave it out with {options.spelled('drop', (name,))} or encode it as numbers"
    if options.label is None:
        advice = f"if it is the label, say {options.spelled('label', name)}; if not, {advice}"
    return f"column {name!r} holds text, first {value!r} in {where}{others}; {advice}"


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
            'CSV and Parquet files need pandas; install it with pip install "colonnade[cli]"'
        ) from error
    return pd


def import_parquet() -> Any:
    """Return pyarrow.parquet; raise FileError with how to install it."""
    try:
        import pyarrow.parquet as parquet
    except ModuleNotFoundError as error:
        raise FileError(
            'Parquet files need pyarrow; install it with pip install "colonnade[cli]"'
        ) from error
    return parquet
