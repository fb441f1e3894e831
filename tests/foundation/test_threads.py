"""Threads: of our own and of others, in forked processes, and from several threads at once."""

from __future__ import annotations

import ast
import multiprocessing
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from calls import needs
from joblib import Parallel, delayed
from threadpoolctl import threadpool_info, threadpool_limits

import colonnade
from colonnade import (
    METHODS,
    FastSpectralClustering,
    HadamardProjection,
    Nystroem,
    ReducedKMeans,
    RLSClassifier,
    SignProjection,
    SphericalKMeans,
    select,
)
from colonnade.foundation import lapack as linalg
from colonnade.foundation import threads as _threads
from colonnade.operands import loops
from colonnade.operands.entrance import wrapped

# filters that are set in one thread count in all
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
ROOT = Path(colonnade.__file__).parent
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")


def data(m=600, n=100):
    """Three groups of rows, large enough for all kinds of threads."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((m, n)) @ np.diag(np.linspace(2, 0.1, n))
    X[m // 3 :, 0] += 9.0
    X[2 * m // 3 :, 1] += 9.0
    return X


def choose(name):
    return select(data(), 6, method=name, **needs(name, data(), 6)).indices


def cluster(estimator):
    return estimator.fit_predict(data())


def classify():
    X, y = data(), np.repeat([0, 1, 2], 200)
    return RLSClassifier().fit(X, y).predict(X)


def project(estimator, shape):
    return estimator.fit_transform(data(*shape))


def choose_of_sparse():
    A = sp.random_array((3000, 500), density=0.05, rng=np.random.default_rng(2))
    return select(A, 5).indices


def jobs():
    """A piece of work for each kind of loop and decomposition, and all methods."""
    return [
        *((choose, name) for name in METHODS),
        (cluster, ReducedKMeans(3, random_state=0)),
        (cluster, SphericalKMeans(3, random_state=0)),
        (cluster, FastSpectralClustering(3, n_representatives=30, random_state=0)),
        (project, Nystroem(n_components=20, random_state=0), (600, 100)),
        (project, SignProjection(80, random_state=0), (42, 9000)),
        (project, HadamardProjection(80, random_state=0), (42, 9000)),
        (classify,),
        (choose_of_sparse,),
    ]


def do(job):
    function, *arguments = job
    return np.asarray(function(*arguments))


def check(found, expected):
    assert len(found) == len(expected)
    for job, mine, other in zip(jobs(), found, expected, strict=True):
        np.testing.assert_allclose(mine, other, atol=1e-8, err_msg=str(job))


@pytest.fixture(scope="module")
def serial():
    """All answers, from the main thread, with threads of all kinds in use."""
    with _threads.on_cores(4), threadpool_limits(2):
        return [do(job) for job in jobs()]


def _send(connection):
    with _threads.on_cores(4):
        connection.send([do(job) for job in jobs()])


@needs_fork
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
@pytest.mark.slow
def test_a_forked_process_gives_the_same_answers(serial):
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    child = context.Process(target=_send, args=(there,))
    child.start()
    there.close()
    try:
        assert here.poll(300), "the child hangs"
        check(here.recv(), serial)
    finally:
        child.kill()
        child.join()
    # and the parent goes on
    with _threads.on_cores(4):
        np.testing.assert_array_equal(do(jobs()[0]), serial[0])


FORK_AT_WORK = """
import os
from colonnade.foundation import threads as _threads

def work(i):
    if i == 1:
        pid = os.fork()
        if pid == 0:
            os._exit(sum(_threads.in_parallel(lambda i: i, range(4), work=1e10)))
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return i

with _threads.on_cores(2):
    print(_threads.in_parallel(work, range(4), work=1e10))
    print(_threads.in_parallel(lambda i: i, range(4), work=1e10))
"""


def test_a_fork_in_the_middle_of_parallel_work():
    """As a kernel given as a function may do."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORK_AT_WORK],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["[0, 6, 2, 3]", "[0, 1, 2, 3]"], done.stderr
    assert done.stderr == ""


@pytest.mark.slow
def test_processes_of_joblib_give_the_same_answers(serial):
    check(Parallel(n_jobs=2)(delayed(do)(job) for job in jobs()), serial)


@pytest.mark.slow
def test_eight_threads_at_once_give_the_same_answers(serial):
    with _threads.on_cores(4), ThreadPoolExecutor(8) as pool:
        check(list(pool.map(do, jobs())), serial)


def test_parts_are_all_there_and_equal_for_all_cores():
    for cores in (1, 2, 3, 8):
        with _threads.on_cores(cores):
            for length in (0, 1, 7, 100, 5000):
                for most in (None, 1, 30, 1024):
                    parts = _threads.shares(length, most)
                    joined = [i for part in parts for i in range(part.start, part.stop)]
                    assert joined == list(range(length))
                    sizes = [part.stop - part.start for part in parts]
                    assert max(sizes, default=0) <= (most or length)
                    rounds = 1 if most is None else -(-length // (cores * most))
                    assert len(parts) <= cores * rounds


def test_loops_do_not_depend_on_the_number_of_threads():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((300, 5000))
    q, z = rng.standard_normal((2, 300))
    for order in "CF":
        found = []
        for cores in (1, 2, 3, 8):
            f, g = np.ones((2, 5000))
            with _threads.on_cores(cores):
                omega = loops.sweep(np.asarray(A, order=order), q, z, 0.5, f, g)
            found.append(np.concatenate([omega, f, g]))
        for other in found[1:]:
            np.testing.assert_allclose(other, found[0], rtol=1e-12, atol=1e-12)


def test_work_inside_of_work_is_not_split_again():
    def inner(part):
        return part

    def outer(part):
        return _threads.in_parallel(inner, [part, part + 1])

    with _threads.on_cores(2):
        assert _threads.in_parallel(outer, range(20)) == [[i, i + 1] for i in range(20)]


def blas_threads():
    return {lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"}


def test_one_thread_at_a_time_limits_blas():
    one = _threads.one_blas_thread()
    with threadpool_limits(2, user_api="blas"), ThreadPoolExecutor(1) as pool:
        with one:
            pool.submit(one.__enter__).result()
            pool.submit(one.__exit__).result()
            pool.submit(one.__enter__).result()
            with one:
                assert blas_threads() == {1}
            assert blas_threads() == {1}
        assert blas_threads() == {2}
        pool.submit(one.__exit__).result()
        assert blas_threads() == {2}


def test_a_task_among_others_keeps_to_one_core(monkeypatch):
    monkeypatch.setattr(_threads, "_cores", 2)
    names = []

    def note(_):
        names.append(threading.current_thread().name)

    with threadpool_limits(2, user_api="blas"):
        with _threads.on_one_core():
            _threads.in_parallel(note, range(4))
            assert blas_threads() == {1}
        assert blas_threads() == {2}
    assert set(names) == {threading.current_thread().name}
    names.clear()
    _threads.in_parallel(note, range(4))
    assert threading.current_thread().name not in names


def test_small_products_do_not_wait_for_threads(monkeypatch):
    split = []
    monkeypatch.setattr(_threads._workers, "map", lambda do, parts: split.append(len(parts)))
    with _threads.on_cores(2):
        small = np.random.default_rng(0).standard_normal((1000, 64))
        np.testing.assert_allclose(wrapped(small).gram(), small.T @ small, rtol=1e-12, atol=1e-9)
        assert not split
        wrapped(np.zeros((4000, 500))).gram()
        assert split == [3]


def test_small_decompositions_use_one_blas_thread(monkeypatch):
    seen = []
    watched = linalg._sized(lambda A, *others: seen.append(blas_threads()))
    with threadpool_limits(2, user_api="blas"):
        for A in (np.empty((2000, 60)), np.empty((7, 900, 900)), (np.empty((5, 5)), True)):
            watched(A)
        watched(np.empty((1100, 1100)))
        assert blas_threads() == {2}
    assert seen == [{1}, {1}, {1}, {2}]


# decompositions that do not come from foundation/lapack.py, and why
ELSEWHERE = {
    "foundation/lapack.py": "which is where they come from",
    "datasets/generators.py": "makes data, once, and loads little",
    "cli/demo_command.py": "once, for a picture",
    "pivoting/products.py": "inside of Residual.calm",
    "pivoting/residual.py": "inside of Residual.calm",
    "selectors/graph/lars.py": "inside of one_blas_thread",
}
DECOMPOSITIONS = {*linalg.__all__, "lstsq", "solve_banded", "schur", "lu", "det", "cond"}


def test_decompositions_come_from_one_module():
    """So that BLAS threads spin in none of them."""
    found = set()
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            direct = isinstance(node, ast.ImportFrom) and (node.module or "") in (
                "scipy.linalg", "numpy.linalg", "scipy.linalg.lapack",
            )  # fmt: skip
            if direct and {alias.name for alias in node.names} - {"LinAlgError"}:
                found.add(path.relative_to(ROOT).as_posix())
            named = isinstance(node, ast.Attribute) and node.attr in DECOMPOSITIONS
            if named and ast.unparse(node.value) in ("np.linalg", "scipy.linalg"):
                found.add(path.relative_to(ROOT).as_posix())
    assert found == set(ELSEWHERE)
