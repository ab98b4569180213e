"""The picture of a comparison: lines with bars, each named where it ends."""

import re
from itertools import combinations

import pytest

from cli.made_up_comparison import CASE, CENTRAL, FOUND, point
from tacit.cli.compare_picture import draw
from tacit.learning.compare import Comparison


def drawn(tmp_path, found: Comparison) -> str:
    draw(tmp_path / "compare.svg", CASE, found)
    return (tmp_path / "compare.svg").read_text()


def test_lines_and_levels_are_named(tmp_path):
    """By what is learnt and whom people trust."""
    picture = drawn(tmp_path, FOUND)

    for words in ("perturbation, central", "descent, shuffled", "without privacy"):
        assert words in picture
    assert "commonest label" in picture and "deviation of one of 2 releases" in picture


def test_names_do_not_lie_on_one_another(tmp_path):
    """Two lines and a level that end at one accuracy have their names one below another."""
    ends = [(CENTRAL, 1.0, 0.75), (FOUND.points[3].method, 1.0, 0.75)]
    picture = drawn(tmp_path, Comparison(tuple(point(*each) for each in ends)))
    names = ("perturbation, central", "descent, shuffled", "commonest label")
    heights = [float(re.search(rf' y="([\d.]+)"[^>]*>{name}<', picture)[1]) for name in names]

    assert min(abs(a - b) for a, b in combinations(heights, 2)) > 10


@pytest.mark.parametrize("accuracies, has_bars", [((0.8,), False), ((0.8, 0.9), True)])
def test_a_bar_is_the_deviation_of_several_releases(tmp_path, accuracies, has_bars):
    """Of one there is none to tell of."""
    picture = drawn(tmp_path, Comparison((point(CENTRAL, 1.0, *accuracies),)))

    assert ("bars: deviation" in picture) == has_bars
