"""The settings `tacit train` runs: for each trust model, how often people are asked and how.

The tuned settings give every trust model the rounds, clipping and step that suit its noise. Those
for digits were chosen by `bench/tune_digits.py` on a part of the training images held out for it,
never on the test images, and on public data whose use for tuning is not part of any promise here.
Those for MNIST were set by judgement and not tuned at all. The shared settings give all five the
very same question and learner: what remains is the price of the trust model alone. A sweep is the
tuned settings at other budgets.
"""

import math
from dataclasses import dataclass, replace
from typing import final

from tacit.accounting.relation import Relation
from tacit.cli.steps import THEIR_OWN, ServerSteps
from tacit.contribution import Ball
from tacit.device.choose import Split
from tacit.federated.training import Training
from tacit.federated.updates import Update
from tacit.learning.rates import Rate
from tacit.plan import Plan
from tacit.question.dropouts import DropOuts
from tacit.question.participation import Everyone, Once, Participation, Poisson
from tacit.question.sums import Mean
from tacit.trust.central import Central
from tacit.trust.federated import Federated
from tacit.trust.local import Local
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.people import Reported
from tacit.trust.shuffled import Shuffled

Trust = NonPrivate | Central | Reported | Federated


@final
@dataclass(frozen=True)
class Budgets:
    """What the user promises: the central pair, the local total, and a report's two parts.

    `radius` is what the server projects the federated reports to; infinite for not at all. `upload`
    is how many bytes a device may send in a round; None for any number.
    """

    epsilon: float
    delta: float
    local_epsilon: float
    direction: float
    magnitude: float
    radius: float = math.inf
    upload: int | None = None


@final
@dataclass(frozen=True)
class TrustSetting:
    """One row of a table.

    Args:
      name: the trust model, as the user says it.
      trust: where the randomness is added.
      participation, rounds, radius: the question.
      update, rate, average_from: the learner.
      server: what becomes of the rate over the rounds, and of the answers.
    """

    name: str
    trust: Trust
    participation: Participation
    rounds: int
    radius: float
    update: Update
    rate: float
    average_from: int
    server: ServerSteps = THEIR_OWN

    @property
    def length(self) -> float | Rate:
        """Of the server's steps."""
        return self.server.length(self.rate, self.rounds)

    @property
    def reports(self) -> bool:
        """Whether a device randomises what it sends, and so may send less."""
        return isinstance(self.trust, Shuffled | Local | Federated)

    def plan(self, learner: Training, people: int) -> Plan:
        """The plan for `learner` on that many people."""
        ball = Ball(learner.dim, self.radius)
        return self.trust.plan(Mean(ball, self.participation, self.rounds, people))


@final
@dataclass(frozen=True)
class Job:
    """One release of a session: a setting, and the table it belongs to."""

    table: str
    setting: TrustSetting


def tuned_digits(budget: Budgets, update: Update) -> tuple[TrustSetting, ...]:
    """Five settings for 1,437 people with one 8x8 image each."""
    trusts = _trusts(budget, Relation.ADD_REMOVE)
    return (
        TrustSetting("none", trusts["none"], Everyone(), 200, 4.0, update, 4.0, 100),
        TrustSetting("central", trusts["central"], Everyone(), 160, 0.3, update, 13.0, 80),
        TrustSetting("shuffled", trusts["shuffled"], Once(), 20, 1.0, update, 2.0, 10),
        TrustSetting("local", trusts["local"], Once(), 20, 1.0, update, 4.0, 10),
        TrustSetting("federated", trusts["federated"], Everyone(), 20, 1.0, update, 8.0, 10),
    )


def shared_digits(budget: Budgets, update: Update) -> tuple[TrustSetting, ...]:
    """One question and one learner for all: each person once, in one of twenty rounds."""
    return _alike(budget, update, Once(), rounds=20, radius=1.0, rate=4.0, average_from=10)


def tuned_mnist(
    budget: Budgets, update: Update, rounds: int, people: int
) -> tuple[TrustSetting, ...]:
    """Five settings for people who hold a batch of images each, about 20 of them a round."""
    trusts = _trusts(budget, Relation.ADD_REMOVE)
    twenty, half = Poisson(min(0.5, 20 / people)), rounds // 2
    return (
        TrustSetting("none", trusts["none"], twenty, rounds, 10.0, update, 0.05, half),
        TrustSetting("central", trusts["central"], twenty, rounds, 1.0, update, 0.05, half),
        TrustSetting("shuffled", trusts["shuffled"], Once(), rounds, 1.0, update, 0.05, half),
        TrustSetting("local", trusts["local"], Once(), rounds, 1.0, update, 0.05, half),
        TrustSetting("federated", trusts["federated"], twenty, rounds, 1.0, update, 0.05, half),
    )


def shared_mnist(budget: Budgets, update: Update, rounds: int) -> tuple[TrustSetting, ...]:
    """One question and one learner for all: each person once."""
    return _alike(
        budget, update, Once(), rounds=rounds, radius=1.0, rate=0.05, average_from=rounds // 2
    )


def simulated(
    budget: Budgets, update: Update, rounds: int, people: int, cohort: int, missing: float
) -> tuple[TrustSetting, ...]:
    """Three settings for a population that is declared, and cohorts of it that come by a coin; with
    a chance of `missing` one who is asked does not report."""
    trusts, half = _trusts(budget, Relation.ADD_REMOVE), rounds // 2
    asked = Poisson(cohort / people)
    who = DropOuts(asked, missing) if missing else asked
    return tuple(
        TrustSetting(name, trusts[name], who, rounds, 1.0, update, 1.0, half)
        for name in ("none", "central", "federated")
    )


def stepped(settings: tuple[TrustSetting, ...], server: ServerSteps) -> tuple[TrustSetting, ...]:
    """The same settings with another server."""
    return tuple(replace(row, server=server) for row in settings)


def sweep(
    settings: tuple[TrustSetting, ...], factors: tuple[float, ...]
) -> tuple[TrustSetting, ...]:
    """The private settings again, with every epsilon multiplied by each factor."""
    return tuple(
        replace(setting, trust=_scaled(setting.trust, factor))
        for setting in settings
        for factor in factors
        if not isinstance(setting.trust, NonPrivate)
    )


def _alike(
    budget: Budgets,
    update: Update,
    who: Participation,
    *,
    rounds: int,
    radius: float,
    rate: float,
    average_from: int,
) -> tuple[TrustSetting, ...]:
    return tuple(
        TrustSetting(name, trust, who, rounds, radius, update, rate, average_from)
        for name, trust in _trusts(budget, Relation.REPLACE_ONE).items()
    )


def _trusts(budget: Budgets, relation: Relation) -> dict[str, Trust]:
    central, upload = Central(budget.epsilon, budget.delta, relation), budget.upload
    split = Split(budget.direction, budget.magnitude)
    return {
        "none": NonPrivate(),
        "central": central,
        "shuffled": Shuffled(budget.epsilon, budget.delta, upload),
        "local": Local(budget.local_epsilon, upload),
        "federated": Federated(split, central, budget.radius, upload),
    }


def _scaled(trust: Trust, factor: float) -> Trust:
    match trust:
        case Central() | Shuffled() | Local():
            return replace(trust, epsilon=trust.epsilon * factor)
        case Federated(local=Split(direction=direction, magnitude=magnitude), central=central):
            local = Split(direction * factor, magnitude * factor)
            return replace(trust, local=local, central=_scaled(central, factor))
    raise ValueError(f"only a private trust model can be swept, got {type(trust).__name__}")
