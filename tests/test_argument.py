"""What counts as a number, and how a refusal says what it got instead."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import jax.numpy as jnp
import numpy as np
import pandas as pd
import pytest

from tacit.argument import (
    counted,
    got,
    is_made,
    is_number,
    is_power_of_two,
    is_whole,
    listed,
    pythons,
    refuse_negative,
    refuse_no_seed,
    refuse_no_share,
    refuse_none_positive,
    refuse_not_counted,
    refuse_not_positive,
    refuse_not_whole,
    refuse_outside,
    shape_of,
    single,
    takes_numpys,
)
from tacit.contribution import Ball, Contribution, Interval
from tacit.mechanisms.additive.cube_norm import CubeNorm
from tacit.mechanisms.additive.discrete_laplace import DiscreteLaplace
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.frequency.subset_selection import SubsetSelection
from tacit.mechanisms.local.local_laplace import LocalLaplace
from tacit.mechanisms.local.piecewise import Piecewise
from tacit.mechanisms.local.privunit2 import PrivUnit2
from tacit.mechanisms.local.privunit_infinity import PrivUnitInfinity
from tacit.mechanisms.rows.joint_quantiles import JointQuantiles
from tacit.mechanisms.rows.public_grid import PublicGrid
from tacit.mechanisms.rows.smooth_sensitivity import SmoothLaplace
from tacit.mechanisms.selection.exponential import Exponential
from tacit.mechanisms.selection.top_k import TopK
from tacit.mechanisms.selection.truncated_geometric import TruncatedGeometric
from tacit.question.participation import Everyone, Once

NONE = ["1", None, True, np.True_, [1], (1,), 1j, np.ones(1), 10**400, -(10**400)]


@pytest.mark.parametrize("value", [0, -1.5, np.float32(0.5), np.int8(3), Fraction(1, 3), math.inf])
def test_pythons_and_numpys_are_numbers(value):
    """A range is for each check to name, so that an infinity is one here."""
    assert is_number(value)


@pytest.mark.parametrize("value", NONE, ids=str)
def test_words_truths_and_lists_are_no_numbers(value):
    """Nor what no float is near to."""
    assert not is_number(value)
    assert not is_whole(value)


def test_what_is_listed_has_an_order_of_its_own():
    """Of tuples, lists and arrays, of NumPy's and JAX's; keys, sets, words and tables have none."""
    for given in ((1, 2), [1, 2], np.array([1, 2]), jnp.array([1, 2])):
        assert listed(given) == [1, 2] and all(map(is_number, listed(given) or ()))
    assert listed(()) == [] and [2, 2] == [len(row) for row in listed(np.ones((2, 2))) or ()]
    frame = pd.DataFrame({"a": [1]})
    for given in ({1: 2}, {1, 2}, "12", frame, frame["a"], np.float64(1), range(2), map(abs, [1])):
        assert listed(given) is None


def test_powers_of_two_are_known_at_every_size():
    """The smallest floats too; nothing beside them, no infinity and no NaN."""
    assert all(is_power_of_two(2.0**power) for power in (-1074, -40, -1, 0, 1, 1023))
    for other in (0.0, -2.0, 3.0, 1 + 2.0**-52, math.inf, math.nan):
        assert not is_power_of_two(other)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", [2.5, math.nan, math.inf, np.float32("inf"), Fraction(5, 2)])
def test_what_is_not_whole_is_left_as_it_is(value):
    """So that the check that refuses it can say what it got."""
    assert not is_whole(value)
    assert counted(value) is value


@pytest.mark.parametrize("value", [3, 3.0, np.int8(3), np.uint64(3), np.float32(3)])
def test_whole_numbers_become_pythons(value):
    """Those neither overflow nor are unknown to JSON."""
    assert is_whole(value)
    assert type(counted(value)) is int and 3 == counted(value)


def test_a_class_is_not_one_of_its_own():
    """Though it has every name that a protocol asks for."""
    assert isinstance(Interval, Contribution)
    assert not is_made(Interval, Contribution)
    assert is_made(Interval(0.0, 1.0), Contribution)


@pytest.mark.parametrize(
    "value, said",
    [
        ("0.5", "'0.5'"),
        (0.5, "0.5"),
        (np.float64("nan"), "nan"),
        (None, "None"),
        (jnp.float32(2.0), "2.0"),
        (Ball, "Ball without parentheses: write Ball(dim, radius)"),
        (Everyone, "Everyone without parentheses: write Everyone()"),
        (Once, "Once without parentheses: write Once()"),
        (Interval(0.0, 1.0), "Interval"),
        (np.array([3.0, 4.0]), "ndarray"),
        ({"age": 41}, "dict"),
    ],
)
def test_a_refusal_says_what_it_got(value, said):
    """Words in quotes, classes with how they are called, and of what may be data the type alone."""
    assert said == got(value)


@pytest.mark.parametrize("value", [*NONE, 0, -1.0, math.inf, -math.inf, math.nan], ids=str)
def test_what_is_not_positive_and_finite_is_refused_by_its_name(value):
    """Words as well, which compare to no number."""
    with pytest.raises(ValueError, match=r"^epsilon must be positive and finite, got "):
        refuse_not_positive("epsilon", value)


@pytest.mark.parametrize("value", [5e-324, 1, np.float32(2), Fraction(1, 3), 1.7e308])
def test_what_is_positive_and_finite_passes(value):
    """However small or large."""
    refuse_not_positive("epsilon", value)


@pytest.mark.parametrize("value", ["x", None, math.nan, True, [1], 0, -1, 1.5])
def test_what_counts_nothing_is_refused_by_its_name(value):
    """A word, a truth value or a fraction, and what is below the least."""
    with pytest.raises(ValueError, match=r"rounds must be a whole number of at least 1, got \S+$"):
        refuse_not_counted("rounds", value)
    refuse_not_counted("rounds", 3.0)
    with pytest.raises(ValueError, match="classes must be a whole number of at least 2, got 1"):
        refuse_not_counted("classes", 1, 2)


@pytest.mark.parametrize("value", ["x", None, math.nan, True, -1e-9, math.inf])
def test_what_is_negative_or_endless_is_refused_by_its_name(value):
    """Zero is none of it."""
    with pytest.raises(ValueError, match="penalty must be at least 0 and finite, got"):
        refuse_negative("penalty", value)
    refuse_negative("penalty", 0)


@pytest.mark.parametrize("value", ["x", None, math.nan, True, 0, 1, 1.5])
def test_what_is_no_share_is_refused_by_its_name(value):
    """All and nothing are none."""
    with pytest.raises(ValueError, match="share must be between 0 and 1, got"):
        refuse_no_share("share", value)
    refuse_no_share("share", 0.5)


@pytest.mark.parametrize("value", ["x", None, math.nan, True, 0, 1.5, math.inf, 10**400])
def test_what_is_outside_is_refused_by_its_name(value):
    """Both limits are inside."""
    with pytest.raises(ValueError, match=r"rate must be between 0\.001 and 1, got"):
        refuse_outside("rate", value, 0.001, 1.0)
    for inside in (0.001, np.float32(0.5), 1):
        refuse_outside("rate", inside, 0.001, 1.0)


@pytest.mark.parametrize("value", ["x", None, math.nan, True, 1, 65537, math.inf, [3]])
def test_what_is_not_whole_between_two_is_refused_by_its_name(value):
    """Both limits are inside, and 3.0 is a whole number; a fraction is refused as one."""
    with pytest.raises(ValueError, match="levels must be between 2 and 65536, got"):
        refuse_not_whole("levels", value, 2, 65536)
    with pytest.raises(ValueError, match=r"levels must be a whole number, got 2\.5"):
        refuse_not_whole("levels", 2.5, 2, 65536)
    for inside in (2, 3.0, np.int32(65536)):
        refuse_not_whole("levels", inside, 2, 65536)


def test_small_limits_are_said_shortly():
    """As people write them."""
    with pytest.raises(ValueError, match="rate must be between 1e-6 and 40, got 0"):
        refuse_outside("rate", 0, 1e-6, 40.0)


@dataclass
class Held:
    """Two numbers."""

    one: Any
    other: Any


def test_fields_are_refused_by_their_names():
    """The first that is not positive and finite."""
    refuse_none_positive(Held(1, 0.5), "one", "other")
    with pytest.raises(ValueError, match="other must be positive and finite, got 0"):
        refuse_none_positive(Held(1, 0), "one", "other")


def test_an_array_without_axes_is_its_number():
    """Of NumPy and of JAX; one with an axis is none."""
    assert single(np.float32(0.5)) == single(jnp.asarray(0.5)) == 0.5
    assert single("x") == "x" and single([1]) == [1]


@pytest.mark.parametrize("value", [*NONE, -1, 1.5, 2**64, math.nan, None], ids=str)
def test_what_is_no_seed_is_refused(value):
    """Words, truths, fractions, and what 64 bits do not hold."""
    with pytest.raises(
        ValueError, match=r"^seed must be a whole number from 0 and below 2\^64, got "
    ):
        refuse_no_seed(value)


@pytest.mark.parametrize("value", [0, 3.0, np.uint64(2**63), 2**63])
def test_what_is_a_seed_passes(value):
    """Of any kind of whole number."""
    refuse_no_seed(value)


def test_what_has_every_name_is_no_thing_that_was_made():
    """An expression of columns has any attribute, and so would be of every protocol."""

    class Anything:
        def __getattr__(self, name: str) -> "Anything":
            return self

    @runtime_checkable
    class Named(Protocol):
        @property
        def name(self) -> str: ...

    assert isinstance(Anything(), Named) and not is_made(Anything(), Named)


def test_a_whole_number_of_many_digits_is_not_said_out():
    """A refusal stays a sentence; Python refuses to write some of them."""
    assert ["12345", "a whole number of 16,610 bits"] == [got(12345), got(10**5000)]


@pytest.mark.parametrize("value", [np.float32(0.1), np.float64(2.5), np.float16(1), np.inf])
def test_numpys_floats_become_pythons(value):
    """Of the same size, to the last bit."""
    assert type(pythons(value)) is float and pythons(value) == value


@pytest.mark.parametrize("value", [np.int8(-3), np.uint64(2**64 - 1), np.int64(7)])
def test_numpys_whole_numbers_become_pythons(value):
    """However long they are."""
    assert type(pythons(value)) is int and pythons(value) == value


@pytest.mark.parametrize("value", ["1", None, True, np.True_, Fraction(1, 3), [1], np.ones(2)])
def test_what_is_no_number_of_numpys_stays_as_it_is(value):
    """For a check to refuse, or to take."""
    assert pythons(value) is value


def test_what_takes_numpys_is_told_pythons():
    """By place and by name, and keeps its name and its words."""

    @takes_numpys
    def kinds(one: float, *, two: float) -> tuple[type, type]:
        """Of both."""
        return type(one), type(two)

    assert kinds(np.float32(1), two=np.int8(2)) == (float, int)
    assert (kinds.__name__, kinds.__doc__) == ("kinds", "Of both.")


GRID = PublicGrid(0.0, 1.0, 64)
MECHANISMS = [
    (CubeNorm.calibrate, (0.1, 1.0, 2.0**-12, 3)),
    (DiscreteLaplace, (0.1, 2)),
    (Exponential, (0.1, 1.0)),
    (Gaussian.calibrate, (0.1, 1e-3, 1.0, 2.0**-12)),
    (lambda epsilon, people: JointQuantiles.declared((0.5,), epsilon, GRID, people), (0.1, 99)),
    (lambda epsilon: JointQuantiles.replace_one((0.5,), epsilon, GRID), (0.1,)),
    (Laplace.calibrate, (0.1, 1.0, 2.0**-12)),
    (LocalLaplace.on_grid, (0.1, 4, 1.0)),
    (Piecewise.best, (0.1, 1.0)),
    (PrivUnit2.hemisphere, (5, 1.1)),
    (PrivUnitInfinity.on_all, (5, 1.1, 1.0)),
    (SmoothLaplace, (0.1, 1e-3)),
    (SubsetSelection, (0.1, 6)),
    (TopK, (0.1, 1.0, 3)),
    (TruncatedGeometric, (0.1, 1e-3)),
]


@pytest.mark.parametrize("make, given", MECHANISMS)
def test_a_mechanism_of_numpys_numbers_is_that_of_pythons(make, given):
    """Of the same size: nothing of it is made in less digits, and nobody is promised less."""
    numpys = [np.float32(each) if isinstance(each, float) else np.int32(each) for each in given]
    found, same = make(*numpys), make(*(each.item() for each in numpys))

    assert str(vars(found)) == str(vars(same)) and "float32(" not in str(vars(found))


def test_shapes_are_of_pythons_numbers():
    """One number is the shape of an array of one axis; () that of a number alone."""
    given = ((), [], (2, 3), [np.int64(2), 3.0], 4, np.array([2, 3]))
    assert [shape_of(each) for each in given] == [(), (), (2, 3), (2, 3), (4,), (2, 3)]
    assert all(type(each) is int for shape in given for each in shape_of(shape))
    for other in (0, -1, 2.5, True, (2, 0), (2, None), ((2,),), "23", {2}, None, math.nan):
        with pytest.raises(ValueError, match="shape must be of whole numbers of at least 1"):
            shape_of(other)
