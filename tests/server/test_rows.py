"""Fits: every row reaches the mechanism once, its promise is the plan's, the charge is first."""

import dataclasses
import json
import math
import sqlite3
from contextlib import closing
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tacit.accounting import events
from tacit.accounting.relation import Relation
from tacit.contribution import Ball, Contribution, Counts, Interval, OneHot, Outer, Product
from tacit.ledger import receipt
from tacit.ledger.ledger import Ledger, LedgerError, OverBudget
from tacit.mechanisms.rows import propose_test_release, quantile, smooth_quantile
from tacit.mechanisms.rows.bingham import BinghamDirection
from tacit.mechanisms.rows.sample_and_aggregate import SampleAndAggregate
from tacit.mechanisms.rows.smooth_sensitivity import SmoothCauchy, SmoothLaplace
from tacit.mechanisms.rows.smooth_trimmed_mean import SmoothTrimmedMean
from tacit.noise import keys
from tacit.population.arrays import Arrays
from tacit.population.checkpoint import Checkpoint
from tacit.population.loop import answer_of
from tacit.population.release import Release
from tacit.question.blocks import BlockMeans, BlockMedians
from tacit.question.order_statistics import (
    ProposedQuantile,
    Quantile,
    Quantiles,
    SmoothQuantile,
    TrimmedMean,
)
from tacit.question.rows import LeadingDirection, OfRows
from tacit.server.rows import Whole
from tacit.statistics.answers import Answers
from tacit.trust.central import Central

ADD, REPLACE, ZERO = Relation.ADD_REMOVE, Relation.REPLACE_ONE, Relation.ZERO_OUT
RANGE, PEOPLE = Interval(0.0, 100.0), 60
MEANS = BlockMeans(lambda rows: np.mean(rows), 6, (RANGE,))
MEDIANS = BlockMedians(lambda rows: np.array([np.mean(rows), np.std(rows)]), 6, (RANGE, RANGE))
STATISTICS = [
    Quantile(),
    Quantiles((0.25, 0.75)),
    SmoothQuantile(0.25),
    TrimmedMean(0.1),
    ProposedQuantile(5.0),
    MEANS,
    MEDIANS,
]
# All but a test of the data are answered without a delta, too.
ANSWERED = [
    (statistic, delta)
    for statistic in STATISTICS
    for delta in (0.0, 1e-6)
    if delta or not isinstance(statistic, ProposedQuantile)
]


def name(value) -> str:
    return str(value) if isinstance(value, float) else type(value).__name__


def plan(
    statistic, delta=1e-6, relation=REPLACE, shape: Contribution = RANGE, epsilon=1.0, people=PEOPLE
) -> Any:
    return Central(epsilon, delta, relation).plan(OfRows(shape, people, statistic))


def book(folder, limit: float = 1e3) -> Ledger:
    ledger = Ledger(folder / "ledger.db")
    for relation in Relation:
        ledger.limit("all", "public", relation, limit, 0.9)
    return ledger


def grant(plan_, data, ledger, **how):
    learner = Answers(1, shape=(plan_.question.statistic.size,))
    return Arrays(data, "all").grant(plan_, learner, ledger, **{"seed": 3, **how})


def numbers(people: int = PEOPLE) -> np.ndarray:
    return np.random.default_rng(1).uniform(20, 80, people).astype(np.float32)


# Which rows


@dataclasses.dataclass
class Spy:
    """Keeps what it is asked about."""

    seen: list

    def sample(self, key, rows):
        self.seen.append(rows)
        return 0.5


@pytest.mark.parametrize("at_once", [None, 1, 7, 59, 60, 61])
@pytest.mark.parametrize("shape", [RANGE, Ball(3, 1e3)], ids=name)
def test_all_rows_come_once_and_in_order(shape, at_once, tmp_path):
    """Whatever the size of a chunk, as float32."""
    spied = plan(MEANS, shape=shape)
    spy = Spy([])
    spied = dataclasses.replace(spied, server=Whole(spy, None, 1))
    data = np.arange(PEOPLE * math.prod(shape.shape), dtype=np.float32)
    data = data.reshape(PEOPLE, *shape.shape)
    grant(spied, data, book(tmp_path), at_once=at_once).run()

    (seen,) = spy.seen
    assert seen.dtype == np.float32 and np.array_equal(seen, data)


@pytest.mark.parametrize("at_once", [None, 7])
@pytest.mark.parametrize("statistic", STATISTICS, ids=name)
def test_the_answer_is_the_mechanisms(statistic, at_once, tmp_path):
    """Called directly with the round's own key it says the same, to the bit."""
    asked = plan(statistic)
    data = numbers()
    answer = np.asarray(grant(asked, data, book(tmp_path), at_once=at_once).run().state[0][0])
    key = keys.jax_key(keys.derive(keys.from_seed(3), "server", 0))
    blocks = isinstance(statistic, BlockMeans | BlockMedians)
    function = (statistic.function,) if blocks else ()
    own = asked.server.mechanism.sample(key, *function, data)

    assert answer_of(asked).shape == answer.shape == (statistic.size,)
    assert answer_of(asked).dtype == answer.dtype == np.float32
    if own is None:
        assert np.isnan(answer).all()
    else:
        assert np.array_equal(answer, np.float32(own).reshape(-1))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(
    "shape, member",
    [(Interval(2.0, 5.0), 2.0), (Interval(-5.0, -2.0), -2.0), (Interval(-1.0, 3.0), 0.0)],
)
def test_a_broken_row_becomes_the_member_nearest_to_zero(shape, member, bad, tmp_path):
    """And those outside the interval its nearer end: before any mechanism sees them."""
    spied, spy = plan(dataclasses.replace(MEANS, blocks=3), shape=shape, people=3), Spy([])
    spied = dataclasses.replace(spied, server=Whole(spy, None, 1))
    grant(spied, np.array([bad, 1e9, -1e9], np.float32), book(tmp_path)).run()

    assert spy.seen[0].tolist() == [member, shape.upper, shape.lower]


def test_rows_of_vectors_are_projected(tmp_path):
    """What a block's function sees are members of the shape."""
    longest = BlockMeans(lambda rows: np.linalg.norm(rows, axis=1).max(), 2, (RANGE,))
    spied, spy = plan(longest, shape=Ball(2, 5.0), people=4), Spy([])
    spied = dataclasses.replace(spied, server=Whole(spy, None, 1))
    data = np.array([[3, 4], [30, 40], [np.nan, 0], [0, 1]], np.float32)
    grant(spied, data, book(tmp_path)).run()

    np.testing.assert_allclose(spy.seen[0], [[3, 4], [3, 4], [0, 0], [0, 1]], rtol=1e-6)


@pytest.mark.parametrize(
    "shape, data",
    [
        (OneHot(4), np.arange(8) % 5),
        (Counts(2, 1, 3), np.ones((8, 2), int)),
        (Product(OneHot(3), RANGE), np.ones((8, 2), np.float32)),
    ],
    ids=["one-hot", "counts", "product"],
)
def test_a_function_is_given_rows_of_any_shape(shape, data, tmp_path):
    """As many as the blocks hold, of the shape's own form."""
    seen = []

    def size(rows):
        seen.append(rows.shape)
        return len(rows)

    asked = plan(BlockMeans(size, 2, (RANGE,)), shape=shape, people=8)
    grant(asked, data, book(tmp_path)).run()

    assert seen == [(4, *shape.shape)] * 2


# Which mechanism, and its promise


@pytest.mark.parametrize("share", [0.5, 0.9, 0.0])
@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_a_quantile_is_proved_for_every_relation(relation, delta, share):
    """A person who comes moves all ranks one way, by the larger share; one who changes, by one.

    It is pure, and a delta that is not needed is not promised.
    """
    asked = plan(Quantile(share, 1000), delta, relation)
    (promise,), mechanism = asked.guarantees, asked.server.mechanism
    moved = max(share, 1 - share) if relation is ADD else 1.0

    assert isinstance(mechanism, quantile.ExponentialQuantile)
    assert (mechanism.q, mechanism.cells) == (pytest.approx(share, abs=1e-9), 1000)
    assert mechanism.choice.grid.sensitivity == pytest.approx(moved, abs=1e-9)
    assert (promise.relation, promise.epsilon, promise.delta) == (relation, 1.0, 0.0)
    assert promise.event == events.k_norm(1.0)


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("shares", [(0.5,), (0.1, 0.5, 0.6), tuple(np.linspace(0.01, 0.99, 99))])
def test_quantiles_share_the_budget(relation, shares):
    """All of them are no more than there is, charged once, however they are drawn."""
    asked = plan(Quantiles(shares, 1000), 1e-6, relation)
    (promise,), mechanism = asked.guarantees, asked.server.mechanism

    assert 1 - 1e-9 <= mechanism.epsilon <= 1.0
    assert (promise.relation, promise.epsilon, promise.delta) == (relation, 1.0, 0.0)
    assert promise.event == events.k_norm(mechanism.epsilon)


@pytest.mark.parametrize("relation", [ADD, ZERO])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("statistic", STATISTICS[2:], ids=name)
def test_all_others_are_proved_for_replace_one_alone(statistic, delta, relation):
    """Refused by name, and by that of the relation."""
    with pytest.raises(
        ValueError, match=f"{name(statistic)} is proved for replace-one, not for {relation.value}"
    ):
        plan(statistic, delta, relation)


def test_a_test_of_the_data_needs_a_delta():
    """It may pass where it should not have: never with probability zero."""
    with pytest.raises(ValueError, match="needs a delta above 0, got 0"):
        plan(ProposedQuantile(1.0), 0.0)


KINDS = {
    SmoothQuantile: smooth_quantile.SmoothSensitivityQuantile,
    TrimmedMean: SmoothTrimmedMean,
    ProposedQuantile: propose_test_release.ProposeTestReleaseQuantile,
    BlockMeans: SampleAndAggregate,
    BlockMedians: SampleAndAggregate,
}


@pytest.mark.parametrize("statistic, delta", ANSWERED[4:], ids=name)
def test_the_event_charged_is_the_mechanisms(statistic, delta):
    """Its own epsilon and delta, both within the promise; pure where it is pure."""
    asked = plan(statistic, delta)
    (promise,), mechanism = asked.guarantees, asked.server.mechanism
    pure = delta == 0 or isinstance(statistic, BlockMeans)

    assert isinstance(mechanism, KINDS[type(statistic)])
    assert 1 - 1e-9 <= mechanism.epsilon <= 1.0
    assert mechanism.delta == 0 if pure else 0.999 * delta < mechanism.delta < delta
    assert promise.event == (
        events.k_norm(mechanism.epsilon)
        if pure
        else events.epsilon_delta(mechanism.epsilon, mechanism.delta)
    )
    assert promise.delta == (0.0 if pure else delta)
    assert 0.999 <= promise.epsilon <= 1.0 and promise.delta_reserved == 0
    assert asked.error is None


@pytest.mark.parametrize("statistic", [SmoothQuantile(), TrimmedMean(0.1), MEDIANS], ids=name)
def test_a_delta_buys_noise_with_moments(statistic):
    """Cauchy noise without one, Laplace noise with one; outputs share both numbers."""
    for delta, kind in ((0.0, SmoothCauchy), (1e-6, SmoothLaplace)):
        mechanism = plan(statistic, delta).server.mechanism
        parts = getattr(mechanism, "aggregates", (mechanism,))

        assert len(parts) == statistic.size and all(isinstance(p.noise, kind) for p in parts)
        assert all(p.noise.epsilon == 1.0 / len(parts) for p in parts)


@pytest.mark.parametrize("outputs", [1, 2, 3, 7])
@pytest.mark.parametrize("kind", [BlockMeans, BlockMedians])
def test_outputs_share_the_budget(kind, outputs):
    """Each gets its part, on its own interval, and all of them no more than there is."""
    ranges = tuple(Interval(0.0, 1.0 + i) for i in range(outputs))
    mechanism = plan(kind(np.mean, 6, ranges)).server.mechanism

    assert [(a.lower, a.upper) for a in mechanism.aggregates] == [
        (each.lower, each.upper) for each in ranges
    ]
    assert math.fsum(a.epsilon for a in mechanism.aggregates) <= 1.0
    assert math.fsum(a.delta for a in mechanism.aggregates) < 1e-6


# The charge


@pytest.mark.parametrize("statistic, delta", ANSWERED, ids=name)
def test_the_receipt_recomputes(statistic, delta, tmp_path):
    """Two accountants find the promise again; the function a block is asked is not in it."""
    made = grant(plan(statistic, delta), numbers(), book(tmp_path), seed=None).run().receipt()
    receipt.write(tmp_path / "receipt.json", [made])
    report = receipt.verify(tmp_path / "receipt.json")

    assert report.ok and len(report.findings) == 1
    assert made["private"] and "function" not in json.dumps(made)
    forged = json.loads(json.dumps(made))
    forged["guarantees"][0]["epsilon"] *= 0.9
    forged["digest"] = receipt.digest(forged)
    receipt.write(tmp_path / "receipt.json", [forged])
    assert not receipt.verify(tmp_path / "receipt.json").ok


def spent(ledger: Ledger) -> list[float]:
    return [account.epsilon for account in ledger.spent("all") if account.epsilon > 0]


def test_the_charge_stands_before_a_row_is_read(tmp_path):
    """A block's function that looks at the ledger finds it charged."""
    ledger, found = book(tmp_path), []

    def looks(rows):
        found.append(spent(ledger))
        return 0.0

    asked = plan(BlockMeans(looks, 6, (RANGE,)), 0.0)
    made = grant(asked, numbers(), ledger)
    assert found == [] and spent(ledger) == [1.0]
    made.run()

    assert found == [[1.0]] * 6


@pytest.mark.parametrize("kind", [BlockMeans, BlockMedians])
def test_a_function_that_raises_ends_nothing(kind, tmp_path):
    """Its blocks count as the lower end; the run is over, and the charge stays."""

    def raises(rows):
        raise RuntimeError(f"{rows}")

    ledger = book(tmp_path)
    asked = plan(kind(raises, 60, (Interval(-7.0, 100.0),)), 0.0, epsilon=10.0)
    release = grant(asked, numbers(), ledger).run()

    assert float(release.state[0][0, 0]) == pytest.approx(-7.0, abs=3.0)
    assert spent(ledger) == [10.0]


def test_a_function_that_raises_on_some_blocks_moves_only_those(tmp_path):
    """A median of blocks stays where most of them are."""

    def raises(rows):
        if rows.min() < 1.0:
            raise RuntimeError("a row below one")
        return np.mean(rows)

    data = numbers(600)
    data[:3] = 0.0
    asked = plan(BlockMedians(raises, 60, (RANGE,)), epsilon=10.0, people=600)
    answer = float(grant(asked, data, book(tmp_path)).run().state[0][0, 0])

    assert answer == pytest.approx(50.0, abs=4.0)


def test_over_budget_no_row_is_read(tmp_path):
    """Refused, and nothing is charged."""
    asked_about = []

    def keeps(rows):
        asked_about.append(rows)
        return 0.0

    asked = plan(BlockMeans(keeps, 6, (RANGE,)), 0.0)
    ledger = book(tmp_path, 0.5)
    with pytest.raises(OverBudget):
        grant(asked, numbers(), ledger).run()

    assert asked_about == [] and spent(ledger) == []


def test_a_finished_fit_is_read_from_its_checkpoint(tmp_path):
    """No block is asked again and nothing more is charged."""
    ledger, calls, saved = book(tmp_path), [], Checkpoint(tmp_path / "state.npz")

    def counts(rows):
        calls.append(len(rows))
        return np.mean(rows)

    asked = plan(BlockMeans(counts, 6, (RANGE,)), 0.0)
    first = grant(asked, numbers(), ledger, grant_id="g", checkpoint=saved).run()
    again = Release.read("g", "all", asked, Answers(1, shape=(1,)), ledger, saved, seeded=True)

    assert calls == [10] * 6 and spent(ledger) == [1.0]
    assert np.array_equal(first.state[0], again.state[0])


@pytest.mark.parametrize("function", [np.mean, np.max], ids=["the same", "another"])
@pytest.mark.parametrize("kind", [BlockMeans, BlockMedians])
def test_a_fit_of_blocks_that_is_not_finished_is_never_opened_again(kind, function, tmp_path):
    """What a function does cannot be told, and another's answer under one noise shows the noise."""
    ledger, data = book(tmp_path), numbers()
    grant(plan(kind(np.mean, 6, (RANGE,)), 0.0), data, ledger, grant_id="g")
    with pytest.raises(LedgerError, match="was opened with other function of blocks"):
        grant(plan(kind(function, 6, (RANGE,)), 0.0), data, ledger, grant_id="g")

    assert spent(ledger) == [1.0]


@pytest.mark.parametrize("kind", [BlockMeans, BlockMedians])
def test_a_fit_of_blocks_erases_its_key_before_it_runs(kind, tmp_path):
    """A run that is cut off leaves nothing that another function could be run with."""

    def cut_off(rounds, state):
        raise InterruptedError

    made = grant(plan(kind(np.mean, 6, (RANGE,)), 0.0), numbers(), book(tmp_path), grant_id="g")
    with pytest.raises(InterruptedError):
        made.run(watch=cut_off)

    with closing(sqlite3.connect(tmp_path / "ledger.db")) as connection:
        assert [(None,)] == list(connection.execute("SELECT root_key FROM grants"))


def test_a_fit_without_a_function_is_opened_again(tmp_path):
    """All it asks is in its plan: the same answer, paid for once."""
    ledger, asked = book(tmp_path), plan(Quantile(), 0.0)
    one, two = (grant(asked, numbers(), ledger, grant_id="g") for _ in range(2))

    assert np.array_equal(one.run().state[0], two.run().state[0]) and spent(ledger) == [1.0]


# Compilation

# The same statistics of other numbers; only those of an array's shape are alike.
OTHERS = [
    Quantile(0.9, 1000),
    Quantiles((0.1, 0.9), 1000),
    SmoothQuantile(0.6),
    TrimmedMean(0.2),
    ProposedQuantile(7.0, 0.3),
    BlockMeans(np.mean, 5, (Interval(-3.0, 90.0),)),
    BlockMedians(MEDIANS.function, 5, (Interval(-3.0, 90.0), RANGE)),
]


@pytest.mark.parametrize("one, other", zip(STATISTICS, OTHERS, strict=True), ids=name)
def test_other_numbers_of_a_statistic_compile_nothing(one, other, tmp_path, caplog):
    """Plan numbers are traced, or the host's: a sweep over a statistic compiles once."""
    ledger, data = book(tmp_path), numbers()
    grant(plan(one), data, ledger).run()
    with jax.log_compiles():
        grant(plan(other, 1e-5, shape=Interval(-5.0, 90.0), epsilon=2.0), data, ledger).run()
        compiled = [r.getMessage() for r in caplog.records if "XLA compilation" in r.getMessage()]

    assert [] == compiled


# What comes out


@pytest.mark.parametrize(
    "statistic, relation, truth",
    [
        (Quantile(), ADD, 50.0),
        (Quantile(0.9), REPLACE, 74.0),
        (Quantile(0.1), ZERO, 26.0),
        (SmoothQuantile(), REPLACE, 50.0),
        (TrimmedMean(0.1), REPLACE, 50.0),
        (ProposedQuantile(0.4), REPLACE, 50.0),
        (BlockMeans(np.mean, 100, (RANGE,)), REPLACE, 50.0),
        (BlockMedians(np.mean, 100, (RANGE,)), REPLACE, 50.0),
    ],
    ids=lambda value: name(value) if dataclasses.is_dataclass(value) else str(value),
)
def test_five_thousand_people_are_enough(statistic, relation, truth, tmp_path):
    """At epsilon 2, each statistic is found to a few per cent of the range."""
    data = np.random.default_rng(2).permutation(np.linspace(20, 80, 5001)).astype(np.float32)
    asked = plan(statistic, relation=relation, epsilon=2.0, people=5001)
    answer = grant(asked, data, book(tmp_path)).run().state[0]

    assert float(answer[0, 0]) == pytest.approx(truth, abs=4.0)


def test_a_proposal_the_data_may_not_allow_is_answered_by_nan(tmp_path):
    """A median between two far clusters is refused; the charge stays."""
    data, ledger = np.repeat(np.array([0, 100], np.float32), 30), book(tmp_path)
    answer = grant(plan(ProposedQuantile(1.0)), data, ledger).run().state[0]

    assert np.isnan(answer).all() and len(spent(ledger)) == 1


def test_one_seed_repeats_and_another_does_not(tmp_path):
    """The mechanism's randomness is the grant's."""
    ledger, asked = book(tmp_path), plan(MEANS)
    one, same, other = (
        np.asarray(grant(asked, numbers(), ledger, seed=seed).run().state[0]) for seed in (1, 1, 2)
    )

    assert np.array_equal(one, same) and not np.any(one == other)


def test_under_add_remove_the_declared_number_need_not_be_true(tmp_path):
    """The rank is a share of those who are there."""
    data = np.linspace(0, 100, 2001, dtype=np.float32)
    asked = plan(Quantile(), 0.0, ADD, people=10)
    answer = grant(asked, data, book(tmp_path)).run().state[0]

    assert float(answer[0, 0]) == pytest.approx(50.0, abs=3.0)
    with pytest.raises(ValueError, match="the number of people is public"):
        grant(plan(Quantile(), 0.0, people=10), data, book(tmp_path))


def test_answers_are_kept_as_vectors(tmp_path):
    """One row a round, one number for each output."""
    release = grant(plan(MEDIANS), numbers(), book(tmp_path)).run()

    assert release.state[0].shape == (1, 2) and release.state[0].dtype == jnp.float32
    assert int(release.state[1]) == 1


# Directions


@pytest.mark.parametrize(
    ("relation", "moved"),
    [(ADD, 1), (REPLACE, 2), (ZERO, 1)],
    ids=[each.value for each in (ADD, REPLACE, ZERO)],
)
def test_a_direction_is_drawn_for_the_whole_epsilon(relation, moved, tmp_path):
    """By what one person moves, with what the sampler may be off by beside it; and it is near."""
    made = plan(LeadingDirection(), 0.0, relation, Outer(3, 2.0), epsilon=2.0, people=400)
    (promise,) = made.guarantees

    assert made.server.mechanism == BinghamDirection(3, 2.0, 2**12, 2.0, moved)
    assert promise.event == events.exponential_mechanism(2.0)
    assert promise.epsilon == 2.0 and 0 < promise.delta < 1e-15
    rows = np.repeat([[0.0, 2.0, 0.0], [0.5, 0.0, 0.0]], 200, axis=0).astype(np.float32)
    learner = Answers(1, shape=(3,))
    run = Arrays(rows, "all").grant(made, learner, book(tmp_path), seed=3).run()
    (direction,), _ = run.state
    assert abs(direction[1]) > 0.95 and np.linalg.norm(direction) == pytest.approx(1, abs=1e-6)


def test_a_direction_of_which_shapes(tmp_path):
    """What else is asked for it is refused by name."""
    for shape in (Ball(3, 1.0), Outer(1, 1.0), Outer(513, 1.0)):
        with pytest.raises(ValueError, match="an Outer of 2 to 512 dimensions"):
            OfRows(shape, 10, LeadingDirection())
