"""HybridCSS: what a draw leaves, by a QR factorization alone."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from oracles import BY_KIND

from colonnade import as_operand, select
from colonnade.linalg.svd import right_singular_vectors
from colonnade.selectors.sampling import hybrid_css


def made(kind, rng):
    A = rng.standard_normal((14, 9)) if kind == "tall" else rng.standard_normal((9, 14))
    if kind == "dependent":
        A[:, 3] = A[:, 1] - 2 * A[:, 0]
    if kind == "nearly dependent":
        A[:, 3] = A[:, 1] + 1e-6 * A[:, 3]
    if kind == "little left":
        A[4:] *= 1e-6
    if kind == "rank 4":
        A = rng.standard_normal((9, 4)) @ rng.standard_normal((4, 14))
    return A


KINDS = ["tall", "wide", "dependent", "nearly dependent", "little left", "rank 4"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("put", ["spectrum", "product", "sparse"])
def test_what_is_left_is_that_of_least_squares(kind, put):
    A = made(kind, np.random.default_rng(0))
    operand = as_operand(sp.csc_array(A) if put == "sparse" else A)
    spectrum = right_singular_vectors(operand) if put == "spectrum" else None
    for chosen in ([0, 1, 3], [5], [2, 7, 0, 8], list(range(8))):
        U, s, _ = np.linalg.svd(A[:, chosen], full_matrices=False)
        U = U[:, s > 1e-13 * s[0]]
        rest = A - U @ (U.T @ A)
        expected = ((rest - U @ (U.T @ rest)) ** 2).sum() / (A**2).sum()
        found = hybrid_css._left(operand, chosen, spectrum)
        assert found == pytest.approx(expected, rel=1e-7, abs=1e-28)


def test_residuals_are_looked_at_where_they_must_be(monkeypatch):
    asked = []
    explicit = hybrid_css.projection_error
    monkeypatch.setattr(
        hybrid_css, "projection_error", lambda *args: asked.append(1) or explicit(*args)
    )
    for kind, times in (("wide", 0), ("dependent", 1), ("little left", 1), ("rank 4", 1)):
        A = as_operand(made(kind, np.random.default_rng(1)))
        hybrid_css._left(A, [0, 1, 3, 5], right_singular_vectors(A))
        assert len(asked) == times, kind
        asked.clear()


@pytest.mark.parametrize("seed", range(4))
def test_one_draw_is_thinned_by_the_rescaled_rows(seed):
    """The best of many draws hides what each was thinned by; leverage is very uneven here."""
    A = np.random.default_rng(seed).standard_normal((25, 60)) * np.geomspace(1.0, 0.05, 60)
    found = select(A, 8, method="hybrid-css", n_repeats=1, random_state=seed)
    assert found.info["n_drawn"] > 8
    assert found.indices.tolist() == BY_KIND["sampling"].hybrid_css(A, 8, seed, n_repeats=1)
