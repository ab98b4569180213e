"""Which mechanism makes a database, what it promises, and how far it may be from people's.

| question | mechanism | event |
| --- | --- | --- |
| `NearDatabase` | the net mechanism | one choice of bounded range |
| `TaughtShares`, without a delta | MWEM, with Laplace noise | 2 T releases of an even share |
| `TaughtShares`, with a delta | MWEM, with Gaussian noise | T choices and T Gaussian numbers |

A choice of epsilon e and a number of deviation 2/e cost the same concentrated privacy, e²/8; the
accountant composes their own laws, which is less than that bound allows.
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Int64, PRNGKeyArray

from tacit.accounting import calibration, events
from tacit.accounting.events import DpEvent
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.reserve import Budget, pure, within_delta
from tacit.mechanisms.additive.discrete_gaussian import DiscreteGaussian
from tacit.mechanisms.additive.discrete_laplace import DiscreteLaplace
from tacit.mechanisms.rows.multiplicative_weights import CountNoise, MultiplicativeWeights
from tacit.mechanisms.rows.small_database import SmallDatabase
from tacit.mechanisms.selection.whole_scores import Chooser, Highest, WholeScores
from tacit.question.databases import Database, NearDatabase, TaughtShares
from tacit.server.concepts import UNSURE


def made(budget: Budget, asked: Database, people: int) -> tuple[Any, Guarantee, str]:
    """The mechanism, its promise, and what is known of its answer, in words."""
    if isinstance(asked, NearDatabase):
        near, guarantee = _near(budget, asked)
        return near, guarantee, _off(near.error_bound(people, UNSURE), people, "")
    taught, guarantee = _taught(budget, asked, people)
    off = taught.error_bound(UNSURE)
    return taught, guarantee, _off(off, people, ", of mean shares without repeats")


def without_noise(asked: Database, people: int) -> Any:
    """The same, of the highest scores and exact counts."""
    if isinstance(asked, NearDatabase):
        return SmallDatabase(asked.cells, asked.rows, Highest())
    return _weights(asked, people, Highest(), NoNoise())


def _near(budget: Budget, asked: NearDatabase) -> tuple[SmallDatabase, Guarantee]:
    choice = WholeScores(budget.epsilon, asked.rows)
    event = events.exponential_mechanism(choice.epsilon)
    mechanism = SmallDatabase(asked.cells, asked.rows, choice)
    return mechanism, pure(event, budget.relation, 0.0)


def _taught(
    budget: Budget, asked: TaughtShares, people: int
) -> tuple[MultiplicativeWeights, Guarantee]:
    def make(epsilon: float, delta: float) -> tuple[MultiplicativeWeights, DpEvent, float]:
        each = calibration.release_epsilon(
            lambda e: _event(e, delta, asked.rounds),
            2 * asked.rounds,
            epsilon,
            delta,
            budget.relation,
        )
        noise = _noise(each, delta)
        mechanism = _weights(asked, people, WholeScores(each, 1), noise)
        chance = asked.rounds * noise.tv_distance(1)
        return mechanism, _event(each, delta, asked.rounds), chance

    return within_delta(budget, make)


def _event(each: float, delta: float, rounds: int) -> DpEvent:
    """T choices of this epsilon, and as much for T numbers."""
    choices, numbers = events.exponential_mechanism(each), _noise(each, delta).event(1)
    return events.composed([events.repeated(own, rounds) for own in (choices, numbers)])


def _noise(each: float, delta: float) -> DiscreteGaussian | DiscreteLaplace:
    return DiscreteGaussian(2 / each) if delta > 0 else DiscreteLaplace(each)


def _weights(
    asked: TaughtShares, people: int, choice: Chooser, noise: CountNoise
) -> MultiplicativeWeights:
    return MultiplicativeWeights(asked.cells, asked.rounds, people, asked.repeats, choice, noise)


def _off(far: float, people: int, of: str) -> str:
    if not far < people:
        return "what is proved of it says nothing about so few people"
    sure = f"{1 - UNSURE:.0%} sure"
    return f"{sure} that no cell of the tables is off by more than {far:,.0f} people{of}"


@final
@dataclass(frozen=True)
class NoNoise:
    """Counts as they are. **Guarantee**: none."""

    def sample(self, key: PRNGKeyArray, values: np.ndarray) -> Int64[np.ndarray, "*shape"]:
        del key
        return np.asarray(values)

    def reach(self, chance: float) -> float:
        del chance
        return 0.0
