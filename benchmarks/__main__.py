"""Run the suites: ``python -m benchmarks [suite ...] [--quick] [--out FOLDER]``."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from .common import MET, WRONG, Options, Row
from .suites import SUITES
from .tables import load_average, machine, save, show


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "suites", nargs="*", metavar="suite", help=f"{', '.join(SUITES)}; all by default"
    )
    parser.add_argument("--quick", action="store_true", help="a small part, in under a minute")
    parser.add_argument(
        "--out", type=Path, default=Path(__file__).with_name("results"), help="where results go"
    )
    parser.add_argument(
        "--one-core", action="store_true",
        help="one core for all, and CPU time in place of time: for a machine that is busy",
    )  # fmt: skip
    parser.add_argument("--only", metavar="CASES", help="one group of cases of the suite scale")
    given = parser.parse_args(arguments)
    unknown = sorted(set(given.suites) - set(SUITES))
    if unknown:
        parser.error(f"no suite {unknown[0]!r}; choose among {', '.join(SUITES)}")
    options = Options(given.quick, given.out, given.one_core, given.only)
    return run(given.suites or list(SUITES), options)


def run(names: list[str], options: Options) -> int:
    real = bool(os.environ.get("COLONNADE_DATA"))
    if not real:
        print("COLONNADE_DATA is not set: made matrices of the same shapes stand in for real ones.")
    load, cores = load_average(), os.cpu_count() or 1
    if load is not None and load > cores / 2 and not options.one_core:
        print(f"The machine is busy (load {load:.1f}, {cores} cores): expect noisy ratios.")
    how = {
        "quick": options.quick, "real data": real, "one core": options.one_core,
        "load before": load,
    }  # fmt: skip
    about = {"machine": machine(), **how}
    tables: dict[str, list[Row]] = {}
    seconds: dict[str, float] = {}
    for name in names:
        start = time.perf_counter()
        tables[name] = []
        with options.cores():
            for row in SUITES[name].run(options):
                tables[name].append(row)
                # after every row, so that an interrupted run keeps what it has
                seconds[name] = round(time.perf_counter() - start, 1)
                ended = {"load after": load_average(), "seconds": seconds}
                save(options.out / "bench.json", tables, about | ended)
        show(f"{SUITES[name].title} ({seconds.get(name, 0):.0f} s)", tables[name])
    return _conclude([row for rows in tables.values() for row in rows])


def _conclude(rows: list[Row]) -> int:
    judged = [row for row in rows if "verdict" in row]
    missed = [row for row in judged if row["verdict"] != MET]
    print(f"{len(judged) - len(missed)} of {len(judged)} promises met.")
    for row in missed:
        keys = ("case", "set", "shape", "input", "call", "method", "promise")
        print(f"{row['verdict']}: " + ", ".join(str(row[key]) for key in keys if key in row))
    return 1 if any(row["verdict"] == WRONG for row in judged) else 0


if __name__ == "__main__":
    sys.exit(main())
