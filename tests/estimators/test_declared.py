"""What is declared: bounds map rows and back, and nothing is read off people's data in silence."""

import numpy as np
import pytest

import tacit
from estimators.people_like_these import BOUNDS, CURATOR, rows
from tacit.estimators import outside
from tacit.estimators.declared import (
    Box,
    box_of,
    classes_of,
    numbers_of,
    target_box_of,
)

BOX = Box(np.array([0.0, -10.0]), np.array([4.0, 30.0]))
X = np.array([[0.0, 30.0], [1.0, 10.0], [-9.0, 90.0]])


def test_rows_are_brought_into_the_cube_and_the_ball():
    """Clipped, mapped to [-1, 1], and for the ball no longer than two."""
    np.testing.assert_allclose(BOX.cube(X), [[-1, 1], [-0.5, 0], [-1, 1]])
    np.testing.assert_allclose(BOX.ball(X), np.sqrt(2) * BOX.cube(X))
    wild = np.random.default_rng(0).normal(0, 1e3, (100, 2))
    assert np.linalg.norm(BOX.ball(wild), axis=1).max() <= 2 + 1e-6


@pytest.mark.parametrize("scale", [1.0, BOX.shrink])
@pytest.mark.parametrize("outputs", [(), (3,)])
def test_lines_say_the_same_in_the_data_s_units(scale, outputs):
    """Of rows within the bounds, whichever scale they were learnt in."""
    rng = np.random.default_rng(1)
    inside = rng.uniform(BOX.lower, BOX.upper, (20, 2))
    weights = rng.normal(size=(3, *outputs))
    coefficients, intercepts = BOX.line(weights, scale)

    learnt = scale * BOX.cube(inside) @ weights[:-1] + weights[-1]
    np.testing.assert_allclose(inside @ coefficients.T + intercepts, learnt, atol=1e-6)


def test_a_target_s_line_is_in_its_own_unit():
    """What predicts -1 and 1 predicts its bounds."""
    coefficients, intercept = Box(np.array([10.0]), np.array([30.0])).units(np.ones(1), 0.0)

    assert (coefficients.tolist(), intercept) == ([10.0], 20.0)


def test_bounds_are_read_off_only_where_nothing_is_promised():
    """A constant feature is in the middle of bounds of its own, so it counts as zero."""
    data = np.array([[1.0, 7.0], [3.0, 7.0]])
    read = box_of(None, data, tacit.NonPrivate())

    np.testing.assert_allclose(read.cube(data), [[-1, 0], [1, 0]])
    with pytest.raises(ValueError, match=r"bounds must be declared, e\.g\. bounds=\(0\.0, 1\.0\)"):
        box_of(None, data, CURATOR)
    with pytest.raises(ValueError, match="target_bounds must be declared"):
        target_box_of(None, data[:, 0], CURATOR)


@pytest.mark.parametrize(
    "bounds",
    [
        *[(1.0, 1.0), (2.0, 1.0), (0.0, np.nan), (-np.inf, 1.0), (-1e308, 1e308)],
        *[
            3.0,
            (0.0,),
            ([0.0, 0.0, 0.0], 1.0),
            ("low", "high"),
            {0: (0, 1), 1: (5, 9)},
            {0, 1},
            "09",
        ],
    ],
    ids=str,
)
def test_bounds_that_are_none_are_refused(bounds):
    """With what is allowed, and whose they are."""
    with pytest.raises(ValueError, match=r"^bounds must be \(lower, upper\)"):
        box_of(bounds, X, CURATOR)
    with pytest.raises(ValueError, match=r"^target_bounds must be \(lower, upper\)"):
        target_box_of(bounds, X[:, 0], CURATOR)


def test_classes_are_read_off_only_where_nothing_is_promised():
    """Declared ones are put in order, each once."""
    labels = np.array(["b", "a", "b"])

    assert classes_of(None, labels, tacit.NonPrivate()).tolist() == ["a", "b"]
    assert classes_of(["z", "a", "z"], labels, CURATOR).tolist() == ["a", "z"]
    with pytest.raises(ValueError, match=r"classes must be declared, e\.g\. classes=\[0, 1\]"):
        classes_of(None, labels, CURATOR)
    with pytest.raises(ValueError, match="at least two classes, got 1 class"):
        classes_of(["a"], labels, CURATOR)


@pytest.mark.parametrize(
    "classes", [{"z", "a"}, {"z": 1, "a": 2}.keys(), frozenset("az"), ("z", "a")]
)
def test_classes_may_be_a_set(classes):
    """In order, like a list's."""
    assert classes_of(classes, np.array(["a"]), CURATOR).tolist() == ["a", "z"]


@pytest.mark.parametrize(
    "classes", ["ab", 2, [["a", "b"], ["c", "d"]], [["a"], ["b", "c"]], {"a": 1, "b": 2}]
)
def test_classes_that_are_no_list_of_labels_are_refused(classes):
    """With what is allowed."""
    with pytest.raises(ValueError, match="classes must be a list or a set of labels"):
        classes_of(classes, np.array(["a"]), CURATOR)


@pytest.mark.parametrize("kind", [object, "U"])
def test_labels_are_numbered_and_others_are_not_named(kind):
    """A refusal says how labels are declared, and nothing of the one that is missing."""
    classes = np.array(["a", "b"])

    assert numbers_of(np.array(["b", "a"], kind), classes).tolist() == [1, 0]
    with pytest.raises(ValueError, match="classes= must name every label") as refusal:
        numbers_of(np.array(["a", "hepatitis"], kind), classes)
    assert "hepatitis" not in str(refusal.value)
    with pytest.raises(ValueError, match="a label was never declared"):
        numbers_of(np.array(["b"], kind), np.array([0, 1]))


def test_text_for_numbers_is_said_by_the_types_alone():
    """Which of the two is which, where one are numbers; of two texts nothing."""
    for labels, classes, said in (
        (np.array([0, 1]), np.array(["0", "1"]), "; classes are text and labels are numbers, and"),
        (np.array(["0"]), np.array([0, 1]), "; classes are numbers and labels are text, and"),
        (np.array(["0"], object), np.array([0, 1]), "classes are numbers and labels are objects"),
        (np.array(["c"], object), np.array(["a", "b"]), "every label that anybody may have$"),
    ):
        with pytest.raises(ValueError, match=f"a label was never declared.*{said}"):
            numbers_of(labels, classes)


def test_cells_outside_the_bounds_are_counted_for_the_curator():
    """For each feature; what is on a bound is inside."""
    assert outside(X, ([0.0, -10.0], [4.0, 30.0])).tolist() == [1, 1]
    assert outside(rows(), BOUNDS).sum() < 5


def test_of_a_box_whose_half_diagonal_is_one_sides_stay_in_proportion():
    """The way back is by its size and its middle; rows beyond it come back at its sides."""
    box = Box(np.array([0.0, -1.0]), np.array([8.0, 5.0]))
    placed = box.placed(np.array([[1.0, 4.5], [-50.0, 99.0]]))

    assert 5.0 == box.half_diagonal
    assert (0.8, 0.6) == box.sides
    assert np.float32 == placed.dtype
    back = box.half_diagonal * placed + box.middle
    np.testing.assert_allclose(back, [[1.0, 4.5], [0.0, 5.0]], atol=1e-5)


def test_a_box_whose_middle_is_no_float_costs_no_digits():
    """Its ends are as far from its middle."""
    far = Box(np.array([1e16]), np.array([1e16 + 2]))

    assert far.placed(np.array([[1e16], [1e16 + 2]])).tolist() == [[-1.0], [1.0]]
    with pytest.raises(ValueError, match="float32 has none"):
        box_of((1e9, 1e9 + 1), np.zeros((2, 1), np.float32), CURATOR)


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_squares_of_bounds_need_not_be_floats(unit):
    """Half the diagonal of a box of any width is known."""
    own = Box(np.array([-unit]), np.array([unit]))

    assert own.half_diagonal == pytest.approx(unit) and own.sides == pytest.approx((1.0,))
