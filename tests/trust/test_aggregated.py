"""The aggregated model: a curator's promise without one, for those who answer and keep quiet."""

import math
from dataclasses import replace

import equinox as eqx
import numpy as np
import pytest

import tacit
from measured import bias, deviation
from tacit.accounting.loss.gaussian import gaussian_delta
from tacit.contribution import Ball, Cube, Interval, OneHot
from tacit.mechanisms.additive.noise_share import NoiseShare
from tacit.question.dropouts import DropOuts
from tacit.question.participation import AtMost, Available, Cyclic, Everyone, Fixed, Once, Poisson
from tacit.question.running import Running
from tacit.question.sums import Mean, Select
from tacit.statistics.answers import Answers

REPLACE, ZERO_OUT = tacit.Relation.REPLACE_ONE, tacit.Relation.ZERO_OUT
TRUST = tacit.Aggregated(1.0, 1e-6)
BALL = Ball(4, 1.0)


def ask(shape=BALL, who=Everyone(), rounds=2, people=50) -> Mean:
    return Mean(shape, who, rounds, people)


def test_the_server_and_the_public_are_promised_the_same():
    """Nobody sees more than the sums: a curator's promise, to whoever adds them up too."""
    public, server = TRUST.plan(ask()).guarantees
    curator = tacit.Central(1.0, 1e-6, REPLACE).plan(ask()).guarantees[0]

    assert ("public", "server") == (public.observer, server.observer)
    assert replace(server, observer="public") == public
    assert curator.event == public.event
    # Shares are farther from exact noise than one sum's, and epsilon is searched for to 1e-12.
    assert curator.delta_reserved < public.delta_reserved
    assert curator.epsilon <= public.epsilon <= curator.epsilon * (1 + 1e-12)
    assert 0.999 <= public.epsilon <= 1.0
    assert 1e-6 == public.delta


@pytest.mark.parametrize("relation, moved", [(REPLACE, 2.0), (ZERO_OUT, 1.0)])
@pytest.mark.parametrize("colluding", [0.0, 0.1, 0.5, 0.97])
def test_the_noise_of_those_who_are_counted_on_hides_one_person(relation, moved, colluding):
    """Of the honest alone, in all rounds: two thirds of it would not."""
    plan = tacit.Aggregated(1.0, 1e-6, relation, colluding).plan(ask(rounds=3))
    honest = 50 - math.ceil(colluding * 50)
    noise = math.sqrt(honest * plan.server.share.variance / 3) / moved

    assert honest == plan.server.share.shares
    assert gaussian_delta(noise, 1.0) <= 1e-6
    assert gaussian_delta(noise * 2 / 3, 1.0) > 1e-4


@pytest.mark.parametrize(
    "who, rounds, honest",
    [
        (Everyone(), 2, 50 - 5),
        (Once(), 4, 12 - 2),
        (AtMost(2), 4, 25 - 3),
        (Cyclic(2), 6, 16 - 2),
        (DropOuts(Everyone(), 0.3, 30), 2, 30 - 5),
        (DropOuts(Once(), 0.1, 9), 4, 9 - 2),
        (DropOuts(Available(0.5), 0.1, 20), 4, 20 - 5),
    ],
)
def test_who_is_counted_on(who, rounds, honest):
    """The least cohort, less those who may tell: a tenth of the largest, rounded up."""
    assert honest == TRUST.plan(ask(who=who, rounds=rounds)).server.share.shares


@pytest.mark.parametrize("shape", [BALL, Interval(-1.0, 2.0), Cube(3, -1.0, 1.0)])
def test_the_error_is_the_measured_one(shape):
    """Everybody's share, not only of those who are counted on; and no bias."""
    plan = TRUST.plan(ask(shape, rounds=1))
    data = np.full((50, *shape.shape), 0.5, np.float32)
    quieter = plan.error * TRUST.plan(ask(shape, rounds=1)).server.share.shares / 50

    assert abs(deviation(plan, data, 20_000, 1)) < 4
    assert deviation(plan, data, 20_000, 1, error=quieter) > 4
    assert bias(plan, data, 20_000, 1, data.sum(axis=0)) < 5


def test_the_same_check_sees_shares_that_are_missing():
    """Two thirds of the noise, on the same grid."""
    plan = TRUST.plan(ask(rounds=1))
    own = plan.device.shares
    quiet = NoiseShare(own.sigma * 2 / 3, own.step, own.shares)
    missing = replace(plan, device=eqx.tree_at(lambda each: each.shares, plan.device, quiet))

    assert deviation(missing, np.zeros((50, 4), np.float32), 4_000, 1, plan.error) < -4


def test_a_round_without_enough_is_not_added_up(tmp_path):
    """No report and no noise: its answer is zero. Others are the mean over those expected."""
    people = tacit.Arrays(np.ones(40, np.float32), "forty")
    question = ask(Interval(0.0, 1.0), DropOuts(Everyone(), 0.5, 20), 40, 40)
    plan = tacit.Aggregated(1e3, 1e-6, colluding=0.0).plan(question)
    ledger = tacit.Ledger(tmp_path / "ledger.db")
    ledger.limit_for("forty", plan)
    run = people.grant(plan, Answers(40), ledger, seed=3).run()
    sums = 20.0 * np.asarray(run.state.answer)

    assert 5 < np.sum(sums == 0) < 35
    assert np.all((sums == 0) | (sums > 19.0))


def test_accounts_of_both_are_charged_and_a_run_is_what_it_was(tmp_path):
    """The server's and the public's; the same seed, resumed or in other chunks, is the same."""
    people = tacit.Arrays(np.linspace(-1, 1, 30, dtype=np.float32), "thirty")
    plan = TRUST.plan(ask(Interval(-1.0, 1.0), rounds=3, people=30))
    runs = []
    for chunk in (None, None, 7):
        ledger = tacit.Ledger(tmp_path / f"{len(runs)}.db")
        ledger.limit_for("thirty", plan)
        asked = plan, tacit.statistics.Average(), ledger
        runs.append(people.grant(*asked, seed=1, at_once=chunk).run())
        assert {"public", "server"} == {own.observer for own in ledger.spent("thirty")}

    assert runs[0].answer == runs[1].answer
    assert abs(runs[0].answer - runs[2].answer) < 30 * plan.error**0.5


@pytest.mark.parametrize(
    "who, said",
    [
        (Fixed(10), "participation must be Everyone, Once, AtMost, Cyclic or Available, got Fixed"),
        (Poisson(0.5), "drawing them hides nobody"),
        (DropOuts(Poisson(0.5), 0.1, 20), "got Poisson"),
        (Available(0.5), "declare how many do at least"),
        (DropOuts(Everyone(), 0.1), "declare how many do at least"),
        (DropOuts(Everyone(), 0.1, 5), "of a least cohort of 5 nobody is left to count on"),
    ],
)
def test_cohorts_of_unknown_size_are_refused(who, said):
    """The noise is that of those who answer."""
    with pytest.raises(ValueError, match=said):
        TRUST.plan(ask(who=who))


@pytest.mark.parametrize(
    "given, said",
    [
        ({"epsilon": 0.0}, "epsilon must be positive"),
        ({"epsilon": math.nan}, "epsilon must be positive"),
        ({"delta": 0.0}, "delta must lie strictly between 0 and 1"),
        ({"relation": tacit.Relation.ADD_REMOVE}, "REPLACE_ONE or ZERO_OUT, got add/remove"),
        ({"relation": "replace-one"}, "relation must be"),
        ({"colluding": 1.0}, "colluding must be a share from 0 to below 1"),
        ({"colluding": math.nan}, "colluding must be a share from 0 to below 1"),
        ({"colluding": -0.1}, "colluding must be a share from 0 to below 1"),
    ],
)
def test_what_is_no_promise_is_refused(given, said):
    """With the values that are allowed."""
    with pytest.raises(ValueError, match=said):
        tacit.Aggregated(**{"epsilon": 1.0, "delta": 1e-6, **given})


def test_what_is_computed_from_means_is_answered_and_rows_are_not():
    """The largest of noisy counts, and running sums with fresh noise; no rows, nothing uneven."""
    assert TRUST.plan(Select(ask(OneHot(3)))).private
    assert TRUST.plan(Running(ask(who=Once()), 1)).private
    with pytest.raises(ValueError, match="shares are even"):
        TRUST.plan(tacit.question.Uneven(ask(), (0.5, 0.5)))
