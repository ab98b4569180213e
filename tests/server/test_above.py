"""Thresholds: right answers beyond the margin, less noise only where it is proved, one promise."""

import math

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import binom

import quick_keys
from tacit.accounting import events
from tacit.accounting.accountant import epsilon as certified_epsilon
from tacit.accounting.relation import Relation
from tacit.accounting.reserve import reserve_for
from tacit.contribution import Ball, Counts, Cube, Grid, Interval, OneHot, Product, Sphere
from tacit.ledger.ledger import Ledger
from tacit.mechanisms.selection.above_threshold import AboveThreshold
from tacit.mechanisms.selection.threshold_noise import Stream
from tacit.noise.fixed import FixedPoint
from tacit.plan import Plan
from tacit.population.arrays import Arrays
from tacit.question.participation import Available, Everyone, Once, Participation, Poisson
from tacit.question.participation import Fixed as FixedSize
from tacit.question.sums import Above, Mean
from tacit.server.above import BETA, Alarm
from tacit.trust.central import Central
from tacit.trust.federated import Federated
from tacit.trust.local import Local
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.shuffled import Shuffled

ADD, REPLACE, ZERO = Relation.ADD_REMOVE, Relation.REPLACE_ONE, Relation.ZERO_OUT
UNIT = Interval(0.0, 1.0)
STREAMS = 20_000


def ask(
    shape=UNIT, who: Participation = Everyone(), rounds=20, people=1000, threshold=0.5, positives=2
) -> Above:
    return Above(Mean(shape, who, rounds, people), threshold, positives)


def alarm(promise: Central, question: Above) -> Alarm:
    server = promise.plan(question).server
    assert isinstance(server, Alarm)
    return server


# Which noise


def noises(server: Alarm) -> list[float]:
    """The noises' parameters, in nepers for a move by the sensitivity."""
    mechanism = server.mechanism
    laws = [noise.law for noise in (mechanism.limit, mechanism.query) if noise is not None]
    return [law.parameter * mechanism.stream.units for law in laws]


@pytest.mark.parametrize(
    "shape, relation, each_way",
    [
        (UNIT, ADD, 1),
        (UNIT, ZERO, 1),
        (UNIT, REPLACE, 2),
        (Interval(2.0, 5.0), ADD, 1),
        (Interval(-5.0, 0.0), ZERO, 1),
        (Interval(-1.0, 1.0), ADD, 2),
        (Interval(-1e-6, 1.0), ZERO, 2),
        (Interval(-1.0, 1e-6), ADD, 2),
        (Grid(0, 9), ADD, 1),
        (Grid(-9, 0, 0.25), ZERO, 1),
        (Grid(-1, 9), ADD, 2),
        (Grid(-9, 1), ZERO, 2),
        (Grid(0, 9), REPLACE, 2),
    ],
)
def test_less_noise_only_where_one_person_moves_all_sums_one_way(shape, relation, each_way):
    """Terms of one sign, and nobody replaced: a positive costs its noise once, else twice.

    The parameters spent, that of the threshold and each positive's, add up to epsilon.
    """
    for positives in (1, 5):
        limit, query = noises(alarm(Central(0.8, 0.0, relation), ask(shape, positives=positives)))

        assert 0.8 * (1 - 1e-9) <= limit + each_way * positives * query <= 0.8


@pytest.mark.parametrize(
    "shape, relation, moved",
    [
        (UNIT, ADD, 1.0),
        (UNIT, REPLACE, 1.0),
        (Interval(-3.0, 1.0), ADD, 3.0),
        (Interval(-3.0, 1.0), REPLACE, 4.0),
        (Interval(2.0, 5.0), ZERO, 5.0),
        (Interval(2.0, 5.0), REPLACE, 3.0),
        (Grid(-1, 4, 0.5), ADD, 2.0),
        (Grid(-1, 4, 0.5), REPLACE, 2.5),
    ],
)
def test_noise_is_for_how_far_one_person_moves_a_sum(shape, relation, moved):
    """To the rounding of a term, which a whole step covers, and not more."""
    stream = alarm(Central(1.0, 0.0, relation), ask(shape)).mechanism.stream
    steps = 0 if isinstance(shape, Grid) else stream.step

    assert moved + steps <= stream.units * stream.step <= moved * (1 + 2e-6) + 2 * stream.step


def test_a_delta_takes_the_smaller_margin():
    """One positive: the pure noises. Many: noise on the sums alone, whose cost grows by a root."""
    few, many = (ask(rounds=1000, positives=positives) for positives in (1, 200))
    pure, wide = Central(1.0, 0.0), Central(1.0, 1e-6)
    one, other = alarm(wide, few), alarm(wide, many)

    assert one.mechanism.limit is not None and one.mechanism.delta == 0
    assert other.mechanism.limit is None and other.mechanism.delta > 0
    assert one.margin(BETA) == alarm(pure, few).margin(BETA)
    assert other.margin(BETA) < 0.85 * alarm(pure, many).margin(BETA)


# The margin


def streams(server: Alarm, sums, seed: int) -> np.ndarray:
    """All answers of many independent streams of these sums."""
    mechanism = server.mechanism
    empty = FixedPoint.zero((STREAMS, len(sums)), jnp.float32(mechanism.stream.step))
    total = empty.plus(empty.terms(jnp.asarray(sums, jnp.float32)))
    drawn = eqx.filter_jit(AboveThreshold.answers)(mechanism, quick_keys.key(seed), total)
    return np.asarray(drawn)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("beta", [0.3, 0.05])
def test_the_margin_holds_at_its_probability(beta, delta):
    """All answers on means beyond it are right but for a share beta; within a third they are not.

    The positives come last, where the threshold's noise has been there all along.
    """
    server = alarm(Central(1.0, delta), ask(positives=3))
    truth = np.array([0.0] * 17 + [1.0] * 3)

    def wrong(share: float) -> int:
        away = share * server.margin(beta) * (2 * truth - 1)
        answers = streams(server, 1000 * (0.5 + away), 1)
        return int(np.sum(np.any(answers != truth, axis=1)))

    assert binom.sf(wrong(1.0) - 1, STREAMS, beta) > 1e-6
    assert binom.sf(wrong(1 / 3) - 1, STREAMS, beta) < 1e-9


def test_the_margin_is_of_means():
    """Divided by the cohort, with what cutting everybody's terms to the grid may add."""
    few, many = (alarm(Central(1.0, 0.0), ask(people=people)) for people in (1000, 100_000))
    noise = [own.margin(0.05) - own.rounding / own.divisor for own in (few, many)]

    assert noise[0] == pytest.approx(100 * noise[1], rel=1e-6)
    assert (few.rounding, many.rounding) == (1000 * few.grid, 100_000 * many.grid)
    assert alarm(Central(1.0, 0.0), ask(Grid(0, 1))).rounding == 0.0


def test_two_thirds_of_the_noise_has_two_thirds_of_the_margin():
    """Nothing is hidden in the margin: half again the epsilon shrinks it so much."""
    own, planted = (alarm(Central(epsilon, 0.0), ask()) for epsilon in (1.0, 1.5))

    assert planted.margin(0.05) == pytest.approx(own.margin(0.05) / 1.5, rel=1e-3)


# The promise


@pytest.mark.parametrize(
    "epsilon, delta, positives", [(0.5, 0.0, 2), (1.0, 1e-6, 2), (1.0, 1e-6, 100)]
)
@pytest.mark.parametrize(
    "who, relation",
    [
        *((Everyone(), relation) for relation in Relation),
        *((Available(0.5), relation) for relation in Relation),
        (Poisson(0.2), ADD),
        (Poisson(0.2), ZERO),
        (FixedSize(100), REPLACE),
        (Once(), REPLACE),
        (Once(), ZERO),
    ],
)
def test_the_event_charged_is_the_stream_answered(who, relation, epsilon, delta, positives):
    """The mechanism's own event, however many rounds and whoever takes part: never amplified."""
    plan = Central(epsilon, delta, relation).plan(ask(who=who, rounds=200, positives=positives))
    (promise,), mechanism = plan.guarantees, plan.server.mechanism
    cuts = reserve_for(epsilon, plan.sums.overflow())
    pure = mechanism.delta == 0

    assert mechanism.epsilon == epsilon and promise.relation is relation
    assert promise.event == (
        events.sparse_vector(epsilon) if pure else events.epsilon_delta(epsilon, mechanism.delta)
    )
    assert cuts < promise.delta_reserved <= cuts + max(1e-6 * delta, 1e-15)
    assert promise.delta == (delta or promise.delta_reserved)
    again = certified_epsilon(
        promise.event, max(promise.delta - promise.delta_reserved, 0.0), relation
    )
    assert promise.epsilon == again.epsilon and 0.99 * epsilon < promise.epsilon <= epsilon
    assert plan.error is None


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_samplers_of_a_whole_stream_are_paid_for(delta):
    """Those of the threshold and of all rounds, on either neighbour."""
    plan = Central(1.0, delta).plan(ask(rounds=400, positives=200))
    reserve = reserve_for(1.0, plan.server.mechanism.tv_distance(400))

    assert 0 < reserve
    assert pytest.approx(reserve, rel=1e-9, abs=0) == plan.guarantees[0].delta_reserved


def test_a_delta_spent_on_overflow_and_samplers_leaves_the_promise_whole():
    """What the mechanism gets is less than the promise by what cuts and samplers may take."""
    plan = Central(1.0, 1e-6).plan(ask(who=Poisson(0.2), rounds=400, positives=200))
    (promise,), mechanism = plan.guarantees, plan.server.mechanism

    assert 0 < mechanism.delta <= promise.delta - promise.delta_reserved
    assert promise.delta_reserved > 2 * plan.sums.overflow() > 0


@pytest.mark.parametrize(
    "who, relation", [(Poisson(0.2), REPLACE), (FixedSize(3), ADD), (Once(), ADD)]
)
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_pairs_without_a_proof_are_refused_by_name(who, relation, delta):
    """The sentence names the participation and the relation."""
    with pytest.raises(ValueError, match=f"not for {relation.value}"):
        Central(1.0, delta, relation).plan(ask(who=who))


@pytest.mark.parametrize(
    "shape",
    [
        OneHot(3),
        Counts(3, 1, 1),
        Ball(2, 1.0),
        Cube(2, 0.0, 1.0),
        Sphere(2),
        Grid(0, 9, 0.1),
        Product(UNIT, UNIT),
    ],
)
def test_shapes_without_a_threshold_are_refused_by_name(shape):
    """A grid of tenths among them: the threshold's own grid is of powers of two."""
    with pytest.raises(ValueError, match=f"Interval, or a Grid .* got {type(shape).__name__}"):
        ask(shape)


@pytest.mark.parametrize(
    "wrong, sentence",
    [
        ({"threshold": math.nan}, "a threshold must be finite, got nan"),
        ({"threshold": math.inf}, "a threshold must be finite, got inf"),
        ({"positives": 0}, "between 1 and the 20 rounds, got 0"),
        ({"positives": 21}, "between 1 and the 20 rounds, got 21"),
    ],
)
def test_unusable_thresholds_are_refused(wrong, sentence):
    """The sentence names the value allowed."""
    with pytest.raises(ValueError, match=sentence):
        ask(**wrong)


def test_a_delta_below_the_cost_of_overflow_is_refused():
    """Cohorts that are cut cost a delta of their own."""
    with pytest.raises(ValueError, match=r"delta against the public .* overflowing cohorts"):
        Central(1.0, 1e-14).plan(ask(who=Poisson(0.1)))


def test_the_stream_is_the_questions():
    """The threshold of a mean is one of a sum, on the grid that sums of so many people have."""
    server = alarm(Central(1.0, 0.0), ask(who=Available(0.5), threshold=-0.25))
    stream = server.mechanism.stream

    assert isinstance(stream, Stream) and stream.threshold == -0.25 * 500
    assert server.grid == stream.step and server.divisor == 500
    assert server.rounds == 20 and server.facts.tv_distance == server.mechanism.tv_distance(20)


# Every trust model that answers


class Columns(eqx.Module):
    """Asks for the column of the round, and keeps the answers."""

    rounds: int = eqx.field(static=True)

    def init(self):
        return jnp.zeros(self.rounds), jnp.zeros((), jnp.int32)

    def ask(self, state, person):
        return person[state[1]]

    def tell(self, state, answer):
        return state[0].at[state[1]].set(answer), state[1] + 1


def run(plan: Plan, data, folder) -> tuple[list[float], int]:
    """The answers, and how many rounds were asked."""
    book = Ledger(folder / "ledger.db")
    for promise in plan.guarantees:
        book.limit("all", promise.observer, promise.relation, 1e3, 0.9)
    learner = Columns(plan.sums.rounds)
    answers, asked = Arrays(data, "all").grant(plan, learner, book, seed=4).run().state
    return np.asarray(answers).tolist(), int(asked)


def columns(people: int, *means: float) -> np.ndarray:
    """Numbers near the means given, one for each round."""
    noise = np.random.default_rng(0).uniform(-0.04, 0.04, (people, len(means)))
    return (np.array(means) + noise).astype(np.float32)


@pytest.mark.parametrize(
    "trust",
    [
        Central(2.0, 0.0),
        Central(2.0, 0.0, REPLACE),
        Central(2.0, 1e-6, ZERO),
        Local(60.0),
        Federated(20.0, Central(4.0, 1e-5)),
        NonPrivate(),
    ],
    ids=["pure", "replace-one", "delta", "local", "federated", "none"],
)
def test_everybody_who_answers_means_answers_thresholds(trust, tmp_path):
    """The same right answers under every trust, and nothing after the second positive."""
    plan = trust.plan(ask(rounds=6, people=3000))
    answers, asked = run(plan, columns(3000, 0.05, 0.95, 0.05, 0.95, 0.95, 0.05), tmp_path)

    assert [0.0, 1.0, 0.0, 1.0, 0.0, 0.0] == answers and asked == 4


def test_shuffled_means_answer_thresholds(tmp_path):
    """Each person in one of the rounds."""
    plan = Shuffled(2.0, 1e-6).plan(ask(who=Once(), rounds=4, people=4000, positives=1))
    answers, asked = run(plan, columns(4000, 0.05, 0.05, 0.95, 0.95), tmp_path)

    assert [0.0, 0.0, 1.0, 0.0] == answers and asked == 3


@pytest.mark.parametrize("trust", [Local(1.0), NonPrivate(), Federated(4.0, Central(1.0, 1e-5))])
def test_post_processing_promises_what_means_do(trust):
    """The same guarantees as the question for the means themselves."""
    question = ask(rounds=4)

    assert trust.plan(question).guarantees == trust.plan(question.sums).guarantees


def test_without_noise_a_mean_at_the_threshold_reaches_it(tmp_path):
    """At least, not more than."""
    plan = NonPrivate().plan(ask(rounds=3, people=2, positives=3))
    data = np.array([[0.5, 0.25, 0.75], [0.5, 0.5, 0.25]], np.float32)

    assert ([1.0, 0.0, 1.0], 3) == run(plan, data, tmp_path)


@pytest.mark.parametrize("people", [1, 1000, 2**14, 2**20, 2**30])
@pytest.mark.parametrize(
    "shape", [UNIT, Interval(-1.0, 1.0), Interval(999.0, 1000.0), Grid(-1, 4, 0.5)]
)
def test_twice_the_declared_people_do_not_wrap(shape, people):
    """Sums of all who are let in fit what is compared, 2^44 steps, and a threshold half of it."""
    server = alarm(Central(1.0, 0.0), ask(shape, people=people, threshold=-shape.bound))

    assert 2 * people * shape.bound <= 2.0**44 * server.grid
    assert abs(server.mechanism.stream.threshold) <= 2.0**43 * server.grid


@pytest.mark.parametrize("declared", [1, 40])
def test_any_number_of_people_is_answered(declared, tmp_path):
    """How many there are is secret under add/remove: no refusal tells, and no sum wraps."""
    signed = Interval(-1.0, 1.0)
    plan = Central(2.0, 0.0).plan(ask(signed, rounds=6, people=declared))
    data = np.repeat(columns(2000, -0.9, 0.9, -0.9, -0.9, 0.9, -0.9), 50, axis=0)
    answers, _ = run(plan, data, tmp_path)

    assert [0.0, 1.0, 0.0, 0.0, 1.0, 0.0] == answers


def test_more_people_than_declared_are_answered_as_well(tmp_path):
    """Twice as many, and the sums are theirs: a threshold of the declared cohort is easily met."""
    plan = Central(2.0, 0.0).plan(ask(rounds=6, people=1500))
    answers, asked = run(plan, columns(3000, 0.05, 0.95, 0.05, 0.35, 0.95, 0.05), tmp_path)

    assert [0.0, 1.0, 0.0, 1.0, 0.0, 0.0] == answers and asked == 4
