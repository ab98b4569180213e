"""A sum that is made under masks, as its server meets it: with all that colluding people tell.

Of six people four tell the server their terms and their shares of the noise, and one of the other
two is replaced. The number is the sum without what was told: the honest people's terms, and the
shares of these alone.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import cast, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from audits import runs
from audits.row import Row, Sampler
from audits.whole_paths import DELTA, QUICK, RUNS, Path
from tacit.accounting import accountant
from tacit.contribution import Interval
from tacit.device.noise_sharing import NoiseSharing
from tacit.mechanisms.additive.noise_share import NoiseShare
from tacit.noise.fixed import FixedPoint
from tacit.plan import Plan
from tacit.population.loop import SHARES
from tacit.question.participation import Everyone
from tacit.question.sums import Mean
from tacit.statistics.average import Average
from tacit.trust.aggregated import Aggregated

EPSILON, PEOPLE, TOLD = 2.0, 6, 4
OTHERS = np.array([0.3, -0.2, 0.1, 1.0, -1.0], np.float32)


@cache
def _plan() -> Plan:
    trust = Aggregated(EPSILON, DELTA, colluding=TOLD / PEOPLE)
    return trust.plan(Mean(Interval(-1.0, 1.0), Everyone(), 1, PEOPLE))


def _with_share(share: NoiseShare) -> Plan:
    """The same promises, on another share of everybody's."""
    return replace(_plan(), device=eqx.tree_at(lambda own: own.shares, _plan().device, share))


def _share() -> NoiseShare:
    return cast(NoiseShare, cast(NoiseSharing, _plan().device).shares)


def _quiet() -> Plan:
    own = _share()
    return _with_share(NoiseShare(own.sigma * 2 / 3, own.step, own.shares))


def _of_all() -> Plan:
    """Shares that would do if nobody told."""
    own = _share()
    return _with_share(NoiseShare(own.sigma, own.step, PEOPLE))


def _of_one() -> Plan:
    """Noise for a person who comes or goes, where one is replaced."""
    own = _share()
    return _with_share(NoiseShare(own.sigma / 2, own.step, own.shares))


@final
class Told(eqx.Module):
    """The shares of those who tell, drawn once more from the same key."""

    shares: NoiseShare

    def __call__(self, state, data, cohort, keys):
        key = jax.random.fold_in(jax.random.fold_in(keys.device, 0), SHARES)
        people = cohort.rows[0]
        drawn = self.shares.sample(
            key, FixedPoint.zero(people.shape, jnp.asarray(self.shares.step))
        )
        return jnp.sum(jnp.where(people >= PEOPLE - TOLD, drawn.value(), 0.0))


def aggregated(first: float = 1.0) -> Path:
    return _plan(), Average(), np.append(np.float32(first), OTHERS)


def _without_told(plan: Callable[[], Plan], first: float, key, draws: int) -> np.ndarray:
    """What is left of the sum."""
    _, learner, data = aggregated(first)
    opened = runs.granted(plan(), learner, data)
    told = Told(cast(NoiseSharing, opened.staged.plan.device).shares)
    ends, shares = runs.played(opened, runs.roots_of(key, draws), told)
    sums = PEOPLE * np.asarray(ends.answer, np.float64).reshape(draws)
    return sums - np.asarray(shares, np.float64).reshape(draws) - float(OTHERS.sum())


def _pair(plan: Callable[[], Plan]) -> tuple[Sampler, Sampler]:
    return partial(_without_told, plan, 1.0), partial(_without_told, plan, -1.0)


@cache
def _curve(epsilon: float) -> float:
    promise = _plan().guarantees[1]
    found = accountant.delta(promise.event, epsilon, promise.relation).delta
    return found + promise.delta_reserved


ROWS = [
    Row(
        "whole path",
        "aggregated, the server",
        EPSILON,
        *_pair(_plan),
        {
            "two-thirds of the noise": _pair(_quiet),
            "those who tell are counted on": _pair(_of_all),
            "noise for one who comes or goes": _pair(_of_one),
        },
        DELTA,
        _curve,
        RUNS,
        QUICK,
    )
]
