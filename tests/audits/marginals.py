"""Marginal tables, from records to the noisy contrasts, and what is put together of them.

Neighbours are some records and the same without one; the number is how far the contrasts went the
record's way, in the norm of the noise, or what a planted slip shows best. Slips leave the promise
as it is:

* noise is put on whole tables of counts in whole numbers, these are centred, and a record is
  charged for its length in centred tables. With real normal noise that would be the same;
* how loudly each table is heard is read off the records;
* each table is asked of every other record, by places, and charged as if those of one table were
  never in the other: a record that comes first moves all that are behind it to the other table.
"""

from collections.abc import Callable
from functools import cache, partial

import jax
import numpy as np

from audits.row import Row, Sampler
from tacit.accounting import accountant
from tacit.accounting.relation import Relation
from tacit.contribution import Contrasts
from tacit.noise.fixed import LIMB, FixedPoint
from tacit.plan import Plan
from tacit.population.totals import Totals
from tacit.question.participation import Everyone
from tacit.question.sums import Mean
from tacit.trust.central import Central

EPSILON, DELTA = 1.0, 0.05
TRUST, LOUD = Central(EPSILON, DELTA), Central(4.0, DELTA)
SIZES = (2, 3)
SETS = ((), (0,), (1,), (0, 1))
ONES = (1,) * len(SETS)
# The first record moves all contrasts by as much as any can.
RECORDS = np.array([[0, 0], [1, 2], [0, 1], [1, 2], [0, 1]], np.int32)
GONE = RECORDS[1:]


def shape(weights: tuple[int, ...] = ONES) -> Contrasts:
    return Contrasts(SIZES, SETS, weights)


@cache
def plan_of(own: Contrasts, trust: Central = TRUST) -> Plan:
    """Of the release of these contrasts."""
    return trust.plan(Mean(own, Everyone(), 1, len(RECORDS)))


@cache
def _drawing(own: Contrasts, trust: Central) -> Callable[..., FixedPoint]:
    """The server's noise on some sums, for each key."""
    server = plan_of(own, trust).server
    return jax.jit(jax.vmap(server.noisy, in_axes=(0, None)))


def drawn(own: Contrasts, trust: Central, records: np.ndarray, key, draws: int) -> np.ndarray:
    """Noisy sums, a row for each draw."""
    totals = Totals.of(plan_of(own, trust), [own.sums(records)], b"").sums
    found = _drawing(own, trust)(jax.random.split(key, draws), totals)
    whole = np.asarray(found.high, np.float64) * LIMB + np.asarray(found.low)
    return whole * float(totals.step)


def way(own: Contrasts) -> np.ndarray:
    """What the record that goes moves these sums by."""
    return (own.sums(RECORDS) - own.sums(GONE)).astype(np.float64)


def along(own: Contrasts) -> Callable[[np.ndarray], np.ndarray]:
    """How far the sums went the record's way."""
    base, shift = own.sums(GONE), way(own)
    return lambda answers: (answers - base) @ shift / (shift @ shift)


def pair(own: Contrasts, trust: Central) -> tuple[Sampler, Sampler]:
    """With the record, and without."""
    statistic = along(own)

    def sample(records: np.ndarray, key, draws: int) -> np.ndarray:
        return statistic(drawn(own, trust, records, key, draws))

    return partial(sample, RECORDS), partial(sample, GONE)


@cache
def curve(own: Contrasts, trust: Central, epsilon: float) -> float:
    """The accountant's delta, and what is stated for the sampler."""
    promise = plan_of(own, trust).guarantees[0]
    found = accountant.delta(promise.event, epsilon, promise.relation).delta
    return found + promise.delta_reserved


# Weights read off the records.


def weights_of(records: np.ndarray) -> tuple[int, ...]:
    """The second column is heard the more loudly the more are in its first cell."""
    return 1, 1, 1 + 999 * int((records[:, 1] == 0).sum()), 1


def _weighed(records: np.ndarray, key, draws: int) -> np.ndarray:
    """How far the second column's contrasts are off, brought to weight one again."""
    own = shape(weights_of(records))
    released = drawn(own, TRUST, records, key, draws) / own.weights[2]
    return np.abs(released[:, 2] - shape().sums(GONE)[2])


# Tables of every other record, by places.


def _halves(first: np.ndarray, records: np.ndarray) -> np.ndarray:
    """Contrasts of the first column of records at even places, of the second of those at odd."""
    even, odd = (first.sums(records[start::2]) for start in (0, 1))
    return np.concatenate([even[:1], odd[1:]])


def by_places() -> tuple[Sampler, Sampler]:
    own = Contrasts(SIZES, ((0,), (1,)), (1, 1))
    one = Contrasts(SIZES, ((1,),), (1,))
    noise = plan_of(one).server.facts.noise
    base, shift = (_halves(own, GONE), _halves(own, RECORDS) - _halves(own, GONE))

    def sample(records: np.ndarray, key, draws: int) -> np.ndarray:
        host = np.random.default_rng(np.asarray(jax.random.key_data(key)))
        answers = _halves(own, records) + noise * host.normal(size=(draws, len(base)))
        return (answers - base) @ shift / (shift @ shift)

    return partial(sample, RECORDS), partial(sample, GONE)


# Counts in whole numbers, centred afterwards.


def centred(multiplier: float) -> tuple[Sampler, Sampler]:
    """Of one column of two: noise in whole numbers on both counts, and their difference. A record
    has the length sqrt(1/2) in centred counts, and that is what the noise is scaled to."""
    deviation = multiplier * 0.5**0.5
    places = np.arange(-40, 41)
    chances = np.exp(-(places**2) / (2 * deviation**2))

    def sample(shift: int, key, draws: int) -> np.ndarray:
        host = np.random.default_rng(np.asarray(jax.random.key_data(key)))
        first, second = host.choice(places, (2, draws), p=chances / chances.sum())
        return shift + first - second

    return partial(sample, 1), partial(sample, 0)


def claims(name: str, own: Contrasts, trust: Central, pair, planted) -> Row:
    """That a plan keeps its promise."""
    epsilon = plan_of(own, trust).guarantees[0].epsilon
    return Row("central", name, epsilon, *pair, planted, DELTA, partial(curve, own, trust))


def _release() -> Row:
    own = shape()
    planted = {
        "epsilon x 1.5": pair(own, Central(1.5 * EPSILON, DELTA)),
        "weights from the records": (partial(_weighed, RECORDS), partial(_weighed, GONE)),
        "tables of every other record, by places": by_places(),
    }
    return claims("marginal tables", own, TRUST, pair(own, TRUST), planted)


def _one_column() -> Row:
    """At so loud a promise noise in whole numbers is far from normal."""
    own = Contrasts((2,), ((0,),), (1,))
    record = np.zeros((1, 1), np.int32)

    def sample(records: np.ndarray, key, draws: int) -> np.ndarray:
        return drawn(own, LOUD, records, key, draws)[:, 0]

    multiplier = plan_of(own, LOUD).server.facts.noise / own.sensitivity(Relation.ADD_REMOVE)
    planted = {"whole counts, centred after the noise": centred(multiplier)}
    both = partial(sample, record), partial(sample, record[:0])
    return claims("marginal tables, one column", own, LOUD, both, planted)


ROWS = [_release(), _one_column()]
