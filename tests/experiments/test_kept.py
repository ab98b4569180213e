"""Results in a file: whole after every part, and of one setting."""

import json
import math
from dataclasses import dataclass

import numpy as np
import pytest

from tacit.experiments.kept import Kept, KeptError, budget, jsonable, named, number, numbers


@dataclass(frozen=True)
class Numbers:
    size: int
    epsilon: float = 1.0
    gaps: object = None


def test_parts_are_found_again(tmp_path):
    """By who opens the same file with the same setting; numbers to seven digits."""
    path = tmp_path / "new" / "it.json"
    Kept.opened(path, Numbers(3)).add("one", Numbers(1, math.inf, np.array([1 / 3])))
    again = Kept.opened(path, Numbers(3))
    again.add("two", Numbers(2))

    found = Kept.opened(path, Numbers(3)).parts
    assert json.loads(path.read_text())["private"] is False
    assert found["one"] == {"size": 1, "epsilon": None, "gaps": [0.3333333]}
    assert list(found) == ["one", "two"]
    assert [each.name for each in path.parent.iterdir()] == ["it.json"]


def test_another_setting_is_refused_by_the_name_of_what_differs(tmp_path):
    """And the file stays as it was."""
    path = tmp_path / "it.json"
    Kept.opened(path, Numbers(3)).add("one", Numbers(1))
    before = path.read_text()

    with pytest.raises(KeptError, match=r"has results for size = 3, not 4; choose another folder"):
        Kept.opened(path, Numbers(4))
    assert path.read_text() == before


def test_a_setting_is_known_to_the_last_digit(tmp_path):
    """Results of one are never another's, however near."""
    path = tmp_path / "it.json"
    Kept.opened(path, Numbers(3, 1.0)).add("one", Numbers(1))

    with pytest.raises(KeptError, match=r"has results for epsilon = 1\.0, not 1\.00000001"):
        Kept.opened(path, Numbers(3, 1.00000001))
    assert list(Kept.opened(path, Numbers(3, 1.0)).parts) == ["one"]


def test_a_file_that_knows_more_of_its_setting_is_refused(tmp_path):
    """By the name of what it has besides."""
    path = tmp_path / "it.json"
    Kept.opened(path, Numbers(3)).add("one", Numbers(1))
    path.write_text(path.read_text().replace('{"setting": {', '{"setting": {"colour": "red", '))

    with pytest.raises(KeptError, match="has results for colour = red, not None"):
        Kept.opened(path, Numbers(3))


NOTHING_MORE = '{"setting": {"size": 3, "epsilon": 1.0, "gaps": null, "x": null}, "parts": {}}'
DEEP = "[" * 100_000
NO_RESULTS = ["", "[]", "{}", '{"setting": 1, "parts": {}}', '{"setting": ', DEEP, NOTHING_MORE]


@pytest.mark.parametrize("text", NO_RESULTS, ids=range(len(NO_RESULTS)))
def test_what_is_no_file_of_results_is_refused(tmp_path, text):
    """In one sentence."""
    path = tmp_path / "it.json"
    path.write_text(text)

    with pytest.raises(KeptError, match="is no file of results; choose another folder"):
        Kept.opened(path, Numbers(3))


def test_a_part_that_cannot_be_written_leaves_what_was_there(tmp_path, monkeypatch):
    """The file is replaced whole, or not at all."""
    path = tmp_path / "it.json"
    kept = Kept.opened(path, Numbers(3))
    kept.add("one", Numbers(1))

    def full(number):
        raise OSError("no space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="no space"):
        kept.add("two", Numbers(2))
    assert list(json.loads(path.read_text())["parts"]) == list(kept.parts) == ["one"]
    assert [each.name for each in tmp_path.iterdir()] == ["it.json"]


def test_two_runs_of_one_setting_keep_what_the_other_has(tmp_path):
    """Whoever writes last."""
    path = tmp_path / "it.json"
    one, other = (Kept.opened(path, Numbers(3)) for _ in range(2))
    one.add("one", Numbers(1))
    other.add("two", Numbers(2))

    assert set(Kept.opened(path, Numbers(3)).parts) == set(other.parts) == {"one", "two"}


@pytest.mark.parametrize("part", [{}, None, 1, [], {"size": 1, "colour": "red"}])
def test_a_part_that_somebody_changed_is_refused(tmp_path, part):
    """As a file that is not whole is: in one sentence."""
    kept = Kept(tmp_path / "it.json", {}, {"one": part})

    with pytest.raises(KeptError, match="is no file of results; choose another folder"):
        kept.read("one", lambda found: Numbers(**{**found, "size": found["size"]}))
    assert Kept(kept.path, {}, {"one": 2}).read("one", lambda found: found) == 2


def test_budgets_that_differ_have_parts_of_their_own():
    """However little; and names are as short as they can be."""
    assert named("ours", 4.0) == "ours 4" and named("ours", math.inf) == "ours inf"
    assert named("ours", 15.6) == "ours 15.6"
    assert named("ours", 4.000004) != named("ours", 4.0) != named("ours", math.nextafter(4, 5))


def test_budgets_are_never_rounded():
    """They tell parts apart; other numbers have seven digits, and JSON has no infinity."""
    part = {"epsilon": 7.8000001, "direction": math.inf, "gap": 7.8000001, "error": math.inf}

    told = {"epsilon": 7.8000001, "direction": None, "gap": 7.8, "error": None}
    assert jsonable(part) == told
    assert [budget(told[name]) for name in ("epsilon", "direction")] == [7.8000001, math.inf]


@pytest.mark.parametrize(
    "found", [3, [], [[]], [1.0], [1, None], [1, math.nan], [1, math.inf], {}, "ab", [1, "a"]]
)
def test_numbers_of_a_part_are_finite_and_of_their_shape(found):
    """And all else is refused."""
    np.testing.assert_array_equal(numbers([1, 2.5], 2), [1.0, 2.5])
    assert number(3) == 3.0
    with pytest.raises((TypeError, ValueError)):
        numbers(found, 2)


def test_a_number_that_no_float_holds_is_refused(tmp_path):
    """As anything else that somebody wrote there."""
    with pytest.raises(KeptError, match="is no file of results"):
        Kept(tmp_path / "it.json", {}, {"one": 10**400}).read("one", number)
