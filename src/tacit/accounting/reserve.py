"""The part of a delta that pays for releases that are not quite their event.

With a chance of at most p a release is another one than its event says: a cohort is cut at its
capacity, or a sampler is not as proved (p is then its distance from its law in total variation).

**Theorem.** Let P and Q be the event's laws on two neighbours, (epsilon, d)-private, and P' and Q'
those of the release, each within p of its own. Then for every set S

    P'(S) <= P(S) + p <= e^epsilon Q(S) + d + p <= e^epsilon Q'(S) + d + (1 + e^epsilon) p.

So an event certified at `delta - reserve`, with reserve = (1 + e^epsilon) p, is promised at
`delta`. A promise without a delta states the reserve as its own, if that is negligible. What other
files call the reserve of a chance, or of a distance in total variation, is this.

**How much** is known when a mechanism is made, and making it takes a delta. `within_delta` makes it

1. with what is known before reserved, and a share of delta that nearly always is enough for
   samplers;
2. if not, again with what was needed and that share, up to nine tenths of delta: there is more
   noise then, which brings samplers nearer to their laws, but for a rounding never further;
3. if that is not enough either, with half of delta and the epsilon at which half is enough.

Noise grows with the root of log(1/delta) and with 1/epsilon, so a tenth of delta is worth more than
a part of epsilon.
"""

import math
from collections.abc import Callable
from typing import Protocol, TypeVar

from tacit.accounting import accountant
from tacit.accounting.guarantee import PERSON, Guarantee
from tacit.accounting.relation import Relation
from tacit.borrowed import DpEvent

# The share of delta reserved at first: twice as much takes another millionth from every mechanism,
# and with half of it those that need more are made again. And the most of it that is at the whole
# epsilon: a choice, not measured; more leaves less than a tenth to the mechanism.
SPARED, MOST = 1e-6, 0.9
# What an event that is just (epsilon, delta)-private gets of delta: accountants have a grid.
BELOW_DELTA = 1 - SPARED
# The most that may be reserved of a delta of zero.
NEGLIGIBLE = 1e-9
# Two are nearly always enough; where reserves keep growing none are.
_ATTEMPTS = 8

Made = TypeVar("Made")


class Budget(Protocol):
    """What is to be kept: (epsilon, delta) for neighbours in this relation."""

    @property
    def epsilon(self) -> float: ...

    @property
    def delta(self) -> float: ...

    @property
    def relation(self) -> Relation: ...


def is_negligible(epsilon: float, chance: float) -> bool:
    """Whether the reserve of this chance is half of what a delta of zero may have, at most.

    The other half is left to what is known before: cohorts that are cut, where any are.
    """
    return reserve_for(epsilon, chance) <= NEGLIGIBLE / 2


def reserve_for(epsilon: float, chance: float) -> float:
    """(1 + e^epsilon) chance; at most 1, where the promise is empty anyway."""
    if chance == 0:
        return 0.0
    return min(1.0, chance + math.exp(min(0.0, epsilon + math.log(chance))))


def within_delta(
    budget: Budget,
    make: Callable[[float, float], tuple[Made, DpEvent, float]],
    spared: float = SPARED,
    known: float = 0.0,
) -> tuple[Made, Guarantee]:
    """A mechanism that keeps `budget` with all that it takes out of delta, and its promise.

    Args:
      make: from (epsilon, delta), a mechanism, its event, which is private by these two, and the
        chance that the release is another.
      spared: the share of delta reserved for samplers; none where making it again costs little.
      known: the part of that chance which does not depend on the mechanism.

    Raises:
      ValueError: delta is too small for any epsilon, or is 0 and what it takes is not negligible.
    """
    if budget.delta == 0:
        made, event, chance = make(budget.epsilon, 0.0)
        return made, pure(event, budget.relation, chance)
    epsilon, most, chance = budget.epsilon, MOST * budget.delta, known
    for _ in range(_ATTEMPTS):
        if not 4 * chance < budget.delta:
            break
        reserve = reserve_for(epsilon, chance) + spared * budget.delta
        if reserve > most:
            reserve = most = budget.delta / 2
            epsilon = math.log(reserve / chance - 1) * (1 - SPARED)
        made, event, chance = make(epsilon, budget.delta - reserve)
        needed = reserve_for(epsilon, chance)
        if needed <= reserve:
            return made, promised(event, budget.relation, budget.delta, needed)
    raise ValueError(_too_small(budget.delta, chance, "public"))


def pure(event: DpEvent, relation: Relation, chance: float, observer: str = "public") -> Guarantee:
    """What a pure event promises `observer`, with what its release takes as the delta.

    Raises:
      ValueError: that is not negligible.
    """
    epsilon = accountant.epsilon(event, 0.0, relation).epsilon
    reserve = reserve_for(epsilon, chance)
    if not reserve <= NEGLIGIBLE:
        raise ValueError(_too_small(0.0, chance, observer))
    return promised(event, relation, 0.0, reserve, observer)


def promised(
    event: DpEvent, relation: Relation, delta: float, reserve: float, observer: str = "public"
) -> Guarantee:
    """The event's promise at delta, of which it keeps what is not reserved."""
    found = accountant.epsilon(event, max(delta - reserve, 0.0), relation)
    stated = found.epsilon, max(delta, reserve), found.accountant, reserve
    return Guarantee(observer, PERSON, relation, event, *stated)


def _too_small(delta: float, chance: float, observer: str) -> str:
    most = NEGLIGIBLE / chance - 1 if chance else math.inf
    either = f", or 0 with an epsilon of at most about {math.log(most):.3g}" if most > 1 else ""
    return (
        f"delta against the {observer} must exceed {4 * chance:.3g}{either}, got {delta:g}: "
        f"samplers and overflowing cohorts take (1 + e^epsilon) {chance:.2g} of it"
    )
