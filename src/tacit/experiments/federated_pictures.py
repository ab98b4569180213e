"""Classifiers of pictures, learned from devices' updates: what a budget for their direction costs.

People hold pictures. A round asks some of them to start at the server's model and take a few
gradient steps on their own pictures; where that leads is cut to norm one and randomised on the
device, its direction with e_1 and its magnitude with e_2. The server takes the mean, with noise for
all the people there are, and moves along it. Few people stand for each cohort
(`tacit.simulation`): the noise of the server is that of the declared people, but reports' own is
averaged over those who play alone, so that a declared cohort's mean has less noise than one here.
"""

from dataclasses import dataclass, field
from typing import final

import numpy as np
from jaxtyping import Float, Int

from tacit.data.dataset import Dataset
from tacit.data.people import batches
from tacit.experiments.parts import Told
from tacit.experiments.pictures_study import Recipe, Scale, Study
from tacit.federated.classifying import Classifier, accuracy, person_loss
from tacit.federated.training import Training
from tacit.federated.updates import GradientSteps
from tacit.learning import progress
from tacit.learning.progress import Progress
from tacit.population.arrays import Arrays
from tacit.simulation.simulated import Simulated, error_of

# Of the test pictures so many on the way; all of them in the end.
LOOKED_AT = 2_000
# How people are dealt their pictures.
DEALT = 20


@final
@dataclass(frozen=True)
class Learned:
    """One way at one budget.

    Args:
      way, direction: which.
      numbers: of a report.
      error: the mean square of a played round's noise.
      rate: of the server.
      public: epsilon and delta of all that is released, for the declared people; None without.
      rounds: after which a model was looked at.
      accuracies: then, of each trial.
    """

    way: str
    direction: float
    numbers: int
    error: float
    rate: float
    public: tuple[float, float] | None
    rounds: tuple[int, ...]
    accuracies: Float[np.ndarray, "trials looks"]


@final
@dataclass(frozen=True, eq=False)
class Pictures:
    """Who there is to play, and what models are looked at with."""

    people: Arrays
    images: Float[np.ndarray, "test ..."]
    labels: Int[np.ndarray, " test"]

    @classmethod
    def of(cls, data: Dataset, way: Recipe, each: int) -> "Pictures":
        """Dealt to people who hold so many each."""
        order = np.random.default_rng(DEALT)
        dealt = batches(way.prepared(data.train_images), data.train_labels, each, order)
        people = Arrays((dealt, np.ones(dealt[1].shape, bool)), data.name)
        # In an order of their own, for the first of a file may be harder than the rest.
        shown = order.permutation(len(data.test_labels))
        return cls(people, way.prepared(data.test_images)[shown], data.test_labels[shown])

    def accuracy(self, model: Classifier, most: int | None) -> float:
        """On so many of the test pictures; on all, if None."""
        return accuracy(model, self.images[:most], self.labels[:most])


def learned(
    study: Study, scale: Scale, way: Recipe, direction: float, held: Pictures, told: Told
) -> Learned:
    """Every trial at this budget; `told` of the rounds done in all of them."""
    plan = study.plan(progress.size(way.model()), scale.rounds, direction)
    error = error_of(plan, scale.played) or 0.0
    rate = way.rate(error, scale.rounds)
    few, learner = Simulated(held.people, scale.played), _training(study, way, rate)
    looks = [_Looks(learner, held, scale, trial, told) for trial in range(scale.trials)]
    for trial, look in enumerate(looks):
        few.run(plan, learner, seed=scale.seed + trial, at_once=1, watch=look.seen)
    public = [(p.epsilon, p.delta) for p in plan.guarantees if p.observer == "public"]
    ways = way.name, direction, learner.dim, error, rate, public[0] if public else None
    return Learned(*ways, scale.looks, np.array([look.found for look in looks]))


def _training(study: Study, way: Recipe, rate: float) -> Training:
    update = GradientSteps(study.steps, way.local)
    return Training(way.model(), person_loss, update, way.optimizer, rate=rate)


@final
@dataclass(frozen=True, eq=False)
class _Looks:
    """What is seen of a trial: how far it is, and how well models do on the way."""

    learner: Training
    held: Pictures
    scale: Scale
    trial: int
    told: Told
    found: list[float] = field(default_factory=list)

    def seen(self, done: int, state: Progress) -> None:
        self.told(self.trial * self.scale.rounds + done)
        if done in self.scale.looks:
            most = None if done == self.scale.rounds else LOOKED_AT
            self.found.append(self.held.accuracy(self.learner.at(state.parameters), most))
