"""Which functions and objects count as the same, in this process and in others."""

from __future__ import annotations

import subprocess
import sys
import threading
from functools import partial

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline

from colonnade.comparison.marks import mark_of


def closure(columns):
    return lambda X, n, random_state: columns[:n]


def default(columns):
    def choose(X, n, random_state, columns=columns):
        return columns[:n]

    return choose


class Holder:
    def __init__(self, columns):
        self.columns = columns

    def __call__(self, X, n, random_state):
        return self.columns[:n]


def method(columns):
    return Holder(columns).__call__


def part(columns):
    return partial(np.resize, columns)


def of_code(columns):
    """A class whose code is different."""
    scope = {"__name__": "written"}
    exec(f"class Own:\n    def fit(self, X):\n        return {columns}", scope)
    return scope["Own"]()


def of_global(columns):
    scope = {"__name__": "written", "COLUMNS": columns}
    exec("def helper():\n    return COLUMNS\ndef choose(X, n, s):\n    return helper()", scope)
    return scope["choose"]


def of_pipeline(columns):
    return make_pipeline(PCA(len(columns)), PCA(1))


MAKERS = [closure, default, Holder, method, part, of_code, of_global, of_pipeline]


@pytest.mark.parametrize("make", MAKERS)
def test_what_does_the_same_has_the_same_mark_and_nothing_else_has(make):
    mark = mark_of(make([1, 2]))
    assert mark is not None
    assert mark == mark_of(make([1, 2]))
    assert mark != mark_of(make([3]))


CODE = """
class Own:
    def __init__(self): self.words = {"a", "b", "c"}
    def __call__(self, X, n, s): return [x for x in X if x in {"one", "two", "three"}]
from colonnade.comparison.marks import mark_of
print(mark_of(Own()))
"""


def test_marks_are_the_same_in_another_process_and_on_another_line():
    told = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for code in (CODE, "\n\n" + CODE, CODE.replace("three", "four"))
    ]
    first, moved, other = (done.stdout for done in told)
    assert first == moved != other
    assert len(first.strip()) == 16


def test_of_a_lock_nothing_is_told():
    assert mark_of(closure(threading.Lock())) is None
