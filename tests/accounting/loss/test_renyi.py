"""The Renyi accountant against closed forms."""

import math
from collections import Counter
from fractions import Fraction

import pytest

from tacit.accounting.composition import Parts, parts
from tacit.accounting.events import epsilon_delta, gaussian, local, poisson
from tacit.accounting.loss.renyi import plain_sum, renyi_epsilon
from tacit.accounting.relation import Relation


def test_the_reference_training_run() -> None:
    """Poisson q = 0.01, z = 1, 10,000 rounds, delta = 1e-5 cost 6.7128 by Renyi."""
    events = Counter({poisson(0.01, gaussian(1)): 10_000})
    assert math.isclose(6.7128, renyi_epsilon(events, 1e-5), abs_tol=1e-4)


@pytest.mark.parametrize("relation", list(Relation))
def test_gaussians_are_alike_under_every_relation(relation: Relation) -> None:
    """One Gaussian of multiplier 1 at delta = 1e-5 costs 4.7285."""
    bound = renyi_epsilon(parts(gaussian(1), relation), 1e-5)
    assert 4.7285 - 1e-4 <= bound <= 4.7295


def test_no_gaussian_is_pure() -> None:
    """At delta = 0 a Gaussian release costs infinity."""
    assert renyi_epsilon(Counter({gaussian(1): 1}), 0.0) == math.inf


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("epsilon", [0.1, 1.5, 8.0])
def test_epsilons_and_deltas_are_added_above_the_sum_of_the_deltas(epsilon, count) -> None:
    """At it and below nothing is promised; a Gaussian among them has no sum."""
    known, spent = epsilon_delta(epsilon, 2.0**-40), count * 2.0**-40
    found, mixed = Parts({known: count}), Parts({known: count, gaussian(1): 1})

    for delta in (math.nextafter(spent, 1), 2 * spent, 0.1):
        assert count * epsilon <= plain_sum(found, delta) <= count * epsilon * (1 + 1e-15)
        assert math.inf == plain_sum(mixed, delta)
    assert math.inf == plain_sum(found, spent) == plain_sum(found, 0.0)


def test_the_deltas_of_all_releases_are_set_aside() -> None:
    """Ten (0.1, 1e-7) releases at 3e-6 are ten 0.1-private ones at the 2e-6 that is left."""
    leaky = renyi_epsilon(Counter({epsilon_delta(0.1, 1e-7): 10}), 3e-6)
    pure = renyi_epsilon(Counter({local(0.1): 10}), 3e-6 - 10 * 1e-7)

    assert math.isclose(pure, leaky, rel_tol=1e-12)
    assert math.inf == renyi_epsilon(Counter({epsilon_delta(0.1, 1e-7): 10}), 1e-6)


def test_plain_sums_are_rounded_up() -> None:
    """Of products that round down, which one float more does not make up for; and beyond floats."""
    known = {0.14285714285714313: 7, 0.11111111111111115: 9, 0.06666666666666721: 15}
    exact = sum(count * Fraction(each) for each, count in known.items())
    found = plain_sum(Parts({local(each): count for each, count in known.items()}), 1e-30)

    assert exact <= Fraction(found) and Fraction(math.nextafter(found, 0.0)) < exact
    assert math.inf == plain_sum(Parts({local(1e308): 1, local(1.1e308): 1}), 0.0)
