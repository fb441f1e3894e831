"""docs/theorems.md names tests that are there, and what is corrected is among the errata."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROWS = [
    [cell.strip() for cell in line.split("|")[1:-1]]
    for line in (ROOT / "docs" / "theorems.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| document")
]


def test_every_theorem_has_a_mark_and_tests_that_are_there():
    there = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert len(ROWS) >= 17
    for row in ROWS:
        assert len(row) == 4, row
        assert row[2].startswith(("confirmed", "as corrected")), row
        named = re.findall(r"`(test_\w+)`", row[3])
        assert named, row
        assert set(named) <= there, row


def test_what_is_corrected_is_among_the_errata():
    """Each document that has a corrected theorem has a section there."""
    errata = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
    document = ""
    for row in ROWS:
        if not row[0].startswith("the same"):
            document = row[0][: row[0].index(")") + 1]
        if "corrected" in row[2]:
            assert f"## {document}" in errata, row
