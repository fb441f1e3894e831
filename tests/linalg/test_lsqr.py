"""Damped least squares by products, against the dense formula and SciPy, one pair at a time."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import lsqr as scipy_lsqr

from colonnade.linalg import lsqr as engine
from colonnade.linalg.lsqr import lsqr

ALPHAS = np.array([0.0, 1e-3, 0.5, 30.0, 1e6])
RNG = np.random.default_rng(0)


def duplicated():
    A = RNG.standard_normal((40, 12))
    return np.hstack([A, A[:, :5], 2 * A[:, :3]])


MATRICES = {
    "tall": RNG.standard_normal((80, 11)),
    "square": RNG.standard_normal((30, 30)),
    "wide": RNG.standard_normal((15, 90)),
    "rank three": RNG.standard_normal((40, 3)) @ RNG.standard_normal((3, 30)),
    "graded": RNG.standard_normal((60, 12)) * np.geomspace(1, 1e-3, 12),
    "duplicated": duplicated(),
    "zero columns": np.hstack([np.zeros((20, 4)), RNG.standard_normal((20, 5))]),
    "zero": np.zeros((9, 6)),
    "one column": RNG.standard_normal((25, 1)),
    "one row": RNG.standard_normal((1, 25)),
    "one entry": np.array([[3.0]]),
    "orthogonal": np.linalg.qr(RNG.standard_normal((20, 20)))[0],
    "large": 1e100 * RNG.standard_normal((20, 8)),
    "small": 1e-100 * RNG.standard_normal((20, 8)),
}


def solve(A, Y, alphas=ALPHAS, tol=1e-12, limit=None):
    limit = 10 * min(A.shape) + 100 if limit is None else limit
    size = float(np.linalg.norm(A))
    return lsqr(
        lambda V: A @ V, lambda U: A.T @ U, Y, np.asarray(alphas), size=size, tol=tol, limit=limit
    )


def formula(A, Y, alpha):
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    keep = s > 1e-12 * s.max()
    U, s, Vt = U[:, keep], s[keep], Vt[keep]
    return Vt.T @ ((s / (s**2 + alpha))[:, None] * (U.T @ Y))


def targets(A, k=6):
    """Ones of any size: noise, what the data reaches, nought, orthogonal to it, and a copy."""
    rng = np.random.default_rng(1)
    n, d = A.shape
    Y = np.zeros((n, k))
    Y[:, 0] = rng.standard_normal(n)
    Y[:, 1] = A @ rng.standard_normal(d)
    Y[:, 3] = rng.standard_normal(n)
    Y[:, 3] -= A @ np.linalg.lstsq(A, Y[:, 3], rcond=None)[0]
    Y[:, 4] = 1e8 * rng.standard_normal(n)
    Y[:, 5] = -3 * Y[:, 0]
    return Y


@pytest.mark.parametrize("name", MATRICES)
def test_every_target_and_alpha_is_solved(name):
    A = MATRICES[name]
    Y = targets(A)
    scale = max(np.square(A).sum(), 1e-250)
    alphas = ALPHAS * (scale if name in ("large", "small") else 1.0)
    found = solve(A, Y, alphas)
    assert found.converged.all()
    assert found.coef.shape == (len(alphas), A.shape[1], Y.shape[1])
    for alpha, X in zip(alphas, found.coef, strict=True):
        expected = formula(A, Y, alpha)
        for j in range(Y.shape[1]):
            # a target that is orthogonal to the data has nothing but rounding for an answer
            size = np.linalg.norm(Y[:, j]) / (np.linalg.norm(A) or 1.0)
            error = np.abs(X[:, j] - expected[:, j]).max()
            assert error <= 1e-7 * max(np.abs(expected[:, j]).max(), 1e-2 * size), (alpha, j)
            if name in ("tall", "wide", "rank three") and j < 2:
                theirs = scipy_lsqr(A, Y[:, j], np.sqrt(alpha), 1e-12, 1e-12, 0.0)[0]
                np.testing.assert_allclose(X[:, j], theirs, atol=1e-7 * np.abs(theirs).max())


def test_solutions_of_minimum_norm():
    A = MATRICES["rank three"]
    Y = targets(A)
    found = solve(A, Y, [0.0])
    _, _, Vt = np.linalg.svd(A)
    scale = np.abs(found.coef[0]).max(axis=0)
    assert (np.abs(Vt[3:] @ found.coef[0]).max(axis=0) <= 1e-10 * scale).all()


def test_a_shifted_operator():
    rng = np.random.default_rng(3)
    A = sp.random_array((200, 60), density=0.1, rng=rng, format="csr")
    mean = np.asarray(A.mean(axis=0)).ravel()
    Y = rng.standard_normal((200, 5))
    Y -= Y.mean(axis=0)
    found = lsqr(
        lambda V: A @ V - mean @ V,
        lambda U: A.T @ U - np.multiply.outer(mean, U.sum(axis=0)),
        Y, ALPHAS, size=sp.linalg.norm(A), tol=1e-12, limit=1000,
    )  # fmt: skip
    for alpha, X in zip(ALPHAS, found.coef, strict=True):
        np.testing.assert_allclose(X, formula(A.toarray() - mean, Y, alpha), rtol=1e-6, atol=1e-10)


def test_many_targets_go_in_parts(monkeypatch):
    A = MATRICES["tall"]
    Y = np.random.default_rng(4).standard_normal((80, 75))
    whole = solve(A, Y)
    monkeypatch.setattr(engine, "ROOM", 7 * len(ALPHAS) * A.shape[1])
    parts = solve(A, Y)
    assert parts.steps > whole.steps
    np.testing.assert_allclose(parts.coef, whole.coef, atol=1e-10)
    for found in (whole, parts):
        for alpha, X in zip(ALPHAS, found.coef, strict=True):
            np.testing.assert_allclose(X, formula(A, Y, alpha), atol=1e-10)


@pytest.mark.slow
def test_a_tolerance_is_kept_and_saves_steps():
    """‖Āᵀr‖ ≤ tol ‖Ā‖ ‖r‖ or ‖r‖ ≤ tol (‖y‖ + ‖Ā‖ ‖x‖), from the coefficients themselves."""
    rng = np.random.default_rng(5)
    A = rng.standard_normal((300, 200)) * np.geomspace(1, 1e-2, 200)
    Y = rng.standard_normal((300, 4))
    steps = []
    for tol in (1e-2, 1e-4, 1e-8):
        # alone: one of several may go on after its test was met
        alone = [solve(A, Y[:, [j]], tol=tol) for j in range(4)]
        found = np.concatenate([one.coef for one in alone], axis=2)
        steps.append(alone[0].steps)
        for alpha, X in zip(ALPHAS, found, strict=True):
            longer = np.vstack([A, np.sqrt(alpha) * np.eye(200)])
            R = np.vstack([Y, np.zeros((200, 4))]) - longer @ X
            norm, length = np.linalg.norm(longer, 2), np.linalg.norm(R, axis=0)
            flat = np.linalg.norm(longer.T @ R, axis=0) <= 1.001 * tol * norm * length
            bound = tol * (np.linalg.norm(Y, axis=0) + norm * np.linalg.norm(X, axis=0))
            assert (flat | (length <= 1.001 * bound)).all()
    assert steps == sorted(set(steps))


@pytest.mark.slow
def test_targets_share_one_space():
    """Twenty targets take far fewer steps together than the slowest of them alone."""
    rng = np.random.default_rng(6)
    A = rng.standard_normal((400, 300)) * np.geomspace(1, 1e-3, 300)
    Y = rng.standard_normal((400, 20))
    alone = max(solve(A, Y[:, [j]], [1e-4]).steps for j in range(3))
    assert solve(A, Y, [1e-4]).steps < alone / 5


def test_every_step_is_two_products_with_a_block():
    A = MATRICES["tall"]
    widths = []

    def product(V):
        widths.append(V.shape[1])
        return A @ V

    Y = targets(A)
    found = lsqr(product, lambda U: A.T @ U, Y, ALPHAS, size=np.linalg.norm(A), tol=1e-12, limit=99)
    assert len(widths) == found.steps
    assert max(widths) <= 3  # of six targets one is nought, one orthogonal, one a copy


def test_the_limit_is_kept_and_said():
    A, Y = MATRICES["square"], targets(MATRICES["square"])
    found = solve(A, Y[:, :1], [0.0, 1e9], limit=2)
    assert found.steps == 2
    np.testing.assert_array_equal(found.converged, [[False], [True]])
    assert solve(A, Y, limit=0).steps == 0
    np.testing.assert_array_equal(solve(A, Y, limit=0).coef, 0.0)
