"""Has hatchling write the stub for type checkers before it collects the files of a wheel."""

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StubHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs tools/stub.py; for editable installs, too."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the stub."""
        runpy.run_path(str(Path(self.root) / "tools" / "stub.py"))["write"]()
