"""The picture of an answer: every name and number of it, and nothing cut."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from tacit.tables.drawn import MOST_LINES, MOST_PANELS, drawn, readable

LONG = "Intensive care, of the second floor in the eastern wing ($5 to $9)"
WARD = ["ward"]


def frame(groups: list, *numbers: str) -> pd.DataFrame:
    """Of groups, with an estimate of each number and its limits."""
    columns: dict = {"ward": groups} if groups != ["all"] else {}
    for i, name in enumerate(numbers):
        for end, off in (("", 0), ("_low", -1), ("_high", 1)):
            columns[name + end] = np.arange(len(groups)) * 10.0 + i + off
    return pd.DataFrame(columns)


def words(axes) -> list[str]:
    """The names of its lines."""
    return [label.get_text().replace("\n", " ") for label in axes.get_yticklabels()]


def test_a_number_is_a_panel_with_a_line_for_each_group():
    """A dot at the estimate, a bar between the limits; names once, at the left."""
    figure = drawn(frame(["A", None, LONG], "n", "stay"), WARD, (), "95% intervals")
    left, right = figure.axes

    assert ["n", "stay"] == [axes.get_title(loc="left") for axes in figure.axes]
    assert ["A", "none", LONG.replace("$", r"\$")] == words(left) and ["", "", ""] == words(right)
    assert [1.0, 11.0, 21.0] == list(right.lines[0].get_xdata())
    bars = [segment[:, 0].tolist() for segment in right.collections[0].get_segments()]
    assert [[0.0, 2.0], [10.0, 12.0], [20.0, 22.0]] == bars
    assert "95% intervals" == figure.get_supxlabel()


def test_a_histogram_is_a_panel_for_each_group_on_one_scale():
    """With a line for each kind; without groups it is one."""
    figure = drawn(frame(["A", "B"], "sex[f]", "sex[m]"), WARD, (), "")
    assert ["sex, A", "sex, B"] == [axes.get_title(loc="left") for axes in figure.axes]
    assert ["f", "m"] == words(figure.axes[0])
    assert figure.axes[0].get_xlim() == figure.axes[1].get_xlim()

    (alone,) = drawn(frame(["all"], "sex[f]", "sex[m]", "n"), (), ("sex",), "").axes
    assert ("sex", ["f", "m"]) == (alone.get_title(loc="left"), words(alone))
    assert ["all"] == words(drawn(frame(["all"], "n"), (), (), "").axes[0])


def test_what_was_chosen_is_a_part_of_whose_its_count_is():
    """A line is named by the group and the value; of all rows, by the value."""
    top = frame(["A", "B"], "top_1_n", "top_rest").assign(top_1=["f", None])
    chosen, rest = drawn(top, WARD, (), "").axes
    assert ["A, f", "B, none"] == words(chosen) and ["A", "B"] == words(rest)

    (alone,) = drawn(frame(["all"], "top_1_n").assign(top_1=["f"]), (), (), "").axes
    assert ["f"] == words(alone)


@pytest.mark.parametrize("groups", [[LONG], [f"{i} {LONG}" for i in range(80)]], ids=["one", "80"])
def test_nothing_is_cut_and_no_name_lies_on_another(groups):
    """Of one group, and of eighty with long names."""
    figure = drawn(frame(groups, "n", "stay"), WARD, (), "95% intervals")
    figure.draw_without_rendering()
    labels = [each for each in figure.axes[0].get_yticklabels() if each.get_text()]
    boxes = [each.get_window_extent() for each in labels]

    assert len(groups) == len(boxes)
    for box in (*boxes, *(axes.title.get_window_extent() for axes in figure.axes)):
        assert figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= box.y0 and box.y1 <= figure.bbox.y1
    for above, below in pairwise(boxes):
        assert below.y1 <= above.y0 + 1


def test_what_has_no_end_is_drawn_to_the_edge():
    """A limit that is infinite, and a number that is the same everywhere."""
    infinite = frame(["A", "B"], "n")
    infinite.loc[0, "n_high"] = np.inf
    (axes,) = drawn(infinite, WARD, (), "").axes
    same = drawn(frame(["A"], "n").assign(n=3.0, n_low=3.0, n_high=3.0), WARD, (), "").axes[0]

    assert axes.get_xlim()[1] == axes.collections[0].get_segments()[0][1, 0]
    assert same.get_xlim()[0] < 3 < same.get_xlim()[1]


def test_what_cannot_be_read_is_refused():
    """Too many lines or panels, and a number that is not there."""
    many = frame([str(i) for i in range(MOST_LINES + 1)], "n")
    with pytest.raises(ValueError, match="at most 24 panels of 100 lines"):
        drawn(many, WARD, (), "")
    wide = frame(["A"], *(f"n{i}" for i in range(25)))
    with pytest.raises(ValueError, match="would have 25 of 1"):
        drawn(wide, WARD, (), "")
    assert 2 == len(drawn(wide, WARD, ("n3", "n7"), "").axes)
    with pytest.raises(ValueError, match="there is no number 'm'; there are n0, n1"):
        drawn(wide, WARD, ("m",), "")


def test_what_is_paid_for_already_has_a_picture_of_what_can_be_read():
    """Of many groups, panels or lines the first, and the caption says of how many; of few, all."""
    few = readable(frame(["A", "B"], "n", "m"), WARD, (), "95% intervals")
    assert "95% intervals" == few.get_supxlabel() and 2 == len(few.axes)

    groups = readable(
        frame([str(i) for i in range(MOST_LINES + 1)], "n"), WARD, (), "95% intervals"
    )
    assert MOST_LINES == len(words(groups.axes[0]))
    assert groups.get_supxlabel().endswith("the first 100 of 101 groups")

    panels = readable(frame([str(i) for i in range(MOST_PANELS + 3)], "a[x]", "a[y]"), WARD, (), "")
    assert MOST_PANELS == len([axes for axes in panels.axes if axes.get_visible()])
    assert panels.get_supxlabel().endswith("the first 24 of 27 panels")

    kinds = readable(frame(["all"], *(f"a[{i}]" for i in range(MOST_LINES + 5))), (), (), "")
    assert MOST_LINES == len(words(kinds.axes[0]))
    assert kinds.get_supxlabel().endswith("the first 100 of 105 lines of a panel")

    assert "none" == readable(frame([], "n"), WARD, (), "none").get_supxlabel()
