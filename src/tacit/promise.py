"""What a plan promises: an event, certified at the delta that cuts and samplers leave of it.

With chance p a cohort is cut or a sampler is not as proved, which spills (1 + e^epsilon) p into
delta. So an event is certified at delta - spill and promised at delta. A promise without a delta
states the spill as its own, if that is negligible: epsilon is then at most log(NEGLIGIBLE/p - 1).
"""

import math
from dataclasses import dataclass
from typing import Protocol, final

from dp_accounting import DpEvent

from tacit.accounting.accountant import epsilon as certified_epsilon
from tacit.accounting.pairs.sampled_gaussian import overflow_delta
from tacit.accounting.relation import Relation
from tacit.plan import Guarantee

# The part of delta set aside for the samplers' distances, which are nearly always less.
SPARED = 1e-6
# The most that cuts and samplers may add to a delta of zero.
NEGLIGIBLE = 1e-9
# Relative float32 rounding between a term's projection and its noise.
ROUNDING = 1e-6
# Shares of a budget are floats, and must not add up to more than all of it.
BELOW_ONE = 1 - 1e-15


class Promise(Protocol):
    """(epsilon, delta) for neighbours in this relation."""

    @property
    def epsilon(self) -> float: ...

    @property
    def delta(self) -> float: ...

    @property
    def relation(self) -> Relation: ...


@final
@dataclass(frozen=True)
class Pure:
    """A promise without a delta."""

    epsilon: float
    relation: Relation

    @property
    def delta(self) -> float:
        return 0.0


def kept(promise: Promise, event: DpEvent, spill: float, observer: str = "public") -> Guarantee:
    """The guarantee of what `event` keeps of `promise` once `spill` of its delta is spent."""
    account = certified_epsilon(event, max(promise.delta - spill, 0.0), promise.relation)
    return Guarantee(
        observer,
        promise.relation,
        event,
        account.epsilon,
        max(promise.delta, spill),
        account.accountant,
        spill=spill,
    )


def refuse_unless_pure(promise: Promise, chance: float, observer: str = "public") -> None:
    """Raises a ValueError if a promise without a delta would need more than a negligible one.

    Args:
      promise: one with a delta is never refused here.
      chance: that a cohort is cut, or a sampler not as proved.
      observer: against whom it is made.
    """
    spill = overflow_delta(promise.epsilon, chance)
    if promise.delta > 0 or spill <= NEGLIGIBLE:
        return
    if not 2 * chance < NEGLIGIBLE:
        raise ValueError(
            f"delta must be above 0 against the {observer}: samplers and overflowing cohorts add "
            f"at least {2 * chance:.2g} to it"
        )
    raise ValueError(
        f"without a delta epsilon against the {observer} must be at most about "
        f"{math.log(NEGLIGIBLE / chance - 1):.3g}: at {promise.epsilon:.3g} samplers and "
        f"overflowing cohorts would add {spill:.2g} to it"
    )
