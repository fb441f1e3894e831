"""``colonnade describe``: what is in a file, and what to do with it."""

from __future__ import annotations

from dataclasses import replace

from ..metrics.describing import Description
from .at_a_glance import glance
from .beyond import InParts
from .errors import input_errors
from .groups import flattened
from .options import Debug, Json, Quiet
from .progress import Reporter
from .reading import Reading
from .screen import print_json, print_lines

__all__ = ["command"]


@flattened
def command(
    source: Reading,
    parts: InParts,
    as_json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Run the command."""
    if parts.asked:
        with Reporter() as report:
            report.phase(f"opening {source.file.name}")
            seen = glance(source, parts)
        if as_json:
            print_json(seen.to_dict())
        else:
            print_lines(*seen.lines(), "", f"next: {seen.advised}")
        return
    with Reporter() as report, parts.named(source):
        found = _described(source, report)
    advised = found.command(str(source.file), source.given())
    if as_json:
        print_json({"source": str(source.file), **found.to_dict(), "command": advised})
    else:
        print_lines(*str(found).splitlines(), "", f"next: {advised}")


def _described(source: Reading, report: Reporter) -> Description:
    """Read the file and describe what it holds."""
    # what is no number is described, and not refused
    table = replace(source, numeric_only=True).table_with_gaps(report)
    report.phase("describing")
    with input_errors():
        from .. import describe

        label = None if table.labels is None else table.label_name
        return describe(table.X, names=table.names, label=label, others=table.left_out)
