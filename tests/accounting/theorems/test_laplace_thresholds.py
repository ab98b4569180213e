"""The price of an "above" is attained at a corner, and covers all else; the curve follows."""

import math

import numpy as np
import pytest
from scipy.stats import binom, nbinom

from tacit.accounting.theorems.laplace_thresholds import curve, most
from tacit.mechanisms.selection.threshold_noise import TwoSided
from tacit.noise.discrete import DiscreteLaplaceLaw


@pytest.mark.parametrize("rate, order", [(0.05, 8.0), (0.3, 1.5), (1.0, 0.2)])
def test_the_renyi_price_is_attained(rate, order):
    """Sums at a corner: the negative binomial losses have the moment R^c, and not less."""
    law_of = DiscreteLaplaceLaw.of(rate)
    noise, positives = TwoSided(law_of), 3
    p, other = (float(noise.at_least(np.array(k))) for k in (1, 0))
    below = np.arange(20_000)
    loss = positives * math.log(p / other) + below * math.log((1 - p) / (1 - other))
    moment = np.logaddexp.reduce(nbinom.logpmf(below, positives, p) + order * loss)
    up = -rate * order - math.log(1 + math.exp(rate) - math.exp(rate * (1 + order)))
    down = rate * (1 + order) - math.log(1 + math.exp(rate) - math.exp(-rate * order))

    assert up == pytest.approx(moment / positives, rel=1e-6)
    assert up >= down


@pytest.mark.parametrize("epsilon, positives, rate", [(4.0, 3, 1.0), (2.0, 5, 0.3)])
def test_the_curve_is_of_the_dearer_direction(epsilon, positives, rate):
    """The price of a sum that moves up, at the best of all orders."""
    l = np.linspace(1e-3, 0.999, 20_000) * math.log1p(math.exp(-rate)) / rate
    up = -rate * l - np.log(1 + math.exp(rate) - np.exp(rate * (1 + l)))
    exponents = positives * up - l * epsilon + l * np.log(l) - (1 + l) * np.log1p(l)

    assert math.log(curve(epsilon, positives, rate)) == pytest.approx(exponents.min(), rel=1e-4)


def test_the_price_is_about_a_square():
    """At a small rate w, c ln R / l is c w² (1 + l): the curve is nearly that of a Gaussian."""
    epsilon, positives, rate, l = 1.0, 1000, 0.01, np.linspace(1, 60, 2000)
    gaussian = positives * rate**2 * l * (1 + l) - l * epsilon
    conversion = l * np.log(l) - (1 + l) * np.log1p(l)
    expected = np.min(gaussian + conversion)

    assert math.log(curve(epsilon, positives, rate)) == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize("rate, order", [(0.05, 8.0), (0.3, 1.5), (1.0, 0.2)])
def test_the_price_covers_every_pair_of_chances(rate, order):
    """On a grid of the quadrilateral no answer raises the expected moment over its price."""
    w = math.exp(rate)
    price = max(w ** (1 + order) / (1 + w - w**-order), w**-order / (1 + w - w ** (1 + order)))
    p = np.linspace(1e-6, 1 - 1e-6, 2001)[:, None]
    share = np.linspace(0, 1, 201)
    least, most = np.maximum(p / w, 1 - w * (1 - p)), np.minimum(p * w, 1 - (1 - p) / w)
    other = least + share * (most - least)
    grown = p * (p / other) ** order / price + (1 - p) * ((1 - p) / (1 - other)) ** order
    cheaper = p * (p / other) ** order / price**0.9 + (1 - p) * ((1 - p) / (1 - other)) ** order

    assert grown.max() <= 1 + 1e-12
    assert cheaper.max() > 1


@pytest.mark.parametrize("positives, rate", [(1, 0.1), (5, 0.1), (20, 0.05)])
def test_the_curve_is_above_the_exact_one(positives, rate):
    """Long streams of equal sums, at any distance, have a smaller delta; half the curve is less."""
    noise = TwoSided(DiscreteLaplaceLaw.of(rate))
    epsilons = rate * positives * np.array([0.5, 1.0, 1.5, 2.0])
    below = np.arange(200_000 if positives < 5 else 60_000)
    shown = np.zeros(4)
    for place in (0, 1, 5, 40):
        for pair in ((place, place + 1), (place + 1, place)):
            p, other = (float(noise.at_least(np.array(k))) for k in pair)
            one, two = nbinom.pmf(below, positives, p), nbinom.pmf(below, positives, other)
            exact = [np.sum(np.maximum(one - math.exp(e) * two, 0)) for e in epsilons]
            shown = np.maximum(shown, exact)
    claimed = np.array([curve(e, positives, rate) for e in epsilons])

    assert np.all(shown <= claimed)
    assert np.all(np.diff(claimed) < 0)


def test_the_curve_of_values_alone_is_near_randomised_response():
    """Without comparisons worth anything, values compose as the pure releases they are."""
    c, y, epsilon = 50, 0.1, 2.0
    heads = np.arange(c + 1)
    p = 1 / (1 + math.exp(-y))
    one, two = binom.pmf(heads, c, p), binom.pmf(heads, c, 1 - p)
    exact = np.sum(np.maximum(one - math.exp(epsilon) * two, 0))

    assert exact < curve(epsilon, c, 1e-6, y) < 4 * exact


def test_nothing_is_proved_of_rates_out_of_range():
    """The curve is one, which no delta reaches."""
    assert [curve(1.0, 1, rate) for rate in (0.0, 101.0, math.nan)] == [1.0] * 3


def test_the_largest_rate_is_found_to_nine_digits():
    """From below, so that it is allowed."""
    found = most(lambda rate: rate <= 0.3, 2.0)

    assert 0.3 * (1 - 1e-9) < found <= 0.3
