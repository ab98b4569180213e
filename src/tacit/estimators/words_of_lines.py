"""What a fit of weights is foreseen to do, in words: of lines, of sparse ones, of networks.

As `words` says it of directions and clusters: all of it follows from what will be asked.
"""

import math
from typing import Any, cast

from tacit.estimators.fit_plan import FitPlan
from tacit.estimators.linear import AskedDescent, AskedLine, AskedMinimum
from tacit.estimators.moments import AskedMoments
from tacit.estimators.settings import Penalised
from tacit.estimators.words import CUT_OFF, OPTIMA
from tacit.learning.descent import Descent
from tacit.learning.frank_wolfe import FrankWolfe
from tacit.plan import Plan
from tacit.server.concepts import SURE
from tacit.solve.losses import Huber, Logistic, Loss, Multinomial

_UNKNOWN = "how much of a label or a target can be told by a line of these features"


def line_foreseen(asked: AskedLine | AskedMoments, population: str | None) -> FitPlan:
    """Of a line.

    Args:
      asked: what is.
      population: the name of the accounts; None where nobody is charged.
    """
    way, lost = _way_of(asked), asked.settings.lost
    error = _not_foreseen(asked) if lost is None else _lost(lost)
    return FitPlan(asked.plan, population, way, lost, error, _UNKNOWN)


def corners_foreseen(learner: FrankWolfe, plan: Plan, population: str | None) -> FitPlan:
    """Of a line whose corners are chosen one by one; `population` as of `line_foreseen`."""
    corners, rounds = 2 * learner.risk.dim, learner.rounds
    short = _served(plan).shortfall(SURE / rounds) if plan.private else 0.0
    often = f"{1 - SURE:.0%} of times " * plan.private
    error = (
        f"{often}the mean loss, of targets in [-1, 1], is at most "
        f"{learner.excess(short):.3g} above the least of all weights of L1 norm "
        f"{learner.risk.radius:g} or less"
    )
    way = f"Frank-Wolfe: in each of {_times(rounds)} one of {corners:,} corners is chosen"
    return FitPlan(plan, population, way, None, error, _UNKNOWN)


def gradients_foreseen(learner: Descent, plan: Plan, population: str | None) -> FitPlan:
    """Of a network that is learnt by gradient rounds; `population` as of `line_foreseen`."""
    clip, rate = float(learner.clip.sensitivity), cast(float, learner.rate)
    way = f"{_rounds(plan.sums.rounds, rate, clip)}, of a model of {learner.dim:,} numbers"
    unknown = f"how much of a label such a model can tell, and {OPTIMA}"
    return FitPlan(plan, population, way, None, _noise_of_rounds(plan), unknown)


def _lost(share: float) -> str:
    nothing = ", so that nothing is learnt" * (share >= 1)
    return (
        f"{share:.2g} of what a line can tell is foreseen to be lost by noise and by few people "
        f"(one minus the squared correlation of its scores with the best line's){nothing}, of "
        "people like those of public tables"
    )


def _not_foreseen(asked: AskedLine | AskedMoments) -> str:
    """What is known of the noise, where nobody foresaw what is lost by it."""
    if isinstance(asked, AskedMinimum):
        return "not foreseen, as the penalty was given: what it and the noise cost is the data's"
    if isinstance(asked, AskedDescent):
        return _noise_of_rounds(asked.plan)
    if asked.noise == 0:
        return "there is no noise"
    return (
        f"noise of {asked.noise:.3g} (standard deviation) on each mean square, of rows no longer "
        "than one and targets in [-1, 1]; what a line loses by it depends on the data"
    )


def _noise_of_rounds(plan: Plan) -> str:
    if plan.error is None:
        return CUT_OFF
    if plan.error == 0:
        return "there is no noise"
    return (
        f"a round's mean gradient is off by {math.sqrt(plan.error):.3g} (root mean square, of all "
        "its numbers together); what is lost by that is not foreseen"
    )


def _way_of(asked: AskedLine | AskedMoments) -> str:
    if isinstance(asked, AskedMoments):
        return f"the line of one release of all second moments{_beside(asked.settings.penalty)}"
    chosen = ", as is foreseen to lose least" * (asked.settings.lost is not None)
    if isinstance(asked, AskedMinimum):
        return f"{_minimum(asked.settings, asked.plan)}{chosen}"
    own = asked.settings
    return f"{_rounds(own.rounds, own.rate, own.clip)}, of {_named(asked.loss)}{chosen}"


def _minimum(settings: Penalised, plan: Plan) -> str:
    loss, penalty = _named(settings.loss), f"a penalty of {settings.penalty:.3g} a person"
    if not plan.private:
        return f"the exact minimum of {loss} with {penalty}"
    raised = _served(plan).mechanism.mechanism.raised
    more = f", which the promise raises to {raised:.3g}" * (raised > settings.penalty)
    return f"the minimum of {loss} with {penalty}{more}, by objective perturbation in one release"


def _beside(penalty: float) -> str:
    return f", with a penalty of {penalty:.3g} a person beside what noise needs" * (penalty > 0)


def _rounds(rounds: int, rate: float, clip: float) -> str:
    return (
        f"{_times(rounds, 'gradient ')} at rate {rate:.3g}, of gradients no longer than {clip:.3g}"
    )


def _times(rounds: int, kind: str = "") -> str:
    return f"{rounds:,} {kind}round{'s' * (rounds != 1)}"


def _named(loss: Loss) -> str:
    if isinstance(loss, Huber):
        return f"Huber's loss of width {loss.width:.3g}"
    if not isinstance(loss, Logistic | Multinomial):
        return "the hinge loss with a parabola at its corner"
    return f"the logistic loss{' capped at a half' * (loss.steepest < 1)}"


def _served(plan: Plan) -> Any:
    """What of a plan only its own question's server has."""
    return plan.server
