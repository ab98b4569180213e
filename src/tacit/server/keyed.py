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
   is a part of what was proved of the choice (`truncated_geometric`, `gaussian_threshold`). Keys
   are drawn for independently, so the choice is a composition of its k (or 2k) parts, each private
   by the same event, and of parts that are alike. (Where noisy numbers are compared with a
   threshold, all k parts are one Gaussian release: `gaussian_threshold`.)
4. Choice and noise are drawn independently, so both together are private by C and N composed, and
   what is released is a function of both. ∎

**At most so many keys.** Of more keys than the question's sums have room for, the first in the
order of their names are released: a function of S. The sums released are then, given S, those of a
fixed set of so many keys, and the noise may be scaled to what one person's rows add to so many.

**How a promise is divided**, from public numbers alone. The choice gets the question's `share` of
epsilon, and of two ways the one for which a key needs fewer people:

* *truncated geometric*: a quarter of delta, evenly over a person's keys; where many keys compose
  better than their sum, each of them more of epsilon, as long as all together are private by that
  share and half of delta;
* *Gaussian threshold*: noise that is private by that share of epsilon and a quarter of delta; and
  another quarter for keys that one person has alone.

Noise on the sums is then the least with which the composed event keeps the whole promise.
"""

import functools
import math
from typing import NamedTuple, final

import equinox as eqx
import numpy as np
from jaxtyping import Array, Bool, Float, Int64, PRNGKeyArray, PyTree

from tacit.accounting import calibration, events
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation
from tacit.accounting.reserve import Budget, within_delta
from tacit.borrowed import DpEvent
from tacit.facts import NoiseFacts
from tacit.mechanisms.selection.gaussian_threshold import LEAST_SIGMA, GaussianThreshold
from tacit.mechanisms.selection.truncated_geometric import (
    LEAST_DELTA,
    LEAST_EPSILON,
    MOST_EPSILON,
    TruncatedGeometric,
)
from tacit.noise.fixed import FixedPoint
from tacit.plan import InWholeSteps, Server
from tacit.question.keyed import DELTA_SHARE, Keyed
from tacit.server.noisy_mean import Sums, gaussian_noise


@final
class EveryKey(eqx.Module):
    """All keys of so many people, whoever they are. **Guarantee**: none."""

    at_least: int = eqx.field(static=True)

    def sample(
        self, key: PRNGKeyArray, people: Int64[np.ndarray, " keys"]
    ) -> Bool[np.ndarray, " keys"]:
        del key
        return people >= self.at_least

    def needed(self, chance: float) -> int:
        """Of how many people a key is kept with this chance: with any, since nothing is drawn."""
        del chance
        return self.at_least


@final
class KeyedMean(eqx.Module):
    """The keys that enough people have, and their sums with noise.

    Args:
      choice: which keys are kept.
      sums: the noise on their sums; of as many keys as the question has room for.
      most: how many that are.
    """

    choice: TruncatedGeometric | GaussianThreshold | EveryKey
    sums: Server
    most: int = eqx.field(static=True)

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


class KeyChoice(NamedTuple):
    """A way to choose keys, what it is charged as, and the chance that it is not so."""

    mechanism: TruncatedGeometric | GaussianThreshold
    event: DpEvent
    chance: float


def keyed_mean(budget: Budget, question: Keyed) -> tuple[KeyedMean, Guarantee]:
    """The server part for sums of keys that nobody declared, and what it promises the public.

    Raises:
      ValueError: without a delta, or if it is too small for so many keys of one person.
    """
    _refuse_pure(budget)
    sums = Sums(question.sums, question.sums.contribution, budget.relation)

    def make(epsilon: float, delta: float) -> tuple[KeyedMean, DpEvent, float]:
        choice = chosen(question, epsilon, delta, budget.relation)
        multiplier = _multiplier(choice.event, epsilon, delta, budget.relation)
        noisy = sums.server(gaussian_noise(multiplier))
        server = KeyedMean(choice.mechanism, noisy, question.most)
        both = events.composed([choice.event, events.gaussian(multiplier)])
        event = question.sums.event(both, budget.relation)
        return server, event, sums.chance(server) + choice.chance

    return within_delta(budget, make, known=question.sums.overflow())


def chosen(question: Keyed, epsilon: float, delta: float, relation: Relation) -> KeyChoice:
    """The choice for which a key needs fewer people, to be kept with an even chance."""
    many = relation.people_moved * question.keys
    asked = many, question.share * epsilon, delta, relation, question.at_least
    ways = [thresholded(*asked, whole=epsilon)]
    each = question.share * epsilon / many, DELTA_SHARE * delta / many
    if LEAST_EPSILON <= each[0] <= MOST_EPSILON / 2 and LEAST_DELTA <= each[1]:
        ways.append(truncated(*asked))
    return min(ways, key=lambda way: way.mechanism.needed(0.5))


def truncated(
    many: int, epsilon: float, delta: float, relation: Relation, at_least: int
) -> KeyChoice:
    """By the truncated geometric rule at each of so many keys."""
    own = calibration.even_share(DELTA_SHARE * delta, many)

    def each(epsilon: float) -> DpEvent:
        return events.repeated(events.epsilon_delta(epsilon, own), many)

    most = calibration.release_epsilon(each, many, epsilon, 2 * DELTA_SHARE * delta, relation)
    return KeyChoice(TruncatedGeometric(most, own, at_least), each(most), 0.0)


def thresholded(
    many: int, epsilon: float, delta: float, relation: Relation, at_least: int, *, whole: float
) -> KeyChoice:
    """By noise on how many people so many keys have; a quarter of delta is for those of one person
    alone, at the `whole` epsilon."""
    multiplier = calibration.noise_multiplier(
        events.gaussian, epsilon, DELTA_SHARE * delta, relation
    )
    sigma = max(multiplier * math.sqrt(many) * (1 + 1e-12), LEAST_SIGMA)
    alone = DELTA_SHARE * delta / many / (1 + math.exp(min(whole, 700.0)))
    mechanism = GaussianThreshold.reserving(sigma, alone, at_least)
    off = many * (mechanism.alone + mechanism.off)
    return KeyChoice(mechanism, events.gaussian(sigma / math.sqrt(many) * (1 - 1e-12)), off)


@functools.lru_cache(maxsize=256)
def _multiplier(chosen: DpEvent, epsilon: float, delta: float, relation: Relation) -> float:
    """The least noise that keeps the whole promise."""

    def event(multiplier: float) -> DpEvent:
        return events.composed([chosen, events.gaussian(multiplier)])

    return calibration.noise_multiplier(event, epsilon, delta, relation)


def _refuse_pure(budget: Budget) -> None:
    if not budget.delta > 0:
        raise ValueError(
            "keys that nobody declared need a delta above 0, e.g. Central(1.0, 1e-6): a key of one "
            "person is kept with a small chance"
        )
