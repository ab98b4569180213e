"""Whole learners: gradient descent over several rounds, with one canary among its people.

The canary's gradient is as long as the bound and always points the same way, everybody else's is
zero; that is the worst a person can do to a clipped mean. What is audited is everything between
people and the public over all rounds: who is drawn, the clipped sum from one backward pass, exact
sums, noise, the optimiser. The outcome is how far the parameters went the canary's way, all rounds
together, or in one of them.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax

import quick_keys
from audits.row import Row, Sampler
from tacit.accounting import accountant
from tacit.accounting.relation import Relation
from tacit.learning.clipping import Flat
from tacit.learning.descent import Descent
from tacit.models.layers import Dense
from tacit.plan import Plan
from tacit.population.loop import Cohort, Keys, Parts, run_round
from tacit.question.participation import Cyclic, Participation, Poisson
from tacit.question.running import Running
from tacit.server.correlated import PARTS
from tacit.trust.central import Central

EPSILON, DELTA, BOUND, ROUNDS, PEOPLE = 1.0, 0.1, 0.5, 4, 8
AT_ONCE, QUICK = 1_000, 30_000
CANARY = 3.0 * BOUND
# Row 0 is the canary; of zeros and of its opposite there is one each.
WITH = np.array([CANARY] + [0.0] * (PEOPLE - 1), np.float32)
AGAINST = np.array([-CANARY] + [0.0] * (PEOPLE - 1), np.float32)
WITHOUT = np.zeros(PEOPLE, np.float32)


def _towards(model, person):
    """A linear loss: its gradient is the person's number in both parameters."""
    return -person * model(jnp.ones(1))[0]


@cache
def _learner(bound: float = BOUND) -> Descent:
    """Steps of length one along the sum of the answers."""
    model = Dense(1, 1, quick_keys.key(0))
    return Descent(model, _towards, Flat(bound), optax.sgd(float(PEOPLE)))


@eqx.filter_jit
def _runs(learner, parts, people, present, keys):
    """The parameters' path of each run, along the canary's direction."""
    rows, used = jnp.arange(PEOPLE)[None], jnp.asarray(1, jnp.int32)

    def run(own):
        state, carry, path = learner.init(), parts.server.init(), []
        for t in range(ROUNDS):
            each = jax.random.fold_in(own[0], t)
            pair = Keys(*jax.random.split(each), each)
            cohort = Cohort(rows, own[1][t][None], used)
            before = state.parameters
            state, carry, _ = run_round(learner, parts, state, carry, people, cohort, pair)
            path.append(jnp.sum(state.parameters - before) / jnp.sqrt(2.0))
        return jnp.stack(path)

    return jax.lax.map(run, (keys, present), batch_size=AT_ONCE)


@cache
def _drawn(who: Participation, draws: int) -> np.ndarray:
    """Whether each person takes part, by run and round: drawn by the library, once for all."""
    generator = np.random.default_rng(0)
    present = np.zeros((draws * ROUNDS, PEOPLE), bool)
    for t, rows in enumerate(who.cohorts(lambda index: generator, PEOPLE, draws * ROUNDS, 0)):
        present[t, rows] = True
    return present.reshape(draws, ROUNDS, PEOPLE)


def _sampler(
    plan: Callable[[], Plan],
    who: Participation,
    people: np.ndarray,
    statistic: Callable[[np.ndarray], np.ndarray],
    bound: float = BOUND,
) -> Sampler:
    def sample(key, draws):
        present = jnp.asarray(_drawn(who, draws))
        keys = jax.random.split(key, draws)
        arguments = _learner(bound), Parts.of(plan()), jnp.asarray(people), present, keys
        return statistic(np.asarray(_runs(*arguments), np.float64))

    return sample


def _likely(plan: Callable[[], Plan], path: np.ndarray) -> np.ndarray:
    """How much likelier each path is with the canary among the sampled."""
    made, rate = plan(), 1 / ROUNDS
    sums = path * made.sums.cohort / PEOPLE
    ratios = np.exp((sums * BOUND - BOUND**2 / 2) / made.server.facts.noise**2)
    return np.log(1 - rate + rate * ratios).sum(axis=1)


def _first(path: np.ndarray) -> np.ndarray:
    return path[:, 0]


def _curve(plan: Callable[[], Plan], epsilon: float) -> float:
    """The accountant's delta, and what is stated for the samplers."""
    (promise,) = plan().guarantees
    return accountant.delta(promise.event, epsilon, promise.relation).delta + promise.delta_reserved


# DP-SGD: the canary is there or not.


@cache
def _sampled(rate: float, epsilon: float = EPSILON) -> Plan:
    return Central(epsilon, DELTA).plan(_learner().question(Poisson(rate), ROUNDS, PEOPLE))


def _unclipped(rate: float) -> Plan:
    """Noise for the bound, and gradients that are clipped to three times as much."""
    wide = Central(EPSILON, DELTA).plan(_learner(CANARY).question(Poisson(rate), ROUNDS, PEOPLE))
    return replace(_sampled(rate), question=wide.question, collect=wide.collect)


@final
class InOrder(eqx.Module):
    """Batches of a quarter in the order of the data: what is often called sampling."""

    def cohorts(self, streams, people, rounds, start):
        del streams, start
        quarters = np.array_split(np.arange(people), ROUNDS)
        return (quarters[t % ROUNDS] for t in range(rounds))


def _descent() -> Row:
    rate = 1 / ROUNDS
    sound, who = partial(_sampled, rate), Poisson(rate)

    def pair(plan, who=who, statistic=None, bound=BOUND) -> tuple[Sampler, Sampler]:
        statistic = statistic or partial(_likely, plan)
        one, other = (_sampler(plan, who, d, statistic, bound) for d in (WITH, WITHOUT))
        return one, other

    planted = {
        "no clip": pair(partial(_unclipped, rate), bound=CANARY),
        "noise for twice epsilon": pair(partial(_sampled, rate, 2 * EPSILON)),
        "batches twice as large": pair(sound, Poisson(2 * rate)),
        "Poisson claimed, fixed batches used": pair(sound, InOrder(), _first),
    }
    return Row(
        "learning",
        "DP-SGD, four rounds",
        EPSILON,
        *pair(sound),
        planted,
        DELTA,
        cache(partial(_curve, sound)),
        quick=QUICK,
    )


# Correlated noise: the canary is replaced by its opposite.


@cache
def _correlated(passes: int, bands: int, epsilon: float = EPSILON) -> Plan:
    question = _learner().question(Cyclic(passes), ROUNDS, PEOPLE)
    return Central(epsilon, DELTA, Relation.REPLACE_ONE).plan(Running(question, bands))


def _mixed(plan: Callable[[], Plan], apart: int, path: np.ndarray) -> np.ndarray:
    """The noisy mixtures of the sums, along what somebody in the first of every `apart` moves."""
    bands = np.array(plan().server.bands) / PARTS
    column = np.zeros(ROUNDS)
    column[::apart] = 1
    way = np.convolve(column, bands)[:ROUNDS]
    mixing = np.stack([np.convolve(one, bands)[:ROUNDS] for one in np.eye(ROUNDS)])
    return path @ mixing @ way


@final
class FirstOfAll(eqx.Module):
    """Everybody in the first of every `apart` rounds."""

    apart: int

    def cohorts(self, streams, people, rounds, start):
        del streams, start
        return (np.arange(people * (t % self.apart == 0)) for t in range(rounds))


def _running() -> Row:
    sound = partial(_correlated, 2, 2)

    def pair(plan, apart=2) -> tuple[Sampler, Sampler]:
        statistic = partial(_mixed, plan, apart)
        one, other = (
            _sampler(plan, FirstOfAll(apart), people, statistic) for people in (WITH, AGAINST)
        )
        return one, other

    planted = {
        "people return too soon": pair(partial(_correlated, 1, 4), 2),
        "in every round": pair(sound, 1),
        "noise for twice epsilon": pair(partial(_correlated, 2, 2, 2 * EPSILON)),
    }
    return Row(
        "learning",
        "correlated noise, two passes",
        EPSILON,
        *pair(sound),
        planted,
        DELTA,
        cache(partial(_curve, sound)),
        quick=QUICK,
    )


ROWS = [_descent(), _running()]
