"""One trial of a source: some tests, run on it in a process of their own.

The process is a fork of one that has imported what tacit imports, and nothing of tacit: most of a
trial's time would be spent on those imports.
"""

import multiprocessing
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from mutants.mutant import TESTS

PASSED, FAILED = 0, 1
PRELOADED = (
    "dp_accounting.rdp",
    "equinox",
    "hypothesis",
    "jax.numpy",
    "jaxtyping",
    "optax",
    "pytest",
    "scipy.stats",
    "sqlalchemy",
)
_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(list(PRELOADED))


def run(tests: Sequence[str], source: Path, seconds: float | None) -> tuple[int | None, str]:
    """Pytest's exit status on that source, and what it said; None if it gave no answer in time."""
    with tempfile.NamedTemporaryFile("r") as said:
        trial = _forks.Process(target=_try, args=(list(tests), str(source), said.name))
        trial.start()
        trial.join(seconds)
        if trial.exitcode is None:
            trial.kill()
            trial.join()
            return None, ""
        return trial.exitcode, said.read()


def _try(tests: list[str], source: str, said: str) -> None:
    with open(said, "w") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.environ["PYTHONPATH"] = source
    # Processes that a test starts import its module by its path from there.
    sys.path[:0] = [source, str(TESTS.parent)]
    os.chdir(TESTS.parent)
    import pytest

    quiet = "-x", "-q", "--tb=no", "-p", "no:cacheprovider"
    # Pytest would rewrite the assertions of its plugins, and of what they import.
    imported = "-W", "ignore::pytest.PytestAssertRewriteWarning"
    sys.exit(pytest.main([*quiet, *imported, *(str(TESTS / test) for test in tests)]))
