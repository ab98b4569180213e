"""Sums of keys that nobody declared: which keys are released, and noise on their sums.

**The release.** Of every key that anybody has, n people have it, after each person is held to their
k keys. The server draws which keys are kept (S), each by itself, with a chance that depends on n;
then it adds noise to the sums of the keys in S, to each number by itself, with no regard to n.

**Theorem.** If the choice of keys at which a person comes and goes is private by an event C, and
noise on sums of which a person's part lies in the declared shape by an event N, the release is
private by C and N composed.

*Proof.* Fix two neighbours, and let K be all keys of either: a finite set, of no matter how many.

1. Think of noise drawn for all keys in K. What is released is then a function of S and of the noisy
   sums of all of K: those of S, and nothing of the others; noise is independent between keys, so
   their part of the law is the same. Which keys K has does not show in it: a key that is in K but
   in neither S is in no release.
2. *The sums.* The sums over K of the two neighbours differ by one person's kept rows (two persons',
   where one is replaced): by what the caps on their rows allow, however many keys K has. This holds
   alike at keys that others have, and at those that this person alone has, where the neighbour's
   sum is zero. So the noisy sums of K are private by N.
3. *The choice.* n differs by one at each of this person's k keys at most (2k, where one is
   replaced), and nowhere else. Where others have the key, n and n + 1 are both above zero; where
   nobody else has it, n is 0 in the neighbour, and the key is never kept there: the law at 0 and 1
   is a part of what was proved of the choice (`truncated_geometric`). Keys are drawn for
   independently, so the choice is a composition of its k (or 2k) parts, each private by the same
   event, and of parts that are alike.
4. Choice and noise are drawn independently, so both together are private by C and N composed, and
   what is released is a function of both. ∎

**At most so many keys.** Of more keys than the question's sums have room for, the first in the
order of their names are released: a function of S. The sums released are then, given S, those of a
fixed set of so many keys, and the noise may be scaled to what one person's rows add to so many.

**How a promise is divided**, from public numbers alone: the choice gets the question's `share` of
epsilon and a quarter of delta, evenly over a person's keys; where many keys compose better than
their sum, each of them more, as long as all together are private by that share of epsilon and half
of delta. Noise is then the least with which the composed event keeps the whole promise.
"""

import functools
from typing import Any, final

import equinox as eqx
import numpy as np
from dp_accounting import DpEvent
from jaxtyping import Array, Bool, Float, Int64, PRNGKeyArray, PyTree

from tacit.accounting import calibration, events
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation
from tacit.accounting.reserve import Budget, within_delta
from tacit.facts import NoiseFacts
from tacit.mechanisms.selection.truncated_geometric import TruncatedGeometric
from tacit.noise.fixed import FixedPoint
from tacit.plan import InWholeSteps, Server
from tacit.question.keyed import DELTA_SHARE, Keyed
from tacit.server.noisy_mean import Sums, gaussian_noise


@final
class KeyedMean(eqx.Module):
    """The keys that enough people have, and their sums with noise.

    Args:
      choice: which keys are kept.
      sums: the noise on their sums; of as many keys as the question has room for.
    """

    choice: TruncatedGeometric
    sums: Server

    @property
    def grid(self) -> PyTree:
        return self.sums.grid

    @property
    def facts(self) -> NoiseFacts:
        return self.sums.facts

    def init(self) -> PyTree:
        return self.sums.init()

    def step(
        self, carry: PyTree, key: PRNGKeyArray, total: PyTree[FixedPoint]
    ) -> tuple[PyTree, Float[Array, " numbers"], None]:
        carry, answer, _ = self.sums.step(carry, key, total)
        return carry, answer, None

    def kept(
        self, key: PRNGKeyArray, people: Int64[np.ndarray, " keys"]
    ) -> Bool[np.ndarray, " keys"]:
        return self.choice.sample(key, people)

    def noisy(self, key: PRNGKeyArray, total: PyTree[FixedPoint]) -> PyTree[FixedPoint]:
        """Of the keys that were kept."""
        assert isinstance(self.sums, InWholeSteps)
        return self.sums.noisy(key, total)


def keyed_mean(budget: Budget, question: Keyed) -> tuple[KeyedMean, Guarantee]:
    """The server part for sums of keys that nobody declared, and what it promises the public.

    Raises:
      ValueError: without a delta, or if it is too small for so many keys of one person.
    """
    _refuse_pure(budget)
    sums = Sums(question.sums, question.sums.contribution, budget.relation)
    many = budget.relation.people_moved * question.keys

    def make(epsilon: float, delta: float) -> tuple[KeyedMean, DpEvent, float]:
        each = _each(many, question.share * epsilon, delta, budget.relation)
        choice = TruncatedGeometric(*each, question.at_least)
        multiplier = _multiplier(many, each, epsilon, delta, budget.relation)
        server = KeyedMean(choice, sums.server(gaussian_noise(multiplier)))
        event = question.sums.event(_both(many, each, multiplier), budget.relation)
        return server, event, sums.chance(server)

    return within_delta(budget, make, known=question.sums.overflow())


@functools.lru_cache(maxsize=256)
def _each(many: int, epsilon: float, delta: float, relation: Relation) -> tuple[float, float]:
    """Epsilon and delta of the choice at one of so many keys."""
    own = calibration.even_share(DELTA_SHARE * delta, many)

    def chosen(each: float) -> DpEvent:
        return events.repeated(events.epsilon_delta(each, own), many)

    return calibration.release_epsilon(
        chosen, many, epsilon, 2 * DELTA_SHARE * delta, relation
    ), own


@functools.lru_cache(maxsize=256)
def _multiplier(
    many: int, each: tuple[float, float], epsilon: float, delta: float, relation: Relation
) -> float:
    """The least noise that keeps the whole promise."""

    def event(multiplier: float) -> DpEvent:
        return _both(many, each, multiplier)

    return calibration.noise_multiplier(event, epsilon, delta, relation)


def _both(many: int, each: tuple[float, float], multiplier: float) -> DpEvent:
    chosen: Any = events.repeated(events.epsilon_delta(*each), many)
    return events.composed([chosen, events.gaussian(multiplier)])


def _refuse_pure(budget: Budget) -> None:
    if not budget.delta > 0:
        raise ValueError(
            "keys that nobody declared need a delta above 0, e.g. Central(1.0, 1e-6): a key of one "
            "person is kept with a small chance"
        )
