# Two commands for a newcomer: `make demo` and `make test`. Everything else is for contributors.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python

.PHONY: demo test lint audit bench

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --upgrade "pip>=25.1"
	$(RUN) -m pip install --quiet --constraint constraints.txt --group dev --editable .
	touch $@

demo: $(VENV)/.installed
	$(BIN)/tacit train --data digits --out demo

test: $(VENV)/.installed
	$(RUN) -m pytest -n 2 --dist loadfile

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

# Every mechanism against its claim, a million draws each, and every planted bug against the audit.
audit: $(VENV)/.installed
	cd tests && ../$(RUN) -m audits

bench: $(VENV)/.installed
	$(RUN) -m pip install --quiet --constraint constraints.txt --group bench
	for claim in bench/*.py; do echo "== $$claim"; $(RUN) $$claim || exit 1; done
