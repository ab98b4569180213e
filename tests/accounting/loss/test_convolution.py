"""Tilted convolution: exact sums as the oracle, down to a delta of 1e-30, rounding and slack."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from dp_accounting import ComposedDpEvent, SelfComposedDpEvent
from mpmath import mp, mpf

from tacit.accounting import accountant, events
from tacit.accounting.events import local
from tacit.accounting.loss import convolution
from tacit.accounting.loss.gaussian import gaussian_delta, gaussian_epsilon
from tacit.accounting.loss.pld import Losses
from tacit.accounting.loss.transform import tilted_sum
from tacit.accounting.pairs import pure
from tacit.accounting.pairs import sampled_gaussian as sampling
from tacit.accounting.relation import Relation

DELTAS = [0.1, 1e-3, 1e-9, 1e-16, 1e-30, 1e-100]


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize(("epsilon", "count"), [(1.0, 3), (0.1, 400), (0.01, 1_000_000)])
def test_randomised_response_exactly(epsilon: float, count: int, delta: float) -> None:
    """On a grid that fits, the transform gives the binomial sum, a little from above."""
    both = pure.losses(local(epsilon), epsilon / 4, 0.0)
    bound = convolution.epsilon_at([(both, count)], delta)
    exact = pure.repeated_epsilon(epsilon, count, delta)
    assert exact * (1 - 1e-9) <= bound.value <= exact * (1 + 1e-4) + 1e-12


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("count", [1, 40, 10_000])
def test_gaussians_within_the_slack(count: int, delta: float) -> None:
    """Composed Gaussians cost at least the exact epsilon, at most a little more, within slack."""
    multiplier = 2 * math.sqrt(count)
    terms = [
        (sampling.poisson_losses(1.0, multiplier, 1 / multiplier / 64, delta / count / 1e7), count)
    ]
    bound, exact = convolution.epsilon_at(terms, delta), gaussian_epsilon(2.0, delta)
    assert exact * (1 - 1e-12) <= bound.value <= exact * 1.0005 + 1e-12
    assert bound.value - bound.slack <= exact


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 3.0, 10.0])
def test_delta_of_gaussians(epsilon: float) -> None:
    """The other direction of the question: delta from above, and its slack reaches below."""
    terms = [(sampling.poisson_losses(1.0, 20.0, 1 / 20 / 64, 1e-40), 100)]
    bound, exact = convolution.delta_at(terms, epsilon), gaussian_delta(2.0, epsilon)
    assert exact <= bound.value <= exact * 1.01 + 1e-37
    assert bound.value - bound.slack <= exact


def test_curve_is_the_single_answers() -> None:
    """Many epsilons at once give what one at a time gives, to the plain transform's error."""
    terms = [(sampling.poisson_losses(0.1, 1.0, 1e-3, 1e-20), 50)]
    epsilons = np.array([0.0, 0.3, 1.0, 2.5, 4.0])
    single = [convolution.delta_at(terms, each).value for each in epsilons]
    many = convolution.curve_at(terms, epsilons)
    assert np.all(many >= np.array(single) - 1e-9)
    assert np.all(many <= np.array(single) + 1e-7)


def test_infinite_losses_of_every_term_count() -> None:
    """k releases that fail with probability p fail with 1 - (1 - p)^k; below that nothing holds."""
    one = Losses(0.1, 0, np.array([1 - 1e-6, 0.0]), 1e-6)
    terms = [((one, one), 10)]
    assert convolution.epsilon_at(terms, 9e-6).value == math.inf
    assert convolution.epsilon_at(terms, 1.1e-5).value == 0.0
    assert math.isclose(convolution.delta_at(terms, 1.0).value, 1 - (1 - 1e-6) ** 10, rel_tol=1e-6)


def test_what_fails_for_sure_is_not_spent_again() -> None:
    """Epsilon at delta is that of the other losses at what failures leave of delta."""
    losses = np.array([0.4, 0.1])
    leaks = Losses(0.5, 0, losses * 0.9 / losses.sum(), 0.1)
    whole = Losses(0.5, 0, losses * 0.9 / losses.sum(), 0.0)
    spent = convolution.epsilon_at([((leaks, leaks), 1)], 0.12).value
    assert math.isclose(convolution.epsilon_at([((whole, whole), 1)], 0.02).value, spent)
    assert spent > convolution.epsilon_at([((whole, whole), 1)], 0.12).value


def test_the_worse_direction_is_the_promise() -> None:
    """Removing a person costs more than adding one here; swapping or dropping it would show."""
    removed, added = sampling.poisson_losses(0.01, 0.8, 1e-3, 1e-15)
    both = convolution.epsilon_at([((removed, added), 100)], 1e-6).value
    alone = convolution.epsilon_at([((added, added), 100)], 1e-6).value
    assert both == convolution.epsilon_at([((added, removed), 100)], 1e-6).value
    assert alone < 0.7 * both


def test_mixed_directions_are_composed_each_alone() -> None:
    """One step's worse direction may be the other's better one; neither is mixed with the other."""
    removed, added = sampling.poisson_losses(0.01, 0.8, 1e-3, 1e-15)
    together = convolution.epsilon_at([((removed, added), 50), ((added, removed), 50)], 1e-6).value
    worst = convolution.epsilon_at([((removed, removed), 100)], 1e-6).value
    assert together < worst


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 30.0])
def test_losses_that_all_lie_above_epsilon(epsilon: float) -> None:
    """Where epsilon lies far below every likely loss, delta is still met from above."""
    terms = [(sampling.poisson_losses(1.0, 1.0, 1 / 64, 1e-30), 100)]
    bound, exact = convolution.delta_at(terms, epsilon), gaussian_delta(0.1, epsilon)
    assert exact <= bound.value <= min(1.0, exact * (1 + 1e-4))


@pytest.mark.parametrize("delta", [0.5, 0.9, 0.999, 1 - 1e-9])
def test_large_deltas(delta: float) -> None:
    """Close to a delta of 1, epsilon falls to its exact value and not below."""
    terms = [(sampling.poisson_losses(1.0, 1.0, 1 / 64, 1e-30), 100)]
    bound, exact = convolution.epsilon_at(terms, delta), gaussian_epsilon(0.1, delta)
    assert exact * (1 - 1e-12) <= bound.value <= exact * 1.001 + 1e-9


@pytest.mark.parametrize("most", [2**14, 2**11, 2**8])
@pytest.mark.parametrize("delta", [1e-3, 1e-9, 1e-30])
def test_a_smaller_window_is_still_a_bound(monkeypatch, most: int, delta: float) -> None:
    """Where the transform may not be as large as it would, a coarser grid answers from above."""
    terms = [(sampling.poisson_losses(1.0, 60.0, 1 / 60 / 64, delta / 1e10), 900)]
    monkeypatch.setattr(convolution, "MOST_WINDOW", most)
    sizes = []

    def counted(terms, theta, size):
        sizes.append(size)
        return tilted_sum(terms, theta, size)

    monkeypatch.setattr(convolution, "tilted_sum", counted)
    bound, exact = convolution.epsilon_at(terms, delta), gaussian_epsilon(2.0, delta)
    assert exact <= bound.value <= exact * 1.01 * (1 + 1024 / most)
    assert bound.value - bound.slack <= exact
    met, least = convolution.delta_at(terms, exact), gaussian_delta(2.0, exact)
    assert least * (1 - 1e-9) <= met.value
    assert met.value - met.slack <= least
    assert max(sizes) <= most


def test_tails_far_beyond_the_deviation_need_no_large_window() -> None:
    """Losses that are rare and huge: the window is as wide as they are, not as all could be."""
    one = Losses(1e-3, 0, np.concatenate([[1 - 1e-9], np.zeros(20_000), [1e-9]]), 0.0)
    sums = convolution._Sum(((one, 10**6),))
    assert sums._extent(0.0, math.log(1e-16))[1] <= 2**19


# (epsilon, delta, how often) of releases, and a delta a little above what they lose at once; of the
# last by less than a float near 1 shows.
ATOMS = [
    ([(0.03085347258032388, 1.8930359097379874e-19, 2)], 3.151693137871415e-17),
    ([(0.060287481794892774, 1.5253702197730747e-17, 1)], 8.21492265524917e-17),
    ([(6.650320557340655e-09, 4.663575822527243e-18, 1)], 2.650229378428371e-15),
    ([(2.1866559260823747e-12, 7.2861165631274e-15, 1)], 7.358977728758674e-15),
    ([(4.7401165994983894e-06, 0.00015094735923007816, 1)], 0.0001509473592302291),
    ([(3.769e-216, 0.0, 2), (5.738e-14, 0.0, 1)], 5.94e-15),
]


def law(releases: Any) -> tuple[dict[Any, Any], Any]:
    """All finite losses together, with their chances, and the chance of none infinite."""
    atoms, kept = {mpf(0): mpf(1)}, mpf(1)
    for epsilon, delta, count in ((mpf(e), mpf(d), k) for e, d, k in releases):
        kept *= (1 - delta) ** count
        true = 1 / (1 + mp.exp(-epsilon))
        sums: dict[Any, Any] = {}
        for (loss, mass), i in product(atoms.items(), range(count + 1)):
            at = loss + (2 * i - count) * epsilon
            chance = mp.binomial(count, i) * true**i * (1 - true) ** (count - i)
            sums[at] = sums.get(at, mpf(0)) + mass * chance
        atoms = sums
    return atoms, kept


@pytest.mark.parametrize(("releases", "delta"), ATOMS)
def test_no_epsilon_is_below_the_exact_one_by_a_rounding(releases, delta) -> None:
    """Of a few atoms, whose law has a hundred digits: delta is met at what is certified."""
    parts = [events.epsilon_delta(e, d) if d else events.local(e) for e, d, _ in releases]
    counts = [count for *_, count in releases]
    asked = ComposedDpEvent(
        [SelfComposedDpEvent(*each) for each in zip(parts, counts, strict=True)]
    )

    found = accountant.epsilon(asked, delta, Relation.REPLACE_ONE).epsilon

    with mp.workdps(100):
        atoms, kept = law(releases)
        above = [m * -mp.expm1(mpf(found) - loss) for loss, m in atoms.items() if loss > found]
        assert 1 - kept + kept * mp.fsum(above) <= mpf(delta)
    assert found <= math.fsum(e * count for e, _, count in releases) * (1 + 1e-15)


def exact_delta(sigma: float, sensitivity: int, epsilon: float) -> Any:
    """Of one discrete Gaussian release, whose losses rise from one whole number to the next."""
    s, far = mpf(sigma), 60 * math.ceil(sigma) + sensitivity
    masses = {z: mp.exp(-(mpf(z) ** 2) / (2 * s * s)) for z in range(-far, far + sensitivity + 1)}
    without = {z: masses[z + sensitivity] for z in range(-far, far + 1)}
    above = (masses[z] - mp.exp(mpf(epsilon)) * without[z] for z in range(-far, far + 1))
    return mp.fsum(each for each in above if each > 0) / mp.fsum(masses.values())


@pytest.mark.parametrize(
    ("sigma", "sensitivity", "delta"),
    [(2.0, 2, 1e-280), (1.0, 10, 1e-270), (0.7, 5, 1e-294), (2.0, 10, 1e-264), (1.0, 1, 1e-308)],
)
def test_the_smallest_deltas_hold(sigma: float, sensitivity: int, delta: float) -> None:
    """Where squares of what rounding is multiplied by are no floats, its bound is none the less."""
    asked = events.discrete_gaussian(sigma, sensitivity)
    found = accountant.epsilon(asked, delta, Relation.ADD_REMOVE)

    with mp.workdps(400):
        assert exact_delta(sigma, sensitivity, found.epsilon) <= mpf(delta)


LEAKY = [
    (0.42746933298505924, 1.6996632537623367e-23, 1),
    (0.13597287370261602, 9.065531483458892e-19, 7),
    (0.21037464855868637, 5.105997558638715e-19, 7),
    (0.2896241555111009, 6.516779695413456e-19, 1),
    (0.4580707324980638, 4.8531033281173935e-29, 5),
]


def test_what_is_lost_at_once_is_no_hair_less() -> None:
    """At a delta that is below it, by a part of 10^18, there is no epsilon."""
    asked = ComposedDpEvent(
        [SelfComposedDpEvent(events.epsilon_delta(e, d), count) for e, d, count in LEAKY]
    )
    delta = 1.0571765295884863e-17
    with mp.workdps(100):
        assert mpf(delta) < 1 - law(LEAKY)[1]

    assert math.inf == accountant.epsilon(asked, delta, Relation.REPLACE_ONE).epsilon
    assert math.inf == accountant.cross_check(asked, delta, Relation.REPLACE_ONE).epsilon
