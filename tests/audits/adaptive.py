"""A clipping bound that follows a quantile: what all its rounds show of one person, on its own.

The canary's update is longer than any bound, the other way round it is zero, so their bit says
"cut" or "within" in every round; everybody else's updates are zero. What is looked at is the bound
after all rounds, and nothing of the model: the bound moves by the sum of the noisy bits, which is
all that the rounds' bits say of the canary. It must show no more than the bits' share, which is a
part of what is charged.
"""

import math
from collections.abc import Callable
from functools import cache, partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax

from audits.row import Row, Sampler
from measured import everyone
from tacit.accounting import accountant, events
from tacit.accounting.relation import Relation
from tacit.federated.adaptive import AdaptiveTraining
from tacit.federated.training import Training
from tacit.federated.updates import GradientSteps
from tacit.learning.quantile_bound import QuantileBound
from tacit.plan import Plan
from tacit.population.loop import Keys, Parts, run_round
from tacit.question.participation import Everyone
from tacit.trust.central import Central

EPSILON, DELTA, SHARE, ROUNDS, PEOPLE = 4.0, 1e-3, 0.25, 2, 3
AT_ONCE = 1_000
CUT = np.array([1e6] + [0.0] * (PEOPLE - 1), np.float32)
WITHIN = np.zeros(PEOPLE, np.float32)


def _towards(model, person):
    return jnp.sum(model * person)


@cache
def _learner(share: float = SHARE) -> AdaptiveTraining:
    training = Training(jnp.zeros(1), _towards, GradientSteps(1, 1.0), optax.sgd(0.0))
    return AdaptiveTraining(training, QuantileBound(start=1.0, share=share))


@cache
def _plan(share: float = SHARE) -> Plan:
    trust = Central(EPSILON, DELTA, Relation.REPLACE_ONE)
    return trust.plan(_learner(share).question(Everyone(), ROUNDS, PEOPLE))


@eqx.filter_jit
def _bounds(learner, parts, people, keys):
    """The logarithm of the last bound of each run."""

    def run(key):
        state, carry = learner.init(), parts.server.init()
        for t in range(ROUNDS):
            each = jax.random.fold_in(key, t)
            own = Keys(*jax.random.split(each), each)
            state, carry, _ = run_round(learner, parts, state, carry, people, everyone(PEOPLE), own)
        return jnp.log(state.bound)

    return jax.lax.map(run, keys, batch_size=AT_ONCE)


def _pair(plan: Callable[[], Plan]) -> tuple[Sampler, Sampler]:
    def sample(people, key, draws):
        keys = jax.random.split(key, draws)
        return np.asarray(_bounds(_learner(), Parts.of(plan()), people, keys), np.float64)

    return partial(sample, jnp.asarray(CUT)), partial(sample, jnp.asarray(WITHIN))


def _multiplier() -> float:
    """Of the bits alone, as the share of what is charged says."""
    (promise,) = _plan().guarantees
    return promise.event.event.noise_multiplier / math.sqrt(SHARE)


def _curve(epsilon: float) -> float:
    event = events.repeated(events.gaussian(_multiplier()), ROUNDS)
    return accountant.delta(event, epsilon, Relation.REPLACE_ONE).delta


def _claim() -> float:
    event = events.repeated(events.gaussian(_multiplier()), ROUNDS)
    return accountant.epsilon(event, DELTA, Relation.REPLACE_ONE).epsilon


ROWS = [
    Row(
        "learning",
        "adaptive clipping, bounds alone",
        _claim(),
        *_pair(_plan),
        {"bits with most of the budget": _pair(partial(_plan, 0.9))},
        DELTA,
        cache(_curve),
        quick=20_000,
    )
]
