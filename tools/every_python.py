"""Run ``make test`` with several versions of Python, and name those that could not be tried."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys


def find(name: str) -> str | None:
    """An interpreter that runs, by name: from the search path, or from pyenv.

    The search path may hold a name that stands for nothing: pyenv puts all versions there, but
    runs only those that are switched on.
    """
    found = _answer(name, "-c", "import sys; print(sys.executable)")
    if found is None:
        latest = _answer("pyenv", "latest", name.removeprefix("python"))
        prefix = latest and _answer("pyenv", "prefix", latest)
        found = prefix and f"{prefix}/bin/python"
    return found


def _answer(*command: str) -> str | None:
    if shutil.which(command[0]) is None:
        return None
    asked = subprocess.run(command, capture_output=True, text=True, check=False)
    return asked.stdout.strip() if asked.returncode == 0 else None


def main(venv: str, names: list[str]) -> int:
    """Test with every interpreter in an environment of its own, and say what became of it."""
    report, failed, tried = [], 0, 0
    for name in names:
        python = find(name)
        if python is None:
            report.append(f"{name}: NOT TRIED, there is no such interpreter here")
            continue
        target = f"{venv}-{os.path.basename(name)}"
        code = subprocess.run(
            [os.environ.get("MAKE", "make"), "test", f"PYTHON={python}", f"VENV={target}"],
            check=False,
        ).returncode
        tried, failed = tried + 1, failed + (code != 0)
        report.append(f"{name}: {'FAILED' if code else 'passed'} ({python})")
    print("\n".join(report))
    return int(failed > 0 or tried == 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
