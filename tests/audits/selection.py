"""Choosing one of many: a person moves every score by the sensitivity, each in its worst way.

With many equal candidates, of which one gains and all others lose, the winner's chance is small and
its ratio nearly e^epsilon: a share 1/n of the loss is lost to the total that moves along.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from audits.row import CLOSE, QUICK, Row
from tacit.mechanisms.rows.minimum_distance import MinimumDistance, PairSets
from tacit.mechanisms.rows.quantile import ExponentialQuantile
from tacit.mechanisms.selection.exponential import Exponential
from tacit.mechanisms.selection.interval_choice import IntervalChoice
from tacit.mechanisms.selection.noisy_max import LaplaceMax
from tacit.mechanisms.selection.permute_and_flip import PermuteAndFlip
from tacit.mechanisms.selection.top_k import TopK
from tacit.question.laws import NearestLaw

EPSILON, AT_ONCE = 1.0, 5_000
LEVEL = jnp.zeros(40, jnp.float32)
FIRST = (jnp.arange(40) == 0).astype(jnp.float32)
# One candidate gains the sensitivity and all others lose it; or, monotone, it alone gains.
APART, AHEAD = 2 * FIRST - 1, FIRST
# Two of sixteen gain; that both are named is e^(epsilon/2) as likely for each.
FEW = jnp.zeros(16, jnp.float32)
PAIR = jnp.where(jnp.arange(16) < 2, 1.0, -1.0).astype(jnp.float32)
# A second person at the end makes the points between the two nearest to the median.
ALONE, JOINED = jnp.array([0.97], jnp.float32), jnp.array([0.97, 1.0], jnp.float32)
# One of three moves from the lower end to the upper: all counts between fall by one, which helps
# the points above the median and harms those below.
LOW, HIGH = jnp.array([0.97, 0.97, 0.0], jnp.float32), jnp.array([0.97, 0.97, 1.0], jnp.float32)
# One law gives 2 of 128 people to a cell where the other gives nobody, and nobody is: who comes
# there, or moves there, brings the first nearer by one and takes the other away by one.
RARE = NearestLaw([[1 / 64, 63 / 64], [0.0, 1.0]])


@partial(jax.jit, static_argnums=0)
def _choices(draw, mechanism, keys, data):
    """One outcome for each key, in batches: cumulative sums of a million draws would not fit."""
    return jax.lax.map(lambda key: draw(mechanism, key, data), keys, batch_size=AT_ONCE)


def _index(mechanism, key, scores):
    return mechanism.sample(key, scores)


def _pair_named(mechanism, key, scores):
    return jnp.sum(mechanism.sample(key, scores) < 2)


def _between(mechanism, key, values):
    return mechanism.sample(key, values) > values[0]


def _short_piece(mechanism, key, scores):
    return mechanism.sample(key, jnp.array([25, 975], jnp.int32), scores) < 25


def _law(mechanism, key, distances):
    return mechanism.sample_distances(key, distances)


def _nearest(name, *people) -> Row:
    """Scores are the mechanism's own, computed once for all draws."""

    def choice(epsilon):
        return MinimumDistance(RARE.units, RARE.digest, epsilon, 128).choice

    off = [PairSets(RARE.units).off_by(np.array(counts)) for counts in people]
    distances = tuple(jnp.asarray(each - each.min(), jnp.int32) for each in off)
    bugs = {"scale x 2/3": choice(1.5 * EPSILON), "sensitivity / 2": choice(2 * EPSILON)}
    return _row(name, _law, distances, choice(EPSILON), bugs)


def _pair(draw, mechanism, inputs):
    def sample(data, key, draws):
        return np.asarray(_choices(draw, mechanism, jax.random.split(key, draws), data))

    one, other = inputs
    return partial(sample, one), partial(sample, other)


def _row(name, draw, inputs, sound, bugs, quick=CLOSE) -> Row:
    planted = {bug: _pair(draw, mechanism, inputs) for bug, mechanism in bugs.items()}
    both = _pair(draw, sound, inputs)
    return Row("selection", name, EPSILON, *both, planted=planted, quick=quick)


def _scored(name, kind, draw=_index, inputs=(LEVEL, APART), quick=CLOSE) -> Row:
    bugs = {"scale x 2/3": kind(1.5 * EPSILON, 1.0), "sensitivity / 2": kind(EPSILON, 0.5)}
    return _row(name, draw, inputs, kind(EPSILON, 1.0), bugs, quick)


def _quantile(name, kind, inputs) -> Row:
    def median(epsilon):
        return kind(0.5, epsilon, 0.0, 1.0, 1000)

    bugs = {"scale x 2/3": median(1.5 * EPSILON), "sensitivity / 2": median(2 * EPSILON)}
    return _row(name, _between, inputs, median(EPSILON), bugs)


ROWS = [
    _scored("exponential", Exponential),
    _scored("permute-and-flip", PermuteAndFlip, quick=QUICK),
    _scored("noisy max, Laplace", LaplaceMax.of),
    _row(
        "noisy max, Laplace, monotone",
        _index,
        (LEVEL, AHEAD),
        LaplaceMax.monotone(EPSILON, 1.0),
        {
            "scale x 2/3": LaplaceMax.monotone(1.5 * EPSILON, 1.0),
            "sensitivity / 2": LaplaceMax.monotone(EPSILON, 0.5),
        },
    ),
    _row(
        "top two",
        _pair_named,
        (FEW, PAIR),
        TopK(EPSILON, 1.0, 2),
        {
            "epsilon for each pick": TopK(2 * EPSILON, 1.0, 2),
            "sensitivity / 2": TopK(EPSILON, 0.5, 2),
        },
    ),
    _scored("interval choice", IntervalChoice, _short_piece, (LEVEL[:2], APART[:2])),
    _quantile("median, add/remove", ExponentialQuantile.add_remove, (ALONE, JOINED)),
    _quantile("median, replace-one", ExponentialQuantile.replace_one, (LOW, HIGH)),
    _nearest("nearest law, add/remove", (0, 128), (1, 128)),
    _nearest("nearest law, replace-one", (0, 128), (1, 127)),
]
