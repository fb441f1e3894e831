"""Build what a release would hold, look into it, and use it as a stranger would.

The source distribution and the wheel must hold what is tracked and nothing else, but for the stub
for type checkers, which is written into the wheel. The wheel is
installed into an empty environment, and the examples of README.md run from an empty directory:
those in Python with the library alone, the commands with all extras.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from .readme import blocks, check_printed, run_commands

ROOT = Path(__file__).resolve().parent.parent
ABOUT_WHEEL = {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}
BUILT = {"colonnade/__init__.pyi"}


def compare(what: str, found: Iterable[str], expected: Iterable[str]) -> None:
    """Stop unless two lists of files are the same."""
    stray, missing = set(found) - set(expected), set(expected) - set(found)
    if stray or missing:
        sys.exit(f"{what}: stray files {sorted(stray)}, missing files {sorted(missing)}")
    print(f"{what}: {len(set(found))} files, all as expected")


def tracked() -> list[str]:
    """What the repository holds, without the settings of tools in hidden files."""
    listing = _run("git", "-C", str(ROOT), "ls-files")
    return [path for path in listing.splitlines() if not path.startswith(".")]


def check_contents(sdist: Path, wheel: Path) -> None:
    """Compare both distributions with what is tracked."""
    with tarfile.open(sdist) as archive:
        names = [name.split("/", 1)[1] for name in archive.getnames()]
    # hatchling always adds the last one, so that a wheel from the sdist leaves the same out
    compare(sdist.name, names, [*tracked(), "PKG-INFO", ".gitignore"])
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    about = "-".join(wheel.name.split("-")[:2]) + ".dist-info/"
    package = [path.removeprefix("src/") for path in tracked() if path.startswith("src/")]
    expected = [*package, *BUILT, *(about + name for name in ABOUT_WHEEL)]
    compare(wheel.name, names, expected)


def main() -> None:
    """Build, look and use."""
    os.environ.pop("PYTHONPATH", None)  # a stranger has what was installed and nothing else
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dist, empty = folder / "dist", folder / "empty"
        empty.mkdir()
        builder = _environment(folder / "builder", "build", "twine")
        _run(builder, "-m", "build", "--outdir", str(dist), str(ROOT))
        (sdist,), (wheel,) = dist.glob("*.tar.gz"), dist.glob("*.whl")
        print(_run(builder, "-m", "twine", "check", "--strict", str(sdist), str(wheel)), end="")
        check_contents(sdist, wheel)

        stranger = _environment(folder / "stranger", str(wheel))
        where = _run(stranger, "-c", "import colonnade; print(colonnade.__file__)", cwd=empty)
        assert where.startswith(str(folder)), where
        examples = blocks("python", readme)
        held = sum(check_printed(code, _run(stranger, "-c", code, cwd=empty)) for code in examples)
        print(f"README.md: {len(examples)} examples ran, {held} lines printed what they say")
        _install(stranger, f"{wheel}[all]")
        print(f"README.md: {run_commands(stranger, empty, readme)} commands ran")


def _environment(folder: Path, *packages: str) -> str:
    _run(sys.executable, "-m", "venv", str(folder))
    python = str(folder / "bin" / "python")
    _install(python, *packages)
    return python


def _install(python: str, *packages: str) -> None:
    _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)


def _run(*command: str, cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
