"""Who does the work on a file in parts: threads, processes, or a cluster that runs elsewhere."""

from __future__ import annotations

import logging
import multiprocessing
import os
import shutil
import socket
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any

from ..operands.chunked.engine import on_threads, scratch_in
from .ending import cleanups
from .errors import InputError
from .screen import note

__all__ = ["working"]

PATIENCE = 10
"""For how many seconds a scheduler may be silent, or without workers."""
BESIDE = 2**30
"""What a process takes beside the data, at most: Python and its packages."""


@contextmanager
def working(who: str, count: int, memory: int | None) -> Iterator[None]:
    """Run tasks on some workers, which are gone in the end, whatever ends the work.

    Parameters
    ----------
    who : str
        "threads", "processes", or the address of a scheduler.
    count : int
        How many threads or processes.
    memory : int or None
        What all of them together may take, in bytes.
    """
    if who == "threads":
        with on_threads(count):
            yield
        return
    try:
        import distributed  # noqa: F401
    except ModuleNotFoundError as error:
        raise InputError(
            f"--scheduler {who} needs dask.distributed; install it with pip install "
            '"colonnade[dask]"'
        ) from error
    # what goes wrong is said once, in the end
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    made = _processes(count, memory) if who == "processes" else _connected(who)
    with made as client:
        _tell_dashboard(client)
        yield


@contextmanager
def _processes(count: int, memory: int | None) -> Iterator[Any]:
    """Start worker processes and end them."""
    from distributed import Client, LocalCluster

    _start_tracker()
    folder = tempfile.mkdtemp(prefix="colonnade-")

    def end() -> None:
        for child in multiprocessing.active_children():
            child.kill()  # and no waiting for it: others would be started in its place
        shutil.rmtree(folder, ignore_errors=True)

    cleanups.append(end)
    try:
        with (
            scratch_in(folder),
            LocalCluster(
                n_workers=count,
                threads_per_worker=1,
                processes=True,
                memory_limit="auto" if memory is None else memory // count + BESIDE,
                dashboard_address="127.0.0.1:0",  # any port that is free
            ) as cluster,
            Client(cluster) as client,
        ):
            yield client
    finally:
        cleanups.remove(end)
        end()


def _start_tracker() -> None:
    """Start the process that removes what killed ones leave, without a word about it."""
    before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = "ignore::UserWarning"
    try:
        resource_tracker.ensure_running()
    finally:
        if before is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = before


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """Connect to a scheduler that runs already, and leave it running."""
    from distributed import Client

    try:
        if address.partition("://")[0] in ("tcp", "tls", address):  # Client would try for long
            host, _, port = address.rpartition("/")[2].rpartition(":")
            socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE).close()
        client = Client(address, timeout=f"{PATIENCE} s")
    except (OSError, TimeoutError, ValueError) as error:
        raise InputError(
            f"--scheduler {address}: no scheduler answers there; start one with dask "
            "scheduler, or choose threads or processes"
        ) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError as error:
            raise InputError(
                f"--scheduler {address}: it has no workers; start some with dask worker {address}"
            ) from error
        yield client


def _tell_dashboard(client: Any) -> None:
    """Say where to look at the work, if there is something to see."""
    link = client.dashboard_link
    if not link or not link.startswith("http"):
        return
    try:
        with urllib.request.urlopen(link, timeout=2) as page:
            if b"needs bokeh" in page.read():
                return
    except (OSError, urllib.error.URLError):
        return
    note(f"dashboard: {link}")
