"""The squared error of a plan's answers, measured: what a plan's own `error` must predict."""

import math
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

import quick_keys
import tacit
from tacit.plan import Plan
from tacit.population.loop import Cohort, Keys, Parts, run_round


def everyone(people: int) -> Cohort:
    """All people at once."""
    return Cohort(jnp.arange(people)[None], jnp.ones((1, people), bool), jnp.asarray(1, jnp.int32))


# Of whom, of what, and the answers: most are looked at twice, for their error and for a bias.
_KEPT: list[Any] = [None, None, None]


def answers(plan: Plan, data, trials: int, seed: int) -> np.ndarray:
    """The answer to one round in which everybody takes part, in `trials` independent runs."""
    numbers = np.asarray(data, np.float32)
    asked = numbers.tobytes(), numbers.shape, trials, seed
    if not (_KEPT[0] is plan and _KEPT[1] == asked):
        _KEPT[:] = plan, asked, _drawn(plan, numbers, trials, seed)
    return _KEPT[2]


def _drawn(plan: Plan, data: np.ndarray, trials: int, seed: int) -> np.ndarray:
    keys = jax.random.split(quick_keys.key(seed), (trials, 2))
    public = jax.random.split(quick_keys.key(seed + 1), (trials, 1))
    keys = jnp.concatenate([keys, public], axis=1)
    return np.asarray(_answers(Parts.of(plan), jnp.asarray(data), keys))


@eqx.filter_jit
def _answers(parts: Parts, data, keys):
    learner = tacit.statistics.Average(parts.contribution.answer_shape)

    def run(trio):
        state = learner.init(), parts.server.init()
        state, _, _ = run_round(learner, parts, *state, data, everyone(len(data)), Keys(*trio))
        return state[0]

    return jax.vmap(run)(keys)


def deviation(
    plan: Plan, data, trials: int, seed: int, error: float | None = None, total=None
) -> float:
    """How many standard errors the measured error lies above `error` (the plan's own).

    `total` is the true sum, where that is not the sum of the data.
    """
    total = np.sum(np.asarray(data, np.float64), axis=0) if total is None else total
    squares = np.square(answers(plan, data, trials, seed) - total / plan.question.cohort)
    errors = squares.reshape(trials, -1).sum(axis=1)
    claimed = plan.error if error is None else error
    return float((errors.mean() - claimed) / (errors.std() / math.sqrt(trials)))


def bias(plan: Plan, data, trials: int, seed: int, total) -> float:
    """How many standard errors a coordinate's mean lies from that of the true sum, at most."""
    sample = answers(plan, data, trials, seed).reshape(trials, -1).astype(np.float64)
    apart = np.abs(sample.mean(axis=0) - np.ravel(total) / plan.question.cohort)
    return float(np.max(apart / (sample.std(axis=0) / math.sqrt(trials))))
