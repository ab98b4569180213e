"""What `make test` leaves to `make audit` takes long, and no mutant needs it."""

import re
from types import SimpleNamespace
from unittest import mock

import pytest

import tiers
from mutants.catalogue import MUTANTS
from mutants.mutant import TESTS
from tiers import (
    ALWAYS,
    LONG,
    MOST,
    SHORTEST,
    Took,
    function,
    left_out,
    listed,
    of_tier,
    seconds,
)

FUNCTIONS = sorted({function(name) for name in listed()})


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_test_that_is_left_out_is_there(name):
    """A test that was renamed is quick until all are timed anew, and its old name goes."""
    file, test = name.removeprefix("tests/").split("::")

    assert re.search(rf"^def {test}\(", (TESTS / file).read_text(), re.MULTILINE)


def test_no_mutant_needs_what_is_left_out():
    """So the quick tests kill what all tests kill."""
    needed = {f"tests/{test}" for mutant in MUTANTS for test in mutant.tests}

    assert [] == sorted(needed.intersection([*listed(), *FUNCTIONS]))


def test_only_what_takes_long_is_left_out():
    """By the seconds that stand beside it, in order and once each."""
    found = listed()

    assert list(found) == sorted(found)
    assert min(found.values()) > MOST
    assert len(found) == len(LONG.read_text().splitlines())


def test_a_test_keeps_its_shortest_case_unless_that_takes_long_too():
    """Of others, what takes longer than the most is left out; a file keeps a test, whichever."""
    took = {
        "a::test_one[x]": MOST + 0.5,
        "a::test_one[y]": (MOST + SHORTEST) / 2,
        "a::test_two": MOST - 0.5,
        "a::test_three": SHORTEST + 1,
        "a::test_four": SHORTEST,
        "b::test_five": SHORTEST + 2,
        "b::test_six": SHORTEST + 1,
    }
    left = {"a::test_one[x]", "a::test_three", "b::test_five"}

    assert left_out(took, set()) == {name: took[name] for name in sorted(left)}


def test_what_a_mutant_names_is_never_left_out():
    """All cases of it, unless it names the one that sees the slip."""
    took = {"a::test_one[x]": 9.0, "a::test_one[y]": 5.0, "a::test_two": 9.0}

    assert left_out(took, {"a::test_one"}) == {"a::test_two": 9.0}
    assert left_out(took, {"a::test_one[x]", "a::test_two"}) == {}
    assert left_out({**took, "a::test_three": 1.0}, {"a::test_one[x]"}) == {
        "a::test_one[y]": 5.0,
        "a::test_two": 9.0,
    }


def test_the_pages_that_are_read_first_are_never_left_out():
    """However long they take: whoever follows them meets what they say."""
    took = dict.fromkeys((*ALWAYS, "tests/test_docs.py::a_long_one"), 90.0)
    took["tests/test_docs.py::a_short_one"] = 0.1

    assert left_out(took, set()) == {"tests/test_docs.py::a_long_one": 90.0}


@pytest.mark.parametrize("tier, quick, long", [(None, 1, 1), ("quick", 1, 0), ("long", 0, 1)])
def test_a_run_has_the_tests_of_its_tier(tier, quick, long):
    """And says how many others there are; without a tier all."""
    others: list[pytest.Item] = []
    hook = SimpleNamespace(pytest_deselected=lambda items: others.extend(items))
    config = SimpleNamespace(getoption=lambda name: tier, hook=hook)
    items = [SimpleNamespace(nodeid=name) for name in ("a::test_quick", next(iter(listed())))]
    found = of_tier(config, items)

    assert found == items[:1] * quick + items[1:] * long
    assert sorted(map(id, found + others)) == sorted(map(id, items))


def test_what_a_fixture_takes_is_shared_by_all_who_have_it():
    """Whichever of them came first, and nobody else pays for it; who was skipped says nothing."""
    took = Took(
        tests={"a::test_one": 0.5, "a::test_two": 0.25, "a::test_three": 1.0},
        fixtures={"a::course": 3.0, "a::unused": 9.0},
        users={"a::course": ["a::test_one", "a::test_two"]},
        skipped={"a::test_four"},
    )
    took.tests["a::test_four"] = 0.0

    assert took.shared() == {"a::test_one": 2.0, "a::test_two": 1.75, "a::test_three": 1.0}


def test_what_tests_took_is_written_down(tmp_path):
    """Of a failing one too, with its share of a fixture; it is nobody's own."""
    took, clock = Took(), iter(range(100))
    defs = SimpleNamespace(scope="module", baseid="a", argname="course")
    item = SimpleNamespace(
        nodeid="a::test_one[x y]", _fixtureinfo=SimpleNamespace(name2fixturedefs={"c": [defs]})
    )
    with mock.patch.object(tiers, "_processor_seconds", lambda: float(next(clock))):
        running = took.pytest_runtest_protocol(item)
        next(running)
        setting = took.pytest_fixture_setup(defs, SimpleNamespace(param_index=0))
        next(setting)
        with pytest.raises(StopIteration):
            setting.send(None)
        with pytest.raises(ZeroDivisionError):
            running.throw(ZeroDivisionError())
    folder = tmp_path / "took"
    config = SimpleNamespace(getoption=lambda name: str(folder))
    took.pytest_sessionfinish(SimpleNamespace(config=config))
    (file,) = folder.iterdir()

    assert took.fixtures == {"a::course[0]": 1.0}
    assert seconds(file.read_text().splitlines()) == {"a::test_one[x y]": 3.0}


def test_names_may_hold_spaces():
    """Seconds end at the first."""
    assert seconds(["1.25 a::test_one[x y]"]) == {"a::test_one[x y]": 1.25}
