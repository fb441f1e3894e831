"""Print the minima of pyproject.toml as constraints: ``numpy>=2.2`` gives ``numpy==2.2``."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def minimum_versions() -> dict[str, str]:
    """The oldest version of every package for which pyproject.toml names one."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    wanted = [project["dependencies"], *project["optional-dependencies"].values()]
    found = (
        re.fullmatch(r"([\w-]+)(?:\[[\w,]+\])?>=([\w.]+)", one) for some in wanted for one in some
    )
    return {match[1]: match[2] for match in found if match}


if __name__ == "__main__":
    for name, version in minimum_versions().items():
        print(f"{name}=={version}")
