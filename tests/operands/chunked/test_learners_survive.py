"""Workers die while a learner reads, in one pass after another: it learns the same."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("dask.array", reason="the extra dask is not installed")
pytest.importorskip("distributed", reason="the extra dask is not installed")

import dask
import dask.array as da
from chunks import within
from distributed import Client, LocalCluster

from colonnade import ReducedKMeans, RLSClassifier, resources

pytestmark = [
    pytest.mark.slow,
    # what distributed leaves to the collector when its processes are killed
    pytest.mark.filterwarnings("ignore:.*:pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]
LIMIT = 300.0
"""After how many seconds a call counts as hung: workers take long to start on a busy machine."""
BLOCKS, HEIGHT, N = 8, 700, 30


def rows(block, flag=None):
    """Return the rows of a block; the process that is the first to see the flag dies of it."""
    if flag is not None:
        try:
            Path(flag).unlink()
        except FileNotFoundError:
            pass
        else:
            os.kill(os.getpid(), signal.SIGKILL)
    rng = np.random.default_rng(block)
    return np.repeat(np.eye(6, N) * 20, 6, axis=0)[rng.integers(0, 36, HEIGHT)] + (
        rng.standard_normal((HEIGHT, N)) * np.linspace(6, 1, N)
    )


def array(flag=None):
    return da.map_blocks(
        lambda block_info=None: rows(block_info[None]["chunk-location"][0], flag),
        chunks=((HEIGHT,) * BLOCKS, (N,)), dtype=float, meta=np.zeros((0, 0)),
    )  # fmt: skip


LABELS = np.concatenate([rows(i)[:, 0] > 5 for i in range(BLOCKS)]).astype(int)


def clusters(X):
    model = ReducedKMeans(6, random_state=0).fit(X)
    return [model.inertia_, model.cluster_centers_, model.labels_]


def classes(X):
    model = RLSClassifier([0.0, 100.0], fit_intercept=True).fit(X, LABELS)
    return [model.alpha_, model.coef_, model.intercept_, model.predict(X).compute()]


@pytest.mark.parametrize(
    ("learn", "passes"),
    [
        (clusters, ["a sample of the rows", "sums of groups"]),
        (classes, ["products"]),
    ],
)
def test_a_worker_dies_in_every_pass(learn, passes, tmp_path):
    """The first that reads is killed, and the first that reads after each of these passes."""
    flag = tmp_path / "die"
    with dask.config.set(scheduler="threads", num_workers=2):
        expected = learn(array())
    waiting = list(passes)

    def hoist(what, done, wanted):
        if done == wanted and what in waiting:
            waiting.remove(what)
            flag.touch()

    def learnt():
        with resources(progress=hoist):
            return learn(array(str(flag)))

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0",
            silence_logs=50, memory_limit=None,
        ) as cluster,
        Client(cluster),
    ):  # fmt: skip
        flag.touch()
        found = within(LIMIT, learnt)
        assert not flag.exists()
        assert not waiting
    for ours, same in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, same, rtol=1e-9, atol=1e-9)
