"""Reading matrices from files and writing results, whole or not at all."""

# Names are imported when they are first used: what a file name says is known without NumPy.

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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


def __getattr__(name: str) -> "Any":
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(".files", __name__), name)
    return value
