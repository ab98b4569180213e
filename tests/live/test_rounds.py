"""Rounds on a network: the same as in memory, for the same keys; orders that say what is asked."""

import jax
import numpy as np
import pytest

import tacit
from live.listening import Heard
from live.phones import FUNCTION, MANY, NAME, VECTORS, both, federation, ledger, phones
from tacit import live
from tacit.live import own_ledger
from tacit.live.message import Message
from tacit.noise import keys
from tacit.population.run import keys_of

SEED = 5
ZEROED = tacit.Central(100.0, 1e-5, tacit.Relation.ZERO_OUT)
PLANS = {
    "everyone": lambda: both(3),
    "at most": lambda: both(4, tacit.AtMost(2)),
    "few bytes": lambda: tacit.Federated(8.0, ZEROED, upload=16).plan(both(2).sums),
    "local": lambda: tacit.Local(9.0).plan(both(3).sums),
}


@pytest.mark.parametrize("name", PLANS)
def test_a_run_is_the_one_in_memory(tmp_path, monkeypatch, name):
    """One person at a time, from the same device keys: the same answers in all rounds.

    So cohorts, reports, divisors and noise are those of memory; what may differ is the last bit of
    a device's own float32 numbers, which two compiled programs round each in its way.
    """
    plan = PLANS[name]()
    drawn = _device_keys(plan)
    monkeypatch.setattr(own_ledger.keys, "fresh", lambda: next(drawn))
    people = tacit.Arrays(VECTORS, NAME)
    one = people.grant(plan, FUNCTION.learner, ledger(tmp_path), seed=SEED, at_once=1).run()
    population = federation(phones(tmp_path))
    other = population.grant(plan, FUNCTION.learner, ledger(tmp_path), seed=SEED).run()

    assert np.allclose(one.state, other.state, rtol=1e-5, atol=1e-6)
    assert np.abs(one.state).max() > 0.01


def _device_keys(plan):
    """In the order in which devices are asked, those that a run in memory draws."""
    root = keys.from_seed(SEED)
    many = plan.sums.rounds
    for own in keys_of([root], range(many), many).device:
        for place in range(plan.sums.capacity):
            data = jax.random.key_data(jax.random.fold_in(own, place))
            yield np.asarray(data).astype("<u4").tobytes()


def test_nothing_crosses_but_what_the_plan_says(tmp_path):
    """Every message of a run is read: orders, the public states, and reports of the plan's set.

    No plain term is among them: each is farther from every person's than a report could be by
    chance, and two people with one vector send different reports.
    """
    plan, link = both(2), Heard(live.Nearby(phones(tmp_path)))
    population = live.Federation(link, NAME, [FUNCTION])
    population.grant(plan, FUNCTION.learner, ledger(tmp_path)).run()
    read = [Message.read(each) for each in link.crossed]
    orders = [each for each in read if "function" in each.text]
    states = [each for each in read if not each.text]
    answers = [each for each in read if each.text.keys() == {"order"}]

    assert (2 * MANY, 2, 2 * MANY) == (len(orders), len(states), len(answers)) and 18 == len(read)
    assert 2 == len({each.text["order"] for each in orders})
    assert {"from", "round", "rounds", "place"} <= orders[0].text.keys()
    assert 2 * MANY == len({each.arrays[0].tobytes() for each in answers})
    terms = [vector - state.arrays[0] for state in states for vector in VECTORS]
    for answer in answers:
        assert 1 == len(answer.arrays)
        assert min(np.abs(answer.arrays[0] - term).max() for term in terms) > 1e-3


def test_bytes_are_those_of_the_plan(tmp_path):
    """A report has the plan's bytes, and little beside them."""
    plan, link = both(2), Heard(live.Nearby(phones(tmp_path)))
    population = live.Federation(link, NAME, [FUNCTION])
    population.grant(plan, FUNCTION.learner, ledger(tmp_path)).run()
    reports = [Message.read(each) for each in link.crossed[-MANY:]]

    assert {plan.upload_bytes} == {sum(a.nbytes for a in each.arrays) for each in reports}
    assert all(len(each) < plan.upload_bytes + 150 for each in link.crossed[-MANY:])
