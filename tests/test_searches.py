"""Searches for counterexamples look in the same places each time `make test` runs."""

import re
from pathlib import Path

from hypothesis import settings

TESTS = Path(__file__).parent


def test_searches_start_from_a_fixed_seed():
    """Nothing is remembered from an earlier run, and no search is given up for its time."""
    profile = settings()

    assert profile.derandomize and profile.database is None and profile.deadline is None


def test_no_search_has_settings_of_its_own():
    """One profile for all: what `make audit` changes is changed for every search."""
    searches = [path for path in TESTS.rglob("test_*.py") if "@given" in path.read_text()]

    assert len(searches) >= 4
    for path in searches:
        assert not re.search(r"@(settings|seed|reproduce_failure)\b", path.read_text()), path
