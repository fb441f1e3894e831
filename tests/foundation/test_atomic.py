"""Files that appear whole or not at all: full disks, and processes that are killed."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from colonnade.foundation import atomic as _atomic
from colonnade.io import FileError, Table, atomic, check_target, write

WRITER = """
import sys
from colonnade.io import atomic
with atomic(sys.argv[1]) as file:
    file.write(b"new")
    file.flush()
    print("writing", flush=True)
    sys.stdin.read()
"""


def parts(folder):
    return sorted(path.name for path in folder.iterdir() if path.name.endswith(".part"))


@pytest.fixture
def writer():
    """Start processes that have written half a file and wait for the end of their input."""
    started = []

    def start(path):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        child = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], **pipes)
        started.append(child)
        assert child.stdout.readline() == "writing\n"
        return child

    yield start
    for child in started:
        child.kill()
        child.communicate(timeout=60)


@pytest.fixture(autouse=True)
def _nothing_unfinished(monkeypatch):
    """What other tests of this process have for as long as it lives is not what is asked about."""
    monkeypatch.setattr(_atomic, "_unfinished", set())


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
@pytest.mark.parametrize("name", ["out.csv", "ü" * 120 + ".csv"])
@pytest.mark.slow
def test_what_killed_processes_left_is_removed(tmp_path, writer, name):
    target, other = tmp_path / name, tmp_path / "other.csv"
    target.write_text("old")
    for path in (target, target, other):
        child = writer(path)
        child.send_signal(signal.SIGKILL)
        child.wait(timeout=60)
    left = parts(tmp_path)
    assert len(left) == 2  # the second writer removes what the first one left
    assert target.read_text() == "old"
    write(target, Table(np.eye(2)))
    assert target.read_text().startswith("x0,x1\n")
    (last,) = parts(tmp_path)
    assert last.startswith(".other.csv.")
    write(other, Table(np.eye(2)))
    assert parts(tmp_path) == []


def test_living_writers_are_left_alone(tmp_path, writer):
    target = tmp_path / "out.csv"
    child = writer(target)
    (part,) = parts(tmp_path)
    with atomic(target) as file:
        assert part in parts(tmp_path)
        assert len(parts(tmp_path)) == 2
        file.write(b"ours")
    assert target.read_bytes() == b"ours"
    assert parts(tmp_path) == [part]
    child.communicate("", timeout=60)
    assert child.returncode == 0
    assert target.read_bytes() == b"new"
    assert parts(tmp_path) == []


def test_nothing_else_is_removed(tmp_path):
    target = tmp_path / "out.csv"
    stale = tmp_path / ".out.csv.colonnade-0123abcd.part"
    similar = [
        ".out.csv.0123abcd.part",
        ".out.csv.colonnade-0123abcd",
        ".out.csv.colonnade-mine0000.part",
        ".out_csv.colonnade-0123abcd.part",
        "out.csv.part",
    ]
    for name in [*similar, stale.name, "precious"]:
        (tmp_path / name).write_text("x")
    link = tmp_path / ".out.csv.colonnade-11111111.part"
    link.symlink_to(tmp_path / "precious")
    pipe = tmp_path / ".out.csv.colonnade-22222222.part"
    os.mkfifo(pipe)
    with atomic(target) as file:
        file.write(b"new")
    kept = {path.name for path in tmp_path.iterdir()}
    assert kept == {*similar, "precious", "out.csv", link.name, pipe.name}


def test_a_new_file_that_was_taken_for_a_stale_one(tmp_path, monkeypatch):
    target, lock = tmp_path / "out.csv", _atomic._lock
    names = []

    def late(descriptor):
        (path,) = tmp_path.glob(".*.part")
        names.append(path)
        if len(names) == 1:
            path.unlink()  # as another process does between the file and its lock
        lock(descriptor)

    monkeypatch.setattr(_atomic, "_lock", late)
    with atomic(target) as file:
        file.write(b"new")
    assert target.read_bytes() == b"new"
    assert len(set(names)) == 2


def test_a_complete_file_is_not_stale_before_it_has_its_name(tmp_path, monkeypatch):
    replace = Path.replace

    def meanwhile(self, target):
        _atomic._remove_stale(target)  # as another process does
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", meanwhile)
    with atomic(tmp_path / "out.csv") as file:
        file.write(b"new")
    assert (tmp_path / "out.csv").read_bytes() == b"new"


def test_a_process_that_ends_at_once(tmp_path):
    with pytest.raises(FileNotFoundError), atomic(tmp_path / "out.csv"):  # noqa: PT012
        assert len(parts(tmp_path)) == 1
        _atomic.remove_unfinished()
        assert parts(tmp_path) == []
    assert _atomic._unfinished == set()


@pytest.mark.parametrize("error", [
    OSError(errno.ENOSPC, "No space left on device"),
    OSError("12 requested and 0 written"),
])  # fmt: skip
def test_errors_name_the_file(tmp_path, error):
    target = tmp_path / "out.csv"
    with pytest.raises(OSError, match=r"No space left|requested") as caught, atomic(target):
        raise error
    assert caught.value.filename == str(target)
    assert (caught.value.errno, caught.value.strerror) == (
        error.errno or errno.EIO,
        error.strerror or str(error),
    )
    assert list(tmp_path.iterdir()) == []


def test_errors_about_other_files_stay(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, atomic(tmp_path / "out.csv"):
        raise FileNotFoundError(errno.ENOENT, "No such file", "font.ttf")
    assert caught.value.filename == "font.ttf"


def test_targets_that_cannot_be_written(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(FileError, match="no plain file but a device or a pipe"):
        check_target(tmp_path / "pipe.csv")
    with pytest.raises(FileError, match=r"n\.csv: this cannot be written \(File name too long\)"):
        check_target(tmp_path / ("n" * 300 + ".csv"))


# --- folders ------------------------------------------------------------------------------------


def test_a_folder_takes_its_place_when_it_is_complete(tmp_path):
    target = tmp_path / "blocks"
    with _atomic.atomic_folder(target) as folder:
        (folder / "a").write_text("1")
        assert not target.exists()
    with _atomic.atomic_folder(target) as folder:
        (folder / "b").write_text("2")
        assert [path.name for path in target.iterdir()] == ["a"]
    assert [path.name for path in target.iterdir()] == ["b"]
    assert [path.name for path in tmp_path.iterdir()] == ["blocks"]
    assert not _atomic._unfinished


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_folder_that_failed_is_removed(tmp_path, error):
    target = tmp_path / "blocks"
    target.mkdir()
    (target / "old").write_text("1")
    with pytest.raises(error), _atomic.atomic_folder(target) as folder:  # noqa: PT012
        (folder / "a").write_text("1")
        raise error
    assert [path.name for path in target.iterdir()] == ["old"]
    assert [path.name for path in tmp_path.iterdir()] == ["blocks"]
    assert not _atomic._unfinished


def test_a_folder_of_a_process_that_is_ended_is_removed(tmp_path):
    with _atomic.atomic_folder(tmp_path / "blocks") as folder:
        (folder / "a").write_text("1")
        _atomic.remove_unfinished()
        assert [*tmp_path.iterdir()] == []
        folder.mkdir()


@pytest.mark.skipif(not _atomic.LOCKS, reason="this system has no locks")
def test_folders_that_killed_processes_left_are_removed(tmp_path):
    left = tmp_path / ".blocks.colonnade-0123abcd"
    left.mkdir()
    (left / "a").write_text("1")
    lock = left.with_name(f"{left.name}.part")
    lock.touch()
    with open(lock, "rb") as file:  # its writer lives
        _atomic._lock(file.fileno())
        with _atomic.atomic_folder(tmp_path / "blocks"):
            pass
        assert left.exists()
    with _atomic.atomic_folder(tmp_path / "blocks"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["blocks"]
