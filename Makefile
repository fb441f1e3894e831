# Two commands do everything: `make demo` and `make test`. Both set up what they need, once.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PEERS := $(VENV)/.peers

# the tests run on all cores, so each process keeps BLAS and OpenMP to one thread
WORKERS ?= auto
PYTEST = OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 NUMBA_NUM_THREADS=1 \
	$(BIN)/python -m pytest -n $(WORKERS)

.PHONY: demo test test-fast test-kernels mutants fuzz lint bench docs clean
.DEFAULT_GOAL := demo

demo: $(READY)
	$(BIN)/colonnade demo --out demo-output

test: lint
	$(PYTEST)

test-fast: $(READY)
	$(PYTEST) -m "not slow"

# what other kinds of CPU would say: the numerical tests under each set of BLAS kernels
test-kernels: $(READY)
	$(BIN)/python tests/every_kernel.py $(KERNELS)

# whether the tests would see a wrong sign, bound, weight, axis or index
mutants: $(READY)
	$(BIN)/python tests/mutants/run.py $(MUTANTS)

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
