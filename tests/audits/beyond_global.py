"""Noise for the data at hand: half zeros and half ones, where one person moves the median by all.

Draws are the parts that `sample` is made of, with the secret numbers computed once: the value, its
smooth sensitivity, the test's distance.
"""

from fractions import Fraction
from functools import partial

import numpy as np

import quick_keys
from audits.row import CLOSE, Row
from tacit.mechanisms.rows.propose_test_release import (
    ProposeTestReleaseQuantile,
    StableMode,
    distance,
)
from tacit.mechanisms.rows.sample_and_aggregate import BlockMean, SampleAndAggregate
from tacit.mechanisms.rows.smooth_quantile import CELLS, IntervalGrid, smooth_gap
from tacit.mechanisms.rows.smooth_sensitivity import SmoothCauchy, SmoothLaplace
from tacit.mechanisms.rows.smooth_student import SmoothStudent
from tacit.mechanisms.rows.stable_scale import StableScale
from tacit.noise.exact import cauchy, laplace, stream, student

EPSILON, DELTA = 1.0, 1e-2
PEOPLE, RANK = 51, 26
UNIT = IntervalGrid(0.0, 1.0)


def _halves(zeros):
    """So many zeros, then ones."""
    return UNIT.units(np.repeat([0.0, 1.0], [zeros, PEOPLE - zeros]))


# The median jumps from 0 to 1 between the first two; the next has one more step to the jump.
JUST, OVER, SAFE = _halves(RANK), _halves(RANK - 1), _halves(RANK + 1)


def _noisy(draw, value, scale):
    """`value` with noise of this scale."""

    def sample(key, draws):
        words = stream(key)
        return np.array([value + draw(words, scale) for _ in range(draws)], float)

    return sample


def _sums(noise, draw, data, first, last, beta=None, share=1.0):
    """The sum of the middle ones with noise for its smooth sensitivity, times `share`."""
    smooth = smooth_gap(data, first, last, noise.beta if beta is None else beta)
    return _noisy(draw, int(data[first - 1 : last].sum()), share * noise.scale(smooth))


def _median(noise, draw, pair, **change):
    return tuple(_sums(noise, draw, data, RANK, RANK, **change) for data in pair)


def _medians():
    """The jump itself, and the step before it, where only the scale moves."""
    kinds = (
        ("Cauchy", SmoothCauchy(EPSILON), cauchy, 2 / 3),
        ("Student", SmoothStudent(EPSILON), partial(student, degrees=3), 1 / 3),
        ("Laplace", SmoothLaplace(EPSILON, DELTA), laplace, 1 / 3),
    )
    for name, noise, draw, share in kinds:
        yield Row(
            "smooth",
            f"median, {name}",
            EPSILON,
            *_median(noise, draw, (JUST, OVER)),
            planted={
                f"scale x {Fraction(share).limit_denominator(9)}": _median(
                    noise, draw, (JUST, OVER), share=share
                )
            },
            delta=noise.delta,
            quick=CLOSE,
        )
        yield Row(
            "smooth",
            f"median near the jump, {name}",
            EPSILON,
            *_median(noise, draw, (SAFE, JUST)),
            # A sensitivity that falls by e^-50 a step is the local one.
            planted={"local sensitivity": _median(noise, draw, (SAFE, JUST), beta=50.0)},
            delta=noise.delta,
        )


def _trimmed():
    """Five people, three kept: one moves the sum by the width."""
    noise = SmoothCauchy(EPSILON)
    pair = [UNIT.units(np.repeat([0.0, 1.0], [zeros, 5 - zeros])) for zeros in (3, 2)]
    return Row(
        "smooth",
        "trimmed mean, Cauchy",
        EPSILON,
        *(_sums(noise, cauchy, data, 2, 4) for data in pair),
        planted={
            "divided by the kept twice": tuple(
                _sums(noise, cauchy, data, 2, 4, share=1 / 3) for data in pair
            )
        },
    )


def _blocks():
    """The largest of each block: one person moves one block's answer by the width."""
    asked = SampleAndAggregate(4, (BlockMean(EPSILON, 0.0, 1.0),))
    blocks = asked.partition(quick_keys.key(0), 12)
    overlapping = np.concatenate([blocks, np.roll(blocks, 1, axis=0)], axis=1)
    rows = [np.zeros(12), np.eye(12)[0]]

    def sampler(row, partition, share=1.0):
        total = int(UNIT.units([row[of].max() for of in partition]).sum())
        return _noisy(laplace, total, share * CELLS / EPSILON)

    return Row(
        "smooth",
        "sample and aggregate, mean",
        EPSILON,
        *(sampler(row, blocks) for row in rows),
        planted={
            "a person in two blocks": tuple(sampler(row, overlapping) for row in rows),
            "scale x 2/3": tuple(sampler(row, blocks, 2 / 3) for row in rows),
        },
    )


def _proposed():
    """The median moves by the bound and the distance by one, where the test is a toss of a coin."""
    mechanism = ProposeTestReleaseQuantile(EPSILON, 2e-6, 0.25, 0.0, 1.0)
    before = UNIT.units(np.repeat([0.0, 0.25], [26, 25]))
    after = UNIT.units(np.repeat([0.0, 0.25, 1.0], [25, 25, 1]))

    def sampler(data, tests=mechanism.test.passes, share=1.0):
        away, value = distance(data, 0.5, mechanism.cells), int(data[RANK - 1])
        scale = share * 2 * mechanism.cells / EPSILON

        def sample(key, draws):
            words = stream(key)
            # Refused: an outcome below all that occur.
            drawn = (
                value + laplace(words, scale) if tests(words, away) else -CELLS * 100
                for _ in range(draws)
            )
            return np.fromiter(drawn, float, draws)

        return sample

    def bare(words, away):
        return away >= mechanism.test.threshold

    pair = (before, after)
    return Row(
        "smooth",
        "propose-test-release, median",
        EPSILON,
        *map(sampler, pair),
        planted={
            "no noise on the distance": tuple(sampler(data, bare) for data in pair),
            "noise for half the bound": tuple(sampler(data, share=0.5) for data in pair),
        },
        delta=mechanism.delta,
    )


def _mode():
    """Two neighbours with different modes: a release has probability delta at most."""
    mechanism = StableMode(EPSILON, DELTA, 2)
    pair = [np.repeat([0, 1], [zeros, 21 - zeros]) for zeros in (11, 10)]

    def sampler(values, nearer=0):
        away = mechanism.distance(values) + nearer
        mode, test = float(np.argmax(np.bincount(values))), mechanism.test

        def sample(key, draws):
            words = stream(key)
            return np.array([mode if test.passes(words, away) else -1.0 for _ in range(draws)])

        return sample

    return Row(
        "smooth",
        "propose-test-release, mode",
        EPSILON,
        *map(sampler, pair),
        planted={
            "threshold too low by 2": tuple(sampler(values, 2) for values in pair),
        },
        delta=DELTA,
    )


def _scale():
    """The first grid, half of the promise: 14 halves and 5 ones, or one more half and no range."""
    mechanism = StableScale(2 * EPSILON, 2 * DELTA, 0.0, 1.0)
    pair = [np.repeat([0.5, 1.0], [halves, 19 - halves]) for halves in (14, 15)]

    def sampler(values, nearer=0):
        (least, _, away), _ = mechanism.bins(values)
        test, away = mechanism.test, away + nearer

        def sample(key, draws):
            words = stream(key)
            drawn = (least if test.passes(words, away) else -1 for _ in range(draws))
            return np.fromiter(drawn, float, draws)

        return sample

    return Row(
        "smooth",
        "propose-test-release, scale",
        EPSILON,
        *map(sampler, pair),
        planted={"threshold too low by 2": tuple(sampler(values, 2) for values in pair)},
        delta=DELTA,
    )


ROWS = [*_medians(), _trimmed(), _blocks(), _proposed(), _mode(), _scale()]
