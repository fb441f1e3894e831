"""Feature selection on a neighbour graph, with dense n × n formulas and loops."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from .textbook import NEAR


def neighbours_for(A):
    return max(1, min(5, len(A) - 1))


def digits(x):
    """Eleven significant digits, so that what is equal but for rounding is equal."""
    return np.array([float(f"{value:.10e}") for value in np.ravel(x)]).reshape(np.shape(x))


def distances(A):
    return np.array([[np.sqrt(((a - b) ** 2).sum()) for b in A] for a in A])


def cosine_graph(A, k, affinity, width=None):
    """The k samples of the largest cosines; weights from the cosines themselves."""
    live = [i for i in range(len(A)) if A[i].any()]
    W = np.zeros((len(A),) * 2)
    cosine = np.array([
        [a @ b / np.sqrt((a @ a) * (b @ b)) if a.any() and b.any() else 0.0 for b in A] for a in A
    ])  # fmt: skip
    squares = np.maximum(2 - 2 * cosine, 0.0)
    near = {i: sorted((round(-cosine[i, j], 11), j) for j in live if j != i)[:k] for i in live}
    sums = {i: sum(np.sqrt(squares[i, j]) for _, j in near[i]) for i in live}
    for i in live:
        for _, j in near[i]:
            W[i, j] = W[j, i] = {
                "binary": lambda i, j: 1.0,
                "cosine": lambda i, j: max(0.0, cosine[i, j]),
                "heat": lambda i, j: np.exp(-squares[i, j] / (2 * width**2)),
                "self-tuning": lambda i, j: np.exp(-squares[i, j] / (2 * sums[i] * sums[j])),
            }[affinity](i, j)
    W[np.less(W, 1e-12)] = 0.0
    return W


def graph(A, k):
    m = len(A)
    D = distances(A)
    near = [sorted((d, j) for j, d in enumerate(digits(D[i])) if j != i)[:k] for i in range(m)]
    sums = [sum(D[i, j] for _, j in near[i]) for i in range(m)]
    W = np.zeros((m, m))
    for i in range(m):
        for _, j in near[i]:
            product = 2 * sums[i] * sums[j]
            if D[i, j] == 0:
                W[i, j] = W[j, i] = 1.0
            elif product > 0:
                W[i, j] = W[j, i] = np.exp(-(D[i, j] ** 2) / product)
    W[np.less(W, np.finfo(float).eps)] = 0.0
    return W, D


def ordered(cost, n_select):
    return np.argsort(digits(cost), kind="stable")[:n_select].tolist()


def is_constant(f):
    return np.ptp(f) <= 1e-12 * np.abs(f).max()


def laplacian_scores(A, W):
    D, one = np.diag(W.sum(axis=1)), np.ones(len(A))
    L = D - W
    scores = np.full(A.shape[1], np.inf)
    for r, f in enumerate(A.T):
        if not is_constant(f):
            f = f - (f @ D @ one) / (one @ D @ one)
            scores[r] = (f @ L @ f) / (f @ D @ f)
    return scores


def normalized_laplacian(W):
    root = np.sqrt(W.sum(axis=1))
    half = np.array([1 / r if r > 0 else 0.0 for r in root])
    return np.diag(W.sum(axis=1) > 0).astype(float) - half[:, None] * W * half


def spec_scores(A, W, style, k=None):
    """By all eigenvectors, as the definitions say."""
    values, vectors = np.linalg.eigh(normalized_laplacian(W))
    root = np.sqrt(W.sum(axis=1))
    scores = np.full(A.shape[1], -np.inf if style == 3 else np.inf)
    for r, f in enumerate(A.T):
        if is_constant(f):
            continue
        f = root * f
        squares = (vectors.T @ (f / np.linalg.norm(f))) ** 2
        if style == 1:
            scores[r] = values @ squares
        elif style == 2:
            scores[r] = values[1:] @ squares[1:] / squares[1:].sum()
        else:
            scores[r] = (2 - values[1:k]) @ squares[1:k]
    return scores


def connect(W, D):
    """Join every component but the largest to the nearest sample outside, until one is left."""
    W, weakest = W.copy(), W[W > 0].min()
    while len(parts := components(W)) > 1:
        largest = max(range(len(parts)), key=lambda c: (len(parts[c]), -c))
        new = []
        for c, part in enumerate(parts):
            if c != largest:
                rest = [j for j in range(len(W)) if j not in part]
                pairs = [(float(f"{D[i, j]:.10e}"), i, j) for i in sorted(part) for j in rest]
                new.append(min(pairs)[1:])
        for i, j in new:
            W[i, j] = W[j, i] = weakest
    return W


def components(W):
    left, found = list(range(len(W))), []
    while left:
        part, todo = set(), [left[0]]
        while todo:
            i = todo.pop()
            part.add(i)
            todo += [j for j in np.flatnonzero(W[i]).tolist() if j not in part]
        found.append(part)
        left = [i for i in left if i not in part]
    return found


def embedding(W, k):
    """The first k nontrivial solutions of L y = λ D y, with yᵀDy = 1."""
    D = np.diag(W.sum(axis=1))
    return eigh(D - W, D)[1][:, 1 : k + 1]


def lasso(X, y, n_nonzero):
    """L1-regularized regression by homotopy, solving for everything afresh in each step."""
    sizes = np.abs(X).max(axis=0)
    X = X - X.mean(axis=0)
    norms = np.linalg.norm(X, axis=0)
    varies = [j for j in range(X.shape[1]) if norms[j] > 1e-12 * np.sqrt(len(X)) * sizes[j]]
    y = y - y.mean()
    b = np.zeros(X.shape[1])
    if not varies:
        return b
    c = X.T @ y
    first = top = max(abs(c[j]) for j in varies)
    p = next(j for j in varies if abs(c[j]) >= top * (1 - 1e-11))
    signs = {}
    while top > 1e-12 * first:
        c = X.T @ (y - X @ b)
        if p is not None:
            signs[p] = np.sign(c[p])
        active = list(signs)
        basis, R = np.linalg.qr(X[:, active])
        rest = np.linalg.norm(X - basis @ (basis.T @ X), axis=0)
        left = [j for j in varies if j not in active and rest[j] > 1e-5 * norms[j]]
        # the direction whose products with the chosen columns are their signs
        w = np.linalg.solve(R, np.linalg.solve(R.T, list(signs.values())))
        a = X.T @ (X[:, active] @ w)
        until = {}
        for j in left:
            up = max(top - c[j], 0) / (1 - a[j]) if a[j] < 1 - 1e-12 else np.inf
            down = max(top + c[j], 0) / (1 + a[j]) if a[j] > -1 + 1e-12 else np.inf
            until[j] = min(up, down)
        step = min([*until.values(), top])
        zero = {j: -b[j] / v for j, v in zip(active, w, strict=True) if -b[j] * v > 0}
        gone = min(zero, key=zero.get) if zero and min(zero.values()) < step else None
        if gone is not None:
            step = zero[gone]
        b[active] += step * w
        if (len(active) == n_nonzero and gone is None) or step >= top * (1 - 1e-12):
            break
        if gone is None:
            p = next(j for j in left if until[j] <= step + 1e-11 * top)
        else:
            b[gone], p = 0.0, None
            del signs[gone]
        top -= step
    return b


def laplacian_score(A, n_select, seed):
    return ordered(laplacian_scores(A, graph(A, neighbours_for(A))[0]), n_select)


def spec(A, n_select, seed):
    return ordered(spec_scores(A, graph(A, neighbours_for(A))[0], 1), n_select)


def clusters_for(A):
    return max(1, min(3, len(A) - 1))


def mcfs(A, n_select, seed):
    W, D = graph(A, neighbours_for(A))
    Y = embedding(connect(W, D), clusters_for(A))
    n_nonzero = min(n_select, len(A) - 1)
    scores = np.max([np.abs(lasso(A, y, n_nonzero)) for y in Y.T], axis=0)
    return ordered(-scores, n_select)


ORACLES = {"laplacian-score": laplacian_score, "mcfs": mcfs, "spec": spec}

PARAMS = {
    "laplacian-score": lambda A, n: {"n_neighbors": neighbours_for(A)},
    "mcfs": lambda A, n: {
        "n_neighbors": neighbours_for(A),
        "n_clusters": clusters_for(A),
    },
    "spec": lambda A, n: {"n_neighbors": neighbours_for(A)},
}

UNFIT = {(name, "one row"): "one sample has no neighbours" for name in ORACLES}
UNFIT |= {(name, "near duplicates"): NEAR for name in ORACLES}
