"""Reports of an index: what is promised, how wrong the sum is, and whose candidates they are."""

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import quick_keys
import tacit
from hasty import hasty
from measured import answers
from tacit.device.indexed import Indexed, OnCandidates
from tacit.mechanisms.local.compressed import KClosest
from tacit.mechanisms.local.privunit2 import PrivUnit2
from tacit.mechanisms.local.projection import RandomProjection
from tacit.plan import Plan, Sum
from tacit.server.means import plain_mean

DIM, PEOPLE, TRIALS = 200, 3, 500
BALL = tacit.Ball(DIM, 2.0)
PUBLIC = quick_keys.key(9)
SEATS = jnp.arange(PEOPLE, dtype=jnp.uint32)


def planned(own: Indexed, shape=BALL) -> Plan:
    question = tacit.Mean(shape, tacit.Everyone(), 1, PEOPLE)
    facts = own.facts
    error = facts.worst_error / PEOPLE + facts.shared_error
    return Plan({}, question, own, Sum(facts.report_set), plain_mean(own, question), (), error)


def lengths(shape, size=1.0) -> np.ndarray:
    """One vector of this part of the largest norm, for everybody."""
    one = np.random.default_rng(0).normal(size=shape.dim)
    return np.tile(size * shape.bound * one / np.linalg.norm(one), (PEOPLE, 1)).astype(np.float32)


@pytest.mark.parametrize("kept", [16, 128])
def test_the_promise_is_that_of_the_ranks(kept):
    """Its epsilon, blanket and bits; a report's length is that of its way to all numbers."""
    own = Indexed.best(BALL, kept, 6.0)
    facts, direction = own.facts, own.near.direction
    way = RandomProjection(DIM, kept)

    assert facts.epsilon == direction.epsilon == 6.0 >= direction.loss
    assert facts.blanket == direction.blanket
    assert facts.report_bits == direction.bits == math.log2(direction.candidates) <= 16
    assert facts.numbered and facts.answer_bits is None
    longest = math.sqrt(256 / kept) / way.shrink * BALL.radius * direction.scale
    assert facts.report_set.bound == pytest.approx(longest)
    assert facts.report_set.shape == (256,)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0, 8.0, 40.0, 300.0])
@pytest.mark.parametrize("kept", [4, 128, 256, 1024])
def test_as_many_candidates_as_are_of_use(kept, epsilon):
    """Within 0.5% of the sphere's error while there is time, and never more than half a million."""
    direction = Indexed.best(tacit.Ball(10**4, 1.0), kept, epsilon).near.direction
    sphere = PrivUnit2.optimal(kept, min(epsilon, 40.0)).error + 1

    assert direction.drawn <= 2**19 and direction.bits <= 16
    assert direction.epsilon == min(epsilon, 40.0)
    if 2 * direction.drawn <= 2**19 and direction.candidates < 2**16:
        assert direction.error + 1 < 1.005 * sphere


def test_a_report_is_the_candidate_in_the_places_of_the_persons_rows():
    """What is opened and lifted of an index is what the projection makes of a decoded one."""
    own = Indexed.best(BALL, 128, 4.0)
    for_rows, _ = jax.random.split(PUBLIC)

    @hasty
    def sent(terms):
        near, known = own.compressed(PUBLIC, SEATS, terms)
        reports = own.sample(quick_keys.key(1), near)
        numbers, places = own.opened(reports, known)
        answer = jnp.zeros(256).at[places[0]].set(numbers[0])
        return near[0], known[0], reports, numbers, places, answer, own.lifted(PUBLIC, answer)

    @hasty
    def by_hand(terms, for_points, reports, answer):
        vectors, places = own.rows.compressed(for_rows, SEATS, terms)
        decoded = own.near.direction.decode(for_points, SEATS, reports)
        return vectors, places, decoded, own.rows.lifted(for_rows, answer)

    near, for_points, reports, numbers, places, answer, lifted = sent(lengths(BALL))
    vectors, again, decoded, back = by_hand(lengths(BALL), for_points, reports, answer)
    decoded = 2.0 * math.sqrt(own.rows.way.most_stretch) * decoded

    assert np.array_equal(places, again) and np.array_equal(near, vectors)
    np.testing.assert_allclose(numbers, decoded, rtol=1e-6)
    np.testing.assert_array_equal(lifted, back)


def test_candidates_are_the_persons_and_the_rounds():
    """The same index stands for another vector for others, and in another round."""
    own = Indexed.best(BALL, 16, 4.0)
    terms, same = lengths(BALL), np.full(PEOPLE, 5, np.int32)
    compress, decode = hasty(own.compressed), hasty(own.near.vectors)
    _, known = compress(PUBLIC, SEATS, terms)
    _, again = compress(PUBLIC, SEATS, -2 * terms)
    _, other = compress(quick_keys.key(10), SEATS, terms)

    def vectors(known):
        return np.asarray(decode(known[0], known[1], same))

    assert np.array_equal(vectors(known), vectors(again))
    cosines = vectors(known) @ vectors(known).T / own.near.facts.report_set.bound**2
    assert np.abs(cosines - np.eye(PEOPLE)).max() < 0.9
    assert not np.isclose(vectors(known), vectors(other)).all(axis=1).any()
    # Of the points, none has the key of the rows.
    assert not np.array_equal(
        jax.random.key_data(known[0]), jax.random.key_data(jax.random.split(PUBLIC)[0])
    )


@pytest.mark.parametrize(
    "shape, kept", [(BALL, 16), (BALL, 128), (tacit.Sphere(DIM), 16), (tacit.Sphere(DIM), 256)]
)
def test_the_measured_error_is_the_stated_one(shape, kept):
    """Where it is largest: of a ball at zero, of a sphere everywhere; within 3%, never above."""
    own = Indexed.best(shape, kept, 4.0)
    plan = planned(own, shape)
    data = lengths(shape, size=0.0 if shape is BALL else 1.0)
    errors = np.sum((answers(plan, data, TRIALS, 3) - data.mean(axis=0)) ** 2, axis=1)
    limit = 4.5 * errors.std() / math.sqrt(TRIALS)

    assert errors.mean() < plan.error + limit
    assert errors.mean() > 0.97 * plan.error - limit
    assert errors.mean() > 2 / 3 * plan.error + limit


@pytest.mark.parametrize("size", [0.4, 1.0])
def test_the_mean_over_rounds_is_the_peoples(size):
    """Of half a norm half; along the vector within the stated bias, and across it nothing."""
    own = Indexed.best(BALL, 128, 6.0)
    plan, data = planned(own), lengths(BALL, size=size)
    along = data[0] / np.linalg.norm(data[0])
    across = np.random.default_rng(4).normal(size=DIM)
    across -= (across @ along) * along
    found = answers(plan, data, TRIALS, 5)
    heights, others = found @ along, found @ (across / np.linalg.norm(across))
    true, bias = 2 * size, own.near.direction.bias + 1 / (2 * own.rows.way.kept)

    def limit(values):
        return 4.5 * values.std() / math.sqrt(TRIALS)

    assert abs(heights.mean() - true) < bias * true + limit(heights)
    assert abs(others.mean()) < limit(others) + bias * true
    assert abs(1.5 * heights.mean() - true) > bias * true + 1.5 * limit(heights) or size < 1


def test_a_bias_of_reports_is_shared():
    """It is part of what more people do not lower; without it that is the projection's."""
    own = Indexed.best(BALL, 128, 12.0)
    way, bias = own.rows.way, own.near.direction.bias

    assert bias > 0
    assert own.facts.shared_error == pytest.approx(4 * way.drifting(1 + bias))
    assert own.facts.shared_error > 4 * way.drift
    exact = Indexed.best(BALL, 64, 12.0)
    assert exact.facts.shared_error == 4 * exact.rows.way.drift


def test_a_typical_norm_is_that_of_the_projected_terms():
    """The error at it is that of its second moment on the way back."""
    own = Indexed.best(tacit.Ball(DIM, 2.0, typical=0.5), 128, 6.0)
    facts, inner, way = own.facts, own.near.facts, own.rows.way
    back = inner.second_moment * way.returned(inner.along)

    assert inner.typical_error == inner.second_moment - 0.25
    assert facts.typical_error == pytest.approx(back - 0.25 * way.kappa)
    assert facts.worst_error == pytest.approx(back)
    assert facts.typical_shared_error == pytest.approx(facts.shared_error / 16)


def test_a_norm_is_a_share_of_opposites():
    """Of half the radius three in four reports are the candidate's own, which a whole one tells
    surely, and one its opposite's."""
    direction = KClosest.optimal(8, 5.0, 64)
    sure = dataclasses.replace(direction, closest=1, miss=(np.uint32(0), np.uint32(0)))
    near, count = OnCandidates(tacit.Ball(8, 2.0), sure), 1_000
    vectors = np.tile(np.eye(8, dtype=np.float32)[3], (count + 1, 1))
    vectors[-1] *= 2
    people = np.zeros(count + 1, np.uint32)
    *reports, first = hasty(near.sample)(quick_keys.key(2), (vectors, PUBLIC, people)).tolist()
    shares = np.bincount(reports, minlength=64) / count

    assert shares[first] == pytest.approx(0.75, abs=4.5 * math.sqrt(0.1875 / count))
    assert shares[first ^ 1] == pytest.approx(1 - shares[first])
