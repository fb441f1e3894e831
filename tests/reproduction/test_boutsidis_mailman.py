"""Boutsidis et al. (2010), section 5.2: the same product in every way, and the note about times."""

from __future__ import annotations

import numpy as np
import pytest

from colonnade.reproduction.experiments import boutsidis_2010_mailman as signs

(EXPERIMENT,) = signs.EXPERIMENTS


def test_every_way_gives_the_same_product():
    rng = np.random.RandomState(0)
    X = rng.standard_normal((7, 50))
    bits = rng.randint(0, 256, (50, 2), dtype=np.uint8)
    R = 1.0 - 2.0 * np.unpackbits(bits, axis=1, count=11, bitorder="little")
    np.testing.assert_allclose(signs.by_columns(X, bits, 11), X @ R, atol=1e-12)
    for job in EXPERIMENT.jobs(True)[:2]:
        found = signs.run({**job, "runs": 2})
        assert 0 < found["apart"] < 1e-12
        assert [len(seconds) for seconds in found["times"].values()] == [2] * 4
        assert min(min(seconds) for seconds in found["times"].values()) > 0


def test_a_product_that_differs_is_told(monkeypatch):
    monkeypatch.setattr(signs, "by_columns", lambda X, bits, t: np.zeros((len(X), t)))
    job = {**EXPERIMENT.jobs(True)[0], "runs": 1}
    assert signs.run(job)["apart"] == pytest.approx(1.0)


def outcomes(one, many):
    """Seconds of MM1, MM2 and the mailman, for one row and for all other numbers of rows."""
    for job in EXPERIMENT.jobs(False):
        times = one if job["rows"] == 1 else many
        seconds = dict(zip((signs.MM1, signs.MM2, signs.MAILMAN), times, strict=True))
        found = {way: [value, value] for way, value in seconds.items()} | {signs.MADE: [9.0]}
        yield job, {"times": found, "apart": 1e-15}


@pytest.mark.parametrize(
    ("one", "many", "expected"),
    [
        ((3, 2, 1), (1, 2, 3), ["confirmed"] * 4),
        ((3, 1, 2), (1, 3, 2), ["not confirmed", "confirmed", "confirmed", "not confirmed"]),
        ((2, 3, 1), (2, 1, 1.5), ["confirmed", "not confirmed", "not confirmed", "confirmed"]),
        ((1, 2, 3), (3, 2, 1), ["not confirmed"] * 4),
    ],
)
def test_the_note_follows_the_times(one, many, expected):
    found = EXPERIMENT.report(list(outcomes(one, many)))
    assert [claim.verdict for claim in found.claims] == expected
    first = next(f for f in found.figures if (f.row, f.column) == (signs.MM1, "n = 1"))
    assert first.ours.mean == 1000 * one[0]
    assert not found.larger_is_better
    if one == (3, 2, 1):
        assert found.claims[0].figure == "of the time of mailman: MM1 3.00, MM2 2.00"
        assert "n = 10 3.00, n = 100 3.00" in found.claims[2].figure


def test_one_number_of_rows_alone_can_deny_it():
    results = list(outcomes((3, 2, 1), (1, 2, 3)))
    results[2][1]["times"][signs.MM1] = [4.0]
    assert EXPERIMENT.report(results).claims[2].verdict == "partly"


def test_numbers_of_rows_that_were_not_run_leave_it_partly_confirmed():
    few = [(job, found) for job, found in outcomes((3, 2, 1), (1, 2, 3)) if job["rows"] <= 100]
    claims = EXPERIMENT.report(few).claims
    assert [claim.verdict for claim in claims] == ["confirmed"] * 2 + ["partly"] * 2
    assert claims[2].figure.endswith("; without n = 1000 (not run), n = 10000 (not run)")
