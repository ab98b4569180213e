"""Synthetic rows as a whole: of records, or of the same without one, how many rows are like it.

All is the library's from the records to the rows, but for a mixture of fewer components and steps,
which sees nothing but what was released. The slips leave the promise as it is: noise is that of a
larger epsilon, or rows like no record are left out.
"""

from functools import cache, partial
from unittest import mock

import jax
import numpy as np

from audits.marginals import DELTA, curve, drawn
from audits.row import Row, Sampler
from tacit.queries.closure import Tables
from tacit.queries.domain import Domain
from tacit.synthesis import FromPairs, from_pairs
from tacit.synthesis.mixture import ProductMixture, fitted
from tacit.trust.central import Central

EPSILON, RUNS, QUICK, ROWS_MADE = 2.0, 20_000, 2_000, 400
TRUST = Central(EPSILON, DELTA)
DOMAIN = Domain.of({"a": [0, 1], "b": [0, 1, 2]})
# The first alone is of its kind.
RECORDS = np.array([[0, 0], [1, 2], [1, 1], [1, 2], [1, 1], [1, 2]], np.int32)
GONE = RECORDS[1:]
SMALLER = partial(fitted, components=8, steps=25)


@cache
def tables(trust: Central) -> Tables:
    """What is asked."""
    return FromPairs().asked(DOMAIN, trust, len(RECORDS)).tables


def mixtures(trust: Central, records: np.ndarray, key, draws: int) -> list[ProductMixture]:
    """Of so many releases."""
    own = tables(trust)
    deviation = FromPairs().asked(DOMAIN, trust, len(RECORDS)).marginals.deviation
    released = drawn(own.shape, trust, records, key, draws)
    with mock.patch.object(from_pairs, "fitted", SMALLER):
        known = [from_pairs.denoised(own.split(each), deviation, own) for each in released]
        return [from_pairs.mixture_for(own.sizes, *each) for each in known]


def alike(trust: Central, records: np.ndarray, key, draws: int) -> np.ndarray:
    """How many rows are like the first record, of each release."""
    rng = np.random.default_rng(np.asarray(jax.random.key_data(key)))
    made = mixtures(trust, records, key, draws)
    return np.array([(each.rows(ROWS_MADE, rng) == RECORDS[0]).all(1).sum() for each in made])


def checked(records: np.ndarray, key, draws: int) -> np.ndarray:
    """The same, where rows of a kind that no record is of are taken out."""
    found = alike(TRUST, records, key, draws)
    return found * (records == RECORDS[0]).all(1).any()


def pair(trust: Central) -> tuple[Sampler, Sampler]:
    return partial(alike, trust, RECORDS), partial(alike, trust, GONE)


def _rows() -> Row:
    own = tables(TRUST).shape
    planted = {
        "epsilon x 3": pair(Central(3 * EPSILON, DELTA)),
        "rows that are no record's are left out": (
            partial(checked, RECORDS),
            partial(checked, GONE),
        ),
    }
    claimed = partial(curve, own, TRUST)
    return Row(
        "central",
        "synthetic rows",
        EPSILON,
        *pair(TRUST),
        planted,
        DELTA,
        claimed,
        RUNS,
        QUICK,
    )


ROWS = [_rows()]
