# `make`       verify the bank, then write the deck and the exams into build/
# `make test`  everything that continuous integration runs

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: all test lint types imports unit package clean
.DELETE_ON_ERROR:

all: $(VENV)/.installed
	$(BIN)/cards build

test: lint types imports unit package

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "closedbook needs Python 3.11 or newer; name one with: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) --editable .
	touch $@

$(VENV)/.installed-dev: pyproject.toml constraints.txt tools/system-packages | $(BIN)/python
	$(INSTALL) --editable '.[dev]'
	tools/system-packages
	touch $@ $(VENV)/.installed

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/.installed-dev
	$(BIN)/mypy

imports: $(VENV)/.installed-dev
	$(BIN)/lint-imports

unit: $(VENV)/.installed-dev
	$(BIN)/python -m pytest --cov --cov-report=term:skip-covered

# What a user gets is what is tested: the wheel, in an environment of its own, away from src/.
package: $(VENV)/.installed-dev
	$(BIN)/python tools/check_wheel.py

clean:
	rm -rf build dist .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis
