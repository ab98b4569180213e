"""Many independent runs of a plan at once, for audits of whole paths."""

import equinox as eqx
import jax
import jax.numpy as jnp

import quick_keys
from tacit.plan import Plan
from tacit.population.loop import Cohort, Keys, Parts, run_round


class Echo(eqx.Module):
    """A learner that asks for the person's own value and remembers the sum of all answers."""

    def init(self):
        return jnp.zeros(())

    def ask(self, state, person):
        return person

    def tell(self, state, answer):
        return state + jnp.sum(answer)


class Unclipped(eqx.Module):
    """A shape whose projection was forgotten."""

    of: eqx.Module

    @property
    def shape(self):
        return self.of.shape

    @property
    def answer_shape(self):
        return self.of.answer_shape

    def project(self, terms):
        return terms

    def empty(self, grid):
        return self.of.empty(grid)

    def add(self, total, terms, present):
        return self.of.add(total, terms, present)


def final_sums(plan: Plan, data, trials: int, seed: int, parts: Parts | None = None):
    """What `Echo` ends with in `trials` runs in which everybody takes part in every round."""
    keys = jax.random.split(quick_keys.key(seed), (trials, plan.sums.rounds, 2))
    return _final_sums(Parts.of(plan) if parts is None else parts, data, keys)


@eqx.filter_jit
def _final_sums(parts: Parts, data, keys):
    """One program for all plans whose parts are of one form: their numbers are traced."""
    people = data.shape[0]
    cohort = Cohort(
        jnp.arange(people)[None], jnp.ones((1, people), bool), jnp.asarray(1, jnp.int32)
    )

    def run(rounds):
        state, carry = Echo().init(), parts.server.init()
        for device, server in rounds:
            pair = Keys(device, server, device)
            state, carry, _ = run_round(Echo(), parts, state, carry, data, cohort, pair)
        return state

    return jax.vmap(run)(keys)
