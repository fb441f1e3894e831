"""The command line: ``colonnade select``, ``cluster``, ``project``, ``classify`` and more.

``ending.py`` comes first, so that Ctrl-C works from the beginning; ``outcome.py`` turns any
outcome into a line and an exit code; ``app.py`` lists the commands, each in a file of its own that
is imported when it is asked for; ``screen.py`` prints.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # importing typing, which has this too, takes longer than all of this file
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments. By default those of the process, which is then taken as colonnade's own:
        signals end it at once.
    """
    if argv is not None:
        from .outcome import run

        sys.exit(run(list(argv)))
    from .ending import cleanups, end_at_once, hear_no_more

    end_at_once()
    from ..foundation.atomic import remove_unfinished
    from .outcome import run

    cleanups.append(remove_unfinished)

    code = run(sys.argv[1:])
    hear_no_more()  # the answer is complete, and stays so while the interpreter cleans up
    sys.exit(code)
