"""AboveThreshold has its exact law, spends its epsilon and not more, and is as right as it says."""

import itertools
import math
from fractions import Fraction

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import binom, chisquare

import quick_keys
from tacit.accounting import events
from tacit.accounting.theorems.laplace_thresholds import curve
from tacit.mechanisms.selection.above_threshold import MOST_ROUNDS, AboveThreshold
from tacit.mechanisms.selection.threshold_noise import (
    LARGEST_SCALE,
    OneSided,
    Stream,
    TwoSided,
    cut,
)
from tacit.noise.discrete import HALF
from tacit.noise.fixed import LIMB, FixedPoint

DRAWS = 50_000
UNIT = Stream(0.0, 1.0, 1.0)
answers = jax.jit(AboveThreshold.answers)


def fixed(units, step=1.0):
    """Whole numbers as sums."""
    high, low = np.divmod(np.asarray(units, np.int64), LIMB)
    return FixedPoint(jnp.asarray(high, jnp.int32), jnp.asarray(low, jnp.int32), jnp.float32(step))


def same(units, draws=DRAWS):
    """`draws` streams of these sums."""
    return fixed(np.broadcast_to(np.asarray(units), (draws, len(units))))


def transcripts(rounds, positives):
    """All answers there can be: none above after the last allowed."""
    every = itertools.product((0, 1), repeat=rounds)
    return [bits for bits in every if sum(bits) <= positives]


def law(mechanism, sums, bits):
    """The definition: a sum over the threshold's noise of the products of tails."""
    offset = int(mechanism.start[0]) * LIMB + int(mechanism.start[1])
    h, weight = np.arange(1), np.ones(1)
    if mechanism.limit is not None:
        h = np.arange(4000)
        weight = -np.expm1(-mechanism.limit.law.parameter) * np.exp(
            -mechanism.limit.law.parameter * h
        )
    b, left = mechanism.query.law.parameter, mechanism.positives
    for one, bit in zip(sums, bits, strict=True):
        if left == 0:
            break
        k = offset + h - one
        if isinstance(mechanism.query, OneSided):
            above = np.where(k <= 0, 1.0, np.exp(-b * np.maximum(k, 0)))
        else:
            x = math.exp(-b)
            above = np.where(k >= 1, x ** np.maximum(k, 1), 0) / (1 + x)
            above = above + np.where(k < 1, 1 - x ** np.maximum(1 - k, 1) / (1 + x), 0)
        weight = weight * (above if bit else 1 - above)
        left -= bit
    return weight.sum()


def made(positives=2, rounds=4, epsilon=1.0):
    """One mechanism of each kind, on sums of sensitivity one and a grid of ones."""
    return {
        "tight": AboveThreshold.tight(epsilon, positives, UNIT, rounds),
        "monotone": AboveThreshold.monotone(epsilon, positives, UNIT, rounds),
        "concentrated": AboveThreshold.concentrated(epsilon, 1e-3, positives, UNIT),
    }


def centred(mechanism, sums):
    """Sums placed where the shifted threshold is, so that every answer is in doubt."""
    return np.asarray(sums) + int(mechanism.start[0]) * LIMB + int(mechanism.start[1])


def parameters(mechanism):
    """Those of the noise on the threshold and on the sums."""
    assert mechanism.limit is not None
    return mechanism.limit.law.parameter, mechanism.query.law.parameter


@pytest.mark.parametrize("kind", ["tight", "monotone", "concentrated"])
def test_frequencies_are_those_of_the_definition(kind):
    """All transcripts come as often as they should; three quarters of the noise do not fit."""
    mechanism = made()[kind]
    sums = centred(mechanism, [1, 3, -1, 2])
    drawn = np.asarray(answers(mechanism, quick_keys.key(0), same(sums))).astype(int)
    places = {bits: i for i, bits in enumerate(transcripts(4, 2))}
    observed = np.bincount([places[tuple(row)] for row in drawn], minlength=len(places))
    louder = eqx.tree_at(
        lambda m: m.query.law.parameter, mechanism, mechanism.query.law.parameter / 0.75
    )
    fits = [
        chisquare(observed, DRAWS * np.array([law(m, sums, bits) for bits in places])).pvalue
        for m in (mechanism, louder)
    ]

    assert fits[0] > 1e-4
    assert fits[1] < 1e-9


@pytest.mark.parametrize("kind", ["tight", "monotone"])
@pytest.mark.parametrize("positives", [1, 2])
def test_exact_chances_spend_exactly_the_budget(kind, positives):
    """Over all neighbours and transcripts the largest loss is epsilon, attained."""
    mechanism = made(positives, 3)[kind]
    signs = [(-1, 0, 1)] if kind == "tight" else [(-1, 0), (0, 1)]
    losses = []
    for base in ([0, 0, 0], [2, 0, -1], [1, 3, 0]):
        sums = centred(mechanism, base)
        before = {bits: law(mechanism, sums, bits) for bits in transcripts(3, positives)}
        for sign in signs:
            for move in itertools.product(sign, repeat=3):
                for bits, chance in before.items():
                    after = law(mechanism, sums + np.array(move), bits)
                    losses.append(abs(math.log(chance / after)) if chance + after > 0 else 0.0)

    assert 1 - 1e-9 < max(losses) <= 1 + 1e-9


def test_moving_both_ways_spends_more_than_a_monotone_budget():
    """The monotone noise is not enough where one person moves sums in both directions."""
    mechanism = made(2, 3)["monotone"]
    sums, bits = centred(mechanism, [0, 0, 0]), (0, 1, 1)
    loss = math.log(law(mechanism, sums, bits) / law(mechanism, sums + np.array([1, -1, -1]), bits))

    assert loss > 1.5


@pytest.mark.parametrize("positives, weight", [(1, 2), (7, 14)])
def test_the_split_is_exact_and_best(positives, weight):
    """The two parts add up to at most epsilon, and no other split has less variance."""
    mechanism = AboveThreshold.tight(0.7, positives, Stream(0.0, 3.0, 0.5), 10)
    a, b = (Fraction(rate) for rate in parameters(mechanism))
    variance = float(1 / a**2 + 1 / b**2)
    others = [
        1 / (share * 0.7 / 6) ** 2 + (weight / ((1 - share) * 0.7 / 6)) ** 2
        for share in np.linspace(0.01, 0.99, 99)
    ]

    assert mechanism.stream.units == 6
    assert 1 - 1e-10 < 6 * (a + weight * b) / Fraction(0.7) <= 1
    assert variance < min(others) * (1 + 1e-9)


def test_a_rate_is_refused_where_nothing_is_proved():
    """No constructor takes one that the curve is above delta for."""
    with pytest.raises(ValueError, match="rate must be low enough"):
        AboveThreshold.at_rate(1.0, 1e-6, 10, UNIT, 0.2)
    with pytest.raises(ValueError, match=r"rate must be low enough .* got 'low'"):
        AboveThreshold.at_rate(1.0, 1e-6, 10, UNIT, "low")


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 10.0, 100.0])
@pytest.mark.parametrize("delta", [1e-3, 1e-9])
def test_hardt_and_rothblums_constants_are_proved(epsilon, delta):
    """Their noise is confirmed, with values, by far; it is more than the least proved."""
    for positives in (1, 10, 10_000):
        rate = epsilon / (
            8 * math.sqrt(2 * math.log(2 / delta) * (4 * positives + math.log(2 / delta)))
        )
        theirs = AboveThreshold.hardt_rothblum(epsilon, delta, positives, UNIT)
        least = AboveThreshold.concentrated(epsilon, delta, positives, UNIT)

        assert theirs.query.law.parameter == pytest.approx(rate, rel=1e-9)
        assert curve(epsilon, positives, rate, rate) < delta**2
        assert least.query.law.parameter > 1.5 * rate


def test_hardt_and_rothblums_margin_is_as_they_say():
    """All of m answers within S (ln m + ln(1/beta)), and not within three quarters of it."""
    scale = 8 * math.sqrt(2 * math.log(2e6) * (4 * 5 + math.log(2e6)))
    margin = AboveThreshold.hardt_rothblum(1.0, 1e-6, 5, UNIT).margin(1000, 0.05)

    assert 0.75 < margin / (scale * (math.log(1000) + math.log(20))) <= 1


def test_the_least_noise_is_the_least():
    """A thousandth less of it is refused."""
    mechanism = AboveThreshold.concentrated(1.0, 1e-6, 30, UNIT)
    rate = mechanism.query.law.parameter

    assert 0.99e-6 < curve(1.0, 30, rate) <= 1e-6
    assert curve(1.0, 30, 1.001 * rate) > 1e-6


def brute(mechanism, units, rounds):
    """The chance of a wrong answer so far off, over every value of the threshold's noise."""
    offset = mechanism.shift / mechanism.stream.step
    h, weight = np.zeros(1), np.ones(1)
    if mechanism.limit is not None:
        a, h = mechanism.limit.law.parameter, np.arange(20_000.0)
        weight = -np.expm1(-a) * np.exp(-a * h)
    worst = np.maximum(
        mechanism.query.at_least(offset + h + units), mechanism.query.below(offset + h - units)
    )
    return float(np.sum(weight * (1 - (1 - worst) ** rounds)))


@pytest.mark.parametrize("kind", ["tight", "monotone", "concentrated"])
@pytest.mark.parametrize("rounds", [1, 1000])
def test_the_margin_is_the_least_that_the_law_allows(kind, rounds):
    """Against a sum over all threshold noise: enough, and one per cent less is not."""
    mechanism = made(3, 1000)[kind]
    units = mechanism.margin(rounds, 0.05) - 0.5

    assert brute(mechanism, units, rounds) <= 0.05
    assert brute(mechanism, math.floor(0.99 * units) - 1, rounds) > 0.05


@pytest.mark.parametrize("kind", ["tight", "concentrated"])
def test_answers_are_right_as_often_as_the_margin_says(kind):
    """Sums at the margin from the threshold are answered rightly; at two thirds they are not."""
    mechanism, rounds = made(1, 200)[kind], 200
    far = mechanism.margin(rounds, 0.05)
    wrong = []
    for share in (1.0, 2 / 3):
        low, high = -math.ceil(share * far), math.ceil(share * far)
        drawn = answers(mechanism, quick_keys.key(2), same([low] * (rounds - 1) + [high], 5000))
        wrong.append(int(np.sum(~np.asarray(drawn[:, -1], bool))))

    assert binom.sf(wrong[0] - 1, 5000, 0.05) > 1e-6
    assert binom.sf(wrong[1] - 1, 5000, 0.05) < 1e-9


@pytest.mark.parametrize("positives, share", [(5, 0.65), (50, 0.62)])
def test_one_sided_noise_takes_off_a_third_of_the_margin(positives, share):
    """Laplace noise of the same parameters, as in Lyu, Su and Li, is wrong that far away."""
    mechanism, rounds = made(positives, 1000)["tight"], 1000
    a, _ = parameters(mechanism)
    h = np.arange(-math.ceil(40 / a), math.ceil(40 / a) + 1)
    weight = np.exp(-a * abs(h)) * math.tanh(a / 2)
    query = TwoSided(mechanism.query.law)
    units = mechanism.margin(rounds, 0.05) / share
    q = np.maximum(query.at_least(h + units), query.below(h - units))

    assert np.sum(weight * (1 - (1 - q) ** rounds)) > 0.05


def scan(mechanism, key, totals):
    """The server's loop."""
    keys = jax.random.split(key, len(totals.high))

    def body(carry, at):
        key, high, low = at
        carry, answer, halted = mechanism.step(carry, key, FixedPoint(high, low, totals.step))
        return carry, (answer, halted)

    return jax.lax.scan(body, mechanism.init(), (keys, totals.high, totals.low))


def test_steps_have_the_law_of_whole_streams():
    """The state machine's transcripts fit the definition, too; those of a third more do not."""
    mechanism, draws = made()["tight"], 20_000
    sums = centred(mechanism, [1, 3, -1, 2])
    run = jax.jit(jax.vmap(lambda key: scan(mechanism, key, fixed(sums))[1][0]))
    drawn = np.asarray(run(jax.random.split(quick_keys.key(3), draws))).astype(int)
    places = {bits: i for i, bits in enumerate(transcripts(4, 2))}
    observed = np.bincount([places[tuple(row)] for row in drawn], minlength=len(places))
    loud = made(epsilon=4 / 3)["tight"]
    right, wrong = (
        np.array([law(own, centred(own, [1, 3, -1, 2]), bits) for bits in places])
        for own in (mechanism, loud)
    )

    assert chisquare(observed, draws * right).pvalue > 1e-4
    assert chisquare(observed, draws * wrong).pvalue < 1e-9


def test_compiled_or_not_the_answers_are_the_same():
    """Step by step, plain and jitted agree, and a key decides everything."""
    mechanism, plain = made()["tight"], []
    sums = fixed(centred(mechanism, [-3, 2]))
    carry = mechanism.init()
    for key, high, low in zip(
        jax.random.split(quick_keys.key(4), 2), sums.high, sums.low, strict=True
    ):
        carry, answer, halted = mechanism.step(carry, key, FixedPoint(high, low, sums.step))
        plain.append((float(answer), bool(halted)))
    _, jitted = jax.jit(scan)(mechanism, quick_keys.key(4), sums)

    assert plain == list(zip(*(np.asarray(part).tolist() for part in jitted), strict=True))


def test_it_halts():
    """Sums far above are answered so, c times; then never, and the carry stays as it is."""
    mechanism = AboveThreshold.tight(1.0, 3, Stream(10.0, 1.0, 1.0), 10)
    carry, (answer, halted) = jax.jit(scan)(
        mechanism, quick_keys.key(5), fixed([-(10**6), *[10**6] * 6])
    )

    assert answer.tolist() == [0, 1, 1, 1, 0, 0, 0]
    assert halted.tolist() == [False, False, False, True, True, True, True]
    assert carry.left == 0
    assert answers(mechanism, quick_keys.key(6), fixed([-(10**6), *[10**6] * 6])).tolist() == [
        *[0, 1, 1, 1, 0, 0, 0]
    ]


def test_the_thresholds_noise_is_drawn_once():
    """It changes from stream to stream, and not within one."""
    mechanism = made(2, 100)["tight"]
    below = FixedPoint(*(jnp.asarray(limb) for limb in cut(fixed(-(10**6)))), step=jnp.float32(1))
    step = jax.jit(AboveThreshold.step)
    first, _, _ = step(mechanism, mechanism.init(), quick_keys.key(0), below)
    second, _, _ = step(mechanism, first, quick_keys.key(1), below)
    others = {
        int(step(mechanism, mechanism.init(), quick_keys.key(seed), below)[0].limit[1])
        for seed in range(2, 22)
    }

    assert first.limit == second.limit
    assert len(others) > 5


def test_a_sum_on_another_grid_is_not_looked_at():
    """Its answer is zero, however large it is."""
    mechanism = made()["tight"]
    assert answers(mechanism, quick_keys.key(0), fixed([10**9] * 3, 0.5)).tolist() == [0, 0, 0]
    assert answers(mechanism, quick_keys.key(0), fixed([10**9] * 3, 1.0)).tolist() == [1, 1, 0]


def test_sums_beyond_the_grid_count_as_its_ends():
    """The largest and the smallest are still right."""
    mechanism = AboveThreshold.tight(1.0, 2, Stream(0.0, 2.0**34, 1.0), 10)
    drawn = answers(mechanism, quick_keys.key(0), fixed([-(2**46), 2**46 - 1, -(2**46)]))

    assert drawn.tolist() == [0, 1, 0]


def test_the_most_rounds_at_the_widest_noise_fit_their_limbs():
    """The threshold as high as may be, its shift and the largest noise on it; more rounds are
    refused everywhere."""
    widest = Stream(2.0**43, 2.0**38, 1.0)
    mechanism = AboveThreshold.monotone(1 + 1e-9, 1, widest, MOST_ROUNDS)
    assert mechanism.limit is not None
    law = mechanism.limit.law
    largest = HALF * int(law.base) ** (len(law.tables) - 1)

    assert 2.0**38.9 < 1 / law.parameter <= LARGEST_SCALE
    assert largest == 4096 * 2008**3
    start = int(mechanism.start[0]) * LIMB + int(mechanism.start[1])
    assert 2**43 < start < 2**45 < start + largest < 2**31 * LIMB
    with pytest.raises(ValueError, match="below 2"):
        mechanism.margin(MOST_ROUNDS + 1, 0.05)
    with pytest.raises(ValueError, match="below 2"):
        mechanism.tv_distance(MOST_ROUNDS + 1)


def test_a_fine_grid_changes_only_the_unit():
    """The margin in the unit of the sums is that of a coarser grid, within its step."""
    margins = [
        AboveThreshold.tight(1.0, 4, Stream(5.3, 1.0, 2.0**-bits), 100).margin(100, 0.05)
        for bits in (6, 20, 33)
    ]
    assert margins == pytest.approx([margins[1]] * 3, rel=2e-3)


def test_distance_and_event():
    """Both count everything drawn; a budget with a delta is recorded with it."""
    tight, _, concentrated = made().values()

    assert tight.limit is not None
    assert tight.tv_distance(100) == tight.limit.law.tv_distance + 100 * tight.query.law.tv_distance
    assert concentrated.tv_distance(100) == 100 * concentrated.query.law.tv_distance < 1e-17
    assert tight.event == events.sparse_vector(1.0)
    assert concentrated.event == events.epsilon_delta(1.0, 1e-3)
    assert concentrated.shift == 0 < tight.shift
    assert tight.margin(100, 1e-19) < math.inf == tight.margin(100, 1e-40)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"epsilon": math.nan}, "epsilon must be positive"),
        ({"epsilon": 0.0}, "epsilon must be positive"),
        ({"positives": 0}, "positives must be between"),
        ({"positives": 2.5}, "positives must be between .* got 2.5"),
        ({"positives": True}, "positives must be between .* got True"),
        ({"positives": "many"}, "positives must be between .* got 'many'"),
        ({"stream": 3}, r"stream must be Stream\(.*\), got 3"),
        ({"rounds": "many"}, r"rounds must be .* below 2\^63, got 'many'"),
        ({"rounds": 2.5}, r"rounds must be .* below 2\^63, got 2.5"),
        ({"rounds": 0}, "rounds must be at least 1"),
        ({"rounds": 2**63}, r"rounds must be .* below 2\^63, got 9223372036854775808"),
        ({"rounds": 10**47}, r"rounds must be .* below 2\^63"),
        ({"rounds": math.inf}, r"rounds must be .* below 2\^63, got inf"),
        ({"epsilon": 1e-13}, "scale of at most"),
    ],
)
def test_refused_parameters(change, message):
    """Each says what is allowed."""
    with pytest.raises(ValueError, match=message):
        AboveThreshold.tight(
            **{"epsilon": 1.0, "positives": 1, "stream": UNIT, "rounds": 1} | change
        )


def test_refused_probabilities():
    """A delta or a beta outside of (0, 1)."""
    with pytest.raises(ValueError, match=r"delta must be in \(0, 1\), got 0"):
        AboveThreshold.concentrated(1.0, 0.0, 1, UNIT)
    with pytest.raises(ValueError, match=r"delta must be in \(0, 1\), got 'little'"):
        AboveThreshold.concentrated(1.0, "little", 1, UNIT)
    with pytest.raises(ValueError, match=r"delta must be in \(0, 1\), got nan"):
        AboveThreshold.hardt_rothblum(1.0, math.nan, 1, UNIT)
    with pytest.raises(ValueError, match=r"beta must be in \(0, 1\), got 1"):
        made()["tight"].margin(10, 1.0)
    with pytest.raises(ValueError, match=r"beta must be in \(0, 1\), got 'sure'"):
        made()["tight"].margin(10, "sure")
