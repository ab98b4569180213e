"""The mutants of `make mutants` are still about this code."""

import re

import pytest

from mutants.catalogue import MUTANTS
from mutants.mutant import TESTS, Mutant, original
from tiers import function

ROOMS = {"trust", "population", "contribution", "mechanisms", "accounting"}


def title(mutant: Mutant) -> str:
    return f"{mutant.file}: {mutant.breaks}"


@pytest.mark.parametrize("mutant", MUTANTS, ids=title)
def test_every_mutant_changes_one_text_that_stands_there_once(mutant):
    """Where the code has moved on, its mutants have to move with it."""
    assert mutant.text in original(mutant)
    assert mutant.text != mutant.instead


@pytest.mark.parametrize("mutant", MUTANTS, ids=title)
def test_every_mutant_has_tests_that_exist(mutant):
    """A name that is nobody's would fail, and be taken for a kill."""
    assert mutant.tests
    for test in mutant.tests:
        file, name = function(test).split("::")
        assert re.search(rf"^def {name}\(", (TESTS / file).read_text(), re.MULTILINE)


def test_a_text_that_moved_is_refused():
    """The sentence names the file and the text."""
    lost = Mutant("trust/local.py", "no such text", "", "", ())
    with pytest.raises(LookupError, match=r"trust/local.py must hold this once, and does 0 times"):
        original(lost)


def test_all_rooms_have_mutants():
    """A hundred and more, in every room that privacy rests on."""
    assert len(MUTANTS) > 100
    assert {mutant.file.split("/")[0] for mutant in MUTANTS} >= ROOMS
