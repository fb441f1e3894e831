"""The mutants of ``make mutants`` still fit the sources, and only known ones may survive."""

from __future__ import annotations

import ast

import pytest
from mutants.patches import ROOT, argued, collection

MUTANTS = {mutant.name: mutant for mutant in collection()}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_one_change_of_a_source_that_is_there(name):
    mutant = MUTANTS[name]
    before = (ROOT / mutant.path).read_text()
    assert ast.dump(ast.parse(mutant.mutated(ROOT))) != ast.dump(ast.parse(before))
    for test in mutant.tests:
        file, _, function = test.partition("[")[0].partition("::")
        assert f"\ndef {function}" in (ROOT / file).read_text(), test


def test_survivors_are_mutants():
    assert argued() <= set(MUTANTS)
