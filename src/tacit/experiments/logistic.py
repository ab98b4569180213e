"""Logistic regression, one person a round: what each local budget costs, and what can be saved.

N = 100,000 people have a direction x of R^500 and a label of a logistic model whose theta* has norm
10. Each takes part in one round: their gradient at the current weights is randomised on their
device with epsilon-local privacy, and the server takes a step. For seven budgets, the optimality
gap L(theta_k) - L(theta*) is drawn against k, and the error |theta_N - theta*| beside that of the
non-private maximum likelihood, over 50 independent experiments.

It is done twice with the same people:

| method | a report | steps | weights released |
| --- | --- | --- | --- |
| published | `separated_bounds`: as its bounds have it | tau/(M k^(1/2)) | their average |
| ours | of the least error at norm 1/2, where most are | 1/(h (k + k0)) | the last |

tau is the norm of theta*, M² the mean square of a report, h the curvature at theta*: all public,
and nothing is tuned on results (`learning.gain`). Where the source's own numbers are lost (its
split of the budget, its first step, theta*'s norm), these are chosen: at norms of 1 and 4 even the
maximum likelihood, or descent without privacy, is no better than theta = 0.

References:
    Bhowmick, Duchi, Freudiger, Kapoor and Rogers 2018, "Protection against reconstruction and its
    applications in private federated learning", section 5.1, figure 3.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

import tacit
from tacit.argument import got, is_whole
from tacit.device.vectors import OnBall
from tacit.experiments import logistic_law
from tacit.experiments.logistic_law import Law, Seen
from tacit.experiments.separated_bounds import as_published
from tacit.experiments.stream import OnePass, Walk, stand_in
from tacit.learning.gain import KalmanGain
from tacit.learning.rates import Decay
from tacit.plan import Device, Plan, Sum
from tacit.server.means import plain_mean
from tacit.simulation import Experiment, Simulated

# The dimension, 500, halved up to six times, and no privacy at all.
BUDGETS = (7.8, 15.6, 31.2, 62.5, 125.0, 250.0, math.inf)
# Most gradients' norms are near it: they are sigma of a score that is nearly normal.
TYPICAL = 0.5
POINTS = 50


@final
@dataclass(frozen=True)
class Size:
    """How large an experiment is.

    Args:
      people: a multiple of 50, each of whom is asked once.
      dim: of a direction.
      signal: the norm of theta*.
      repetitions: independent experiments.
      seed: of all of them, below 2^32: JAX makes no more keys of people.

    Raises:
      ValueError: if it is no experiment.
    """

    people: int = 100_000
    dim: int = 500
    signal: float = 10.0
    repetitions: int = 50
    seed: int = 0

    def __post_init__(self):
        if not (self.people >= POINTS and self.people % POINTS == 0):
            raise ValueError(f"people must be a multiple of {POINTS}, got {self.people}")
        if not (self.dim >= 5 and self.repetitions >= 1 and 0 < self.signal < math.inf):
            raise ValueError(
                "an experiment needs dim 5 or more, a repetition and a positive signal, got "
                f"{self.dim}, {self.repetitions} and {self.signal}"
            )
        if not (is_whole(self.seed) and 0 <= self.seed < 2**32):
            raise ValueError(
                f"seed must be a whole number from 0 and below 2^32, got {got(self.seed)}"
            )

    @property
    def law(self) -> Law:
        return Law(self.dim, self.signal)


@final
@dataclass(frozen=True)
class Curves:
    """One method at one budget.

    Args:
      method, epsilon: which.
      moment: E|Z|² of a report at theta*.
      predicted: the gap after the last round by the quadratic at theta*; None where steps are not
        the ones it is proved for.
      gaps: of each repetition, after each fiftieth of the people.
      distances: |theta_N - theta*| of each.
    """

    method: str
    epsilon: float
    moment: float
    predicted: float | None
    gaps: Float[np.ndarray, "repetitions points"]
    distances: Float[np.ndarray, " repetitions"]


@final
@dataclass(frozen=True)
class Rule:
    """How people report, how long steps are, and which weights are released."""

    name: str
    device: Callable[[Plan, float], Device]
    rate: Callable[[Law, float, int], Decay]
    predicted: Callable[[Law, float, int], float | None]
    released: int


def _published_device(plan: Plan, epsilon: float) -> Device:
    dim = plan.sums.contribution.shape[0]
    return as_published(dim, epsilon, 1.0, TYPICAL)


def _published_rate(law: Law, moment: float, people: int) -> Decay:
    del people
    return Decay(law.signal / math.sqrt(moment), 1.0, 0.5)


def _our_gain(law: Law, moment: float) -> KalmanGain:
    return KalmanGain(law.curvature, law.signal, moment)


def _our_rate(law: Law, moment: float, people: int) -> Decay:
    del people
    known = 1 + _our_gain(law, moment).offset
    return Decay(1 / (law.curvature * known), known, 1.0)


# The maximum likelihood among methods.
LIKELIHOOD = "likelihood"
LAST, AVERAGE = 0, 1
METHODS = (
    Rule("published", _published_device, _published_rate, lambda law, moment, n: None, AVERAGE),
    Rule(
        "ours",
        lambda plan, epsilon: plan.device,
        _our_rate,
        lambda law, moment, n: law.curvature / 2 * _our_gain(law, moment).squared_distance(n),
        LAST,
    ),
)


def plan_of(size: Size, method: Rule, epsilon: float) -> Plan:
    """What everybody is asked."""
    ball = tacit.Ball(size.dim, 1.0, typical=TYPICAL)
    question = tacit.Mean(ball, tacit.Once(), size.people, size.people)
    if math.isinf(epsilon):
        return tacit.NonPrivate().plan(question)
    plan = tacit.Local(epsilon).plan(question)
    device = method.device(plan, epsilon)
    reports = device.facts.report_set
    return replace(
        plan,
        device=device,
        collect=Sum(reports),
        server=plain_mean(device, question),
        guarantees=(),
    )


def curves(
    size: Size,
    method: Rule,
    epsilon: float,
    told: Callable[[int], object] = lambda done: None,
) -> Curves:
    """Every repetition at this budget, side by side; `told` of the people who have taken part."""
    plan, law = plan_of(size, method, epsilon), size.law
    moment = law.mean_over_norms(_second_moment(plan.device))
    rate = method.rate(law, moment, size.people)
    runs = [
        Experiment(plan, _learner(size, rate, truth, key), size.seed + repetition)
        for repetition, (truth, key) in enumerate(_truths(size))
    ]
    ends: list[Walk] = [end.state for end in Simulated(stand_in(), 1).side_by_side(runs, told)]
    seen = [Seen(*map(np.asarray, end.seen[method.released])) for end in ends]
    gaps = np.stack([law.gap(each) for each in seen])
    distances = np.array([law.distance(each)[-1] for each in seen])
    predicted = method.predicted(law, moment, size.people)
    return Curves(method.name, epsilon, moment, predicted, gaps, distances)


def _second_moment(device: Device) -> Callable[[float], float]:
    """E|Z|² of a report about a vector of a norm."""
    if isinstance(device, OnBall):
        mechanism = device.mechanism
        return lambda norm: mechanism.error(norm) + norm**2
    return _square


def _square(norm: float) -> float:
    return norm**2


def most_likely(size: Size) -> Curves:
    """The non-private maximum likelihood of the same people."""
    law, found = size.law, []
    for truth, key in _truths(size):
        weights = logistic_law.most_likely(key, truth, size.people)
        found.append(logistic_law.noted(weights, truth))
    gaps = np.array([law.gap(each) for each in found])
    distances = np.array([law.distance(each) for each in found])
    predicted = size.dim / (2 * size.people)
    return Curves(
        LIKELIHOOD,
        math.inf,
        law.mean_over_norms(lambda norm: norm**2),
        predicted,
        gaps[:, None],
        distances,
    )


def _learner(size: Size, rate: Decay, truth: jax.Array, key: jax.Array) -> OnePass:
    law = logistic_law
    of = size.dim, size.people, POINTS, law.drawn, law.gradient, law.noted
    return OnePass(*of, truth, key, rate)


def _truths(size: Size) -> Iterator[tuple[jax.Array, jax.Array]]:
    """Of each repetition, theta* and the key of its people."""
    for repetition in range(size.repetitions):
        key = jax.random.fold_in(jax.random.key(size.seed), repetition)
        for_truth, for_people = jax.random.split(key)
        direction = jax.random.normal(for_truth, (size.dim,))
        yield size.signal * direction / jnp.linalg.norm(direction), for_people
