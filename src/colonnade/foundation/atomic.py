"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import atexit
import errno
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl

    LOCKS = True
except ModuleNotFoundError:  # on Windows, where what a killed process left is left alone
    LOCKS = False

__all__ = [
    "StrPath",
    "atomic",
    "atomic_folder",
    "remove_unfinished",
    "scratch_file",
    "scratch_folder",
]

StrPath = str | os.PathLike[str]

_unfinished: set[Path] = set()
"""The temporary files and folders of this process."""


@contextmanager
def atomic(path: StrPath) -> Iterator[BinaryIO]:
    """Open a file for writing bytes that takes its place only when all went well.

    Parameters
    ----------
    path : str or path
        An existing file keeps its content until the new one is complete and on the disk.

    Yields
    ------
    file
        A temporary file in the same directory, removed if anything fails. What a killed process
        left behind for the same path is removed at the beginning.

    Raises
    ------
    OSError
        If the file cannot be written; it names ``path``.
    """
    target = Path(path).resolve()  # a link stays a link
    temporary = None
    try:
        _remove_stale(target)
        temporary, descriptor = _create(target)
        _unfinished.add(temporary)
        with _locked(descriptor):
            with os.fdopen(descriptor, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
            temporary.replace(target)
    except BaseException as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and _is_of(target, error.filename):
            reason = error.strerror or str(error)
            raise OSError(error.errno or errno.EIO, reason, os.fspath(path)) from error
        raise
    finally:
        _unfinished.discard(temporary or target)


@contextmanager
def atomic_folder(path: StrPath) -> Iterator[Path]:
    """Make a folder that takes its place only when all went well.

    Parameters
    ----------
    path : str or path
        Where to; a folder that is there is replaced in the end.

    Yields
    ------
    Path
        A temporary folder beside it, removed with all that is in it if anything fails. What a
        killed process left behind for the same path is removed at the beginning.
    """
    target = Path(path).resolve()
    _remove_stale(target)
    # the lock is a file beside the folder: it is made before it, and outlives it
    lock, descriptor = _create(target)
    temporary = lock.with_suffix("")
    _unfinished.update((lock, temporary))
    try:
        temporary.mkdir()
        yield temporary
        shutil.rmtree(target, ignore_errors=True)
        temporary.replace(target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        lock.unlink(missing_ok=True)
        os.close(descriptor)
        _unfinished.difference_update((lock, temporary))


@contextmanager
def scratch_file() -> Iterator[tuple[BinaryIO, Path]]:
    """Open a temporary file for writing, which is removed in the end, also if a signal comes.

    Yields
    ------
    file, path
        The file, and where it is.
    """
    import tempfile

    descriptor, name = tempfile.mkstemp(prefix="colonnade-")
    path = Path(name)
    _unfinished.add(path)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file, path
    finally:
        path.unlink(missing_ok=True)
        _unfinished.discard(path)


def scratch_folder() -> Path:
    """Return a new temporary folder, which is removed when the process ends, also by a signal."""
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="colonnade-"))
    _unfinished.add(folder)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def remove_unfinished() -> None:
    """Remove the temporary files and folders of a process that is about to end at once."""
    for path in list(_unfinished):
        with suppress(OSError):  # there is nobody left to tell
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def _create(target: Path) -> tuple[Path, int]:
    """Return a new file beside the target, open and locked."""
    # os.open, unlike tempfile, gives the permissions that any new file of the user gets
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        temporary = target.with_name(f"{_prefix(target)}{secrets.token_hex(4)}.part")
        descriptor = os.open(temporary, flags, 0o666)
        _lock(descriptor)
        if temporary.exists():  # nobody took it for a stale one before it was locked
            return temporary, descriptor
        os.close(descriptor)


def _prefix(target: Path) -> str:
    """Return how temporary files of a target begin: short, as names may not have 256 bytes."""
    return f".{os.fsencode(target.name)[:100].decode(errors='ignore')}.colonnade-"


def _is_of(target: Path, name: object) -> bool:
    """Whether an error is about a target, or about its temporary file, which nobody knows."""
    return name is None or (
        isinstance(name, str) and os.path.basename(name).startswith(_prefix(target))
    )


def _lock(descriptor: int) -> None:
    """Take a lock, which lasts until the file is closed or the process ends in whatever way."""
    if LOCKS:
        with suppress(OSError):  # a disk without locks: nobody can lock, so nobody will remove
            fcntl.flock(descriptor, fcntl.LOCK_EX)


@contextmanager
def _locked(descriptor: int) -> Iterator[None]:
    """Keep the lock of a file that is closed before it gets its name."""
    if not LOCKS:
        yield
        return
    copy = os.dup(descriptor)
    try:
        yield
    finally:
        os.close(copy)


def _remove_stale(target: Path) -> None:
    """Remove temporary files of the same target whose writers are dead."""
    if not LOCKS:
        return
    ours = re.compile(re.escape(_prefix(target)) + r"[0-9a-f]{8}\.part")
    with suppress(OSError), os.scandir(target.parent) as entries:  # not every folder can be listed
        for entry in entries:
            if ours.fullmatch(entry.name):
                _remove_unlocked(entry.path)


def _remove_unlocked(path: str) -> None:
    # no link is followed, and nothing is waited for, should it be a pipe
    with suppress(OSError):  # it is gone, belongs to somebody else, or is locked: its writer lives
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            about = os.fstat(descriptor)
            if stat.S_ISREG(about.st_mode) and about.st_uid == os.geteuid():
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path.removesuffix(".part"), ignore_errors=True)  # of atomic_folder
                os.unlink(path)
        finally:
            os.close(descriptor)
