"""Write the pages that are made of other things: `make docs`.

``docs/build/methods.md`` is made of the registry, ``docs/evidence.md`` of what experiments found,
which is kept in ``results/`` (``colonnade reproduce all --out results``).
"""

from __future__ import annotations

from pathlib import Path

from colonnade import METHODS, Method
from colonnade.registry import KINDS
from colonnade.reproduction.catalogue import experiments
from colonnade.reproduction.driver import load_all
from colonnade.reproduction.experiments.farahat_features_findings import MOST
from colonnade.reproduction.rendering import evidence_page

DOCS = Path(__file__).resolve().parent
BUILD = DOCS / "build"
RESULTS = DOCS.parent / "results"

EVIDENCE = """\
# Evidence

The tables and figures of the five documents, computed anew. `make docs` writes this page from the
files in `results/`, which `colonnade reproduce all --out results` writes: {number} experiments,
{date}, with {versions}.
What was found, the verdicts and the figures that decide them are computed; what is printed was
typed from the documents. Notes may say in words what was tried besides, how the document can be
understood, and why something may differ: these are explanations, and no results. Some of the times
are of a machine that was busy with other work. What is wrong in the documents themselves is in
[errata](errata.md), what became of their theorems in [theorems](theorems.md), how fast the library
is in [benchmarks](benchmarks.md).

A cell is what was found ± its standard deviation over the runs (what is printed in the document;
the former less the latter). The best group of methods by a one-tailed Welch t-test at 95 % is
**bold**, the second best _slanted_; times of which some were taken once have no groups. A claim is
*confirmed* if all of what it says of several data sets, sizes or methods holds here, *partly* if
more than half of it does, and otherwise *not confirmed*. What it names and was not run keeps it
from being confirmed, and is told. Where a claim is about most of them, it is *confirmed* if it
holds for more than half of them (so for 2 of 3) in chapters 3 and 4 of the thesis; in chapter 6,
which says *mostly* or *for almost all*, for {mostly:.0%} of the comparisons. Words such as
*comparable*, *slightly*, *much* or *little* have a limit that the claim names. Repeat any of it
with `colonnade reproduce NAME`, in less time with `--quick`.

"""


def methods_page() -> str:
    """Return the page: every method by kind, as its declaration describes it."""
    parts = [
        "# Methods\n\n"
        "For an m × n matrix whose n columns are the candidates, l choices, c groups and rank k.\n"
        "Methods with the parameter `refine` exchange columns afterwards, if asked, while that\n"
        "lowers the error. Dask arrays are tall with up to 23,170 columns, and wide with more; a\n"
        "method that takes wide ones chooses rows of them as well. Words are\n"
        "explained in the [glossary](../glossary.md).\n"
    ]
    for kind, about in KINDS.items():
        parts.append(f"## {kind}: {about}\n")
        parts += [_entry(method) for method in METHODS.values() if method.kind == kind]
    return "\n".join(parts)


def _entry(m: Method) -> str:
    preset = ", ".join(f"{key}={value!r}" for key, value in m.preset.items()).replace("'", '"')
    traits = [
        "depends on random_state" if m.randomized else "deterministic",
        *([f"needs {m.supervised}"] if m.supervised else []),
        *(["rescales what it chooses"] if m.weighted else []),
    ]
    return (
        f"### {m.name}\n\n"
        f"{m.title[0].upper()}{m.title[1:]}.\n\n"
        f"- estimator: `{m.estimator}({preset})`\n"
        f"- from: {m.document}\n"
        f"- cost: {m.cost}\n"
        f"- guarantee: {m.guarantee}\n"
        f"- takes: {', '.join(m.inputs)}; {', '.join(traits)}\n"
        f"- parameters: {', '.join(f'`{name}`' for name in m.parameters)}\n"
    )


def evidence() -> str:
    """Return the page of experiments, from what is kept of them."""
    found = list(load_all(RESULTS, list(experiments())).values())
    versions = found[0].about["versions"]
    return EVIDENCE.format(
        number=len(found),
        mostly=MOST,
        date=max(one.about["date"] for one in found),
        versions=", ".join(f"{name} {number}" for name, number in versions.items()),
    ) + evidence_page(found)


def main(build: Path = BUILD, docs: Path = DOCS) -> None:
    """Write the pages, into other folders if so wished."""
    build.mkdir(parents=True, exist_ok=True)
    (build / "methods.md").write_text(methods_page(), encoding="utf-8")
    (docs / "evidence.md").write_text(evidence(), encoding="utf-8")


if __name__ == "__main__":
    main()
