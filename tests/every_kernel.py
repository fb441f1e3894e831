"""Run the numerical tests under every set of BLAS kernels that this machine supports.

OpenBLAS chooses its kernels by the kind of CPU, and sums in another order with each. Asking it
for those of another CPU shows on one machine what tests would do on others. The first run also
keeps Numba and NumPy from what only newer CPUs have.

    python tests/every_kernel.py             # all numerical tests, with one thread and with two
    python tests/every_kernel.py --short     # those that depend most on rounding, with one
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

CORES = ("Prescott", "Nehalem", "Sandybridge", "Haswell", "Zen", "SkylakeX")
HERE = Path(__file__).resolve().parent
NOT_NUMERICAL = (
    "cli", "docs", "io", "plots", "layers", "bad_input", "versions", "mutants", "package",
)  # fmt: skip
SHORT = (
    "barriers", "certify", "choices", "classify", "factor_selectors", "nystroem", "projections",
    "properties", "regressions", "representatives", "rounds", "sampling_selectors", "scaling",
    "sizing", "spans", "spectral", "standing", "strong_rrqr", "summation", "swaps",
)  # fmt: skip
PROBE = """
import numpy as np, scipy.linalg, threadpoolctl
rng = np.random.default_rng(0)
scipy.linalg.svd(rng.standard_normal((200, 100)) @ rng.standard_normal((100, 150)))
found = {i.get("architecture") for i in threadpoolctl.threadpool_info() if i["user_api"] == "blas"}
print("+".join(sorted(str(name) for name in found)))
"""


def environment(core: str, threads: int) -> dict[str, str]:
    """The variables under which a test process sums as on a CPU of that kind."""
    out = os.environ | {"OPENBLAS_CORETYPE": core}
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):
        out[name] = str(threads)
    if core == CORES[0]:
        from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

        extra = [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]
        out |= {"NUMBA_CPU_NAME": "generic", "NPY_DISABLE_CPU_FEATURES": " ".join(extra)}
    return out


def architecture(core: str) -> str | None:
    """The kernels that BLAS really loads when asked for these; None if they do not run here."""
    probe = subprocess.run(
        [sys.executable, "-c", PROBE], env=environment(core, 1), capture_output=True, text=True
    )
    return probe.stdout.strip() if probe.returncode == 0 else None


def numerical(short: bool) -> list[str]:
    """The test files to run."""
    files = sorted(HERE.rglob("test_*.py"))
    if short:
        return [str(path) for path in files if path.stem.removeprefix("test_") in SHORT]
    return [
        str(path)
        for path in files
        if not {path.stem.removeprefix("test_"), path.parent.name} & set(NOT_NUMERICAL)
    ]


def main() -> int:
    """Run, print a line for each set of kernels, and return how many failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="fewer tests, one thread")
    parser.add_argument(
        "--threads", type=int, action="append", help="so many; 1, and 2 if not short"
    )
    parser.add_argument("--only", choices=CORES, action="append", help="these kernels only")
    args, others = parser.parse_known_args()
    seen: dict[str, str] = {}
    lines, failed = [], 0
    for core in args.only or CORES:
        found = architecture(core)
        if found is None or found in seen:
            why = "does not run on this CPU" if found is None else f"the same as {seen[found]}"
            lines.append(f"{core:12} {why}")
            continue
        seen[found] = core
        for threads in args.threads or ((1,) if args.short else (1, 2)):
            workers = max(1, (os.cpu_count() or 1) // threads)
            # not -x: all that fails under these kernels is to be seen in one run
            command = [sys.executable, "-m", "pytest", "-q", "-n", str(workers), *others]
            start = time.monotonic()
            run = subprocess.run(
                [*command, *numerical(args.short)],
                env=environment(core, threads), cwd=HERE.parent, capture_output=True, text=True,
            )  # fmt: skip
            end = run.stdout.strip().splitlines()[-1:] or [run.stderr.strip()[-200:]]
            passed = run.returncode == 0
            failed += not passed
            if not passed:
                print("\n".join(re.findall(r"^(?:FAILED|ERROR|E  ).*", run.stdout, re.M)))
            what = f"{core} ({found}), {threads} thread{'s' * (threads > 1)}"
            lines.append(f"{what:40} {end[0].strip('= ')}  [{time.monotonic() - start:.0f} s]")
            print(lines[-1], flush=True)
    print("\nkernels, threads, result\n" + "\n".join(lines))
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
