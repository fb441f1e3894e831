"""One case in this process: ``python -m benchmarks.scale CASE`` prints what was found as JSON."""

from __future__ import annotations

import importlib
import json
import sys


def main() -> None:
    case = json.loads(sys.argv[1])
    module = importlib.import_module(f"benchmarks.scale.{case.pop('group')}")
    found = getattr(module, case.pop("what"))(**case)
    print(json.dumps(found))


if __name__ == "__main__":  # worker processes import this module, too
    main()
