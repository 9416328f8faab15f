# Two commands do everything: `make refresh` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
export LAWSMITH_HOME ?= $(CURDIR)/data/store
export DAGSTER_HOME ?= $(LAWSMITH_HOME)/dagster

.PHONY: setup refresh test test-long ui bench lock clean

setup: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Lawsmith needs Python 3.11 or newer: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip >/dev/null
	awk '/^[a-zA-Z]/{on=/^uv==/} on && !/^ *#/' requirements.lock > $(VENV)/uv.lock
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes --only-binary :all: --no-deps -r $(VENV)/uv.lock
	$(BIN)/uv pip sync -q --python $(BIN)/python --require-hashes requirements.lock
	$(BIN)/uv pip install -q --python $(BIN)/python --no-deps --no-build-isolation -e .
	touch $@

refresh: setup
	$(BIN)/lawsmith refresh

test: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/deptry lawsmith schemas assets pipelines
	$(BIN)/mypy & types=$$!; \
	  OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/pytest -n 2; \
	  tests=$$?; wait $$types && exit $$tests

test-long: setup
	$(BIN)/pytest -m 'long or not long' --timeout 1800

ui: setup
	$(BIN)/lawsmith ui

bench: setup
	for file in $$(grep -l '^if __name__ == "__main__":' benchmarks/*/*.py); do \
	  module=$$(echo $${file%.py} | tr / .); echo "== $$module"; $(BIN)/python -m $$module || exit 1; \
	done

lock: setup
	$(BIN)/uv pip compile -q pyproject.toml --extra model --extra curation --extra symbolic --group dev --universal --generate-hashes \
	  --no-emit-index-url --no-header --python-version 3.11 -o requirements.lock

clean:
	rm -rf $(VENV)
