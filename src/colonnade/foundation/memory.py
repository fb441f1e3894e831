"""How much memory this process may still take."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

__all__ = ["free_memory"]


def free_memory() -> int:
    """Return how many bytes this process may still allocate, as far as the system tells."""
    limits = [sys.maxsize]
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    available = re.search(r"MemAvailable:\s+(\d+)", _told("/proc/meminfo"))
    if available:
        limits.append(1024 * int(available[1]))
    container = _told("/sys/fs/cgroup/memory.max").strip()
    if container.isdigit():
        limits.append(int(container))
    used = _told("/proc/self/statm").split()
    if used:  # Linux, which has limits of this kind and says how much is used of them
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        if soft != resource.RLIM_INFINITY:
            limits.append(max(0, soft - int(used[0]) * resource.getpagesize()))
    return min(limits)


def _told(path: str) -> str:
    """Return what a file of the system says, nothing if there is none."""
    try:
        return Path(path).read_text()
    except OSError:
        return ""
