"""Every private path, audited from the question to the last answer.

Each test runs a whole plan many times on two neighbouring data sets at their worst and bounds
from below what an observer learns. The honest path must stay below its claim; the same audit
must catch two-thirds of the noise, a round that was not charged, and a clip left out.
"""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import quick_keys
import tacit
from many_runs import Echo, Unclipped, final_sums
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.population.loop import Parts, reports_of

TRIALS = 100_000
CONFIDENCE = 1e-6
# A large delta, at which the audit can tell three rounds' noise from two rounds'.
EPSILON, DELTA = 1.0, 0.05
ROUNDS = 3


def lower_delta(near: np.ndarray, far: np.ndarray, epsilon: float) -> float:
    """A lower bound on delta at `epsilon`, from the best threshold chosen on the first half.

    The second half is fresh, so the bound fails with probability at most 2 CONFIDENCE.
    """
    half = len(near) // 2
    cuts = np.quantile(np.concatenate([near[:half], far[:half]]), np.linspace(0.001, 0.999, 999))
    gains = [np.mean(near[:half] > c) - np.exp(epsilon) * np.mean(far[:half] > c) for c in cuts]
    cut, rest = cuts[int(np.argmax(gains))], len(near) - half
    hits, misses = int(np.sum(near[half:] > cut)), int(np.sum(far[half:] > cut))
    low = stats.beta.ppf(CONFIDENCE, hits, rest - hits + 1) if hits else 0.0
    high = stats.beta.ppf(1 - CONFIDENCE, misses + 1, rest - misses)
    return low - np.exp(epsilon) * high


def audit(plan, near, far, parts=None, epsilon=EPSILON, trials=TRIALS) -> float:
    """`lower_delta` of a plan's transcript on two neighbouring data sets."""
    first = np.asarray(final_sums(plan, jnp.asarray(near), trials, 1, parts))
    second = np.asarray(final_sums(plan, jnp.asarray(far), trials, 2, parts))
    return lower_delta(first, second, epsilon)


def question(rounds=ROUNDS, people=3):
    return tacit.Mean(tacit.Interval(-1.0, 1.0), tacit.Everyone(), rounds, people)


NEAR = np.array([0.2, -0.4, 1e3], np.float32)
REMOVED = NEAR[:2]
REPLACED = np.array([0.2, -0.4, -1e3], np.float32)
CENTRAL = [
    (tacit.Central(EPSILON, DELTA), REMOVED),
    (tacit.Central(EPSILON, DELTA, tacit.Relation.REPLACE_ONE), REPLACED),
]
CENTRAL_IDS = ["add/remove", "replace-one"]


def quieter(plan: tacit.Plan) -> tacit.Plan:
    """The same plan with two-thirds of the server's noise."""
    own = plan.server.mechanism
    quiet = Gaussian(own.sigma * 2 / 3, own.sensitivity, own.step)
    server = eqx.tree_at(lambda s: s.mechanism, plan.server, quiet)
    return dataclasses.replace(plan, server=server)


def unclipped(plan: tacit.Plan) -> Parts:
    """The plan's parts with the projection of people's terms left out."""
    parts = Parts.of(plan)
    return Parts(
        Unclipped(parts.contribution),
        parts.device,
        Unclipped(parts.collected),
        parts.server,
        None,
    )


@pytest.mark.parametrize("trust, far", CENTRAL, ids=CENTRAL_IDS)
def test_central_keeps_its_promise(trust, far):
    """The worst neighbours, three rounds: no threshold shows more than delta."""
    assert audit(trust.plan(question()), NEAR, far) <= DELTA


@pytest.mark.parametrize("trust, far", CENTRAL, ids=CENTRAL_IDS)
def test_central_audit_catches_two_thirds_of_the_noise(trust, far):
    """The audit that passes the honest path rejects the quieter one."""
    assert audit(quieter(trust.plan(question())), NEAR, far) > DELTA


@pytest.mark.parametrize("trust, far", CENTRAL, ids=CENTRAL_IDS)
def test_central_audit_catches_an_uncharged_round(trust, far):
    """Noise for two rounds, three of them played."""
    short = trust.plan(question(rounds=ROUNDS - 1))
    assert audit(dataclasses.replace(short, question=question()), NEAR, far) > DELTA


@pytest.mark.parametrize("trust, far", CENTRAL, ids=CENTRAL_IDS)
def test_central_audit_catches_a_missing_clip(trust, far):
    """One person's value of a thousand, not brought into [-1, 1]."""
    plan = trust.plan(question())
    assert audit(plan, NEAR, far, unclipped(plan)) > DELTA


def federated(rounds=ROUNDS):
    central = tacit.Central(EPSILON, DELTA, tacit.Relation.REPLACE_ONE)
    ball = tacit.Mean(tacit.Ball(3, 1.0), tacit.Everyone(), rounds, 2)
    return tacit.Federated(tacit.Split(6.0, 3.0), central, radius=0.5).plan(ball)


TOWARDS = np.array([[0.0, 0.0, 0.0], [1e3, 1e3, 1e3]], np.float32)
AWAY = -TOWARDS


def test_federated_keeps_its_central_promise():
    """Reports cut to the projection radius, noise scaled to it: at most delta."""
    assert audit(federated(), TOWARDS, AWAY) <= DELTA


def test_federated_audit_catches_reports_left_uncut():
    """PrivUnit reports are far longer than the radius; uncut, they stand out of the noise."""
    plan = federated()
    assert audit(plan, TOWARDS, AWAY, unclipped(plan)) > DELTA


def test_federated_reports_are_cut_before_they_are_summed():
    """To the radius, which a device's own are far beyond."""
    plan, keys = federated(), jax.random.split(quick_keys.key(4))
    cut, whole = (
        np.linalg.norm(
            eqx.filter_jit(reports_of)(Echo(), parts, 0.0, TOWARDS, np.arange(2), *keys), axis=1
        )
        for parts in (Parts.of(plan), unclipped(plan))
    )

    assert cut.max() == pytest.approx(0.5, rel=1e-5) and whole.max() > 1.0


def test_federated_noise_is_scaled_to_the_smaller_bound():
    """The radius where it is smaller, the exact report bound where that is."""
    cut, whole = federated(), None
    ball = cut.question
    whole = tacit.Federated(tacit.Split(6.0, 3.0), tacit.Central(EPSILON, DELTA)).plan(ball)

    assert 0.5 == cut.collect.within.bound and cut.error is None
    assert whole.device.facts.report_set.bound == whole.collect.within.bound and whole.error > 0
    bound = whole.device.facts.report_set.bound
    assert bound <= whole.server.mechanism.sensitivity <= bound * (1 + 1e-5)


def local_audit(trust, claimed: float, trials: int) -> float:
    """What one person's reports over two rounds show, beyond `claimed`; positive is a breach."""
    twice = tacit.Mean(tacit.Interval(-1.0, 1.0), tacit.AtMost(2), 2, 1)
    near, far = np.full(1, 1e3, np.float32), np.full(1, -1e3, np.float32)
    return audit(trust.plan(twice), near, far, epsilon=claimed, trials=trials)


# Two loud reports are a delta of 0.4 and more; of a few thousand, a sixth would show.
FEW_OR_MANY = pytest.mark.parametrize("trials", [10_000, TRIALS])


@FEW_OR_MANY
def test_local_keeps_its_promise_over_a_persons_rounds(trials):
    """Two reports, one budget: pure epsilon, so no threshold shows anything."""
    assert local_audit(tacit.Local(2.0), 2.0, trials) <= 0


@FEW_OR_MANY
def test_local_audit_catches_two_thirds_of_the_randomness(trials):
    """A device that spends three halves of its budget."""
    assert local_audit(tacit.Local(3.0), 2.0, trials) > 0


@FEW_OR_MANY
def test_local_audit_catches_an_uncharged_round(trials):
    """A device that spends the whole budget in each of its two rounds."""
    assert local_audit(tacit.Local(4.0), 2.0, trials) > 0


def test_a_missing_clip_on_the_device_is_caught_by_the_server():
    """Reports of a value outside the interval still lie in the exact set of reports."""
    plan = tacit.Local(2.0).plan(tacit.Mean(tacit.Interval(-1.0, 1.0), tacit.Once(), 1, 1))
    bound = plan.device.facts.report_set.bound
    sums = final_sums(plan, jnp.asarray([1e3]), 1000, 3)

    assert np.abs(np.asarray(sums)).max() <= bound * (1 + 1e-6)


@FEW_OR_MANY
def test_shuffled_underlying_reports_keep_the_local_promise(trials):
    """Against the shuffler the local budget holds, in each pass; more spending is caught."""
    asked = tacit.Mean(tacit.Interval(-1.0, 1.0), tacit.Once(), 1, 1000)
    plan = tacit.Shuffled(1.0, 1e-6).plan(asked)
    epsilon = plan.device.facts.epsilon
    one = dataclasses.replace(plan, question=dataclasses.replace(asked, people=1))
    near, far = np.array([1e3], np.float32), np.array([-1e3], np.float32)

    assert audit(one, near, far, epsilon=epsilon, trials=trials) <= 0
    assert audit(one, near, far, epsilon=epsilon * 2 / 3, trials=trials) > 0


def test_shuffled_charges_every_pass():
    """Two passes allow less local epsilon than one, and both are in the event."""
    shape = tacit.Interval(-1.0, 1.0)
    once = tacit.Shuffled(1.0, 1e-6).plan(tacit.Mean(shape, tacit.Once(), 2, 1000))
    twice = tacit.Shuffled(1.0, 1e-6).plan(tacit.Mean(shape, tacit.AtMost(2), 2, 1000))

    assert twice.device.facts.epsilon < once.device.facts.epsilon
    assert 2 * twice.device.facts.epsilon == pytest.approx(twice.guarantees[-1].epsilon)
    assert all(plan.guarantees[0].epsilon <= 1.0 for plan in (once, twice))
