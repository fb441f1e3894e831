"""Whatever goes wrong within a file becomes one line about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .kinds import FileError

__all__ = ["reading"]


@contextmanager
def reading(path: Path, form: str) -> Iterator[None]:
    """Raise FileError for a file that cannot be read, or not to the end."""
    try:
        yield
    except (FileError, MemoryError):
        raise
    except PermissionError as error:
        raise FileError(f"{path}: no permission to read this file") from error
    except UnicodeDecodeError as error:
        name = error.encoding.upper()
        hint = ", for example with iconv -f latin1 -t utf-8" if name == "UTF-8" else ""
        raise FileError(
            f"{path}: this is not {name} text; check the extension, or convert it first{hint}"
        ) from error
    except Exception as error:  # a broken file makes a parser raise nearly anything
        detail = " ".join(str(error).split())[:200] or type(error).__name__
        raise FileError(f"{path}: this is not a complete {form} file: {detail}") from error
