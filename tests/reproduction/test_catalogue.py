"""What holds for every experiment, and the page that is made of them."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

from colonnade import datasets
from colonnade.reproduction import catalogue
from colonnade.reproduction.catalogue import experiments, find_experiments
from colonnade.reproduction.driver import load_all
from colonnade.reproduction.experiment import DOCUMENTS
from colonnade.reproduction.wanted_data import WHERE, missing_sentence

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "src" / "colonnade" / "reproduction" / "experiments"
RESULTS = ROOT / "results"
EXPERIMENTS = experiments()


def test_every_module_with_experiments_is_listed():
    having = {path.stem for path in FOLDER.glob("*.py") if "\nEXPERIMENTS" in path.read_text()}
    assert having == set(catalogue.MODULES)


@pytest.mark.parametrize("name", EXPERIMENTS)
@pytest.mark.parametrize("quick", [True, False])
def test_jobs_are_of_json_and_say_what_data_they_take(name, quick):
    jobs = list(EXPERIMENTS[name].jobs(quick))
    texts = [json.dumps(job, sort_keys=True) for job in jobs]
    assert texts
    assert len(set(texts)) == len(texts)
    assert [json.loads(text) for text in texts] == jobs
    have = {*WHERE, *datasets.names()}
    assert {str(job["data"]) for job in jobs} <= have


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_experiments_tell_about_themselves(name):
    experiment = EXPERIMENTS[name]
    assert experiment.name == name
    assert experiment.document in DOCUMENTS.values()
    assert experiment.place.split()[0] in ("Table", "Figure", "Theorem", "Section")
    assert experiment.title[-1] not in ".:"
    assert experiment.settings[-1] == "."
    assert experiment.minutes > 0
    assert len(experiment.jobs(True)) <= len(experiment.jobs(False))


def test_experiments_are_found_by_name_document_or_all():
    assert [e.name for e in find_experiments(["all"])] == list(EXPERIMENTS)
    chapter = [e.name for e in find_experiments(["farahat-2012"])]
    assert chapter == [name for name in EXPERIMENTS if name.startswith("farahat-2012-")]
    with pytest.raises(ValueError, match=r"no experiment 'farahat-2012-tabel-3.2' .*mean"):
        find_experiments(["farahat-2012-tabel-3.2"])


def test_missing_data_is_named_with_where_to_get_it():
    text = missing_sentence(["coil20"])
    assert "coil20 (Deng Cai" in text
    assert "COLONNADE_DATA" in text


def test_the_page_of_evidence_is_that_of_the_results():
    pages = runpy.run_path(str(ROOT / "docs" / "generate.py"))
    assert (ROOT / "docs" / "evidence.md").read_text(encoding="utf-8") == pages["evidence"]()


def test_all_experiments_have_results_of_a_full_run():
    kept = load_all(RESULTS, list(EXPERIMENTS))
    assert [name for name in EXPERIMENTS if name not in kept] == []
    assert [name for name, found in kept.items() if found.quick] == []
    assert [name for name, found in kept.items() if not found.findings.claims] == []
