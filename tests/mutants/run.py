"""Change one sign, bound, weight, axis or index at a time, and see that a test fails.

A mutant is a patch of one place, ``<area>/<name>.patch`` beside this file, with two lines above
it: ``# what:`` it changes, and ``# tests:`` to run, as pytest takes them. It is killed if a test
fails, or if the tests do not end in time. One that survives needs a sharper test, or an argument
in ``SURVIVORS.md`` why no test can tell.

    python tests/mutants/run.py                    # all, on all cores
    python tests/mutants/run.py barriers swaps/    # those with one of these in their names
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from queue import SimpleQueue

from patches import ROOT, Mutant, argued, collection

COPIED = ("src", "tests", "pyproject.toml")
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS")
ENDS = ("killed", "survived", "error")


def outcome(tests: tuple[str, ...], copy: Path, limit: float, **variables: str) -> str:
    """Run tests on a copy and say how that ended."""
    env = os.environ | dict.fromkeys(THREADS, "1") | {"PYTHONPATH": str(copy / "src")} | variables
    # Python tells sources apart by size and second, which two mutants may share
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    log = copy / "output.txt"
    with log.open("w") as output:
        run = subprocess.Popen(
            command, cwd=copy, env=env, stdout=output, stderr=output, start_new_session=True
        )
        try:
            code = run.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
            return "killed: out of time"
    if code == 1:
        return "killed by " + " ".join(
            re.findall(r"^(?:FAILED|ERROR) (\S+)", log.read_text(), re.M)
        )
    return (
        "survived" if code == 0 else f"error: pytest ended with {code}\n{log.read_text()[-2000:]}"
    )


def judge(mutant: Mutant, copy: Path, limit: float) -> str:
    """Run the tests of a mutant on a copy, which is then as it was."""
    try:
        text = mutant.mutated(copy)
    except ValueError as wrong:
        return f"error: {wrong}"
    (copy / mutant.path).write_text(text)
    # what Numba compiled came along with the copy; but compiled functions hold those of other
    # modules that they call, so if one of them changes all start afresh
    with tempfile.TemporaryDirectory() as afresh:
        variables = {"NUMBA_CACHE_DIR": afresh} if "njit" in text else {}
        end = outcome(mutant.tests, copy, limit, **variables)
    shutil.copy2(ROOT / mutant.path, copy / mutant.path)  # with its time, as Numba knows it
    return end


def copied(folder: Path) -> Path:
    """Return a folder with a copy of what tests need, as it is when they start."""
    for source in (ROOT / name for name in COPIED):
        put = shutil.copytree if source.is_dir() else shutil.copy2
        put(source, folder / source.name)
    return folder


def main() -> int:
    """Run, print a line for each mutant, and return 1 if one does not end as it should."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="parts of names; all mutants by default")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--limit", type=float, default=600, help="seconds for each mutant")
    args = parser.parse_args()
    mutants = [m for m in collection() if not args.names or any(x in m.name for x in args.names)]
    start, wrong, may_survive, counts = time.monotonic(), 0, argued(), Counter()
    with ExitStack() as stack:
        folders = [tempfile.TemporaryDirectory() for _ in range(args.workers)]
        copies: SimpleQueue[Path] = SimpleQueue()
        for folder in folders:
            copies.put(copied(Path(stack.enter_context(folder))))
        pool = stack.enter_context(ThreadPoolExecutor(args.workers))

        def each(function, jobs):
            def on_a_copy(job):
                copy = copies.get()
                try:
                    return function(job, copy, args.limit)
                finally:
                    copies.put(copy)

            return zip(jobs, pool.map(on_a_copy, jobs), strict=True)

        # a test that fails anyway would kill anything
        tests = sorted({test for mutant in mutants for test in mutant.tests})
        files = [tuple(some) for _, some in groupby(tests, lambda test: test.split("::")[0])]
        for some, end in each(outcome, files):
            if end != "survived":
                print(f"without any mutant {' '.join(some)} should pass, but: {end}")
                return 1
        for mutant, end in each(judge, mutants):
            word = next(word for word in ENDS if end.startswith(word))
            due = "survived" if mutant.name in may_survive else "killed"
            wrong += word != due
            note = "" if word == due else f"  <-- not {due}, as it should: {mutant.what}"
            print(f"{mutant.name:40} {end}{note}", flush=True)
            for area in (mutant.name.split("/")[0], "in all"):
                counts[area, word] += 1
    print(f"\n{'':14} {'killed':>8} {'survived':>8} {'error':>8}")
    for area in [*sorted({m.name.split("/")[0] for m in mutants}), "in all"]:
        print(f"{area:14}", *(f"{counts[area, word]:8}" for word in ENDS))
    print(f"{time.monotonic() - start:.0f} s; {wrong} did not end as they should")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
