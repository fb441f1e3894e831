"""The fixture that runs a test on every container."""

from __future__ import annotations

import os

# no screen is needed for pictures
os.environ.setdefault("MPLBACKEND", "Agg")

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


def _frozen(A):
    A = A.copy()
    A.flags.writeable = False
    return A


@pytest.fixture(params=list(CONTAINERS))
def container(request):
    """A function that puts a dense array into one of the containers."""
    return CONTAINERS[request.param]


@pytest.fixture(autouse=True)
def _advice_is_given_again():
    """What is advised once in a process is advised in every test."""
    advice.ADVISED.clear()
