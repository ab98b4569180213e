"""Draws of the host have their exact law, rounded down."""

import itertools
import math
from fractions import Fraction
from functools import partial
from itertools import islice

import jax
import numpy as np
import pytest
from scipy.stats import binom, chisquare
from scipy.stats import cauchy as cauchy_law
from scipy.stats import laplace as laplace_law
from scipy.stats import t as t_law

import quick_keys
from tacit.noise import exact, keys
from tacit.noise.exact import ONE, cauchy, laplace, stream, student

DRAWS = 40_000


def student_law(degrees):
    """The law of T/d^(1/2)."""
    return t_law(degrees, scale=degrees**-0.5)


LAWS = [
    (cauchy, cauchy_law),
    (laplace, laplace_law),
    *((partial(student, degrees=d), student_law(d)) for d in (2, 3, 6)),
]


def words(seed):
    """Uniform 64-bit words."""
    return stream(quick_keys.key(seed))


def fit(drawn, law, scale):
    """The chi-square tail probability of whole numbers against floor(scale Z)."""
    edges = np.unique(np.floor(scale * law.ppf(np.linspace(0.01, 0.99, 50))))
    chances = np.diff(np.concatenate([[0], law.cdf(edges / scale), [1]]))
    observed = np.bincount(np.searchsorted(edges, drawn, side="right"), minlength=len(chances))
    return chisquare(observed, chances * len(drawn)).pvalue


@pytest.mark.parametrize("scale", [0.7, 5.0, 1234.5, 3e9])
@pytest.mark.parametrize("draw, law", LAWS)
def test_draws_have_the_law_rounded_down(draw, law, scale):
    """Whole numbers fit floor(scale Z); two thirds of the scale, or the other law, do not."""
    source = words(1)
    drawn = np.array([draw(source, scale) for _ in range(DRAWS)], float)
    other = student_law(2) if law is laplace_law else laplace_law

    assert fit(drawn, law, scale) > 1e-4
    assert fit(drawn, law, 1.5 * scale) < 1e-9
    assert fit(drawn, other, scale) < 1e-9
    assert fit(drawn + 1, law, scale) < 1e-9 or scale > 100


def exact_part(part):
    """The law of `_decayed` from its definition: runs of part/1, part/2, ... that end at odd."""
    chance, run = Fraction(0), Fraction(1)
    for place in range(1, 40):
        success = Fraction(part, ONE) / place
        chance += run * (1 - success) * (place % 2)
        run *= success
    return float(chance)


@pytest.mark.parametrize("part", [0, ONE // 3, ONE])
def test_the_exponential_event(part):
    """Its definition gives e^-part, and so do its frequencies."""
    source = words(2)
    hits = sum(exact._decayed(source, part) for _ in range(DRAWS))
    chance = math.exp(-part / ONE)

    assert abs(exact_part(part) - chance) < 1e-14
    assert part == 0 or 1e-4 < binom.cdf(hits, DRAWS, chance) < 1 - 1e-4
    assert part != 0 or hits == DRAWS


def test_a_point_is_refined_until_nothing_can_change():
    """With words on the edge of the disc and of a step more words are read; they decide."""
    half = 2**63
    # x = y to 64 bits: whether X/Y is below one is up to the next words.
    below = iter([half, half, 0, 5])
    above = iter([half, half, 5, 0])

    assert exact._quotient(below, 1, 1, 1) == 0
    assert exact._quotient(above, 1, 1, 1) == 1
    # On the circle; the next words say outside, and a new point is drawn, or inside.
    on, most = math.isqrt(2**128 - half**2), 2**64 - 1
    redrawn = iter([on, half, most, most, half // 2, half + 9])
    kept = iter([on, half, 0, 0])

    assert exact._quotient(redrawn, 4, 1, 1) == 1
    assert exact._quotient(kept, 4, 1, 1) == math.floor(4 * math.sqrt(3))


@pytest.mark.parametrize("degrees", [1, 2, 5])
def test_words_of_two_bits_give_the_same_law(degrees, monkeypatch):
    """Nearly every point is refined, several times, so what is decided too early would be seen."""
    monkeypatch.setattr(exact, "WORD", 2)
    source = (word & 3 for word in words(5))
    drawn = np.array([student(source, 5.0, degrees) for _ in range(DRAWS)], float)

    assert fit(drawn, student_law(degrees), 5.0) > 1e-4
    assert fit(drawn, student_law(degrees + 1), 5.0) < 1e-9


@pytest.mark.parametrize("degrees", [1, 3, 4])
def test_a_square_is_decided_only_if_all_its_points_are(degrees, monkeypatch):
    """Of 16 by 16 squares the decided ones lie in the region, with one quotient rounded down."""
    monkeypatch.setattr(exact, "WORD", 4)
    decided = 0
    for x, y in itertools.product(range(16), repeat=2):
        try:
            drawn = exact._quotient(iter([x, y]), 5, 2, degrees)
        except StopIteration:
            continue
        decided += 1
        for right, up in itertools.product((1e-9, 0.3, 0.7, 1 - 1e-9), repeat=2):
            across, above = (x + right) / 16, (y + up) / 16
            assert math.hypot(across, above) ** (degrees + 1) < above ** (degrees - 1)
            assert math.floor(5 / 2 * across / above) == drawn

    assert decided > 10


def test_the_stream_goes_on():
    """Words do not repeat when a chunk ends."""
    source = words(4)
    drawn = [next(source) for _ in range(3 * exact.CHUNK)]

    assert len(set(drawn)) == len(drawn)
    assert max(drawn) > 2**63


@pytest.mark.parametrize("key", [quick_keys.key(4), keys.jax_key(keys.from_seed(4))])
def test_words_are_those_that_jax_draws(key):
    """Of each chunk, low halves first."""
    source = stream(key)
    for chunk in range(2):
        halves = jax.random.bits(jax.random.fold_in(key, chunk), (exact.CHUNK, 2)).tolist()
        assert [low + (high << 32) for low, high in halves] == list(islice(source, exact.CHUNK))
