"""Rounds of uneven shares: each has the noise of its share, and all together the promise."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import quick_keys
import tacit
from many_runs import final_sums
from tacit.accounting import accountant
from tacit.accounting.reserve import reserve_for
from tacit.mechanisms.additive.k_norm import EuclideanNorm
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.additive.wishart import WishartDifference
from tacit.noise.fixed import FixedPoint
from tacit.question.uneven import Uneven
from tacit.statistics.answers import Answers

SHARES, PEOPLE, DRAWS = (0.1, 0.3, 0.6), 40, 1_000
GAUSSIAN, PURE = tacit.Central(1.0, 1e-6), tacit.Central(1.0, 0.0)


def asked(shape=tacit.Ball(3, 1.0), shares=SHARES) -> Uneven:
    return Uneven(tacit.Mean(shape, tacit.Everyone(), len(shares), PEOPLE), shares)


def noise(plan: tacit.Plan) -> np.ndarray:
    """Of many runs, each round's answer to sums of zero, times the cohort."""
    server = plan.server
    nothing = FixedPoint.zero(plan.sums.contribution.answer_shape, jnp.asarray(server.grid))

    def step(carry, own):
        carry, answer, _ = server.step(carry, own, nothing)
        return carry, answer * server.divisor

    def run(key):
        keys = jax.random.split(key, plan.sums.rounds)
        return jax.lax.scan(step, server.init(), keys)[1]

    return np.asarray(jax.jit(jax.vmap(run))(jax.random.split(quick_keys.key(3), DRAWS)))


def test_each_round_has_the_gaussian_noise_of_its_share():
    """A variance over one's own is a chi-square's; even shares and swapped ones are rejected."""
    plan = GAUSSIAN.plan(asked())
    drawn, multiplier = noise(plan), plan.guarantees[0].event.noise_multiplier
    own = np.array([np.sum(drawn[:, t] ** 2) for t in range(3)])
    size, low = drawn[:, 0].size, 1e-9

    def fits(shares) -> bool:
        scaled = own / (multiplier**2 / np.array(shares))
        return bool(np.all(np.abs(stats.chi2(size).cdf(scaled) - 0.5) < 0.5 - low))

    assert fits(SHARES) and not fits((1 / 3,) * 3) and not fits(SHARES[::-1])
    stated = np.array(plan.server.deviations) * PEOPLE
    np.testing.assert_allclose(stated, multiplier / np.sqrt(SHARES), rtol=1e-5)


def test_each_round_has_the_pure_noise_of_its_share():
    """Norms over their own scale are Gamma(3) numbers: their sum is one of 3 x draws."""
    own = 0.25, 0.75
    plan = PURE.plan(asked(shares=own))
    lengths = np.linalg.norm(noise(plan), axis=2).sum(axis=0)

    def fits(shares) -> bool:
        chance = stats.gamma(3 * DRAWS).cdf(lengths * np.array(shares))
        return bool(np.all(np.abs(chance - 0.5) < 0.5 - 1e-9))

    assert fits(own) and not fits((0.5, 0.5)) and not fits(own[::-1])
    assert all(isinstance(each.mechanism, EuclideanNorm) for each in plan.server.rounds)


def test_all_rounds_together_are_one_gaussian_release():
    """Of the multiplier that a single round would have; shares do not change what it costs."""
    alone = GAUSSIAN.plan(tacit.Mean(tacit.Ball(3, 1.0), tacit.Everyone(), 1, PEOPLE))
    (promise,) = GAUSSIAN.plan(asked()).guarantees

    assert promise.event == alone.guarantees[0].event.event and promise.epsilon <= 1.0
    assert 1e-6 == promise.delta


def test_pure_rounds_add_up_to_the_promise():
    """And to no more, by the accountant; with a missing round they would be below it."""
    (promise,) = PURE.plan(asked(tacit.L1Ball(3, 1.0))).guarantees
    events = promise.event.events

    assert 1 - 1e-9 <= accountant.epsilon(promise.event, 0.0, promise.relation).epsilon <= 1.0
    assert SHARES == pytest.approx([event.epsilon for event in events], rel=1e-9)
    assert promise.epsilon <= 1.0


def test_the_samplers_of_all_rounds_are_paid_for():
    """Each round's own distance, once."""
    plan = GAUSSIAN.plan(asked())
    each = [server.mechanism.tv_distance(3) for server in plan.server.rounds]

    assert sum(each) == pytest.approx(plan.server.tv_distance, rel=1e-12, abs=0)
    assert plan.guarantees[0].delta_reserved >= reserve_for(1.0, sum(each)) * (1 - 1e-9)


def test_rounds_have_one_grid_also_where_their_noises_are_far_apart():
    """A thousandfold share is no reason to refuse, nor samplers that draw more digits."""
    for trust in (GAUSSIAN, PURE):
        server = trust.plan(asked(shares=(1, 1000))).server
        assert 1 == len({float(each.grid) for each in server.rounds})
    assert isinstance(PURE.plan(asked(tacit.L1Ball(3, 1.0))).server.rounds[0].mechanism, Laplace)


def test_rounds_whose_samplers_draw_other_numbers_of_digits_are_played():
    """Noise of one share of 2^14 has a digit less than that of the whole."""
    plan = GAUSSIAN.plan(asked(shares=(1, 2**14)))
    digits = {server.mechanism.steps.digits for server in plan.server.rounds}
    drawn = noise(plan)

    assert 2 == len(digits)
    assert 64 <= drawn[:, 0].std() / drawn[:, 1].std() <= 256


def test_rounds_of_squares_have_the_noise_of_their_shares():
    """Symmetric Gaussian noise, and the difference of two Wisharts, on one grid."""
    for trust, power in ((GAUSSIAN, 0.5), (PURE, 1.0)):
        server = trust.plan(asked(tacit.Outer(2, 1.0))).server
        loud = np.array([each.facts.noise for each in server.rounds])

        np.testing.assert_allclose(loud / loud[0], np.array([1, 3, 6]) ** -power, rtol=1e-3)
        assert 1 == len({float(each.grid) for each in server.rounds})


@pytest.mark.parametrize("shares", [(1, 9), (9, 1), (1, 1, 10_000)])
def test_wisharts_of_few_levels_are_asked_for_in_any_shares(shares):
    """On a grid that is fine beside the noise of the largest share."""
    server = PURE.plan(asked(tacit.Outer(2, 1.0, 2), shares)).server
    loud = np.array([each.facts.noise for each in server.rounds])

    assert all(isinstance(each.mechanism, WishartDifference) for each in server.rounds)
    np.testing.assert_allclose(loud[0] / loud, np.array(shares) / shares[0], rtol=1e-2)


def test_a_person_moves_what_is_seen_by_no_more_than_the_promise():
    """Played through the loop: in units of each round's noise, moves add up to one multiplier."""
    plan = GAUSSIAN.plan(asked(tacit.Interval(-1.0, 1.0)))
    moved = [plan.sums.contribution.sensitivity(plan.guarantees[0].relation)] * 3
    deviations = np.array(plan.server.deviations) * PEOPLE
    whole = np.sqrt(np.sum((moved / deviations) ** 2))

    assert whole <= 1 / plan.guarantees[0].event.noise_multiplier * (1 + 1e-9)
    sums = final_sums(plan, jnp.ones(PEOPLE), 500, 0)
    spread = np.sqrt(np.sum(np.array(plan.server.deviations) ** 2))
    assert abs(float(sums.mean()) - 3.0) <= 6 * spread / np.sqrt(500)


class Stopped(Exception):
    """What cuts a run off."""


@pytest.mark.parametrize("last", [1, 2])
@pytest.mark.parametrize("trust", [GAUSSIAN, PURE], ids=["Gaussian", "pure"])
def test_a_run_cut_off_goes_on_with_its_own_rounds_noise(trust, last, tmp_path):
    """After every round: the same to the bit, nothing charged; other shares are another plan."""
    plan, book = trust.plan(asked(tacit.Interval(-1.0, 1.0))), tacit.Ledger(tmp_path / "l.db")
    people = tacit.Arrays(np.linspace(-1, 1, PEOPLE, dtype=np.float32), "p")
    book.limit_for("p", plan, times=2)
    whole = people.grant(plan, Answers(3), book, seed=5).run().answer
    saved = tacit.population.Checkpoint(tmp_path / "run.npz")
    terms = {"grant_id": "cut off", "checkpoint": saved, "seed": 5}

    def stop(rounds, state):
        if rounds == last:
            raise Stopped

    with pytest.raises(Stopped):
        people.grant(plan, Answers(3), book, **terms).run(watch=stop)
    spent = book.spent("p")
    swapped = trust.plan(asked(tacit.Interval(-1.0, 1.0), SHARES[::-1]))
    with pytest.raises(tacit.ledger.LedgerError, match="was opened with another plan"):
        people.grant(swapped, Answers(3), book, **terms)
    resumed = people.grant(plan, Answers(3), book, **terms).run().answer

    assert spent == book.spent("p") and np.array_equal(resumed, whole)


def test_the_error_is_that_of_the_round_of_least_share():
    """No answer has a larger one."""
    plan = GAUSSIAN.plan(asked())

    assert plan.error == pytest.approx(3 * max(plan.server.deviations) ** 2, rel=1e-6)


def test_without_privacy_rounds_are_means():
    """The same learner runs there, and beside a promise of devices'."""
    plan = tacit.NonPrivate().plan(asked())
    both = tacit.Federated(4.0, tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE))

    assert 0.0 == plan.error and () == plan.guarantees
    assert ["public", "server"] == [each.observer for each in both.plan(asked()).guarantees]


def test_another_epsilon_and_other_shares_compile_nothing():
    """Noise is a number of the program."""
    plans = [tacit.Central(e, 1e-6).plan(asked(shares=s)) for e, s in [(1, SHARES), (2, (1, 2, 3))]]
    structures = [jax.tree.structure(plan.server) for plan in plans]

    assert structures[0] == structures[1]
