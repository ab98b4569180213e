"""Reports under a limit of bytes: what is promised of them, what they cost, what is refused."""

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from measured import answers
from tacit.device.choose import Split, device_for
from tacit.device.projected import Projected
from tacit.plan import Identity, Sum
from tacit.population.loop import Cohort, Keys, Parts, run_round
from tacit.server.means import plain_mean

DIM, KEPT, PEOPLE, TRIALS = 200, 16, 6, 1_500
BALL = tacit.Ball(DIM, 2.0)
LIMIT = 4 * KEPT
ONCE = tacit.Mean(BALL, tacit.Once(), 1, PEOPLE)
CENTRAL = tacit.Central(8.0, 1e-5, tacit.Relation.REPLACE_ONE)
TRUSTS = [
    tacit.Local(9.0, upload=LIMIT),
    tacit.Federated(9.0, CENTRAL, upload=LIMIT),
    tacit.Federated(Split(40.0, 10.0), CENTRAL, upload=LIMIT),
    tacit.Shuffled(4.0, 1e-3, upload=LIMIT),
]


def question(shape=BALL, people=PEOPLE) -> tacit.Mean:
    return tacit.Mean(shape, tacit.Everyone(), 1, people)


@pytest.mark.parametrize("shape", [BALL, tacit.Sphere(DIM)], ids=["ball", "sphere"])
def test_the_promise_is_that_of_the_device_of_fewer_dimensions(shape):
    """Its epsilon, blanket, report set and bits; of all that is sent a power of two is kept."""
    short = dataclasses.replace(shape, dim=KEPT)
    own, facts = device_for(short, 5.0).facts, device_for(shape, 5.0, LIMIT + 3).facts

    assert (facts.epsilon, facts.blanket, facts.report_bits) == (5.0, own.blanket, 32 * KEPT)
    assert facts.report_set == own.report_set
    assert facts.worst_error == facts.stretch * own.worst_error > own.worst_error


@pytest.mark.parametrize("limit, kept", [(16, 4), (31, 4), (511, 64), (512, 128), (799, 128)])
def test_as_many_numbers_are_kept_as_fit(limit, kept):
    """The largest power of two of four bytes each, at least four."""
    device = device_for(BALL, 5.0, limit)

    assert isinstance(device, Projected) and device.projection.kept == kept
    assert device.facts.report_bits <= 8 * limit


@pytest.mark.parametrize("limit", [800, 10**6, None])
def test_a_report_that_fits_is_not_projected(limit):
    """The device is that of no limit."""
    assert device_for(BALL, 5.0, limit) == device_for(BALL, 5.0)


def test_a_limit_that_no_report_keeps_is_refused():
    """The sentence names the least; shapes that are not projected are named as well."""
    with pytest.raises(
        ValueError, match="upload must be at least the 16 bytes of a report, got 15"
    ):
        device_for(BALL, 5.0, 15)
    with pytest.raises(ValueError, match="at least the 12 bytes of a report, got 11"):
        device_for(tacit.Ball(3, 1.0), 5.0, 11)
    with pytest.raises(ValueError, match="for a Ball or Sphere, got Cube: leave upload None"):
        tacit.Local(1.0, upload=100).plan(question(tacit.Cube(DIM, 0.0, 1.0)))


@pytest.mark.parametrize("upload", [0, -1, 2.5, math.nan, "100", True])
def test_an_unusable_limit_is_refused(upload):
    """By each trust model, when it is made."""
    for make in (
        lambda: tacit.Local(1.0, upload=upload),
        lambda: tacit.Shuffled(1.0, 1e-6, upload=upload),
        lambda: tacit.Federated(1.0, CENTRAL, upload=upload),
    ):
        with pytest.raises(ValueError, match="upload must be a positive whole number of bytes, or"):
            make()


@pytest.mark.parametrize("trust", TRUSTS[:3], ids=["local", "federated", "split"])
def test_the_measured_error_is_the_stated_one(trust):
    """All people alike and as long as may be, or zero: never above, and once not below half."""
    plan = trust.plan(question())
    alike = np.tile(np.random.default_rng(0).normal(size=DIM), (PEOPLE, 1)).astype(np.float32)
    alike *= BALL.radius / np.linalg.norm(alike[0])
    shares = []
    for data in (alike, 0 * alike):
        errors = np.sum((answers(plan, data, TRIALS, 3) - data.mean(axis=0)) ** 2, axis=1)
        shares.append(errors.mean() / plan.error)
        assert shares[-1] < 1 + 4.5 * errors.std() / math.sqrt(TRIALS) / plan.error

    assert max(shares) > 0.5


def test_more_people_lower_all_of_the_error_but_the_projections():
    """What they do not lower is stated by itself; rounds are independent."""
    few, many = (TRUSTS[0].plan(question(people=people)) for people in (10, 10**7))
    shared = few.device.facts.shared_error

    assert many.error == pytest.approx(shared, 1e-3)
    assert few.error - shared == pytest.approx(1e6 * (many.error - shared), 1e-6)


@pytest.mark.parametrize("trust", TRUSTS, ids=["local", "federated", "split", "shuffled"])
def test_the_promises_are_those_without_a_limit(trust):
    """The limit costs error and no privacy, and what is promised knows nothing of it."""
    limited, whole = trust.plan(ONCE), dataclasses.replace(trust, upload=None).plan(ONCE)
    found = [(p.observer, p.relation, p.unit, p.delta) for p in limited.guarantees]

    assert found == [(p.observer, p.relation, p.unit, p.delta) for p in whole.guarantees]
    for own, others in zip(limited.guarantees, whole.guarantees, strict=True):
        assert own.epsilon <= others.epsilon * 1.35


def test_noise_on_the_sum_has_as_few_numbers():
    """Its energy is that of the numbers kept, times the stretch."""
    limited, whole = TRUSTS[1].plan(question()), tacit.Federated(9.0, CENTRAL).plan(question())
    each = limited.server.facts.noise, whole.server.facts.noise

    assert limited.server.facts.error == pytest.approx(KEPT * each[0] ** 2, 1e-3)
    assert whole.server.facts.error == pytest.approx(DIM * each[1] ** 2, 1e-3)


def test_a_plan_says_that_it_is_projected():
    """Bytes up and down, and which part of the error more people do not lower."""
    said, whole = (
        str(TRUSTS[1].plan(question())),
        str(tacit.Federated(9.0, CENTRAL).plan(question())),
    )
    flat = " ".join(said.split())

    assert "64 bytes a person in a round, 96 down with its answer: both are projected" in flat
    assert "is the projection's, which falls with rounds and not with people" in flat
    assert "upload 64" in flat
    assert "project" not in whole and "upload None" not in whole


@pytest.mark.parametrize("chunks", [1, 3])
def test_a_round_projects_sums_and_lifts_with_its_public_key(chunks):
    """All of its people with one key: the answer is their projected mean, on the way back."""
    limited = TRUSTS[0].plan(question())
    projection = limited.device.projection
    short = tacit.Ball(KEPT, BALL.radius)
    device = Projected(projection, Identity(short), BALL.radius)
    plan = dataclasses.replace(
        limited, device=device, collect=Sum(short), server=plain_mean(device, question())
    )
    data = np.random.default_rng(4).normal(size=(PEOPLE, DIM)).astype(np.float32) / 10
    rows = jnp.arange(PEOPLE).reshape(chunks, -1)
    cohort = Cohort(rows, jnp.ones(rows.shape, bool), jnp.asarray(chunks, jnp.int32))
    keys = Keys(*map(jax.random.key, range(3)))
    learner = tacit.statistics.Average((DIM,))
    state, _, _ = run_round(
        learner, Parts.of(plan), learner.init(), None, jnp.asarray(data), cohort, keys
    )
    terms = BALL.project(jnp.asarray(data))
    mean = projection.project(keys.public, terms).mean(axis=0)

    np.testing.assert_allclose(state[0], projection.lift(keys.public, mean), atol=1e-5)


def test_a_typical_norm_is_that_of_the_projected_terms():
    """Devices are chosen for it, and all parts of the error at it are stated."""
    shape = tacit.Ball(DIM, 2.0, typical=0.5)
    plan = tacit.Local(9.0, upload=LIMIT).plan(question(shape))
    facts, own = plan.device.facts, device_for(tacit.Ball(KEPT, 2.0, typical=0.5), 9.0).facts

    assert facts.typical_error == facts.stretch * own.typical_error
    assert facts.typical_shared_error == pytest.approx(facts.shared_error / 16)
    typical = facts.typical_error / PEOPLE + facts.typical_shared_error
    assert plan.typical_error == pytest.approx(typical)
