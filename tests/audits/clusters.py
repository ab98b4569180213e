"""k-means in rounds, as a whole: a person who is alone in a cluster comes, or goes.

A cluster that is empty without them is where such methods leak: one that is skipped is answered by
zero, and that nobody is there is seen. Here are a grant's own runs on both data sets. What is seen
are all answers, of which the centres are a function; the number is how much likelier they are with
the person there.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from audits import runs
from audits.row import Row, Sampler
from audits.whole_paths import DELTA, QUICK, RUNS, Path
from tacit.accounting import accountant
from tacit.learning.lloyd import COUNTED, Lloyd, LloydRounds
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.noise.fixed import FixedPoint
from tacit.plan import Plan
from tacit.trust.central import Central

EPSILON = 2.0
# On a line, with the centres that they make far to the left of the one who is alone.
OTHERS = np.linspace(-1.0, -0.95, 40, dtype=np.float32)[:, None]
ALONE = np.append(OTHERS, [[np.float32(1.0)]], axis=0)
# As far off as can be, in both rounds.
OWN = np.array([COUNTED, 1.0]) / np.hypot(COUNTED, 1.0)


@cache
def _rounds() -> LloydRounds:
    """Two clusters, whose centres move once."""
    return LloydRounds(Central(EPSILON, DELTA), len(OTHERS), 2, (1.0,), 1)


class Answers(eqx.Module):
    """The same learner, which remembers what it was told and where centres were."""

    own: Lloyd

    def init(self):
        return self.own.init(), jnp.zeros((2, 4)), jnp.zeros(2)

    def ask(self, state, person):
        return self.own.ask(state[0], person)

    def terms(self, state, people):
        return self.own.terms(state[0], people)

    def tell(self, state, answer):
        before, answers, _ = state
        answers = answers.at[before.rounds].set(answer)
        return self.own.tell(before, answer), answers, before.centres[:, 0]


def clustered(people: np.ndarray = ALONE) -> Path:
    return _rounds().plan, Answers(_rounds().learner()), people


class Skipping(eqx.Module):
    """The plan's own server, but that nothing is released of an empty cluster."""

    server: eqx.Module

    @property
    def grid(self):
        return self.server.grid

    @property
    def facts(self):
        return self.server.facts

    def init(self):
        return self.server.init()

    def step(self, carry, key, total: FixedPoint):
        carry, answer, halted = self.server.step(carry, key, total)
        exact, noisy = (each.reshape(2, 2) for each in (total.value(), answer))
        held = jnp.any(exact != 0, axis=1, keepdims=True)
        return carry, jnp.where(held, noisy, 0.0).ravel(), halted


def _honest(plan: Plan) -> Plan:
    return plan


def _skipping(plan: Plan) -> Plan:
    return replace(plan, server=Skipping(plan.server))


def _quieter(plan: Plan) -> Plan:
    """The same promise, on two-thirds of the noise."""
    each = [own.mechanism for own in plan.server.rounds]
    quiet = [Gaussian(own.sigma * 2 / 3, own.sensitivity, own.step) for own in each]
    at = lambda server: [own.mechanism for own in server.rounds]  # noqa: E731
    return replace(plan, server=eqx.tree_at(at, plan.server, quiet))


def _score(bug: Callable[[Plan], Plan], people: np.ndarray, key, draws: int) -> np.ndarray:
    """The log of the ratio, but for a constant; a large number where all answers are zero."""
    plan, learner, _ = clustered()
    opened = runs.granted(bug(plan), learner, people)
    _, answers, centres = runs.states(opened, runs.roots_of(key, draws))
    tables = np.asarray(answers, np.float64).reshape(-1, 2, 2, 2)
    places = [np.zeros(draws, int), np.asarray(centres).argmax(axis=1)]
    rows = [tables[np.arange(draws), t, place] for t, place in enumerate(places)]
    noise = np.array(_rounds().noise)
    score = sum(row @ OWN / v**2 for row, v in zip(rows, noise, strict=True)) / len(OTHERS)
    return np.where(rows[1].any(axis=1), score, 1e3)


@cache
def _curve(epsilon: float) -> float:
    promise = _rounds().plan.guarantees[0]
    return accountant.delta(promise.event, epsilon, promise.relation).delta + promise.delta_reserved


def _clusters() -> Row:
    def pair(bug: Callable[[Plan], Plan]) -> tuple[Sampler, Sampler]:
        one, other = (partial(_score, bug, people) for people in (ALONE, OTHERS))
        return one, other

    planted = {
        "two-thirds of the noise": pair(_quieter),
        "empty clusters skipped": pair(_skipping),
    }
    return Row(
        "whole path",
        "k-means, alone in a cluster",
        EPSILON,
        *pair(_honest),
        planted,
        DELTA,
        _curve,
        RUNS,
        QUICK,
    )


ROWS = [_clusters()]
