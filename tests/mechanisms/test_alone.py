"""A mechanism used alone takes what people have, is compiled once a shape, and draws afresh."""

import math
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import quick_keys
from tacit.mechanisms.additive.cube_norm import CubeNorm
from tacit.mechanisms.additive.discrete_gaussian import DiscreteGaussian
from tacit.mechanisms.additive.discrete_laplace import DiscreteLaplace
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.k_norm import EuclideanNorm
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.additive.staircase import Staircase
from tacit.mechanisms.alone import (
    _in_steps,
    doubles,
    narrow,
    per_shape,
    refuse_other_columns,
    release,
)
from tacit.mechanisms.frequency.randomised_response import RandomisedResponse
from tacit.mechanisms.local.privunit2 import PrivUnit2
from tacit.mechanisms.local.scalardp import ScalarDP
from tacit.mechanisms.node import node
from tacit.mechanisms.rows.smooth_quantile import SmoothSensitivityQuantile
from tacit.mechanisms.rows.smooth_sensitivity import SmoothCauchy
from tacit.mechanisms.selection.interval_choice import IntervalChoice
from tacit.mechanisms.selection.permute_and_flip import PermuteAndFlip
from tacit.mechanisms.selection.top_k import TopK
from tacit.noise.fixed import FixedPoint

KEY = quick_keys.key(0)
# One of each family, and data for it as a list.
ALONE = [
    (PermuteAndFlip(2.0, 1.0), ([3.0, 2.5, -1.0],)),
    (TopK(2.0, 1.0, 2), ([3.0, 2.5, -1.0],)),
    (IntervalChoice(2.0, 1.0), ([4, 0, 9], [1.0, 5.0, 2.0])),
    (ScalarDP.best(4.0, 1.0), ([0.25, 0.5],)),
    (RandomisedResponse(1.0, 5), ([0, 4, 2],)),
]
NAMES = [type(mechanism).__name__ for mechanism, _ in ALONE]


@pytest.mark.parametrize("mechanism, data", ALONE, ids=NAMES)
def test_lists_and_wide_arrays_are_taken_as_jax_arrays_are(mechanism, data):
    """With one key the same is drawn of each; an array is NumPy's, and a number Python's."""
    arrays = [np.asarray(each) for each in data]
    narrowed = [jnp.asarray(narrow(each)) for each in arrays]
    drawn = [release(mechanism, *each, key=KEY) for each in (data, arrays, narrowed)]

    kind = int if type(mechanism) in (PermuteAndFlip, IntervalChoice) else np.ndarray
    assert all(type(each) is kind for each in drawn)
    assert all(np.array_equal(each, drawn[0]) for each in drawn)


def test_sums_come_as_whole_steps():
    """What a list of sums is on the mechanism's grid; the answer is read back exactly."""
    noise = Laplace.calibrate(100.0, 1.0, 2.0**-10)
    answer = release(noise, FixedPoint.of([1e6, -2.5], noise.step), key=KEY).exact()

    assert np.abs(answer - [1e6, -2.5]).max() < 1
    assert (answer * 2**10 % 1 == 0).all()


# Every mechanism whose sums are whole steps of its own grid, at a grid of 2^-10.
ON_GRIDS = [
    Laplace.calibrate(100.0, 1.0, 2.0**-10),
    Staircase.least_squares(50.0, 1.0, 2.0**-10),
    Gaussian(1.0, 1.0, 2.0**-10),
    EuclideanNorm.calibrate(0.1, 1.0, 2.0**-24, 2),
    CubeNorm.calibrate(100.0, 1.0, 2.0**-10, 2),
]
GRIDS = [type(mechanism).__name__ for mechanism in ON_GRIDS]


@pytest.mark.parametrize("mechanism", ON_GRIDS, ids=GRIDS)
def test_a_list_of_sums_is_put_on_the_mechanisms_grid(mechanism):
    """It is answered with the floats that its whole steps are: the draws of their `FixedPoint`."""
    given, step = [1234.5, -2.5 - mechanism.step / 3], mechanism.step
    expected = release(mechanism, FixedPoint.of(given, step), key=KEY).exact()
    drawn = [release(mechanism, each, key=KEY) for each in (given, np.array(given))]

    assert drawn[0].dtype == np.float64
    assert expected.tolist() == drawn[0].tolist() == drawn[1].tolist()
    assert (expected / step % 1 == 0).all()


@pytest.mark.parametrize("mechanism", ON_GRIDS, ids=GRIDS)
def test_a_sum_on_another_grid_counts_as_zero(mechanism):
    """On a finer one the same steps of noise would hide less."""
    finer = [FixedPoint.of([each, each], mechanism.step / 2**10) for each in (0.0, 1.0)]
    drawn = [release(mechanism, each, key=KEY).exact().tolist() for each in finer]

    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("step", [1.0, 2.0**-10, 2.0**40])
def test_neighbours_are_cut_to_whole_steps_without_moving_apart(step):
    """At the ends of what is counted too, and where whole numbers are no floats any more."""
    counted = 2**45 * step
    apart = [0.0, step / 2, step, 2.5 * step]
    for edge in (0.0, 7.25 * step, counted, -counted, 2.0**60, math.inf):
        drawn = [_in_steps([edge + each, edge], step).exact() / step for each in apart]
        moved = [each[0] - each[1] for each in drawn]
        assert all(0 <= m <= math.ceil(a / step) for m, a in zip(moved, apart, strict=True))
    for edge in (2**53, -(2**53), 2**62, 2**45):
        one, other = _in_steps(np.array([edge, edge + 1]), 1.0).exact()
        assert 0 <= other - one <= 1


@pytest.mark.parametrize("edge", [2**53, 2**60, -(2**53) - 1, 0])
def test_whole_numbers_that_are_no_floats_do_not_move_apart(edge):
    """Beyond 2^53 a rounding would move two that differ by one by two or more."""
    numbers = np.array([edge - 1, edge, edge + 1, edge + 2, edge + 3])

    assert set(np.diff(doubles(numbers))) <= {0.0, 1.0}


def test_sums_that_are_no_numbers():
    """NaN counts as zero, infinity as 2^45 steps."""
    assert [0, 2.0**35, -(2.0**35)] == _in_steps(
        [math.nan, math.inf, -1e300], 2.0**-10
    ).exact().tolist()


def test_one_number_is_answered_with_one_of_pythons():
    """A count, a choice and a sum; never an array without a shape."""
    drawn = [
        release(DiscreteGaussian(2.0), 5),
        release(DiscreteLaplace(1.0), np.int64(5)),
        release(PermuteAndFlip(2.0, 1.0), [3.0, 2.5]),
        release(ON_GRIDS[0], 2.5),
    ]

    assert [int, int, int, float] == [type(each) for each in drawn]


def test_a_sum_that_cannot_be_put_on_a_grid_is_refused():
    """In one sentence: within a compiled function, on a grid that nothing is divided by exactly."""
    noise, tenths = ON_GRIDS[0], Laplace.calibrate(1.0, 1.0, 0.1)
    with pytest.raises(ValueError, match="a sum must be a FixedPoint within a compiled function"):
        jax.jit(type(noise).sample)(noise, KEY, jnp.zeros(2))
    with pytest.raises(ValueError, match=r"a FixedPoint where no power of two is the step, 0\.1"):
        release(tenths, [0.5])
    with pytest.raises(ValueError, match="data must be an array of numbers, got one of str"):
        release(noise, ["a"])


def test_a_host_answer_is_left_as_it_is():
    """A number of Python's, from a mechanism that needs all rows."""
    noise = SmoothCauchy(1.0)
    median = SmoothSensitivityQuantile(noise, 0.0, 1.0)

    assert type(release(median, [0.5] * 50, key=KEY)) is float


@node
@dataclass(frozen=True)
class Halved:
    """Half of the data, by a number that is traced; what it was traced with, below."""

    half: float

    @per_shape
    def sample(self, key, data):
        TRACED.append(data.shape)
        return self.half * data


TRACED: list[tuple[int, ...]] = []


def test_sums_beyond_what_is_counted_stop_there_when_released():
    """By the table of `per_grid`: at 2^45 steps with the sign, and at zero for NaN."""
    noise = EuclideanNorm.calibrate(1.0, 1.0, 2.0**-24, 3)
    answer = release(noise, [1e9, -math.inf, math.nan], key=KEY)

    assert np.abs(answer - [2.0**21, -(2.0**21), 0.0]).max() < 50


def test_one_program_serves_a_shape():
    """Another epsilon, a list for an array: nothing is traced again; another shape is."""
    TRACED.clear()
    answers = [
        Halved(half).sample(KEY, data) for half in (0.5, 0.25) for data in ([2.0], np.ones(1))
    ]

    assert [[1.0], [0.5], [0.5], [0.25]] == [each.tolist() for each in answers]
    assert [(1,)] == TRACED
    Halved(0.5).sample(KEY, [1.0, 2.0])
    assert [(1,), (2,)] == TRACED


def test_without_a_key_every_release_is_drawn_afresh():
    """Two are alike with a chance below 2^-30 a number; with one key they are."""
    noise = DiscreteGaussian(2.0**30)
    zeros = [0, 0, 0, 0]

    assert (release(noise, zeros) != release(noise, zeros)).all()
    assert (release(noise, zeros, key=KEY) == release(noise, zeros, key=KEY)).all()


def test_wide_integers_are_cut_to_32_bits():
    """Where they wrapped, 2^32 + 1 would be category 1."""
    assert [2**31 - 1, 1, -(2**31)] == narrow([2**32 + 1, 1, -(2**40)]).tolist()
    assert np.float32 == narrow([0.5]).dtype and np.int8 == narrow(np.int8([1])).dtype


@pytest.mark.parametrize(
    "data, message",
    [
        (["a", "b"], "data must be an array of numbers, got one of str"),
        ([True, False], "data must be an array of numbers, got one of bool"),
        ([[1.0], [1.0, 2.0]], "data must be an array of numbers, got rows of several lengths"),
        ([None], "data must be an array of numbers, got one of object"),
    ],
)
def test_what_is_no_array_of_numbers_is_refused(data, message):
    """In one sentence, before anything is drawn."""
    with pytest.raises(ValueError, match=message):
        release(PermuteAndFlip(1.0, 1.0), data)


@pytest.mark.parametrize(
    "first, data, message",
    [
        ([1, 2], [DiscreteLaplace(1.0)], r"a mechanism comes first .*values\), got list first"),
        (None, [[1, 2]], "a mechanism comes first and then its data, .*got None first"),
        (DiscreteLaplace, [[1, 2]], r"got DiscreteLaplace without .*: write DiscreteLaplace\(eps"),
        (DiscreteLaplace(1.0), [], r"takes 1 of data, release\(mechanism, values\), got 0"),
        (DiscreteLaplace(1.0), [[1], 3], r"takes 1 of data, release\(mechanism, values\), got 2"),
        (DiscreteLaplace(1.0), [[]], "values must be at least one whole number, got none"),
        (DiscreteGaussian(1.0), [[]], "values must be at least one whole number, got none"),
    ],
)
def test_arguments_in_another_order_or_number_are_refused(first, data, message):
    """In one sentence, which shows how a mechanism is called."""
    with pytest.raises(ValueError, match=message):
        release(first, *data)


@pytest.mark.parametrize("key", [3, "a", b"0" * 32, jax.random.PRNGKey(0), jax.random.split(KEY)])
def test_what_is_no_key_is_refused(key):
    """It must be one of JAX's, with a type, or none: a number is no key, and several are not."""
    with pytest.raises(ValueError, match=r"key must be one jax\.random\.key\(seed\), or None for"):
        release(DiscreteLaplace(1.0), [1, 2], key=key)


@pytest.mark.parametrize(
    "make",
    [
        DiscreteLaplace,
        lambda value: Laplace.calibrate(value, 1.0, 1.0),
        lambda value: Staircase.least_squares(value, 1.0, 1.0),
        lambda value: PermuteAndFlip(value, 1.0),
        lambda value: RandomisedResponse(value, 5),
    ],
)
@pytest.mark.parametrize("value", [None, "1", [1.0], True])
def test_an_epsilon_that_is_no_number_is_refused(make, value):
    """Before it is compared with one."""
    with pytest.raises(ValueError, match=r"epsilon must be .*, got (None|'1'|list|True)"):
        make(value)


def test_one_row_alone_is_refused_and_it_is_said_how_it_is_given():
    """As rows of which there is one; of other shapes nothing of the kind is said."""
    refuse_other_columns(np.ones((1, 16)), 16)
    with pytest.raises(ValueError, match=r"must have 16 columns, got shape \(16,\); one row is \["):
        PrivUnit2.optimal(16, 1.0).sample(quick_keys.key(0), [0.25] * 16)
    with pytest.raises(ValueError, match=r"must have 16 columns, got shape \(2, 15\)$"):
        refuse_other_columns(np.ones((2, 15)), 16)
