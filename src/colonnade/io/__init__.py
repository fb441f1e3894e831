"""Reading matrices from files and writing results, whole or not at all."""

from .files import (
    FORMATS,
    FileError,
    Format,
    Options,
    Table,
    atomic,
    check_content,
    check_safe_csv,
    check_target,
    open_npz,
    read,
    read_with,
    write,
)

__all__ = [
    "FORMATS",
    "FileError",
    "Format",
    "Options",
    "Table",
    "atomic",
    "check_content",
    "check_safe_csv",
    "check_target",
    "open_npz",
    "read",
    "read_with",
    "write",
]
