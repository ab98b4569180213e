"""The direction of most squares: two along one axis, or one along each, of a replaced person.

The likelihood of a direction is a function of its square along the axis, which is the outcome. All
draws have one envelope, which is what the mechanism computes from the sum of squares.
"""

from functools import partial
from itertools import islice
from typing import Any

import jax
import numpy as np

from audits.row import Row, Sampler
from tacit.mechanisms.rows import bingham
from tacit.mechanisms.rows.angular_envelope import AngularEnvelope
from tacit.mechanisms.rows.bingham import BinghamDirection
from tacit.noise.exact import stream

EPSILON, LEVELS = 1.0, 2**12
DRAWS, QUICK = 60_000, 4_000
ALIKE, APART = np.array([[0.0, 1.0]] * 2), np.eye(2)


def _drawn(times: int, rows: np.ndarray, key: Any, draws: int) -> np.ndarray:
    """Squares along the first axis, at so many times the rate."""
    mechanism = BinghamDirection(2, 1.0, LEVELS, EPSILON, 2)
    envelope = AngularEnvelope.of(mechanism._squares(rows), times * mechanism.rate)
    for_words, for_normals = jax.random.split(key)
    words = stream(for_words)
    proposals = bingham._proposals(for_normals, 2)
    accepted = islice(bingham._accepted(words, envelope, proposals), draws)
    return np.array([bingham._on_grid(words, each)[0] ** 2 for each in accepted])


def _pair(times: int) -> tuple[Sampler, Sampler]:
    return partial(_drawn, times, APART), partial(_drawn, times, ALIKE)


ROWS = [
    Row(
        "selection",
        "direction of most squares",
        EPSILON,
        *_pair(1),
        {"scores that are thought to move by half a square": _pair(4)},
        draws=DRAWS,
        quick=QUICK,
    )
]
