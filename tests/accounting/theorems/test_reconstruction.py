"""Priors are exact or bounds, and no report of a given epsilon beats what they promise."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import betainc
from scipy.stats import binom

from tacit.accounting.theorems.reconstruction import (
    Directions,
    SampledPrior,
    Zipf,
    after,
    largest_epsilon,
)

# A correct test statistic leaves these limits once in a million runs, and the seed is fixed.
RARE = 0.5e-6


def _agrees(successes: int, draws: int, probability: float) -> bool:
    low, high = binom.ppf([RARE, 1 - RARE], draws, probability)
    return low <= successes <= high


@pytest.mark.parametrize("dimension", [2, 3, 4, 17, 1000, 20_000])
@pytest.mark.parametrize("tolerance", [1e-3, 0.4, 1.0, 1.2, 1.4])
def test_caps_are_the_incomplete_beta_function(dimension, tolerance):
    """Where it does not underflow, the log is that of I_{1-a^2}((k-1)/2, 1/2)/2."""
    radius = tolerance**2 * (1 - tolerance**2 / 4)
    reference = 0.5 * betainc((dimension - 1) / 2, 0.5, radius)
    found = Directions(dimension).log_breach(tolerance)

    if reference > 1e-290:
        assert found == pytest.approx(math.log(reference), 1e-10, 1e-11)
    assert found < math.log(0.5)


@pytest.mark.parametrize("dimension, tolerance", [(2, 0.3), (3, 1.2), (10, 1.0), (40, 1.2)])
def test_caps_are_what_random_directions_hit(dimension, tolerance):
    """Uniform directions come within the tolerance of a fixed one as often as they should."""
    points = np.random.default_rng(7).standard_normal((100_000, dimension))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    hits = int(np.count_nonzero(np.linalg.norm(points - np.eye(dimension)[0], axis=1) <= tolerance))
    probability = math.exp(Directions(dimension).log_breach(tolerance))

    assert _agrees(hits, 100_000, probability)
    assert not _agrees(hits, 100_000, 2 * probability)


@pytest.mark.parametrize("dimension", [100, 1000, 1_000_000])
@pytest.mark.parametrize("tolerance", [0.5, 1.2])
def test_the_exact_cap_is_below_the_published_bound(dimension, tolerance):
    """(1 - a^2)^((k-1)/2)/(2 a sqrt k) is never below it, and in the millions close."""
    height = 1 - tolerance**2 / 2
    bound = 0.5 * (dimension - 1) * math.log1p(-(height**2)) - math.log(
        2 * height * math.sqrt(dimension)
    )
    exact = Directions(dimension).log_breach(tolerance)

    assert exact <= bound
    assert exact > bound - 1


def test_the_reference_example():
    """Breach 1e-9, tolerance 1.2 (cosine 0.28), diffuseness 10: what each dimension may spend."""
    allowed = [
        largest_epsilon(Directions(dimension).log_breach(1.2), 1e-9, diffuseness=10.0)
        for dimension in (1_000, 10_000, 1_000_000)
    ]

    assert allowed == pytest.approx([13.1689, 381.708, 40797.8], 1e-5)
    with pytest.raises(ValueError, match="probability must be at least e"):
        largest_epsilon(Directions(100).log_breach(1.2), 1e-9, diffuseness=10.0)


@pytest.mark.parametrize("log_prior", [-1e-3, -0.7, -20.0, -700.0, -40_000.0])
@pytest.mark.parametrize("probability", [1e-300, 1e-9, 0.3, 0.999])
@pytest.mark.parametrize("diffuseness", [0.0, 10.0])
@pytest.mark.parametrize("rounds", [1, 7])
def test_the_inverse_round_trips_and_never_overshoots(log_prior, probability, diffuseness, rounds):
    """At the largest epsilon the probability is kept, and barely more epsilon breaks it."""
    prior = min(0.0, log_prior + diffuseness)
    if prior > math.log(probability):
        with pytest.raises(ValueError, match="probability must be at least"):
            largest_epsilon(log_prior, probability, diffuseness, rounds)
        return
    epsilon = largest_epsilon(log_prior, probability, diffuseness, rounds)

    assert after(log_prior, epsilon, diffuseness, rounds) <= probability
    assert after(log_prior, epsilon * (1 + 1e-9) + 1e-9, diffuseness, rounds) > probability


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 3.0, 30.0])
@pytest.mark.parametrize("prior", [1e-12, 1e-3, 0.4])
def test_randomised_response_on_the_breach_attains_the_bound(epsilon, prior):
    """Its posterior equals the promise, which is at most the published e^epsilon prior."""
    truthful = 1 / (1 + math.exp(-epsilon))
    seen = prior * truthful + (1 - prior) * math.exp(-epsilon) * truthful
    posterior = prior * truthful / seen
    promised = after(math.log(prior), epsilon)

    assert promised == pytest.approx(posterior, 1e-12)
    assert promised <= min(1.0, math.exp(epsilon) * prior) * (1 + 1e-12)


@pytest.mark.parametrize("cap_height", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("tolerance", [0.2, 0.8, 1.0, 1.3])
def test_a_cap_report_in_three_dimensions_keeps_the_promise(cap_height, tolerance):
    """Guessing PrivUnit's report itself, by exact areas, succeeds at most as often as promised.

    Where the breach is the mechanism's own cap it succeeds exactly as often.
    """
    epsilon = 3.0
    mass, breach = (1 - cap_height) / 2, tolerance**2 / 4
    near = 1 / (1 + math.exp(-epsilon) * (1 - mass) / mass)
    inside = min(breach, mass)
    posterior = near * inside / mass + (1 - near) * (breach - inside) / (1 - mass)
    promised = after(Directions(3).log_breach(tolerance), epsilon)

    assert posterior <= promised * (1 + 1e-12)
    assert breach == pytest.approx(math.exp(Directions(3).log_breach(tolerance)))
    if breach == mass:
        assert posterior == pytest.approx(promised, 1e-12)
        assert posterior > 1.2 * after(Directions(3).log_breach(tolerance), 2 / 3 * epsilon)


def test_rounds_add_their_epsilons():
    """Ten rounds of 2 are one of 20, not one of 2."""
    assert after(-40.0, 2.0, rounds=10) == after(-40.0, 20.0)
    assert after(-40.0, 2.0, rounds=10) > 1e7 * after(-40.0, 2.0)


def _used_words(prior: Zipf, draws: int) -> np.ndarray:
    return np.random.default_rng(11).random((draws, prior.words)) < prior.chances


@pytest.mark.parametrize("words, draws", [(30, 5), (200, 20), (300, 3)])
@pytest.mark.parametrize("precision, recall", [(0.5, 0.5), (0.8, 0.3), (0.3, 0.9)])
def test_the_best_guess_of_words_succeeds_as_often_as_it_should(words, draws, precision, recall):
    """The most successful set of first words, simulated, succeeds with the exact probability."""
    prior = Zipf(words, draws)
    used = _used_words(prior, 20_000)
    hits = np.cumsum(used, axis=1)
    sizes = np.arange(1, words + 1)
    both = (hits >= precision * sizes - 1e-9) & (hits >= recall * hits[:, -1:] - 1e-9) & (hits > 0)
    best = int(both.sum(axis=0).max())
    probability = math.exp(prior.log_both(precision, recall))

    # The best of several sizes is chosen on the same draws: it may exceed its own limit only.
    assert best >= binom.ppf(RARE, 20_000, probability)
    assert best <= binom.isf(RARE / words, 20_000, probability)


@pytest.mark.parametrize("guessed", [10, 40])
def test_precision_and_recall_alone(guessed):
    """Each alone has the exact probability of its best guess."""
    prior = Zipf(200, 20)
    used = _used_words(prior, 20_000)
    hits = np.cumsum(used, axis=1)
    recalled = int(np.count_nonzero(hits[:, guessed - 1] >= 0.5 * hits[:, -1] - 1e-9))
    sizes = np.arange(guessed, prior.words + 1)
    precise = int((hits[:, guessed - 1 :] >= 0.7 * sizes - 1e-9).sum(axis=0).max())

    assert _agrees(recalled, 20_000, math.exp(prior.log_recall(0.5, guessed)))
    assert precise >= binom.ppf(RARE, 20_000, math.exp(prior.log_precision(0.7, guessed)))
    assert precise <= binom.isf(RARE / 200, 20_000, math.exp(prior.log_precision(0.7, guessed)))


def test_no_set_of_words_beats_the_first_ones():
    """Over all guesses of a dictionary of seven words, enumerated, the best is the promised one."""
    prior = Zipf(7, 2)
    worlds = (np.arange(128)[:, None] >> np.arange(7)) % 2
    weights = np.prod(np.where(worlds, prior.chances, 1 - prior.chances), axis=1)
    best = 0.0
    for guess in worlds[1:]:
        hits = worlds @ guess
        success = (hits >= 0.6 * guess.sum()) & (hits >= 0.6 * worlds.sum(axis=1))
        best = max(best, float(weights[success].sum()))

    assert math.exp(prior.log_breach(0.4)) == pytest.approx(best, 1e-12)
    assert math.exp(prior.log_breach(0.0)) <= math.exp(prior.log_breach(0.4))


def test_a_large_dictionary_protects_as_its_text_grows():
    """Half precision and half recall of four times the text is far less likely."""
    few, many = Zipf(20_000, 50).log_both(0.5, 0.5), Zipf(20_000, 200).log_both(0.5, 0.5)

    assert many < few - 3 < 0


def _circle(generator: np.random.Generator, draws: int) -> np.ndarray:
    angles = generator.uniform(0, 2 * math.pi, draws)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _distance(targets: np.ndarray, guess: np.ndarray) -> np.ndarray:
    return np.linalg.norm(targets - guess, axis=1)


def test_a_simulated_prior_is_an_upper_bound_near_the_truth():
    """On the circle it lies above the exact breach, and within a few standard deviations."""
    guesses = list(_circle(np.random.default_rng(0), 5))
    simulated = SampledPrior(_circle, _distance, guesses, 20_000, 1 - 1e-6, 1)
    exact = math.exp(Directions(2).log_breach(0.5))
    found = math.exp(simulated.log_breach(0.5))

    assert exact <= found <= exact + 8 * math.sqrt(exact / 20_000)


@pytest.mark.parametrize("successes", [0, 3, 10])
def test_the_upper_limit_is_clopper_and_pearsons(successes):
    """At the limit so few successes have exactly the allowed probability, shared by the guesses."""

    def losses(targets, guess):
        return np.where(np.arange(10) < successes, 0.0, 1.0)

    limit = SampledPrior(lambda _, draws: np.zeros(draws), losses, [0, 1], 10, 0.9, 0).log_breach(
        0.5
    )

    if successes == 10:
        assert limit == 0
    else:
        assert binom.cdf(successes, 10, math.exp(limit)) == pytest.approx(0.1 / 2)


def _simulated(**changes) -> SampledPrior:
    return replace(SampledPrior(_circle, _distance, [0], 10, 0.9, 0), **changes)


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: after(math.nan, 1.0), "log_prior must be at most zero, got nan"),
        (lambda: after(0.1, 1.0), "log_prior must be at most zero, got 0.1"),
        (lambda: after(-1.0, math.nan), "epsilon must be at least zero and finite, got nan"),
        (lambda: after(-1.0, 1.0, math.nan), "diffuseness must be at least zero"),
        (lambda: after(-1.0, 1.0, rounds=0), "rounds must be a whole number of at least 1, got 0"),
        (lambda: largest_epsilon(-9.0, math.nan), r"probability must be in \(0, 1\), got nan"),
        (lambda: largest_epsilon(-9.0, 1e-9), "what a guess without any release reaches"),
        (lambda: Directions(1), "dimension must be a whole number above 1, got 1"),
        (lambda: Directions(3).log_breach(math.nan), r"tolerance must be in \(0, sqrt 2\)"),
        (lambda: Directions(3).log_breach(1.5), r"tolerance must be in \(0, sqrt 2\)"),
        (lambda: Zipf(0, 5), "words must be a whole number of at least 1, got 0"),
        (lambda: Zipf(5, math.nan), "draws must be a whole number"),
        (lambda: Zipf(9, 3).log_breach(math.nan), r"tolerance must be in \[0, 1\), got nan"),
        (lambda: Zipf(9, 3).log_both(math.nan, 0.5), r"precision must be in \(0, 1\], got nan"),
        (lambda: Zipf(9, 3).log_recall(0.5, 10), r"guessed must be in \[1, 9\], got 10"),
        (lambda: Zipf(10**6, 10**5).log_both(0.1, 0.1), "draws / precision must be smaller"),
        (lambda: _simulated(confidence=math.nan), r"confidence must be in \(0, 1\), got nan"),
        (lambda: _simulated(draws=0), "draws must be a whole number"),
        (lambda: _simulated(guesses=[]), "guesses must hold at least one guess"),
        (lambda: _simulated().log_breach(math.nan), "tolerance must be a number, got nan"),
        (lambda: _simulated(loss=lambda t, g: t[:3, 0]).log_breach(1.0), "loss must give 10"),
        (lambda: _simulated(loss=lambda t, g: t[:, 0] * math.nan).log_breach(1.0), "loss must giv"),
    ],
)
def test_what_is_no_prior_is_refused(call, sentence):
    """Every argument outside its range is refused with the range, and NaN is in none."""
    with pytest.raises(ValueError, match=sentence):
        call()


def test_the_impossible_stays_impossible():
    """A breach of prior probability zero allows any epsilon; a certain one stays certain."""
    assert largest_epsilon(-math.inf, 1e-9) == math.inf
    assert after(-math.inf, 100.0) == 0
    assert after(0.0, 0.0) == 1
