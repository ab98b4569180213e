"""A linear classifier with an intercept, and the ways to learn it that any trust model may plan.

A way is a question and a learner, and says nothing of privacy: what its answers cost is decided by
who plans it. All learn one thing, weights for rows of one declared norm, by one loss: `Logistic`
for two classes, `Multinomial` for more. So what differs between two of them is the way and nothing
else.

| way | question | which trust can answer |
| --- | --- | --- |
| `PerturbedMinimum` | `OfRows`: the minimum of a perturbed objective | `Central` |
| `InRounds` | `Mean`: clipped gradients, round by round | all |
| `NewtonRounds` | `Mean`: gradients and Hessians; two classes | all but `Federated` |
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, final

import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, PyTree

from tacit.argument import counted, refuse_not_counted, refuse_not_positive
from tacit.contribution import Ball, Interval, OneHot, Product
from tacit.learning.clipping import Flat
from tacit.learning.descent import Descent
from tacit.learning.labelled_rows import Labels, Rows, labelled, signed, with_constant
from tacit.learning.newton import Newton
from tacit.models.layers import Dense
from tacit.plan import Plan
from tacit.population.learner import Learner
from tacit.question.linear_models import Minimiser
from tacit.question.participation import Participation
from tacit.question.rows import OfRows
from tacit.solve.losses import Logistic, Loss, Multinomial
from tacit.solve.regularisers import L2
from tacit.statistics.answers import Answers
from tacit.trust.people import Trust

Part = tuple[Rows, Labels]
# A row of weights for each feature, and the intercepts after them.
Weights = Float[np.ndarray, "with_constant scores"]

# One object for all: a compiled round is found by it again.
_DESCENT = optax.sgd(1.0)


@final
@dataclass(frozen=True)
class Problem:
    """What is known of a classification before anybody is looked at.

    Args:
      people: their public number.
      features: how many numbers a person has.
      norm: the longest row, in L2; longer ones are shortened to it.
      classes: labels are 0 ... classes - 1.
    """

    people: int
    features: int
    norm: float
    classes: int

    def __post_init__(self):
        for name, least in (("people", 1), ("features", 1), ("classes", 2)):
            object.__setattr__(self, name, counted(getattr(self, name)))
            refuse_not_counted(name, getattr(self, name), least)
        refuse_not_positive("norm", self.norm)

    @property
    def loss(self) -> Logistic | Multinomial:
        return Logistic() if self.classes == 2 else Multinomial(self.classes)

    @property
    def reach(self) -> float:
        """The longest row with the constant 1 that stands for the intercept."""
        return math.hypot(self.norm, 1.0)

    def cut(self, rows: Rows) -> Rows:
        """Rows no longer than `norm`."""
        return np.asarray(Ball(self.features, self.norm).project(jnp.asarray(rows, jnp.float32)))

    def signed(self, labels: Labels) -> Float[np.ndarray, " people"]:
        """Labels as the loss takes them."""
        return signed(labels, self.loss)

    def accuracy(self, weights: Weights, part: Part) -> float:
        """The share of people whose label gets the highest score."""
        rows, labels = part
        scores = self.cut(rows) @ weights[:-1] + weights[-1]
        guesses = scores[:, 0] > 0 if self.classes == 2 else np.argmax(scores, axis=1)
        return float(np.mean(guesses == labels))

    def refuse_misfit(self, part: Part) -> None:
        """
        Raises:
          ValueError: if rows are of another length, or a label is none; which one is not said.
        """
        rows, labels = part
        if rows.ndim != 2 or rows.shape[1] != self.features or labels.shape != rows.shape[:1]:
            raise ValueError(
                f"each of the people must have {self.features} features and a label, got arrays of "
                f"shape {rows.shape} and {labels.shape}"
            )
        if not np.isin(labels, np.arange(self.classes)).all():
            raise ValueError(f"labels must be whole numbers from 0 to {self.classes - 1}")


class Asked(NamedTuple):
    """A plan, who asks, what a person's data is to them, and the weights in their last state."""

    plan: Plan
    learner: Learner
    table: Callable[[Rows, Float[np.ndarray, " people"]], PyTree]
    weights: Callable[[Any], Weights]


class Way(Protocol):
    """How a linear classifier is learnt; public numbers only."""

    def asked(self, trust: Trust, problem: Problem) -> Asked:
        """What `trust` would answer for it. Spends nothing."""
        ...


@final
@dataclass(frozen=True)
class PerturbedMinimum:
    """Objective perturbation; the penalty, per person, is raised where privacy needs more."""

    ridge: float

    def asked(self, trust: Trust, problem: Problem) -> Asked:
        rows = Ball(problem.features + 1, problem.reach)
        question = minimum_of(problem.loss, self.ridge, rows, problem.people)
        return Asked(
            trust.plan(question),
            Answers(1, shape=(question.size,)),
            labelled,
            lambda state: np.asarray(state[0][0]).reshape(problem.features + 1, -1),
        )


@final
@dataclass(frozen=True)
class Steps:
    """Descent along mean clipped gradients: the learner that knows no trust model.

    Args:
      clip: a person's longest gradient.
      rate: of each step.
      average_from: the first round whose weights are averaged.
    """

    clip: float
    rate: float
    average_from: int

    def learner(self, problem: Problem) -> Descent:
        zero = Dense.at_zero(problem.features, math.prod(problem.loss.outputs))
        loss, clip = OnScores(problem.loss), Flat(self.clip)
        return Descent(zero, loss, clip, _DESCENT, self.average_from, self.rate)


@final
@dataclass(frozen=True)
class OnScores:
    """A loss of scores as one of a model and an example, (row, label)."""

    loss: Loss

    def __call__(self, model: Any, example: PyTree[Array]) -> Float[Array, ""]:
        row, label = example
        return self.loss.value(model(row).reshape(self.loss.outputs), label)


@final
@dataclass(frozen=True)
class InRounds:
    """`steps`, of `rounds` rounds in which people take part as `participation` says."""

    steps: Steps
    participation: Participation
    rounds: int

    def asked(self, trust: Trust, problem: Problem) -> Asked:
        learner = self.steps.learner(problem)
        question = learner.question(self.participation, self.rounds, problem.people)

        def weights(state) -> Weights:
            model = learner.released(state)
            return np.vstack([model.weight, model.bias])

        return Asked(trust.plan(question), learner, lambda rows, labels: (rows, labels), weights)


@final
@dataclass(frozen=True)
class NewtonRounds:
    """Noisy Newton steps, with a penalty of `ridge` per person, for two classes."""

    ridge: float
    participation: Participation
    rounds: int

    def asked(self, trust: Trust, problem: Problem) -> Asked:
        if problem.classes != 2:
            raise ValueError(f"Newton's method is for two classes, got {problem.classes}")
        size = problem.features + 1
        learner = Newton(size, problem.loss, problem.reach, L2(self.ridge))
        plan = trust.plan(learner.question(self.participation, self.rounds, problem.people))
        return Asked(
            plan,
            learner.expecting(plan),
            lambda rows, labels: (with_constant(rows), labels),
            lambda state: np.asarray(state)[:, None],
        )


def minimum_of(loss: Loss, ridge: float, rows: Ball, people: int) -> OfRows:
    """The question of the weights of least mean loss plus ridge/2 times their squares.

    Args:
      loss: of a score, or of one for each class.
      ridge: per person.
      rows: where people's rows are, the constant included.
      people: their public number.

    Raises:
      ValueError: if a number is out of its range.
    """
    label = OneHot(loss.outputs[0]) if loss.outputs else Interval(-1.0, 1.0)
    return OfRows(Product(rows, label), people, Minimiser(loss, L2(ridge)))
