"""A model, a loss and people of one's own: a sleep diary, from records to an honest error.

Each person wrote a diary for one to six nights: hours of sleep, cups of coffee, and how slowly they
reacted the next day. A small network is to foretell the last from the first two.

1. *Who is a person?* A record is not. `Arrays.from_owners` groups records by who wrote them, and
   `holding=Several()` clips a person's nights as one, so the promise is for the whole diary.
2. *Who judges?* People whom the model never met. Their error is on public, held-out data here; on
   private data saying it would be one more release, with a charge of its own.
3. *What if it dies?* A grant with a name and a checkpoint goes on where it stood, with the noise it
   would have had, and is charged once.
4. *Must somebody hold the diaries?* No: the federated model asks the same people on their devices.
   Each learns from its own nights and randomises what it sends; more noise is the price.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax

import tacit
from tacit.learning import Descent, Flat, Several
from tacit.models import Dense

PEOPLE = 800
JUDGES = 200
ROUNDS = 40


class Diary(NamedTuple):
    """A row for each night: its writer, what is known of it, and the reaction to be foretold."""

    owner: np.ndarray
    known: np.ndarray
    reaction: np.ndarray


class Row(NamedTuple):
    """How wrong a model is about people it never met, root mean squared."""

    model: str
    rmse: float


class Network(eqx.Module):
    """Sleep and coffee to reaction, with one hidden layer."""

    hidden: Dense
    output: Dense

    def __init__(self, key):
        first, second = jax.random.split(key)
        self.hidden, self.output = Dense(2, 8, first), Dense(8, 1, second)

    def __call__(self, known):
        return self.output(jnp.tanh(self.hidden(known)))[0]


def loss(model, night):
    """Squared near zero and straight beyond, so that no night pulls without bound."""
    known, reaction = night
    return optax.huber_loss(model(known), reaction)


def diary(people: int, seed: int) -> Diary:
    """Made data: tired people react slowly, and coffee helps those who slept little."""
    draw = np.random.default_rng(seed)
    owner = np.repeat(np.arange(people), draw.integers(1, 7, people))
    sleep, coffee = draw.uniform(-1, 1, (2, owner.size))
    reaction = np.tanh(-2 * sleep) - 0.5 * np.maximum(-sleep, 0) * coffee
    reaction += draw.normal(0, 0.1, owner.size)
    known = np.stack([sleep, coffee], 1)
    return Diary(owner, known.astype(np.float32), reaction.astype(np.float32))


def rmse(model: Callable, judged: Diary) -> float:
    """Root mean squared, over the nights of people who took no part."""
    found = jax.vmap(model)(jnp.asarray(judged.known))
    return float(np.sqrt(np.mean((np.asarray(found) - judged.reaction) ** 2)))


class PowerCut(Exception):
    """Something ends the process half-way."""


def cut_off(rounds, state):
    del state
    if rounds == ROUNDS // 2:
        raise PowerCut


def trained(people: tacit.Arrays, learner, plan: tacit.Plan, folder: Path, name: str):
    """Starts, dies half-way, is asked for again by its name, and finishes; charged once."""
    ledger = tacit.Ledger(folder / f"{name}.db")
    ledger.limit_for("sleepers", plan)
    asked = {"grant_id": name, "checkpoint": tacit.population.Checkpoint(folder / f"{name}.npz")}
    try:
        people.grant(plan, learner, ledger, note="reaction", **asked).run(watch=cut_off)
    except PowerCut:
        print(f"cut off half-way, spent {ledger.spent('sleepers')[0].epsilon:.4g}")
    release = people.grant(plan, learner, ledger, **asked).run()
    print(f"finished, spent {ledger.spent('sleepers')[0].epsilon:.4g}")
    return learner.released(release.state)


def central(people: tacit.Arrays, folder: Path) -> Callable:
    """A curator holds the diaries: gradients are clipped by person, and noise is added once."""
    rule = {"average_from": ROUNDS // 2, "holding": Several()}
    learner = Descent(untrained(), loss, Flat(0.5), optax.adam(0.05), **rule)
    plan = tacit.Central(2.0, 1e-5).plan(learner.question(tacit.Poisson(0.5), ROUNDS, PEOPLE))
    print(plan)
    return trained(people, learner, plan, folder, "central")


def federated(people: tacit.Arrays, folder: Path) -> Callable:
    """A device holds each diary, learns from it, and randomises what it sends.

    The server's epsilon is the sum over all rounds. It hides a diary from being read back, and not
    who took part.
    """
    update, average_from = tacit.federated.GradientSteps(steps=5, rate=0.1), ROUNDS // 2
    learner = tacit.federated.Training(untrained(), own_loss, update, optax.sgd(1.0), average_from)
    public = tacit.Central(4.0, 1e-5)
    trust = tacit.Federated(tacit.Split(direction=30.0, magnitude=6.0), public)
    plan = trust.plan(learner.question(tacit.Everyone(), ROUNDS, PEOPLE, bound=1.0))
    print(plan)
    return trained(people, learner, plan, folder, "federated")


def own_loss(model, person):
    """Of one device's nights, as far as there are any."""
    nights, present = person
    each = jax.vmap(lambda night: loss(model, night))(nights)
    return jnp.sum(jnp.where(present, each, 0.0)) / jnp.maximum(jnp.sum(present), 1)


def untrained() -> Network:
    return Network(jax.random.key(0))


def main() -> list[Row]:
    """Trains under both trust models, and prints what each model is worth."""
    written, judged = diary(PEOPLE, seed=1), diary(JUDGES, seed=2)
    people = tacit.Arrays.from_owners(written[1:], written.owner, at_most=6, name="sleepers")
    with tempfile.TemporaryDirectory() as folder:
        models = {
            "untrained": untrained(),
            "central": central(people, Path(folder)),
            "federated": federated(people, Path(folder)),
        }
    rows = [Row(name, rmse(model, judged)) for name, model in models.items()]
    for row in rows:
        print(f"{row.model:10} error {row.rmse:.3f}")
    return rows


if __name__ == "__main__":
    main()
