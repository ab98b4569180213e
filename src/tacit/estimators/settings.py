"""Settings that nobody chose: those that made people are foreseen to lose least by.

Public numbers alone decide: people, features, the loss and the promise. Foreseen is
`MadePeople.lost`, for a curator's two methods:

* **the minimum**, by objective perturbation: noise of the slope on the sum, for each penalty that
  does not have to be raised;
* **descent** of `ROUNDS` rounds of everybody, where there is a delta: at a small epsilon the
  determinants that objective perturbation pays for cost more than rounds do.

The minimum may be one of a logistic loss capped at 1/2 (`tacit.solve.losses`), which needs half the
noise; descent cuts such gradients at half their longest, with the same effect. Chances are then
less extreme than they should be: `CAPPED` is what that is foreseen to cost. What noise will be is
foreseen within a tenth; the plan that is made of the settings has it exactly.

A regression has the same two methods (`regressed`), of Huber's loss and by `MadeTargets.lost`. The
narrower that is, the less noise it needs, and the more its line is one through medians: `WIDTHS`
says what that is held to cost. Of width 2 it is the squared loss, while predictions are within the
target's bounds. Steps are shorter than 2 over the largest curvature, so that on no table they
overshoot. Second moments are not among them: see `moments`.
"""

import math
from dataclasses import dataclass, replace
from typing import cast, final

import numpy as np

from tacit.accounting.loss.gaussian import gaussian_noise_multiplier
from tacit.argument import refuse_not_positive
from tacit.estimators.declared import REACH
from tacit.estimators.made_people import MadePeople, Numbers, mean_bend
from tacit.estimators.made_targets import MadeTargets
from tacit.plan import Plan
from tacit.question.sums import Mean
from tacit.solve.losses import Huber, Logistic, Loss, Multinomial
from tacit.trust.central import Central
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.people import Curated

ROUNDS, CAPPED = 100, 0.01
# Eight to a decade, as rates are: a choice. The last may always be used (`_minimum`).
_PENALTIES = 10.0 ** np.arange(-7, 1.01, 1 / 8)
# Of the mean of the later half: see `made_people`.
_PASSED = 4 / 3
# From 0.07 to 13. Slower ones only add up the first slope, the intercept's among the features'.
_RATES = _PASSED * 10.0 ** np.arange(-1.25, 1.01, 1 / 8)
# Of Huber's loss, whose curvature is 1: below 2 over the square of the longest row.
_STEADY = _RATES[_RATES < 2 / REACH**2]
# Of Huber's loss, in units where targets are in [-1, 1], and the share that each is held to cost.
WIDTHS = {0.25: 0.04, 0.5: 0.025, 1.0: 0.005, 2.0: 0.0}


@final
@dataclass(frozen=True)
class Penalised:
    """The minimum of a loss with a penalty, by objective perturbation.

    Args:
      loss: the one minimised, capped or not.
      penalty: per person, of the squared weights over two; positive and finite.
      lost: the share foreseen to be lost; None if the penalty was given.
    """

    loss: Loss
    penalty: float
    lost: float | None = None

    def __post_init__(self):
        refuse_not_positive("penalty", self.penalty)


@final
@dataclass(frozen=True)
class GradientRounds:
    """Descent, of everybody in every round.

    Args:
      rounds: how many.
      rate: the step.
      clip: the longest gradient of one person.
      lost: the share foreseen to be lost; None if the rate was not chosen so, but given or fixed.
    """

    rounds: int
    rate: float
    clip: float
    lost: float | None = None


@final
@dataclass(frozen=True)
class SecondMoments:
    """A regression's line, of everybody's second moments.

    Args:
      penalty: per person, of the squared weights over two, beside what noise needs.
      lost: None: nothing was foreseen.
    """

    penalty: float
    lost: None = None


Settings = Penalised | GradientRounds
RegressionSettings = Settings | SecondMoments
# The share foreseen to be lost, the cost of a cap included.
Found = tuple[float, Settings]
Made = MadePeople | MadeTargets


def chosen(trust: Curated, loss: Loss, features: int, people: int) -> Settings:
    """What a curator does for a linear classifier of so many features, the constant apart."""
    made = MadePeople(people, features, mean_bend(loss))
    if isinstance(trust, NonPrivate):
        lost = made.lost(_PENALTIES, 0.0)
        return Penalised(loss, float(_PENALTIES[lost.argmin()]), float(lost.min()))
    capped = gentle(loss)
    cost = 0.0 if capped == loss else CAPPED
    found = [_minimum(trust, loss, made, 0.0), _minimum(trust, capped, made, cost)]
    if trust.delta > 0:
        found.append(_descent(trust, loss, made, cost))
    lost, settings = min(found, key=lambda one: one[0])
    return replace(settings, lost=lost)


def regressed(trust: Central, features: int, people: int) -> Settings:
    """What a curator does for a linear regression of so many features, the constant apart."""
    found: list[Found] = []
    for width, cost in WIDTHS.items():
        loss, made = Huber(width), MadeTargets(people, features, width)
        found.append(_minimum(trust, loss, made, cost))
        if trust.delta > 0:
            found.append(_descent(trust, loss, made, cost, _STEADY))
    lost, settings = min(found, key=lambda one: one[0])
    return replace(settings, lost=lost)


def loss_of(settings: Settings) -> Loss:
    """What a regression minimises by these: of rounds, the loss that none of is clipped away."""
    if isinstance(settings, Penalised):
        return settings.loss
    return Huber(settings.clip / REACH)


def foreseen(plan: Plan, asked: GradientRounds, loss: Loss, features: int) -> GradientRounds:
    """The same rounds at the rate that is foreseen to lose least by this plan's noise.

    Raises:
      ValueError: if that noise is not known beforehand.
    """
    question = cast(Mean, plan.question)
    if plan.error is None:
        raise ValueError("the noise of these reports is not known: rate must be given")
    size = math.prod(question.contribution.shape)
    noise = math.sqrt(plan.error / (size * asked.rounds))
    made = MadePeople(question.people, features, mean_bend(loss))
    rate, lost = _best_rate(made, noise, asked.rounds)
    return replace(asked, rate=rate, lost=lost)


def gentle(loss: Loss) -> Loss:
    """The loss itself, or capped at a half if it is logistic: what needs the least noise."""
    return replace(loss, steepest=0.5) if isinstance(loss, Logistic | Multinomial) else loss


def _best_rate(
    made: Made, noise: float, rounds: int, rates: Numbers = _RATES
) -> tuple[float, float]:
    """Of rounds whose mean gradient has noise of this deviation; and the share lost."""
    lost = made.lost(_PASSED / (rounds * rates), noise)
    return float(rates[lost.argmin()]), float(lost.min())


def _minimum(trust: Central, loss: Loss, made: Made, cost: float) -> Found:
    volumes = np.array([loss.volume(REACH**2 / (each * made.people)) for each in _PENALTIES])
    # Where more than half went to determinants, the penalty would be raised.
    usable = volumes <= trust.epsilon / 2
    usable[-1] = True
    penalties, left = _PENALTIES[usable], trust.epsilon - volumes[usable]
    noise = _slopes(trust, loss, left, made) / made.people
    lost = made.lost(penalties, noise)
    return float(lost.min()) + cost, Penalised(loss, float(penalties[lost.argmin()]))


def _slopes(trust: Central, loss: Loss, left: Numbers, made: Made) -> Numbers:
    """The deviation of a random slope's coordinates."""
    moved = loss.lipschitz(REACH) * trust.relation.people_moved
    if trust.delta == 0:
        size = (made.features + 1) * math.prod(loss.outputs)
        return moved * math.sqrt(size + 1) / left
    delta = trust.delta / loss.corners**trust.relation.people_moved
    # Between the whole of epsilon and half of it, nearly a power.
    ends = [gaussian_noise_multiplier(trust.epsilon * part, delta) for part in (0.5, 1.0)]
    power = np.log2(ends[0] / ends[1])
    return moved * ends[1] * (trust.epsilon / np.maximum(left, trust.epsilon / 2)) ** power


def _descent(trust: Central, loss: Loss, made: Made, cost: float, rates: Numbers = _RATES) -> Found:
    clip = gentle(loss).lipschitz(REACH)
    multiplier = gaussian_noise_multiplier(trust.epsilon, trust.delta)
    noise = clip * trust.relation.people_moved * multiplier / made.people
    rate, lost = _best_rate(made, noise, ROUNDS, rates)
    return lost + cost, GradientRounds(ROUNDS, rate, clip)
