"""Tables as the documents print them, line by line: a heading, or a name and its figures."""

from __future__ import annotations

import re

NUMBER = r"\d+(?:\.\d+)?"


def rows(table):
    """Yield the heading above a row, its name and its figures."""
    heading = ""
    for line in table.strip().splitlines():
        found = re.fullmatch(rf"\s*(\S+)((?:,?[ ±]+{NUMBER})+)", line)
        if found is None:
            heading = line.strip()
        else:
            yield heading, found[1], tuple(map(float, re.findall(NUMBER, found[2])))


def pairs(figures):
    """Figures and the deviations behind them."""
    return tuple(zip(figures[::2], figures[1::2], strict=True))
