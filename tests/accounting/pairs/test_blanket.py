"""The blanket pair: brute force over randomisers and data sets, direct summation, and a table."""

import itertools
import math
from collections import defaultdict

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import gammaln
from scipy.stats import binom

from tacit.accounting.events import BlanketDpEvent, ShuffledDpEvent, blanket, shuffled
from tacit.accounting.loss.pld import Losses
from tacit.accounting.pairs import blanket as pairs
from tacit.accounting.pairs import clones

GROWTHS = [0.0, 0.05, 0.3, 0.7, 0.95]


def _worst(local_epsilon: float, gamma: float, people: int, epsilon: float) -> float:
    """E[G_1 + .. + G_n]_+ / n of the worst law, straight from its definition."""
    e, g = math.exp(local_epsilon), math.exp(epsilon)
    chance = (1 - gamma) / (e - 1)
    chances = np.array([chance, chance, max(gamma - 2 * chance, 0.0), 1 - gamma])
    values = np.array([e - g, 1 - e * g, 1 - g, 0.0])
    counts = np.array(list(itertools.product(range(people + 1), repeat=3)))
    counts = counts[counts.sum(axis=1) <= people]
    counts = np.column_stack([counts, people - counts.sum(axis=1)])
    with np.errstate(divide="ignore", invalid="ignore"):
        powers = np.where(counts > 0, counts * np.log(chances), 0.0)
    logs = gammaln(people + 1) - gammaln(counts + 1).sum(axis=1) + powers.sum(axis=1)
    return float(np.exp(logs) @ np.maximum(counts @ values, 0.0)) / people


def _worst_of_many(
    local_epsilon: float, gamma: float, people: int, epsilon: float, reach: float = 9.0
) -> float:
    """The same by two sums and a binomial tail, within `reach` standard deviations."""
    e, g = math.exp(local_epsilon), math.exp(epsilon)
    either = 2 * (1 - gamma) / (e - 1)
    other = (gamma - either) / (1 - either)
    middle, total = people * either, 0.0
    wide = reach * math.sqrt(middle * (1 - either)) + 20
    low, high = max(0, int(middle - wide)), min(people, int(middle + wide))
    for s in range(low, high + 1):
        mean = (people - s) * other
        wide = reach * math.sqrt(mean * (1 - other)) + 20
        r = np.arange(max(0, int(mean - wide)), min(people - s, int(mean + wide)) + 1)
        base, slope = r * (1 - g) + s * (1 - e * g), (e - 1) * (1 + g)
        first = np.maximum(np.ceil(-base / slope), 0)
        part = base * binom.sf(first - 1, s, 0.5)
        if s > 0:
            part = part + slope * s / 2 * binom.sf(first - 2, s - 1, 0.5)
        total += float(
            binom.pmf(s, people, either) * binom.pmf(r, people - s, other) @ np.maximum(part, 0.0)
        )
    return total / people


def _delta(losses: Losses, epsilon: float) -> float:
    values = losses.interval * (losses.lowest + np.arange(len(losses.masses)))
    above = values > epsilon
    gain = -np.expm1(epsilon - values[above])
    return losses.infinite + float(losses.masses[above] @ gain)


def _epsilon(event: BlanketDpEvent | ShuffledDpEvent, delta: float = 1e-6) -> float:
    if isinstance(event, ShuffledDpEvent):
        interval = clones.spread(event) / 20
        losses = clones.losses(event, interval, 1e-21)[0]
    else:
        losses = pairs.losses(event, min(1e-4, pairs.spread(event) / 20), 1e-6 * delta)[0]
    low, high = 0.0, event.local_epsilon
    while high - low > 1e-7 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if _delta(losses, middle) <= delta else (middle, high)
    return high


def _histograms(randomiser: np.ndarray, inputs: tuple[int, ...]) -> dict[tuple, float]:
    """The law of the shuffled reports: how many reports there are of each symbol."""
    law: dict[tuple, float] = {(0,) * randomiser.shape[1]: 1.0}
    for x in inputs:
        following: defaultdict[tuple, float] = defaultdict(float)
        for counts, mass in law.items():
            for y, chance in enumerate(randomiser[x]):
                more = (*counts[:y], counts[y] + 1, *counts[y + 1 :])
                following[more] += mass * float(chance)
        law = dict(following)
    return law


def _shuffled_delta(randomiser: np.ndarray, people: int, epsilons: np.ndarray) -> np.ndarray:
    """The largest delta over all data sets and all neighbours of them, at each epsilon."""
    largest = np.zeros(len(epsilons))
    inputs = range(len(randomiser))
    for others in itertools.combinations_with_replacement(inputs, people - 1):
        for one, two in itertools.permutations(inputs, 2):
            first = _histograms(randomiser, (*others, one))
            second = _histograms(randomiser, (*others, two))
            p = np.array(list(first.values()))
            q = np.array([second[counts] for counts in first])
            deltas = np.maximum(p - np.exp(epsilons)[:, None] * q, 0.0).sum(axis=1)
            largest = np.maximum(largest, deltas)
    return largest


def _randomisers() -> list[np.ndarray]:
    """Dense ones, ones whose ratios are 1 or E only, and some with less blanket than 2/(E+1)."""
    rng = np.random.default_rng(5)
    found = []
    for outputs in (3, 4):
        for _ in range(6):
            found.append(rng.dirichlet(np.ones(outputs), size=3) + 0.05)
            found.append(rng.choice([1.0, 2.0, 9.0], size=(3, outputs)))
            found.append(np.where(rng.random((3, outputs)) < 0.5, 6.0, 1.0))
        found.append(1 + 20 * np.eye(outputs)[:3])
        found += [1 + growth * (1 - np.eye(outputs)) for growth in (4, 20)]
    found = [each / each.sum(axis=1, keepdims=True) for each in found]
    return [each for each in found if np.ptp(each, axis=0).max() > 1e-9]


@pytest.mark.parametrize("people", [2, 3, 4])
def test_no_randomiser_leaks_more_than_the_worst_law(people: int) -> None:
    """Brute force over all data sets never exceeds the law of its blanket, nor of 2/(E+1)."""
    thin = 0
    for randomiser in _randomisers():
        local = float(np.log(randomiser.max(axis=0) / randomiser.min(axis=0)).max())
        gamma, least = randomiser.min(axis=0).sum(), 2 / (math.exp(local) + 1)
        epsilons = local * np.array(GROWTHS)
        exact = _shuffled_delta(randomiser, people, epsilons)
        thin += bool(gamma < least * (1 - 1e-9))
        for bound in {least, max(gamma, least)}:
            worst = [_worst(local, bound, people, epsilon) for epsilon in epsilons]
            assert (exact <= np.array(worst) + 1e-14).all()
    assert thin >= 4


def test_three_symbols_attain_the_bound_and_a_larger_blanket_would_be_caught() -> None:
    """What 3-RR leaks among three people is exactly its own law, far above that of 5-RR."""
    e = math.exp(1.5)
    randomiser = (1 + (e - 1) * np.eye(3)) / (e + 2)
    exact = _shuffled_delta(randomiser, 3, np.array([0.75]))[0]
    assert exact == pytest.approx(_worst(1.5, 3 / (e + 2), 3, 0.75), abs=1e-12)
    assert exact > 1.1 * _worst(1.5, 5 / (e + 4), 3, 0.75)


def test_the_bound_is_nearly_attained_by_three_symbols() -> None:
    """3-RR where everyone else holds the third symbol leaks within 1% of the bound."""
    e, people = math.exp(1.0), 1000
    third = np.array([1.0, 1.0, e]) / (e + 2)
    a, b = np.meshgrid(np.arange(0, 351), np.arange(0, 351))
    c = people - a - b
    logs = gammaln(people + 1) - gammaln(a + 1) - gammaln(b + 1) - gammaln(c + 1)
    masses = np.exp(logs + a * np.log(third[0]) + b * np.log(third[1]) + c * np.log(third[2]))

    def exact(epsilon: float) -> float:
        g = math.exp(epsilon)
        total = (e - g) * a + (1 - e * g) * b + (1 - g) / e * c
        return float((masses * np.maximum(total, 0.0)).sum()) / people

    claimed = _epsilon(blanket(1.0, pairs.randomised_response(1.0, 3), people))
    assert exact(claimed) <= 1e-6 < exact(claimed * 0.99)


@pytest.mark.parametrize("local_epsilon", [0.05, 1.0, 4.0])
@pytest.mark.parametrize("people", [1, 2, 25])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.97])
def test_few_people_by_direct_summation(local_epsilon: float, people: int, share: float) -> None:
    """The losses have the law's own delta, never less, whatever fraction of a symbol k is."""
    least = pairs.binary_response(local_epsilon)
    gamma = least + share * (1 - least)
    event = blanket(local_epsilon, gamma, people)
    losses, other = pairs.losses(event, pairs.spread(event) / 200, 1e-30)
    assert losses is other
    for epsilon in local_epsilon * np.array(GROWTHS):
        exact = _worst(local_epsilon, gamma, people, epsilon)
        assert exact * (1 - 1e-9) <= _delta(losses, epsilon) <= exact * 1.02 + 1e-16


@pytest.mark.parametrize(("local_epsilon", "symbols"), [(1.0, 2.89), (4.0, 15.43)])
@pytest.mark.parametrize("delta", [1e-6, 1e-30])
def test_hundreds_of_people_to_the_far_tail(
    local_epsilon: float, symbols: float, delta: float
) -> None:
    """The claimed epsilon meets delta on the law's own curve; 0.3% less does not."""
    gamma = symbols / (math.expm1(local_epsilon) + symbols)
    claimed = _epsilon(blanket(local_epsilon, gamma, 400), delta)
    reach = 9.0 if delta > 1e-10 else 16.0
    assert _worst_of_many(local_epsilon, gamma, 400, claimed, reach) <= delta
    assert _worst_of_many(local_epsilon, gamma, 400, 0.997 * claimed, reach) > delta


@pytest.mark.parametrize(
    ("gamma", "table"),
    [
        (pairs.binary_response, (0.04321, 0.11440, 0.41081)),
        (lambda e: pairs.randomised_response(e, 3), (0.0380, 0.1077, 0.4066)),
        (lambda e: pairs.randomised_response(e, 10), (0.0233, 0.0798, 0.3805)),
        (lambda e: pairs.randomised_response(e, 100), (0.00718, 0.0292, 0.2337)),
    ],
)
def test_ten_thousand_people(gamma, table) -> None:
    """Known values at n = 10,000 and delta = 1e-6, to the digits known."""
    for local_epsilon, known in zip((1.0, 2.0, 4.0), table, strict=True):
        claimed = _epsilon(blanket(local_epsilon, gamma(local_epsilon), 10_000))
        assert claimed == pytest.approx(known, rel=3e-3)


def test_laplace_is_at_least_its_own_lower_bound() -> None:
    """Laplace's blanket gives no less than its two-value comparison, and hardly more."""
    for local_epsilon, known in ((1.0, 0.0396), (2.0, 0.1035), (4.0, 0.3861)):
        claimed = _epsilon(blanket(local_epsilon, pairs.laplace(local_epsilon), 10_000))
        assert known - 5e-5 <= claimed <= known * 1.003


@pytest.mark.parametrize("people", [1000, 10_000, 10**6, 10**9])
def test_its_work_does_not_grow_with_the_number_of_people(people: int, monkeypatch) -> None:
    """Fewer than half a million outcomes are weighed, however many there are."""
    weighed, outcomes = [], pairs._outcomes

    def counted(*of):
        for loss, mass in outcomes(*of):
            weighed.append(loss.size)
            yield loss, mass

    monkeypatch.setattr(pairs, "_outcomes", counted)
    _epsilon(blanket(2.0, pairs.randomised_response(2.0, 10), people))
    assert 0 < sum(weighed) < 500_000


@pytest.mark.parametrize(
    ("trials", "chance", "tail"),
    [(0, 0.4, 1e-9), (10, 0.0, 1e-5), (7, 1.0, 1e-5), (10**4, 0.3, 1e-12), (10**9, 0.2, 1e-12)],
)
def test_numbers_of_successes_are_never_too_rare(trials: int, chance: float, tail: float) -> None:
    """As likely as they are, or a little more, and all but the tail."""
    numbers, masses = pairs._binomial(trials, chance, tail)
    exact = binom.pmf(numbers, trials, chance)

    assert (masses >= exact * (1 - 1e-11)).all() and masses.sum() >= 1
    assert (masses <= exact * (1 + 1e-9) + 1e-300).all()
    assert binom.cdf(numbers[0] - 1, trials, chance) + binom.sf(numbers[-1], trials, chance) <= tail


@pytest.mark.parametrize("gamma", [0.3, 0.5, 0.9])
def test_both_laws_have_mean_one_minus_e_to_the_epsilon(gamma: float) -> None:
    """P and Q each have mass one, so E[G] = 1 - e^epsilon for the blanket law and the clones."""
    event, crowd = blanket(2.0, gamma, 500), shuffled(2.0, 500)
    one = pairs.losses(event, pairs.spread(event) / 20, 1e-25)[0]
    two = clones.losses(crowd, clones.spread(crowd) / 20, 1e-25)[0]
    for losses in (one, two):
        values = losses.interval * (losses.lowest + np.arange(len(losses.masses)))
        assert losses.masses.sum() == pytest.approx(1, abs=1e-9)
        assert (losses.masses * np.exp(-values)).sum() == pytest.approx(1, abs=1e-9)


def test_more_blanket_hides_more_and_clones_hide_least() -> None:
    """Epsilon falls with the blanket, and at the least blanket is below that of the clones."""
    least = pairs.binary_response(2.0)
    claimed = [_epsilon(blanket(2.0, gamma, 3000)) for gamma in (least, 0.3, 0.5, 0.8, 0.99)]
    assert claimed == sorted(claimed, reverse=True)
    assert claimed[0] < _epsilon(shuffled(2.0, 3000))


def test_a_report_all_blanket_tells_nothing() -> None:
    """With blanket 1 every loss is 0 and so is the pure epsilon; below, that is e0."""
    event = blanket(2.0, 1.0, 50)
    losses, _ = pairs.losses(event, 1e-3, 1e-25)
    assert _delta(losses, 0.0) <= 1e-24
    assert pairs.pure_epsilon(event) == 0.0
    assert pairs.pure_epsilon(blanket(2.0, 0.5, 50)) == 2.0


@pytest.mark.parametrize("order", [1.5, 8.0, 100.0])
@pytest.mark.parametrize("gamma", [2 / (math.e + 1), 0.7, 0.95])
def test_renyi_is_the_divergence_of_the_pair(order: float, gamma: float) -> None:
    """The divergence bounds the definition's, closely."""
    people, e = 40, math.e
    chance = (1 - gamma) / (e - 1)
    chances = np.array([chance, chance, max(gamma - 2 * chance, 0.0), 1 - gamma])
    counts = np.array(list(itertools.product(range(people + 1), repeat=3)))
    counts = counts[(counts.sum(axis=1) <= people) & (counts.sum(axis=1) > 0)]
    counts = np.column_stack([counts, people - counts.sum(axis=1)])
    powers = np.where(counts > 0, counts * np.log(np.maximum(chances, 1e-300)), 0.0)
    logs = gammaln(people + 1) - gammaln(counts + 1).sum(axis=1) + powers.sum(axis=1)
    p = np.log(counts[:, :3] @ [e, 1, 1] / people)
    q = np.log(counts[:, :3] @ [1, e, 1] / people)
    exact = np.log(np.exp(logs + order * p + (1 - order) * q).sum()) / (order - 1)
    bound = pairs.renyi(blanket(1.0, gamma, people), np.array([order]))[0]
    assert exact * (1 - 1e-9) <= bound <= exact * 1.04


def test_spread_is_the_standard_deviation_of_the_loss() -> None:
    """The leading order agrees with the losses' own deviation within 2%."""
    event = blanket(2.0, 0.5, 5000)
    losses, _ = pairs.losses(event, pairs.spread(event) / 20, 1e-25)
    values = losses.interval * (losses.lowest + np.arange(len(losses.masses)))
    mean = losses.masses @ values
    deviation = math.sqrt(losses.masses @ (values - mean) ** 2)
    assert pairs.spread(event) == pytest.approx(deviation, rel=0.02)


def test_named_blankets_are_the_integral_of_the_least_density() -> None:
    """Each named blanket is the integral of its definition."""
    scale = 1 / 1.7
    least = quad(lambda y: math.exp(-max(abs(y), abs(y - 1)) / scale) / 2 / scale, -40, 0.5)[0]
    assert pairs.laplace(1.7) == pytest.approx(2 * least, rel=1e-7)
    e, cap = math.exp(1.7), 0.65
    rho = 1 / (1 + e * (1 - cap) / cap)
    assert cap / rho == pytest.approx(e * (1 - cap) / (1 - rho))
    assert pairs.priv_unit(1.7, cap) == pytest.approx((1 - cap) / (1 - rho))
    assert pairs.priv_unit(1.7, e / (e + 1)) == pytest.approx(pairs.binary_response(1.7))
    randomiser = (1 + (e - 1) * np.eye(5)) / (e + 4)
    assert pairs.randomised_response(1.7, 5) == pytest.approx(randomiser.min(axis=0).sum())
    assert pairs.binary_response(1000.0) == 0.0


@pytest.mark.parametrize("local_epsilon", [0.0, -1.0, math.nan, math.inf])
def test_a_local_epsilon_must_be_positive(local_epsilon: float) -> None:
    """No blanket is given for a local epsilon that is not one."""
    for named in (pairs.binary_response, pairs.laplace, lambda e: pairs.priv_unit(e, 0.5)):
        with pytest.raises(ValueError, match="local_epsilon must be positive"):
            named(local_epsilon)


def test_other_arguments_out_of_range_are_refused() -> None:
    """A cap of more than half the sphere, or a single category, has no such blanket."""
    with pytest.raises(ValueError, match="categories must be at least 2"):
        pairs.randomised_response(1.0, 1)
    for cap in (0.0, 0.74, math.nan):
        with pytest.raises(ValueError, match="cap must be in"):
            pairs.priv_unit(1.0, cap)
