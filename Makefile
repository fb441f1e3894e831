# Two commands do everything: `make demo` and `make test`. Both set up what they need, once.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PEERS := $(VENV)/.peers

.PHONY: demo test lint fuzz bench docs clean
.DEFAULT_GOAL := demo

demo: $(READY)
	$(BIN)/colonnade demo --out demo-output

test: lint
	$(BIN)/python -m pytest

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

fuzz: $(READY)
	$(BIN)/python tests/fuzz.py 1000

bench: $(PEERS)
	$(BIN)/python -m benchmarks

docs: $(READY)
	$(BIN)/python docs/generate.py

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("colonnade needs Python 3.11 or newer; set PYTHON=python3.x")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $@

$(PEERS): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev,peers]"
	@touch $@

clean:
	rm -rf $(VENV) demo-output benchmarks/results .pytest_cache .mypy_cache .ruff_cache
