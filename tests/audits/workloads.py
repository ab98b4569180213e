"""Local reports by a table that is made for prefix sums: of a person in the first cell or the last.

The number is the log of how much likelier the first cell makes the report, by the table itself.
"""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np

from audits.row import Row, Sampler
from tacit.device.workload import OnWorkload
from tacit.queries import LinearCounts
from tacit.question.workloads import Prefix
from tacit.trust.local import Local

EPSILON, CELLS = 1.0, 5


@cache
def device(epsilon: float) -> OnWorkload:
    """Of the plan that people answer."""
    found = LinearCounts(Prefix(CELLS), Local(epsilon), people=1).plan.device
    assert isinstance(found, OnWorkload)
    return found


def reports(epsilon: float, cell: int, key, draws: int) -> np.ndarray:
    own = device(epsilon)
    drawn = np.asarray(own.sample(key, jnp.full(draws, cell, jnp.int32)))
    table = np.asarray(own.table).astype(np.float64)
    return np.log(table[:, 0] / table[:, CELLS - 1])[drawn]


def twice(cell: int, key, draws: int) -> np.ndarray:
    """Of two reports."""
    return sum(reports(EPSILON, cell, own, draws) for own in jax.random.split(key)).round(6)


def pair(epsilon: float) -> tuple[Sampler, Sampler]:
    return partial(reports, epsilon, 0), partial(reports, epsilon, CELLS - 1)


def _prefix() -> Row:
    planted = {
        "epsilon x 1.5": pair(1.5 * EPSILON),
        "two reports on one budget": (partial(twice, 0), partial(twice, CELLS - 1)),
    }
    return Row("local", "a table for prefix sums", EPSILON, *pair(EPSILON), planted)


ROWS = [_prefix()]
