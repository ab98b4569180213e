"""One round: who is absent adds nothing, chunks change nothing, and no two people share noise."""

import os
import subprocess
import sys
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import quick_keys
import tacit
from tacit.contribution import Counts, OneHot, Product
from tacit.population.loop import Cohort, Keys, Parts, answer_of, run_round

KEYS = Keys(*map(jax.random.key, range(3)))
# Zero is not in the interval: an absent row that was counted would add at least one.
FROM_ONE = tacit.Interval(1.0, 4.0)


def cohort(rows, present, used) -> Cohort:
    return Cohort(
        jnp.asarray(rows, jnp.int32), jnp.asarray(present, bool), jnp.asarray(used, jnp.int32)
    )


def answer(trust, shape, data, who: Cohort, learner=None, keys=KEYS) -> np.ndarray:
    """The sum of one round's reports (over a cohort of one)."""
    learner = learner or tacit.statistics.Average(shape.shape)
    parts = Parts.of(trust.plan(tacit.Mean(shape, tacit.Everyone(), 1, 1)))
    state, _, _ = run_round(learner, parts, learner.init(), None, jnp.asarray(data), who, keys)
    return np.asarray(state[0])


@pytest.mark.parametrize("content", [2.0, 1e30, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(
    "rows, present",
    [
        ([[0, 2, 1]], [[1, 0, 1]]),
        ([[0, 2], [1, 2]], [[1, 0], [1, 0]]),
        ([[2], [0], [1]], [[0], [1], [1]]),
    ],
    ids=["whole", "chunks", "alone"],
)
def test_an_absent_place_adds_nothing_whatever_lies_there(content, rows, present):
    """The sum is that of who is present, to the bit."""
    data = np.array([1.5, 3.0, content], np.float32)
    who = cohort(rows, present, len(rows))

    assert 4.5 == answer(tacit.NonPrivate(), FROM_ONE, data, who)


def test_an_absent_device_reports_nothing_either():
    """Under local privacy an absent place would add a noisy report, and does not."""
    who = cohort([[0, 1]], [[0, 0]], 1)
    draws = Keys(*map(quick_keys.key, range(3)))

    assert 0.0 == answer(tacit.Local(1.0), FROM_ONE, np.ones(2, np.float32), who, keys=draws)


def test_an_empty_cohort_is_an_empty_sum():
    """No chunk in use: zero, not an error."""
    who = cohort([[0, 1], [0, 1]], np.zeros((2, 2)), 0)

    assert 0.0 == answer(tacit.NonPrivate(), FROM_ONE, np.ones(2, np.float32), who)


@pytest.mark.parametrize("used", [0, 1, 2, 3, 4])
def test_chunks_beyond_those_in_use_are_not_run(used):
    """Though every place of theirs is marked present, they add nothing."""
    data = np.arange(1.0, 9.0, dtype=np.float32)
    who = cohort(np.arange(8).reshape(4, 2), np.ones((4, 2)), used)
    shape = tacit.Interval(0.0, 100.0)

    assert data[: 2 * used].sum() == answer(tacit.NonPrivate(), shape, data, who)


def test_the_number_of_chunks_in_use_compiles_once():
    """It is traced: cohorts of every size share one program."""
    data = np.ones(8, np.float32)
    grid = np.arange(8).reshape(4, 2)
    answer(tacit.NonPrivate(), FROM_ONE, data, cohort(grid, np.ones((4, 2)), 1))
    before = run_round._cached._cache_size()
    for used in (2, 3, 4):
        answer(tacit.NonPrivate(), FROM_ONE, data, cohort(grid, np.ones((4, 2)), used))

    assert before == run_round._cached._cache_size()


@pytest.mark.parametrize("chunk", [1, 2, 3, 6])
def test_chunks_of_any_size_make_the_same_sum(chunk):
    """Also one person at a time, which takes a path of its own."""
    data = np.random.default_rng(0).normal(size=(6, 5)).astype(np.float32)
    who = cohort(np.arange(6).reshape(-1, chunk), np.ones((6 // chunk, chunk)), 6 // chunk)
    ball = tacit.Ball(5, 1.5)
    expected = np.asarray(ball.project(jnp.asarray(data))).sum(axis=0)

    np.testing.assert_allclose(
        expected, answer(tacit.NonPrivate(), ball, data, who), rtol=1e-5, atol=1e-6
    )


def test_a_person_listed_twice_counts_twice():
    """Rows are looked up, not assumed to be in order."""
    data = np.array([1.0, 2.0, 3.0], np.float32)
    who = cohort([[2, 2, 0]], [[1, 1, 1]], 1)

    assert 7.0 == answer(tacit.NonPrivate(), FROM_ONE, data, who)


@pytest.mark.parametrize("rows", [[[0, 1, 2, 3]], [[0, 1], [2, 3]], [[0], [1], [2], [3]]])
def test_no_two_people_share_their_noise(rows):
    """Four equal people's reports under one shared draw would sum to four times a report."""
    shape, width = tacit.Interval(0.0, 1.0), len(rows[0])
    device = tacit.Local(3.0).plan(tacit.Mean(shape, tacit.Everyone(), 1, 1)).device
    data, sums = np.full(4, 0.5, np.float32), []
    parts = Parts.of(tacit.Local(3.0).plan(tacit.Mean(shape, tacit.Everyone(), 1, 1)))
    who, learner = (
        cohort(rows, np.ones((4 // width, width)), 4 // width),
        tacit.statistics.Average(),
    )
    for key in jax.random.split(quick_keys.key(7), 200):
        state, _, _ = run_round(
            learner, parts, learner.init(), None, jnp.asarray(data), who, Keys(key, key, key)
        )
        sums.append(float(state[0]))
    one = device.scalar.error(0.5)

    # Independent reports: variance 4, 200 draws; one shared draw would give 16.
    assert 2.5 * one < np.var(sums) < 6 * one


def test_terms_are_brought_into_their_shape_before_the_device():
    """A NaN term is the member nearest zero, and a long one is cut, on the device."""
    data = np.array([np.nan, 9.0, -3.0], np.float32)
    who = cohort([[0, 1, 2]], [[1, 1, 1]], 1)

    assert 1.0 + 4.0 + 1.0 == answer(tacit.NonPrivate(), FROM_ONE, data, who)


class Reader(eqx.Module):
    """A learner whose question depends on what it was told, in half precision."""

    def init(self):
        return jnp.float32(2.0), jnp.zeros(())

    def ask(self, state, person):
        return (person["x"] * state[0]).astype(jnp.float16)

    def tell(self, state, answer):
        return answer, state[1] + 1


def test_people_are_asked_with_the_public_state():
    """Data may be any tree of arrays, and the answer is told to the learner in full precision."""
    shape = tacit.Interval(0.0, 1e5)
    parts = Parts.of(tacit.NonPrivate().plan(tacit.Mean(shape, tacit.Everyone(), 2, 1)))
    data, who = {"x": jnp.array([1.5, 4.0])}, cohort([[0, 1]], [[1, 1]], 1)
    learner = Reader()
    once, _, _ = run_round(learner, parts, learner.init(), None, data, who, KEYS)
    twice, _, _ = run_round(learner, parts, once, None, data, who, KEYS)

    assert (11.0, 60.5, 2.0) == (float(once[0]), float(twice[0]), float(twice[1]))
    assert jnp.float32 == twice[0].dtype


@pytest.mark.parametrize(
    "shape, size",
    [
        (tacit.Interval(0.0, 1.0), ()),
        (tacit.Ball(3, 1.0), (3,)),
        (OneHot(7), (7,)),
        (Counts(4, 1, 2), (4,)),
        (Product(OneHot(7), tacit.Ball(3, 1.0), tacit.Interval(0.0, 1.0)), (11,)),
    ],
)
@pytest.mark.parametrize("trust", [tacit.NonPrivate(), tacit.Central(1.0, 1e-5), tacit.Local(2.0)])
def test_a_learner_is_told_float32_numbers_in_the_sums_shape(trust, shape, size):
    """A category is asked for as one number, and answered with one for each of them."""
    told = answer_of(trust.plan(tacit.Mean(shape, tacit.Everyone(), 2, 30)))

    assert (size, jnp.float32) == (told.shape, told.dtype) and size == shape.answer_shape


SHARDED = """
import sys
from pathlib import Path
import jax, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
import quick_keys, small, tacit
from tacit.noise import chacha

chacha.IMPL = quick_keys.IMPL
mesh = Mesh(np.array(jax.devices()), ("people",))
values = small.people().data
spread = jax.device_put(values, NamedSharding(mesh, PartitionSpec("people")))
assert 2 == len(spread.sharding.device_set)
book = small.ledger(Path(sys.argv[1]))
one, two = (
    tacit.Arrays(data, "thirty")
    .grant(small.plan(1, tacit.Local(2.0)), tacit.statistics.Average(), book, seed=4)
    .run()
    .state[0]
    for data in (values, spread)
)
np.testing.assert_allclose(one, two, rtol=1e-5)
"""


@pytest.mark.timing
def test_people_spread_over_two_devices_give_the_same_answers(tmp_path):
    """Data that its owner has sharded over people is used where it lies: same noise, same sums."""
    flags = "--xla_force_host_platform_device_count=2"
    environment = {
        **os.environ,
        "XLA_FLAGS": flags,
        "JAX_PLATFORMS": "cpu",
        "PYTHONPATH": str(Path(__file__).parents[1]),
    }
    done = subprocess.run(
        [sys.executable, "-c", SHARDED, str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )

    assert 0 == done.returncode, done.stderr
