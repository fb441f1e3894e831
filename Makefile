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
	$(BIN)/python -m tools.stub
	$(BIN)/mypy

fuzz: $(READY)
	$(BIN)/python tests/io/fuzz.py 1000

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
	rm -rf $(VENV) $(VENV)-* demo-output docs/build benchmarks/results .pytest_cache .mypy_cache .ruff_cache

# What follows makes environments of its own: with the oldest versions that pyproject.toml allows,
# with the newest there are, with other versions of Python, and a stranger's.
.PHONY: test-minimum test-newest test-pythons release-check
PYTHONS ?= python3.11 python3.12 python3.13

define test-in
	$(1)/bin/python -m pip install --quiet --disable-pip-version-check $(2) -e ".[dev]"
	$(1)/bin/python -m pip freeze --exclude-editable
	$(subst $(BIN),$(1)/bin,$(PYTEST))
endef

test-minimum:
	$(PYTHON) -m venv --clear $(VENV)-minimum
	$(PYTHON) -m tools.minimum_versions > $(VENV)-minimum/minimum.txt
	$(call test-in,$(VENV)-minimum,-c $(VENV)-minimum/minimum.txt)

test-newest:
	$(PYTHON) -m venv --clear $(VENV)-newest
	$(call test-in,$(VENV)-newest)

test-pythons:
	$(PYTHON) -m tools.every_python $(VENV) $(PYTHONS)

release-check:
	$(PYTHON) -m tools.release_check
