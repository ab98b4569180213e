"""Models learned from devices' updates: what a budget for their direction costs.

People hold records. A round asks some of them to start at the server's model and take a few
gradient steps on their own records; where that leads is cut to norm one and randomised on the
device, its direction with e_1 and its magnitude with e_2. The server takes the mean, with noise for
all the people there are, and moves along it. Few people stand for each cohort
(`tacit.simulation`): the noise of the server is that of the declared people, but reports' own is
averaged over those who play alone, so that a declared cohort's mean has less noise than one here.
"""

from dataclasses import dataclass, field
from typing import Self, final

import numpy as np
from jaxtyping import Float

from tacit.experiments.parts import Told
from tacit.experiments.records import Held
from tacit.experiments.study import Recipe, Scale, Study
from tacit.facts import stated
from tacit.federated.classifying import Classifier, accuracy
from tacit.federated.training import Training
from tacit.federated.updates import GradientSteps
from tacit.learning import progress
from tacit.learning.progress import Progress
from tacit.plan import Plan
from tacit.simulation.simulated import Simulated, error_of

# Of the records to look at so many on the way; all of them in the end.
LOOKED_AT = 2_000
# A warning, from the runs of docs/reproduced.md: what is left below it is half or less.
HOPELESS = 0.05


@final
@dataclass(frozen=True)
class Learned:
    """One way at one budget.

    Args:
      way, direction: which.
      numbers: of a report.
      error: the mean squared error of a played round's answer.
      rate: of the server.
      pace: the rate as a share of what it is without privacy.
      public: epsilon and delta of all that is released, for the declared people; None without.
      rounds: after which a model was looked at.
      accuracies: then, of each trial.
    """

    way: str
    direction: float
    numbers: int
    error: float
    rate: float
    pace: float
    public: tuple[float, float] | None
    rounds: tuple[int, ...]
    accuracies: Float[np.ndarray, "trials looks"]


@final
@dataclass(frozen=True, eq=False)
class Prospect:
    """What is known of a way at a budget before anybody is asked.

    Args:
      plan: of the declared people.
      direction: the budget e_1.
      error: the mean squared error of a played round's answer.
      rate: of the server.
      pace: the rate as a share of what it is without privacy.
    """

    plan: Plan
    direction: float
    error: float
    rate: float
    pace: float

    @classmethod
    def of(
        cls, study: Study, scale: Scale, way: Recipe, direction: float, model: Classifier
    ) -> Self:
        """Of reports about this model."""
        plan = study.plan(progress.size(model), scale.rounds, direction)
        error = stated(error_of(plan, scale.played))
        rate = way.rate(error, scale.rounds)
        return cls(plan, direction, error, rate, rate / way.free)

    @property
    def hopeless(self) -> bool:
        """Whether little is to be expected: steps are so much shorter than without privacy.

        Never, whatever the noise, of a way that may wander without end, as one by Adam may: its
        steps are as long without privacy.
        """
        return self.pace < HOPELESS

    @property
    def public(self) -> tuple[float, float] | None:
        """Epsilon and delta of all that is released, for the declared people; None without."""
        found = [(p.epsilon, p.delta) for p in self.plan.guarantees if p.observer == "public"]
        return found[0] if found else None


def learned(
    study: Study, scale: Scale, way: Recipe, known: Prospect, held: Held, told: Told
) -> Learned:
    """Every trial of this prospect; `told` of the rounds done in all of them."""
    few, learner = Simulated(held.people, scale.played), _training(study, way, held, known.rate)
    looks = [_Looks(learner, held, scale, trial, told) for trial in range(scale.trials)]
    for trial, look in enumerate(looks):
        few.run(known.plan, learner, seed=scale.seed + trial, at_once=1, watch=look.seen)
    found = np.array([look.found for look in looks])
    numbers = learner.dim, known.error, known.rate, known.pace
    return Learned(way.name, known.direction, *numbers, known.public, scale.looks, found)


def _training(study: Study, way: Recipe, held: Held, rate: float) -> Training:
    update = GradientSteps(study.steps, way.local)
    return Training(held.model, study.loss, update, way.optimizer, rate=rate)


@final
@dataclass(frozen=True, eq=False)
class _Looks:
    """What is seen of a trial: how far it is, and how well models do on the way."""

    learner: Training
    held: Held
    scale: Scale
    trial: int
    told: Told
    found: list[float] = field(default_factory=list)

    def seen(self, done: int, state: Progress) -> None:
        self.told(self.trial * self.scale.rounds + done)
        if done in self.scale.looks:
            most = None if done == self.scale.rounds else LOOKED_AT
            model = self.learner.at(state.parameters)
            self.found.append(accuracy(model, self.held.inputs[:most], self.held.labels[:most]))
