"""SparseVector shows values with noise of their own, and its budget covers both releases."""

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import binom, chisquare

import quick_keys
from tacit.accounting import events
from tacit.accounting.theorems.laplace_thresholds import curve
from tacit.mechanisms.selection.above_threshold import AboveThreshold
from tacit.mechanisms.selection.sparse_vector import SparseVector
from tacit.mechanisms.selection.threshold_noise import OneSided, Stream
from tacit.noise.fixed import LIMB, FixedPoint

DRAWS = 50_000
UNIT = Stream(0.0, 1.0, 1.0)
answers = jax.jit(SparseVector.answers)


def fixed(units, step=1.0):
    """Whole numbers as sums."""
    high, low = np.divmod(np.asarray(units, np.int64), LIMB)
    return FixedPoint(jnp.asarray(high, jnp.int32), jnp.asarray(low, jnp.int32), jnp.float32(step))


def made(positives=1, rounds=1):
    """Half of the budget of one for answers, half for values."""
    return SparseVector.beside(AboveThreshold.tight(0.5, positives, UNIT, rounds), 0.5)


def laplace(parameter, k):
    """The discrete Laplace law."""
    return np.exp(-parameter * np.abs(k)) * math.tanh(parameter / 2)


def shown(mechanism, total, seed):
    """What is shown of one sum, where it is."""
    drawn = np.asarray(answers(mechanism, quick_keys.key(seed), fixed(np.full((DRAWS, 1), total))))
    return drawn[drawn[:, 0, 0] > 0, 0, 1]


def fit(values, parameter, centre):
    """The chi-square tail probability of the values' noise, in 41 cells."""
    k = np.clip(values - centre, -20, 20).astype(int) + 20
    far = np.arange(20, 4000)
    expected = laplace(parameter, np.arange(-20.0, 21))
    expected[[0, 40]] = laplace(parameter, far).sum()
    return chisquare(np.bincount(k, minlength=41), expected / expected.sum() * len(k)).pvalue


def test_values_have_their_own_law_however_unlikely_the_answer():
    """Given "above", noise is discrete Laplace still, and three quarters of it do not fit.

    The compared value would be above the threshold, always.
    """
    mechanism = made()
    low = -int(2 / mechanism.compare.query.law.parameter)
    for seed, total in enumerate((low, 10_000)):
        values = shown(mechanism, total, seed)

        assert len(values) > 1000
        assert fit(values, mechanism.values.parameter, total) > 1e-4
        assert fit(values, mechanism.values.parameter / 0.75, total) < 1e-9


def test_exact_chances_spend_exactly_the_budget():
    """Answers and one value together: the largest loss is the sum of both budgets."""
    mechanism = made(1, 2)
    assert mechanism.compare.limit is not None
    a = mechanism.compare.limit.law.parameter
    noise, offset = OneSided(mechanism.compare.query.law), int(mechanism.compare.start[1])
    h = np.arange(4000)
    weight = -math.expm1(-a) * np.exp(-a * h)

    def law(sums, value):
        tails = [noise.at_least(offset + h - total) for total in sums]
        answer = np.sum(weight * (1 - tails[0]) * tails[1])
        return answer * laplace(mechanism.values.parameter, value - sums[1])

    losses = []
    for move in itertools.product((-1, 0, 1), repeat=2):
        for value in (-50, 0, 1, 50):
            before = law((offset, offset), offset + value)
            losses.append(
                math.log(before / law((offset + move[0], offset + move[1]), value + offset))
            )

    assert 1 - 1e-9 < max(losses) <= 1 + 1e-9
    assert mechanism.epsilon == pytest.approx(1.0, rel=1e-15) and mechanism.epsilon >= 1.0


def test_only_sums_above_are_shown():
    """Values stand with "above", zero elsewhere, and at most c of them; none is NaN."""
    drawn = np.asarray(answers(made(2, 5), quick_keys.key(2), fixed([-9999, 5000, 0, 9999, 9999])))

    assert drawn.shape == (5, 2)
    assert drawn[:2, 0].tolist() == [0, 1]
    assert drawn[:, 0].sum() == 2
    assert np.array_equal(drawn[:, 0] > 0, drawn[:, 1] != 0)
    assert drawn[1, 1] == pytest.approx(5000, abs=400)


def stepped(step, mechanism):
    """Three sums, one after another."""
    carry, shown, sums = mechanism.init(), [], fixed([-9999, 5000, 9999])
    for key, high, low in zip(
        jax.random.split(quick_keys.key(3), 3), sums.high, sums.low, strict=True
    ):
        carry, answer, halted = step(mechanism, carry, key, FixedPoint(high, low, sums.step))
        shown.append([*answer.tolist(), bool(halted)])
    return shown


def test_steps_and_whole_streams_agree():
    """Step by step, far sums are answered as in a whole stream."""
    shown = stepped(jax.jit(SparseVector.step), made(1, 3))

    assert [row[0] for row in shown] == [0, 1, 0]
    assert [row[2] for row in shown] == [False, True, True]
    assert shown[2][1] == 0 and shown[1][1] == pytest.approx(5000, abs=400)


def test_compiled_or_not_the_steps_are_the_same():
    """All of what is shown."""
    mechanism = made(1, 3)
    assert stepped(SparseVector.step, mechanism) == stepped(jax.jit(SparseVector.step), mechanism)


def test_values_are_as_near_as_they_say():
    """The largest error of ten values is within the bound, and not always within two thirds."""
    mechanism = made(10, 10)
    far = mechanism.error_bound(0.05)
    drawn = answers(mechanism, quick_keys.key(4), fixed(np.full((5000, 10), 10**6)))
    errors = np.max(np.abs(np.asarray(drawn)[..., 1] - 10**6), axis=1)

    assert binom.sf(np.sum(errors > far) - 1, 5000, 0.05) > 1e-6
    assert binom.sf(np.sum(errors > 2 * far / 3) - 1, 5000, 0.05) < 1e-9
    assert mechanism.error_bound(1e-40) == math.inf


def test_one_account_for_answers_and_values():
    """Both laws have the same rate, the curve with values confirms it, and more is refused."""
    for build in (SparseVector.concentrated, SparseVector.hardt_rothblum):
        mechanism = build(1.0, 1e-6, 20, UNIT)
        rate = mechanism.values.parameter

        assert rate == mechanism.compare.query.law.parameter
        assert curve(1.0, 20, rate, rate) <= 1e-6
        assert mechanism.event == events.epsilon_delta(1.0, 1e-6)
    alone = AboveThreshold.concentrated(1.0, 1e-6, 20, UNIT)

    assert SparseVector.concentrated(1.0, 1e-6, 20, UNIT).values.parameter < 0.95 * (
        alone.query.law.parameter
    )
    with pytest.raises(ValueError, match="rate must be low enough"):
        SparseVector.at_rate(1.0, 1e-6, 20, UNIT, alone.query.law.parameter)


def test_distance_counts_every_draw():
    """One a sum, one for the threshold, and at most c values."""
    mechanism = made(3, 10)

    assert mechanism.event == events.sparse_vector(mechanism.epsilon)
    for rounds, values in ((2, 2), (10, 3)):
        expected = mechanism.compare.tv_distance(rounds) + values * mechanism.values.tv_distance
        assert mechanism.tv_distance(rounds) == expected


def test_a_sum_on_another_grid_is_not_shown():
    """It is answered [0, 0]."""
    assert not np.any(answers(made(), quick_keys.key(0), fixed([10**9], 0.5)))


def test_refused_parameters():
    """Each says what is allowed."""
    with pytest.raises(ValueError, match="epsilon must be positive and finite, got nan"):
        SparseVector.beside(AboveThreshold.tight(1.0, 1, UNIT, 1), math.nan)
    with pytest.raises(ValueError, match="epsilon must be positive and finite, got 0"):
        SparseVector.concentrated(0.0, 1e-6, 1, UNIT)
    with pytest.raises(ValueError, match=r"delta must be in \(0, 1\), got 1"):
        SparseVector.hardt_rothblum(1.0, 1.0, 1, UNIT)
    with pytest.raises(ValueError, match=r"chance must be in \(0, 1\), got nan"):
        made().error_bound(math.nan)


def test_values_share_their_epsilon():
    """Three values of sums that move by two steps: a sixth of it for each step of each."""
    stream = Stream(0.0, 2.0, 1.0)
    made = SparseVector.beside(AboveThreshold.tight(1.0, 3, stream, 10), 0.6)

    assert 0.0999 <= made.values.parameter <= 0.6 / (3 * 2)
    assert 1.6 <= made.epsilon
