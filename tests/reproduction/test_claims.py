"""What becomes of claims of which a part was not run."""

from __future__ import annotations

import pytest

from colonnade.reproduction.findings import Claim, absent, majority

RAN = {
    (data, method, size)
    for data in ("ORL", "USPS", "20NG")
    for method in ("LS", "MCFS")
    for size in ("1 %", "4 %", "10 %")
    if (data, method) != ("20NG", "MCFS") or size == "1 %"
} - {("USPS", "MCFS", "1 %")}


def cases(datas, methods, sizes=("1 %", "4 %", "10 %")):
    return [(data, method, size) for data in datas for method in methods for size in sizes]


@pytest.mark.parametrize(
    ("named", "told"),
    [
        (cases(["ORL", "USPS"], ["LS"]), []),
        (cases(["20NG"], ["MCFS"], ["1 %"]), []),
        (cases(["COIL20", "ORL"], ["LS", "MCFS"]), ["COIL20 (not among the data)"]),
        (cases(["COIL20", "PIE"], ["MCFS"], ["1 %"]), ["COIL20, PIE (not among the data)"]),
        (cases(["ORL", "20NG"], ["SPEC", "LS"]), ["SPEC on ORL, 20NG (not run)"]),
        (cases(["ORL"], ["SPEC", "FSFS"]), ["SPEC, FSFS on ORL (not run)"]),
        # what all methods lack, and what some of them do
        (cases(["20NG", "USPS"], ["MCFS"]), ["4 %, 10 % on 20NG (not run)",
                                              "1 % on USPS (not run)"]),
        (cases(["20NG", "USPS"], ["MCFS", "LS"]), ["MCFS at 4 %, 10 % on 20NG (not run)",
                                                    "MCFS at 1 % on USPS (not run)"]),
        (cases(["ORL", "USPS"], ["LS", "MCFS"], ["4 %", "7 %"]), ["7 % on ORL, USPS (not run)"]),
        ([*cases(["20NG"], ["MCFS"]), *cases(["ORL"], ["LS"])], ["4 %, 10 % on 20NG (not run)"]),
        (cases(["ORL"], ["LS", "MCFS", "SPEC"], ["7 %"]), ["LS, MCFS at 7 % on ORL (not run)",
                                                           "SPEC on ORL (not run)"]),
    ],
)  # fmt: skip
def test_what_was_not_run_is_told_in_few_words(named, told):
    assert absent(named, RAN) == told
    assert absent([*named, *named], RAN) == told


@pytest.mark.parametrize(
    ("verdict", "capped"),
    [("confirmed", "partly"), ("partly", "partly"), ("not confirmed", "not confirmed"),
     ("not testable", "not testable")],
)  # fmt: skip
def test_what_is_missing_caps_the_verdict_and_is_told(verdict, capped):
    claim = Claim("so it is", verdict, "3 of 3")
    assert claim.without([]) == claim
    assert claim.without(["COIL20 (not run)", "COIL20 (not run)", "SPEC (not run)"]) == Claim(
        "so it is", capped, "3 of 3; without COIL20 (not run), SPEC (not run)"
    )
    assert Claim("", verdict, "").without(["x"]).figure == "without x"


def test_most_is_more_than_half():
    assert majority([]) == "not testable"
    assert majority([True, False, True]) == "confirmed"
    assert majority([True, False]) == "not confirmed"
