"""What a fit of weights is foreseen to do, in words: of lines, of sparse ones, of networks.

As `words` says it of directions and clusters: all of it follows from what will be asked.
"""

import math
from typing import Any, Protocol, cast

from tacit.estimators.fit_plan import FitPlan
from tacit.estimators.settings import RegressionSettings
from tacit.estimators.words import CUT_OFF, OPTIMA
from tacit.learning.descent import Descent
from tacit.learning.frank_wolfe import FrankWolfe
from tacit.plan import Plan
from tacit.server.concepts import UNSURE

_UNKNOWN = "how much of a label or a target can be told by a line of these features"


class SaidLine(Protocol):
    """What is asked for a line: which way, and what is known of its noise."""

    @property
    def plan(self) -> Plan: ...

    @property
    def settings(self) -> RegressionSettings: ...

    @property
    def way(self) -> str: ...

    @property
    def known(self) -> str: ...


def line_foreseen(asked: SaidLine, population: str | None) -> FitPlan:
    """Of a line.

    Args:
      asked: what is.
      population: the name of the accounts; None where nobody is charged.
    """
    lost = asked.settings.lost
    if lost is None:
        return FitPlan(asked.plan, population, asked.way, None, asked.known, _UNKNOWN)
    way = f"{asked.way}, as is foreseen to lose least"
    return FitPlan(asked.plan, population, way, lost, _lost(lost), _UNKNOWN)


def corners_foreseen(learner: FrankWolfe, plan: Plan, population: str | None) -> FitPlan:
    """Of a line whose corners are chosen one by one; `population` as of `line_foreseen`."""
    corners, rounds = 2 * learner.risk.dim, learner.rounds
    short = _served(plan).shortfall(UNSURE / rounds) if plan.private else 0.0
    often = f"{1 - UNSURE:.0%} of times " * plan.private
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
    way = f"{rounds_in_words(plan.sums.rounds, rate, clip)}, of a model of {learner.dim:,} numbers"
    unknown = f"how much of a label such a model can tell, and {OPTIMA}"
    return FitPlan(plan, population, way, None, noise_of_rounds(plan), unknown)


def _lost(share: float) -> str:
    nothing = ", so that nothing is learnt" * (share >= 1)
    return (
        f"{share:.2g} of what a line can tell is foreseen to be lost by noise and by few people "
        f"(one minus the squared correlation of its scores with the best line's){nothing}, of "
        "people like those of public tables"
    )


def noise_of_rounds(plan: Plan) -> str:
    """What is known of the noise of gradients, where nobody foresaw what is lost by it."""
    if plan.error is None:
        return CUT_OFF
    if plan.error == 0:
        return "there is no noise"
    return (
        f"a round's mean gradient is off by {math.sqrt(plan.error):.3g} (root mean square, of all "
        "its numbers together); what is lost by that is not foreseen"
    )


def rounds_in_words(rounds: int, rate: float, clip: float) -> str:
    """Which way gradient rounds are; of what, is for whoever asks to say."""
    return (
        f"{_times(rounds, 'gradient ')} at rate {rate:.3g}, of gradients no longer than {clip:.3g}"
    )


def _times(rounds: int, kind: str = "") -> str:
    return f"{rounds:,} {kind}round{'s' * (rounds != 1)}"


def _served(plan: Plan) -> Any:
    """What of a plan only its own question's server has."""
    return plan.server
