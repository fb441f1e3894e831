"""The fixture that runs a test on every container."""

from __future__ import annotations

import os

# no screen is needed for pictures
os.environ.setdefault("MPLBACKEND", "Agg")

# on a new machine it lists all fonts and keeps the list; a command of a test that does so speaks of
# it, and cannot keep it where the test lets the disk be full
import matplotlib.font_manager  # noqa: F401
import numpy as np
import pytest
import scipy.sparse as sp

from colonnade.operands import advice

CONTAINERS = {
    "C order": np.ascontiguousarray,
    "F order": np.asfortranarray,
    "strided": lambda A: np.repeat(np.repeat(A, 2, axis=0), 2, axis=1)[::2, ::2],
    "read-only": lambda A: _frozen(A),
    "list": lambda A: A.tolist(),
    "CSR": sp.csr_array,
    "CSC": sp.csc_array,
    "CSR matrix": sp.csr_matrix,
    "COO": sp.coo_array,
}


CHUNKS = {
    "dask by rows": lambda A: _chunks(A, (-(-A.shape[0] // 3), A.shape[1])),
    "dask by columns": lambda A: _chunks(A, (A.shape[0], -(-A.shape[1] // 3))),
    "dask by blocks": lambda A: _chunks(A, (-(-A.shape[0] // 4), -(-A.shape[1] // 3))),
    "dask of CSR": lambda A: _chunks(A, (-(-A.shape[0] // 3), -(-A.shape[1] // 2)), sp.csr_array),
    "dask of unknown rows": lambda A: _uncounted(_chunks(A, (-(-A.shape[0] // 3), A.shape[1]))),
}


def _chunks(A, shape, kind=None):
    import dask.array as da

    blocks = da.from_array(A, chunks=shape)
    return blocks if kind is None else blocks.map_blocks(kind, dtype=A.dtype, meta=kind((0, 0)))


def _uncounted(blocks):
    blocks._chunks = (tuple(np.nan for _ in blocks.chunks[0]), blocks.chunks[1])
    return blocks


def _frozen(A):
    A = A.copy()
    A.flags.writeable = False
    return A


@pytest.fixture(params=list(CONTAINERS))
def container(request):
    """A function that puts a dense array into one of the containers."""
    return CONTAINERS[request.param]


@pytest.fixture(params=list(CHUNKS))
def dask_container(request):
    """A function that puts a dense array into chunks."""
    pytest.importorskip("dask.array", reason="dask is not installed: pip install colonnade[dask]")
    return CHUNKS[request.param]


@pytest.fixture
def counted_blocks():
    """A function that makes a dask array of which every block that is computed is counted."""
    da = pytest.importorskip(
        "dask.array", reason="dask is not installed: pip install colonnade[dask]"
    )
    read = []

    def made(A, shape):
        def block(part, block_info=None):
            if block_info:  # dask calls it without, for the type alone
                read.append(block_info[0]["chunk-location"])
            return part

        blocks = da.from_array(A, chunks=shape)
        return blocks.map_blocks(block, dtype=A.dtype, meta=np.empty((0, 0), A.dtype)), read

    return made


@pytest.fixture(autouse=True)
def _advice_is_given_again():
    """What is advised once in a process is advised in every test."""
    advice.ADVISED.clear()
