"""What an experiment on records is: how much is played, how it is learned, what is promised.

**How far the server moves.** Reports of d numbers have an error of about d/(2 e_1), and the mean
of those who play a part v of that, which every round adds to the weights. A rate r moves them by
noise of mean square r² T v in T rounds. So r is what is best without privacy, or so much less that
this is `wander`²: two numbers for all budgets.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Float

from tacit.accounting.relation import Relation
from tacit.argument import is_whole
from tacit.contribution import Ball
from tacit.device.choose import Split
from tacit.experiments.records import Records, Start
from tacit.features.chunks import Heard
from tacit.federated.classifying import person_loss
from tacit.federated.training import Loss
from tacit.plan import Plan
from tacit.question.participation import Poisson
from tacit.question.sums import Mean
from tacit.trust.central import Central
from tacit.trust.federated import Federated
from tacit.trust.nonprivate import NonPrivate

# Looks at a model on the way, a choice: each classifies people held out, and rounds are a multiple
# of it, as `Scale` says.
LOOKS = 5
# What the server promises the public, unless a study says otherwise.
CENTRAL = Central(2.0, 1e-7, Relation.ADD_REMOVE)
# What optimisers are told apart by: slopes of four sizes, in so many steps.
TOLD_APART, SIZES = 100, (1e-6, 1e-3, 1.0, 1e3)


@final
@dataclass(frozen=True)
class Scale:
    """How much of an experiment is played.

    Args:
      records: that a person holds, at most.
      played: people of each round.
      rounds: a multiple of 5.
      trials: runs whose cohorts and noise are independent, from one start.
      seed: of the first; each further one has the next.

    Raises:
      ValueError: if there is nothing to play.
    """

    records: int
    played: int
    rounds: int = 100
    trials: int = 1
    seed: int = 0

    def __post_init__(self):
        for name in ("records", "played", "trials"):
            if not (is_whole(getattr(self, name)) and getattr(self, name) >= 1):
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")
        if not (self.rounds >= LOOKS and self.rounds % LOOKS == 0):
            raise ValueError(f"rounds must be a multiple of {LOOKS}, got {self.rounds}")

    @property
    def looks(self) -> tuple[int, ...]:
        """The rounds after which a model is looked at."""
        every = self.rounds // LOOKS
        return tuple(range(every, self.rounds + 1, every))


@final
@dataclass(frozen=True, eq=False)
class Recipe:
    """What is learned, from where, and how far devices and server move.

    Args:
      name: in tables.
      start: where it begins, from what was pretrained.
      optimizer: of the server, at a rate of 1.
      local: the rate of a device's steps.
      free: the server's rate without privacy.
      wander: how far the noise of all rounds may move the weights.
    """

    name: str
    start: Callable[[Any], Start]
    optimizer: optax.GradientTransformation
    local: float
    free: float
    wander: float

    @property
    def numbers(self) -> str:
        """Its numbers, and where its optimiser leads four weights of one, to five digits.

        An optimiser is functions, which have no numbers to show; of other numbers it leads
        elsewhere. What one does from the hundredth step on alone is not seen.
        """
        slopes = np.random.default_rng(0).normal(size=(TOLD_APART, len(SIZES))) * SIZES
        ends = " ".join(f"{each:.5g}" for each in _led(self.optimizer, slopes))
        return f"{self.name} {self.local} {self.free} {self.wander}, led to {ends}"

    def rate(self, error: float, rounds: int) -> float:
        """Of the server, at this mean squared error of a round."""
        return min(self.free, self.wander / math.sqrt(rounds * error)) if error else self.free


@final
@dataclass(frozen=True, eq=False)
class Study:
    """An experiment: all that is the same for every way and budget.

    Args:
      name: of its files.
      title: what is learned.
      section: of the source.
      read: the records in a folder.
      directions: the budgets e_1; infinite for no privacy.
      ways: to learn.
      small, full: what is played on a few processors, and as much as we take the source to have.
      magnitude: e_2.
      central: what the server promises the public.
      people, cohort: that are declared.
      steps: of a device.
      noun: what a record is, in the plural.
      loss: of a person.
      before: what else results follow from, of pretraining and the like, in words.
      pretrained: what ways begin with, made once of what is public; asks whether to go on.
    """

    name: str
    title: str
    section: str
    read: Callable[[Path], Records]
    directions: tuple[float, ...]
    ways: tuple[Recipe, ...]
    small: Scale
    full: Scale
    magnitude: float = 10.0
    central: Central = CENTRAL
    people: int = 10**7
    cohort: int = 20_000
    steps: int = 5
    noun: str = "pictures"
    loss: Loss = person_loss
    before: tuple[str, ...] = ()
    pretrained: Callable[[Any, Heard], Any] = lambda public, heard: public

    @property
    def numbers(self) -> str:
        """The numbers that results follow from, beside those of a scale."""
        central, ways = self.central, [way.numbers for way in self.ways]
        server = f"({central.epsilon}, {central.delta}) for {self.cohort} of {self.people}"
        return "; ".join([f"e2 {self.magnitude}, {self.steps} steps", server, *ways, *self.before])

    def opening(self, scale: Scale) -> str:
        """What will be played, in words."""
        return (
            f"Federated learning of {self.title}: people hold at most {scale.records} {self.noun}, "
            f"take {self.steps} gradient steps and randomise where that leads on their device. "
            f"{scale.played} of them play each of {scale.rounds} rounds and stand for "
            f"{self.cohort:,} of {self.people:,}: this is a simulation, and not private."
        )

    def plan(self, dim: int, rounds: int, direction: float) -> Plan:
        """What the declared people are asked."""
        who = Poisson(self.cohort / self.people)
        question = Mean(Ball(dim, 1.0, typical=1.0), who, rounds, self.people)
        if math.isinf(direction):
            return NonPrivate().plan(question)
        return Federated(Split(direction, self.magnitude), self.central).plan(question)


def _led(
    optimizer: optax.GradientTransformation, slopes: Float[np.ndarray, "steps weights"]
) -> list[float]:
    """Where weights end that began at one."""

    def step(state, slope):
        weights, memory = state
        move, memory = optimizer.update(slope, memory, weights)
        return (weights + move, memory), None

    start = jnp.ones(slopes.shape[1], jnp.float32)
    begun = start, optimizer.init(start)
    (ends, _), _ = jax.lax.scan(step, begun, jnp.asarray(slopes, jnp.float32))
    return ends.tolist()
