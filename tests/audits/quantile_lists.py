"""Several quantiles at once: people at an end of few points, where one more doubles them.

Draws are the mechanisms' own, from people's points on; what is the same for all draws is computed
once. An outcome is the list as one whole number.
"""

import numpy as np

from audits.row import Row
from tacit.mechanisms.rows.approximate_quantiles import ApproximateQuantiles
from tacit.mechanisms.rows.joint_quantiles import JointQuantiles
from tacit.mechanisms.rows.public_grid import PublicGrid
from tacit.noise.exact import stream

EPSILON, GRID, HALF = 1.0, PublicGrid(0.0, 1.0, 6), (0.5,)
# One at the end becomes two; one of three goes from an end to the other.
ALONE, JOINED = [0], [0, 0]
LOW, HIGH = [0, 5, 5], [6, 5, 5]
# Of a quarter by halving: one who comes takes the rank from the point that had it; of a half, one
# who goes from end to end does.
FEW, MORE = [4, 6, 6], [0, 4, 6, 6]
ENDS, TURNED = [0, 0, 1, 6], [0, 1, 6, 6]


def _outcomes(draw):
    """So many lists as whole numbers."""

    def sample(key, draws):
        words = stream(key)
        lists = (draw(words) for _ in range(draws))
        place = GRID.cells + 1
        return np.array([sum(y * place**i for i, y in enumerate(each)) for each in lists], float)

    return sample


def _joint(mechanism, people, declared):
    return _outcomes(mechanism.law(np.array(sorted(people), np.int64), declared).sample)


def _pair(make, pair):
    return tuple(make(people) for people in pair)


def _declared():
    mechanism = JointQuantiles.declared(HALF, EPSILON, GRID, 2)
    twice = JointQuantiles(HALF, 2 * EPSILON, GRID, 2 * mechanism.exponent)
    return Row(
        "selection",
        "quantiles together, add/remove",
        EPSILON,
        *_pair(lambda people: _joint(mechanism, people, 2), (ALONE, JOINED)),
        planted={
            "exponent x 2": _pair(lambda people: _joint(twice, people, 2), (ALONE, JOINED)),
        },
        draws=200_000,
        quick=6_000,
    )


def _replaced():
    mechanism = JointQuantiles.replace_one(HALF, EPSILON, GRID)
    fourfold = JointQuantiles(HALF, 4 * EPSILON, GRID, 4 * mechanism.exponent)
    pair = LOW, HIGH
    return Row(
        "selection",
        "quantiles together, replace-one",
        EPSILON,
        *_pair(lambda people: _joint(mechanism, people, 3), pair),
        planted={"exponent x 4": _pair(lambda people: _joint(fourfold, people, 3), pair)},
        draws=200_000,
        quick=6_000,
    )


def _halved(mechanism, people):
    ordered = np.array(people, np.int64)
    return _outcomes(lambda words: mechanism.chosen_parts(words, ordered, GRID.cells + 1))


def _halving():
    shares = (0.25,)
    mechanism = ApproximateQuantiles.add_remove(shares, EPSILON, GRID, 4)
    twice = ApproximateQuantiles.add_remove(shares, 2 * EPSILON, GRID, 4)
    return Row(
        "selection",
        "quantiles by halving, add/remove",
        EPSILON,
        *_pair(lambda people: _halved(mechanism, people), (FEW, MORE)),
        planted={"rate x 2": _pair(lambda people: _halved(twice, people), (FEW, MORE))},
        draws=200_000,
        quick=20_000,
    )


def _halving_replaced():
    mechanism = ApproximateQuantiles.replace_one(HALF, EPSILON, GRID, 4)
    joined = ApproximateQuantiles.add_remove(HALF, EPSILON, GRID, 4)
    pair = ENDS, TURNED
    return Row(
        "selection",
        "quantiles by halving, replace-one",
        EPSILON,
        *_pair(lambda people: _halved(mechanism, people), pair),
        planted={
            "rate of one who joins": _pair(lambda people: _halved(joined, people), pair),
        },
        draws=200_000,
        quick=20_000,
    )


ROWS = [_declared(), _replaced(), _halving(), _halving_replaced()]
