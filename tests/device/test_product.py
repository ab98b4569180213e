"""A product's local report: one budget for all parts, shared for the least relative error."""

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import quick_keys
from measured import bias, deviation
from tacit.accounting.relation import Relation
from tacit.contribution import Ball, Counts, Cube, Grid, Interval, OneHot, Product
from tacit.device.choose import Split, device_for
from tacit.device.product import JointDevice
from tacit.question.participation import AtMost, Once
from tacit.question.sums import Mean
from tacit.trust.local import Local

PARTS = (Interval(-1.0, 3.0), OneHot(4))
PAIR = Product(*PARTS)
TRIALS = 4_000
DATA = [[3.0, 0.0], [-1.0, 3.0], [0.25, 3.0]]
TOTAL = [2.25, 1, 0, 0, 2]


def ask(shape=PAIR, who=Once(), rounds=1, people=3) -> Mean:
    return Mean(shape, who, rounds, people)


def relative(device: JointDevice, parts) -> float:
    """The stated criterion: worst errors in units of the parts' squared bounds."""
    each = zip(device.devices, parts, strict=True)
    return math.fsum(own.facts.worst_error / part.bound**2 for own, part in each)


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 0.7, 1.0, 2.3, 5.1, 8.0])
@pytest.mark.parametrize("shares", [None, (0.35, 0.65), (0.7, 0.3)])
def test_the_parts_budgets_add_up_to_at_most_one(epsilon, shares):
    """Not a rounding more, and to a rounding no less: nothing is left over."""
    plan = Local(epsilon).plan(ask(Product(*PARTS, shares=shares)))
    budgets = [device.facts.epsilon for device in plan.device.devices]

    assert epsilon * (1 - 1e-9) <= math.fsum(budgets) <= epsilon
    assert math.fsum(budgets) <= plan.guarantees[0].epsilon <= epsilon
    assert Relation.REPLACE_ONE is plan.guarantees[0].relation


@pytest.mark.parametrize("rounds", [2, 3, 7])
def test_rounds_and_parts_share_one_budget(rounds):
    """What a person sends in all of them is promised to the server."""
    for epsilon in (0.3, 1.1, 4.0):
        plan = Local(epsilon).plan(ask(who=AtMost(rounds), rounds=rounds, people=30))
        assert epsilon * (1 - 1e-9) <= plan.guarantees[0].epsilon <= epsilon


def test_declared_shares_are_kept():
    """Each part's device is the one it would have alone with its share."""
    device = Local(4.0).plan(ask(Product(*PARTS, shares=(0.25, 0.75)))).device

    assert [1.0, 3.0] == [pytest.approx(own.facts.epsilon) for own in device.devices]
    for part, own, budget in zip(PARTS, device.devices, (1.0, 3.0), strict=True):
        alone = device_for(part, budget).facts
        assert own.facts.worst_error == pytest.approx(alone.worst_error, rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 6.0])
def test_the_best_shares_are_the_best_of_all_twentieths(epsilon):
    """By the stated criterion, over every split; equal ones are worse."""
    parts = (Interval(0.0, 1.0), OneHot(6), Grid(-2, 3, 0.5))
    best = device_for(Product(*parts), epsilon)
    costs = [
        {
            own: device_for(part, epsilon * own / 20).facts.worst_error / part.bound**2
            for own in range(1, 19)
        }
        for part in parts
    ]
    splits = [s for s in itertools.product(range(1, 19), repeat=3) if sum(s) == 20]
    least = min(sum(cost[own] for cost, own in zip(costs, s, strict=True)) for s in splits)
    equal = device_for(Product(*parts, shares=(1 / 3,) * 3), epsilon)

    assert pytest.approx(least, rel=1e-9) == relative(best, parts)
    assert relative(best, parts) < relative(equal, parts)


def test_shares_are_chosen_by_the_errors_at_typical_norms():
    """Over splits near and far; a part without a typical norm counts at its worst."""
    parts = (Ball(4, 2.0, typical=0.5), Interval(0.0, 1.0))
    best = device_for(Product(*parts), 8.0)
    vector, number = (own.facts for own in best.devices)
    chosen = round(vector.epsilon / 8.0 * 20)

    def cost(own: int) -> float:
        alone = (device_for(p, 8.0 * n / 20) for p, n in zip(parts, (own, 20 - own), strict=True))
        each = zip(alone, parts, strict=True)
        return math.fsum(own.facts.compared_error / part.bound**2 for own, part in each)

    assert best.facts.typical_error == pytest.approx(vector.typical_error + number.worst_error)
    least = cost(chosen)
    assert least == pytest.approx(vector.typical_error / 4 + number.worst_error, rel=1e-9)
    assert all(cost(own) > least for own in {chosen - 1, chosen + 1, 10})
    plain = Product(Ball(4, 2.0), parts[1], shares=(0.5, 0.5))
    assert device_for(plain, 8.0).facts.typical_error is None


def test_more_parts_have_more_shares_to_choose_from():
    """Six parts in twenty-fourths: alike, so none has more than another by a share."""
    device = device_for(Product(*[Interval(0.0, 1.0)] * 6), 6.0)

    assert [pytest.approx(1.0)] * 6 == [own.facts.epsilon for own in device.devices]


def test_the_unit_of_a_part_does_not_decide_its_share():
    """A number in cents has the share of the same number in euros."""
    euros = device_for(Product(Interval(0.0, 1.0), OneHot(4)), 2.0)
    cents = device_for(Product(Interval(0.0, 128.0), OneHot(4)), 2.0)

    first, second = ([own.facts.epsilon for own in each.devices] for each in (euros, cents))
    assert first == second


@pytest.mark.parametrize("shares", [None, (0.5, 0.5)])
def test_answers_are_the_parts_answers_unbiased(shares):
    """One after the other, with no more than the stated error, and the category's part with it."""
    plan = Local(3.0).plan(ask(Product(*PARTS, shares=shares)))

    assert bias(plan, DATA, TRIALS, 1, TOTAL) < 5
    assert deviation(plan, DATA, TRIALS, 1, total=np.array(TOTAL)) < 4
    exactly = (
        math.fsum(plan.device.devices[0].scalar.error(row[0] + 1.0) for row in DATA)
        + 3 * plan.device.devices[1].facts.worst_error
    )
    assert abs(deviation(plan, DATA, TRIALS, 3, error=exactly / 9, total=np.array(TOTAL))) < 4


def test_swapped_parts_fail_the_same_check():
    """The sum of the other categories is not what is answered."""
    plan = Local(3.0).plan(ask())

    assert bias(plan, DATA, TRIALS, 1, [2.25, 0, 1, 0, 2]) > 5


def test_three_kinds_of_report_travel_side_by_side():
    """A vector, a category and counts: budgets, errors and bits add up, blankets multiply."""
    product = Product(Ball(3, 1.0), OneHot(3), Counts(2, 1, 2), shares=(0.5, 0.25, 0.25))
    device = device_for(product, 8.0)
    parts = [
        device_for(p, 8.0 * s).facts for p, s in zip(product.parts, product.shares, strict=True)
    ]

    assert 8.0 >= device.facts.epsilon == pytest.approx(math.fsum(own.epsilon for own in parts))
    assert device.facts.worst_error == pytest.approx(math.fsum(own.worst_error for own in parts))
    assert device.facts.blanket == pytest.approx(math.prod(own.blanket for own in parts))
    assert device.facts.report_bits == sum(own.report_bits for own in parts)
    terms = jnp.asarray([[0.1, 0.2, 0.3, 2.0, 1.0, 0.0]] * 5, jnp.float32)
    reports = jax.eval_shape(device.sample, quick_keys.key(0), terms)
    assert [5, 5, 5] == [len(own) for own in reports]


def test_parts_draw_independently():
    """Two equal numbers of one person get reports that do not correlate."""
    device = device_for(Product(Interval(0.0, 1.0), Interval(0.0, 1.0), shares=(0.5, 0.5)), 2.0)
    terms = jnp.full((20_000, 2), 0.4)
    first, second = (np.asarray(own) for own in device.sample(quick_keys.key(1), terms))

    assert abs(np.corrcoef(first, second)[0, 1]) < 5 / math.sqrt(20_000)


def test_distances_add_up_and_blankets_multiply():
    """Any part's sampler may be unlike its law; a report is all blanket if every part is."""
    device = device_for(Product(Cube(3, -1.0, 1.0), Cube(4, -1.0, 1.0), shares=(0.5, 0.5)), 2.0)
    first, second = (own.facts for own in device.devices)

    assert 0 < first.tv_distance and first.blanket < 1
    assert pytest.approx(first.tv_distance + second.tv_distance, abs=0) == device.facts.tv_distance
    assert pytest.approx(first.blanket * second.blanket) == device.facts.blanket


def test_a_split_of_the_budget_is_for_one_ball():
    """A product has shares of its own; the sentence says what a Split is for."""
    with pytest.raises(ValueError, match="direction and magnitude of a Ball, got Product"):
        device_for(PAIR, Split(1.0, 1.0))
