"""One case in a process of its own, whose memory is then its own too."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

from .common import Row


def measured_apart(module: str, case: dict[str, Any]) -> Row:
    """Run ``python -m module CASE``, which prints a row as JSON, and return the row."""
    command = [sys.executable, "-W", "ignore", "-m", module, json.dumps(case)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{case} could not be measured:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def start_watch() -> int:
    """Forget the peak so far (Linux can) and return the memory in use, in bytes."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return peak()
    return _status("VmRSS")


def peak() -> int:
    """Return the most memory in use since the watch was started, in bytes."""
    try:
        return _status("VmHWM")
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else 1024 * most


def _status(key: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key):
            return 1024 * int(line.split()[1])
    raise OSError(f"no {key}")
