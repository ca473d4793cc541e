# Two commands: `make demo` shows what it does, `make test` checks everything. Each sets itself up.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test check format stop clean
.DEFAULT_GOAL := help

help:
	@echo "make demo     load the bundled worlds, measure every system, show an evidence path"
	@echo "make test     format, lint, types, import contracts, all tests (what CI runs)"
	@echo "make format   put the code in shape"
	@echo "make stop     stop the local Neo4j"
	@echo "make clean    remove the virtual environment and caches; data and downloads stay"

demo: $(VENV)/local
	@$(BIN)/pace-graph demo

test: $(VENV)/dev
	@$(BIN)/python -m tests.check

format: $(VENV)/dev
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

stop:
	@test ! -x $(BIN)/pace-graph || $(BIN)/pace-graph db stop

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build dist

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/local: pyproject.toml | $(BIN)/python
	@echo "Installing pace-graph into $(VENV) …"
	@$(PIP) install --editable ".[local]"
	@touch $@

$(VENV)/dev: pyproject.toml | $(BIN)/python
	@echo "Installing pace-graph and its development tools into $(VENV) …"
	@$(PIP) install --editable ".[dev]"
	@touch $@ $(VENV)/local
