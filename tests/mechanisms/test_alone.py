"""A mechanism used alone takes what people have, is compiled once a shape, and draws afresh."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tacit.mechanisms.additive.discrete_gaussian import DiscreteGaussian
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.alone import narrow, per_shape, release
from tacit.mechanisms.frequency.randomised_response import RandomisedResponse
from tacit.mechanisms.local.scalardp import ScalarDP
from tacit.mechanisms.node import node
from tacit.mechanisms.rows.smooth_quantile import SmoothSensitivityQuantile
from tacit.mechanisms.rows.smooth_sensitivity import SmoothCauchy
from tacit.mechanisms.selection.interval_choice import IntervalChoice
from tacit.mechanisms.selection.permute_and_flip import PermuteAndFlip
from tacit.mechanisms.selection.top_k import TopK
from tacit.noise.fixed import FixedPoint

KEY = jax.random.key(0)
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
    """With one key the same is drawn of each, and what comes out is NumPy's."""
    arrays = [np.asarray(each) for each in data]
    narrowed = [jnp.asarray(narrow(each)) for each in arrays]
    drawn = [release(mechanism, *each, key=KEY) for each in (data, arrays, narrowed)]

    assert all(isinstance(each, np.ndarray) for each in drawn)
    assert drawn[0].tolist() == drawn[1].tolist() == drawn[2].tolist()


def test_sums_come_as_whole_steps():
    """What a list of sums is on the mechanism's grid; the answer is read back exactly."""
    noise = Laplace.calibrate(100.0, 1.0, 2.0**-10)
    answer = release(noise, FixedPoint.of([1e6, -2.5], noise.step), key=KEY).exact()

    assert np.abs(answer - [1e6, -2.5]).max() < 1
    assert (answer * 2**10 % 1 == 0).all()


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
