"""Streams of sums that one person moves, against a threshold: all answers together.

The sums put every answer in doubt, and the person moves those below the threshold up and those
above it down, which spends all of the budget. Planted are the published wrong variants that Lyu, Su
and Li 2017 list: the compared value is shown (their Algorithm 3), the noise on the sums is not
scaled by the answers given (4 and 6), there is none (5); and no noise on the threshold.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from audits.row import CLOSE, Row
from tacit.accounting.theorems.laplace_thresholds import curve
from tacit.mechanisms.selection.above_threshold import AboveThreshold
from tacit.mechanisms.selection.sparse_vector import SparseVector
from tacit.mechanisms.selection.threshold_noise import Stream
from tacit.noise.discrete import DiscreteLaplaceLaw
from tacit.noise.fixed import LIMB, FixedPoint

EPSILON, DELTA = 1.0, 1e-3
GIVEN = 5
LOW = -999
UNIT = Stream(0.0, 1.0, 1.0)
STILL = DiscreteLaplaceLaw.of(1000.0)

_answers = jax.jit(AboveThreshold.answers)
_shown = jax.jit(SparseVector.answers)


def _sums(compare, offsets, draws):
    """The same sums in every stream, counted from the shifted threshold."""
    start = int(compare.start[0]) * LIMB + int(compare.start[1])
    high, low = np.divmod(np.array(offsets) + start, LIMB)
    high, low = (np.broadcast_to(limb, (draws, len(limb))) for limb in (high, low))
    return FixedPoint(
        jnp.asarray(high, jnp.int32), jnp.asarray(low, jnp.int32), jnp.float32(UNIT.step)
    )


def _bits(answers):
    """One number for all answers of a stream."""
    return np.asarray(answers) @ 2.0 ** np.arange(answers.shape[-1])


def _answered(mechanism, offsets):
    def sample(key, draws):
        return _bits(_answers(mechanism, key, _sums(mechanism, offsets, draws)))

    return sample


def _both(sampler, mechanism, one, other):
    return sampler(mechanism, one), sampler(mechanism, other)


def _shape(answers):
    """Which answers were above, and the last value where it was the only one."""
    bits, last = _bits(answers[..., 0]), np.asarray(answers[:, -1, 1])
    only = bits == 2.0 ** (answers.shape[1] - 1)
    return np.where(only, 100 + np.clip(last, -40, 40), bits)


def _valued(mechanism, offsets):
    def sample(key, draws):
        sums = _sums(mechanism.compare, offsets, draws)
        answers = np.array(_shown(mechanism, key, sums))
        start = mechanism.compare.shift / UNIT.step
        answers[..., 1] = np.where(answers[..., 0] > 0, answers[..., 1] - start, 0)
        return _shape(answers)

    return sample


@jax.jit
def _leaky(mechanism, key, offsets, streams):
    """One noise for the comparison and for the value."""
    for_limit, for_query = jax.random.split(key)
    _, limit = mechanism.limit.limbs(for_limit, (*streams.shape, 1))
    _, noise = mechanism.query.limbs(for_query, (*streams.shape, *offsets.shape))
    above = offsets + noise >= limit
    above &= jnp.cumsum(above, axis=1) <= mechanism.positives
    return jnp.stack([above, jnp.where(above, offsets + noise, 0)], axis=-1)


def _compared(mechanism, offsets):
    def sample(key, draws):
        return _shape(np.asarray(_leaky(mechanism, key, jnp.array(offsets), jnp.zeros(draws))))

    return sample


def _tight() -> Row:
    sound = AboveThreshold.tight(EPSILON, 2, UNIT, 3)
    louder = AboveThreshold.tight(1.5 * EPSILON, 2, UNIT, 3)
    silent = eqx.tree_at(lambda m: m.query.law, sound, STILL)
    steady = eqx.tree_at(lambda m: m.limit.law, sound, STILL)
    unscaled = eqx.tree_at(
        lambda m: m.positives, AboveThreshold.tight(EPSILON, 1, UNIT, GIVEN), GIVEN
    )
    rest = (LOW,) * (GIVEN - 2)
    one, other = (0, 0, 0, *rest), (1, -1, -1, *rest)
    return Row(
        "threshold",
        "above threshold",
        EPSILON,
        *_both(_answered, sound, one, other),
        planted={
            "scale x 2/3": _both(_answered, louder, one, other),
            "no noise on the sums": _both(
                _answered, silent, (0, 1, LOW, *rest), (1, 0, LOW, *rest)
            ),
            "no noise on the threshold": _both(_answered, steady, one, other),
            "noise not scaled by c": _both(
                _answered, unscaled, (0,) * (GIVEN + 1), (1, *(-1,) * GIVEN)
            ),
        },
        quick=CLOSE,
    )


def _monotone() -> Row:
    """One who is far away is outside of near bounds, and of far ones not."""
    sound = AboveThreshold.monotone(EPSILON, 2, UNIT, 3)
    silent = eqx.tree_at(lambda m: m.query.law, sound, STILL)
    rest = (LOW,) * (GIVEN - 2)
    one, other = (0, 0, 0, *rest), (1, 0, 0, *rest)
    return Row(
        "threshold",
        "above threshold, one way",
        EPSILON,
        *_both(_answered, sound, one, other),
        planted={
            "sums that move both ways": _both(_answered, sound, one, (1, -1, -1, *rest)),
            "no noise on the sums": _both(
                _answered, silent, (0, 1, LOW, *rest), (1, 1, LOW, *rest)
            ),
        },
        quick=CLOSE,
    )


def _concentrated() -> Row:
    sound = AboveThreshold.concentrated(EPSILON, DELTA, 3, UNIT)
    rate = sound.query.law.parameter
    louder = eqx.tree_at(lambda m: m.query.law, sound, DiscreteLaplaceLaw.of(4 * rate))
    one, other = (1,) * (GIVEN + 1), (0,) * (GIVEN + 1)
    return Row(
        "threshold",
        "above threshold, one noise",
        EPSILON,
        *_both(_answered, sound, one, other),
        curve=lambda epsilon: curve(epsilon, 3, rate),
        planted={"scale / 4": _both(_answered, louder, one, other)},
    )


def _values() -> Row:
    compare = AboveThreshold.tight(EPSILON / 2, 1, UNIT, 2)
    sound = SparseVector.beside(compare, EPSILON / 2)
    louder = SparseVector.beside(compare, 1.5 * EPSILON)
    one, other = (0, 0), (1, -1)
    return Row(
        "threshold",
        "sparse vector",
        EPSILON,
        *_both(_valued, sound, one, other),
        planted={
            "compared value shown": _both(_compared, compare, (-20, 0), (-20, 1)),
            "a third of the values' noise": _both(_valued, louder, one, other),
        },
    )


ROWS = [_tight(), _monotone(), _concentrated(), _values()]
