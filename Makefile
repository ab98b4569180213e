# Two commands for a newcomer: `make demo` and `make test`. Everything else is for contributors.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python

# Compiled sources are kept, whatever the caller's habit: tests begin sixty processes, and each would
# compile the whole library, the workers all tests too.
export PYTHONDONTWRITEBYTECODE :=
PYTEST := $(RUN) -m pytest -n 2 --dist loadfile --no-loadscope-reorder
# Most tests compile longer than they run, and longest to make programs fast. What is said of bits is
# tried with programs as users have them, and what draws most; all else without, documents too: what
# they print is the same either way, as `make audit` holds.
AS_USERS := tests/contribution tests/noise tests/population \
	$(filter-out tests/test_docs.py,$(wildcard tests/test_*.py)) tests/mechanisms/frequency \
	tests/device/test_indexed.py tests/device/test_shared_rows.py \
	tests/attacks/test_device_reports.py tests/guarantees/test_audits.py
HASTILY := XLA_FLAGS="--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false \
	--xla_cpu_parallel_codegen_split_count=1"

# Both halves; what they are asked for besides stands in ASKED.
EVERY_TEST = failed=0; $(PYTEST) $(ASKED) $(AS_USERS) || failed=1; \
	$(HASTILY) $(PYTEST) $(ASKED) tests $(AS_USERS:%=--ignore=%) || failed=1; exit $$failed

.PHONY: demo test long test-flower test-spark lint wheel audit mutants steady bench changelog

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --upgrade "pip>=25.1"
	$(RUN) -m pip install --quiet --constraint constraints.txt --group dev --editable .
	touch $@

demo: $(VENV)/.installed
	$(BIN)/tacit train --data digits --out demo

# All but what `tests/long.txt` leaves to `make audit`.
test: ASKED = --tier quick
test: $(VENV)/.installed
	$(EVERY_TEST)

# Times every test, and writes anew which of them take long.
long: ASKED = --took .took
long: $(VENV)/.installed
	rm -rf .took
	$(EVERY_TEST)
	cd tests && ../$(RUN) -m tiers ../.took > long.new && mv long.new long.txt

# Devices on a network. Flower wants older versions of what prints, so it has a place of its own.
test-flower:
	$(PYTHON) -m venv .venv-flower
	.venv-flower/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-flower/bin/python -m pip install --quiet --group dev --editable ".[flower]"
	.venv-flower/bin/python -m pytest tests/live

# Tables that lie in Spark: 434 MB more, and Java 17.
test-spark: $(VENV)/.installed
	$(RUN) -m pip install --quiet --constraint constraints.txt --editable ".[spark]"
	$(RUN) -m pytest tests/tables/test_spark.py

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

# What a user installs: the wheel, in an environment and a folder of its own.
wheel: $(VENV)/.installed
	PYTHON=$(abspath $(RUN)) .ci/wheel

# The tests that take long; every mechanism and some whole paths against their claims, a million draws
# or 100,000 runs each, and every planted bug against the audit; `tacit train`, stopped fifty times; the
# documents, with programs as users have them; and every search for a counterexample from a seed of its
# own.
audit: ASKED = --tier long
audit: $(VENV)/.installed
	cd tests && ../$(RUN) -m audits
	cd tests && ../$(RUN) -m cli.fifty_interruptions
	$(RUN) -m pytest tests/test_docs.py
	$(RUN) -m pytest -m hypothesis --hypothesis-profile=free
	$(EVERY_TEST)

# Every slip of `tests/mutants`, planted in a copy of the source: the tests named for it must fail.
mutants: $(VENV)/.installed
	cd tests && ../$(RUN) -m mutants

# What a slow machine or bad luck could fail: five times alone, five times beside eight busy loops.
steady: $(VENV)/.installed
	trap 'kill $$busy' EXIT; \
	for turn in 1 2 3 4 5 6 7 8 9 10; do \
	  if [ $$turn = 6 ]; then for each in 1 2 3 4 5 6 7 8; do \
	    yes > /dev/null & busy="$$busy $$!"; done; fi; \
	  $(RUN) -m pytest -m "timing or hypothesis" $(STEADY) || exit 1; \
	done

# At a release: the fragments of `changelog.d/` become a section of CHANGELOG.md, and are gone.
changelog: $(VENV)/.installed
	$(BIN)/towncrier build --yes

# Every claim, and at the end what was skipped, and 1 if a script exited with it: what was beyond its
# limit says FAILS.
bench: $(VENV)/.installed
	$(RUN) -m pip install --quiet --constraint constraints.txt --group bench
	failed=0; export SKIPPED=$$(mktemp); for script in $(filter-out bench/beside.py bench/claims.py bench/every_way.py bench/wide_resnet.py,$(sort $(wildcard bench/*.py))); do \
		echo "== $$script"; $(RUN) $$script || failed=1; done; \
		echo "== skipped"; cat $$SKIPPED; rm $$SKIPPED; exit $$failed
