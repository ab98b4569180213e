"""Claim: a short round that nobody watches costs its own arithmetic, and not a call.

Online learning: one person a round, 500 numbers each, as many rounds as people. A run of the
grant, its compilation apart, in processor time a round: watched, which is one call a round, and
unwatched, in blocks. The two take turns. Beside them what one report and one sum's noise cost in
a compiled loop of nothing else: the floor of any arrangement of calls.

One report of 500 numbers is a PrivUnit2, and the noise of a sum is a discrete Gaussian; both are
drawn by ChaCha20, whose every draw in a loop takes some ten microseconds however short it is. That
is why 20 microseconds a round are reached without devices' noise and not with it.

Run: python bench/rounds.py
"""

import platform
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import random

import tacit
from claims import Claim, at_least, at_most, settle
from tacit.learning.classifiers import OnScores
from tacit.learning.clipping import Flat
from tacit.models.layers import Dense
from tacit.noise import keys
from tacit.plan import Sum
from tacit.solve.losses import Logistic

ROUNDS, DIM, TURNS = 4096, 499, 3
REPLACE = tacit.Central(2.0, 1e-6, tacit.Relation.REPLACE_ONE)
TRUSTS = {
    "nobody": (tacit.NonPrivate(), 30.0),
    "local": (tacit.Local(16.0), 300.0),
    "federated": (tacit.Federated(16.0, REPLACE), 600.0),
}
LEAST_GAIN = {"nobody": 15.0, "local": 6.0, "federated": 3.0}


def people() -> tacit.Arrays:
    """Rows and labels of two classes."""
    numbers = np.random.default_rng(0)
    rows = numbers.standard_normal((ROUNDS, DIM)).astype(np.float32) / DIM**0.5
    return tacit.Arrays((rows, np.where(rows[:, 0] > 0, 1.0, -1.0).astype(np.float32)), "people")


def seconds(plan: tacit.Plan, learner: Any, ledger: tacit.Ledger, watched: bool) -> float:
    """Processor seconds of one run, of a program that was compiled before."""
    ledger.limit_for("people", plan)
    grant = people().grant(plan, learner, ledger, seed=0)
    grant.staged.rounds.ready(grant.staged.data, bytes(32))
    start = time.process_time()
    jax.block_until_ready(grant.run(watch=(lambda t, state: None) if watched else None).state)
    return time.process_time() - start


def looped(plan: tacit.Plan) -> float:
    """Processor seconds a round of the plan's own draws in a compiled loop."""
    within = cast(Sum, plan.collect).within
    terms = jnp.zeros((1, *plan.sums.contribution.shape)).at[0, 0].set(0.5)

    @jax.jit
    def loop(key):
        def one(t, so_far):
            own = random.fold_in(key, t)
            report = plan.device.sample(own, terms + 0 * so_far)
            empty = within.empty(jnp.asarray(plan.server.grid, jnp.float32))
            total = within.add(empty, report, jnp.ones(1, bool))
            return so_far + plan.server.step(plan.server.init(), own, total)[1]

        return jax.lax.fori_loop(0, ROUNDS, one, jnp.zeros(terms.shape[1:]))

    jax.block_until_ready(loop(keys.jax_key(bytes(32))))
    start = time.process_time()
    jax.block_until_ready(loop(keys.jax_key(bytes(32))))
    return (time.process_time() - start) / ROUNDS


def main() -> Iterator[Claim]:
    """Prints microseconds a round, and claims the unwatched ones and what blocks gain."""
    print(f"jax {jax.__version__}, {platform.machine()}; {ROUNDS} rounds of one person")
    descent = tacit.Descent(
        Dense.at_zero(DIM, 1), OnScores(Logistic()), Flat(1.0), optax.sgd(0.1), ROUNDS // 2
    )
    for name, (trust, most) in TRUSTS.items():
        plan = trust.plan(tacit.Mean(tacit.Ball(DIM + 1, 1.0), tacit.Once(), ROUNDS, ROUNDS))
        with tempfile.TemporaryDirectory() as folder:
            books = (tacit.Ledger(Path(folder) / f"{turn}.db") for turn in range(2 * TURNS))
            each = [
                [
                    1e6 * seconds(plan, descent, next(books), watched) / ROUNDS
                    for watched in (True, False)
                ]
                for _ in range(TURNS)
            ]
        watched, blocks = zip(*each, strict=True)
        print(f"{name}: {1e6 * looped(plan):.1f} us of draws and sums in a loop of nothing else")
        yield at_most(f"{name}: processor us a round in blocks", blocks, most)
        gains = [one / other for one, other in each]
        print(f"{name}: {min(watched):.0f} to {max(watched):.0f} us watched")
        yield at_least(f"{name}: watched over blocks", gains, LEAST_GAIN[name])


if __name__ == "__main__":
    settle(main())
