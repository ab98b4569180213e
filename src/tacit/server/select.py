"""Choosing the candidate with the highest sum, without releasing any sum.

Scores are summed exactly, on a grid fine enough for all people together; then each sum is rounded
down to the mechanism's coarser one, so what is compared are integers.

1. Only differences between scores matter, so the sensitivity is half of the `spread`: how much
   further one score can move than another.
2. Cutting a term to the fine grid moves a score by less than one fine step, and rounding a sum by
   less than one coarse step: both are added, but for shapes whose units the grid divides.
3. Sums are exact whatever the number of people: it is declared, and under add/remove nothing may
   tell how many there are in truth. They are taken relative to the first one and cut to 2^45 fine
   steps. A cut moves a difference by no more than it moved before, so no two of them move apart by
   it; and for as many people as were declared nothing is cut.

Two mechanisms choose: permute-and-flip, which is never worse at the same epsilon, and the
exponential mechanism, whose repetitions compose better (bounded range). Each is calibrated for the
question as a whole, and the larger epsilon a choice wins.
"""

import math
from collections.abc import Callable
from typing import final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Int32, PRNGKeyArray

from tacit.accounting import calibration, events
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation
from tacit.accounting.reserve import Budget, within_delta
from tacit.argument import got, is_number
from tacit.borrowed import DpEvent
from tacit.facts import NoiseFacts
from tacit.mechanisms.selection.exponential import Exponential
from tacit.mechanisms.selection.permute_and_flip import PermuteAndFlip
from tacit.noise.fixed import LIMB, LIMB_BITS, ROUNDING, FixedPoint, Tall, step_for
from tacit.question.sums import Mean, Select

# Larger differences are cut by the mechanisms anyway, at a distance below 2^23.
FARTHEST_BITS = 24
# Differences of the declared people's sums are at most this many fine steps, and a term's are fewer
# (`Tall`).
MOST_STEPS, MOST_OF_A_TERM = 2.0**44, 2.0**29
DRAWN_BY = {PermuteAndFlip: "permute-and-flip", Exponential: "the exponential mechanism"}
# What may choose, and the release it is accounted as.
KINDS = (
    (PermuteAndFlip, events.permute_and_flip),
    (Exponential, events.exponential_mechanism),
)


@final
class Choice(eqx.Module):
    """The number of one candidate, chosen by its sum of scores.

    Args:
      mechanism: chooses, on sums in its own steps.
      grid: the fine step that sums are exact in.
      halvings: how often the mechanism's step is halved to give the fine one.
      rounding: how far all people's cuts to the fine grid move a sum, at most.
      divisor: the expected cohort.
      candidates: how many sums are compared.
    """

    mechanism: Exponential | PermuteAndFlip
    grid: float
    halvings: int = eqx.field(static=True)
    rounding: float
    divisor: float
    candidates: int = eqx.field(static=True)

    @property
    def facts(self) -> NoiseFacts:
        return NoiseFacts(None, None, drawn_by=DRAWN_BY[type(self.mechanism)])

    def shortfall(self, beta: float) -> float:
        """With probability 1 - `beta` the chosen mean is within this of the highest.

        Raises:
          ValueError: if `beta` is not in (0, 1].
        """
        if not (is_number(beta) and 0 < beta <= 1):
            raise ValueError(f"beta must be in (0, 1], got {got(beta)}")
        short = self.mechanism.shortfall(self.candidates, 1, -math.log(beta))
        return (short + self.rounding) / self.divisor

    def init(self) -> None:
        return None

    def brought(self, total: Tall) -> FixedPoint:
        return total.less_first().cut()

    def step(
        self, carry: None, key: PRNGKeyArray, total: FixedPoint
    ) -> tuple[None, Int32[Array, ""], None]:
        distances = below_highest(total, self.halvings)
        return carry, self.mechanism.sample_distances(key, distances), None


def below_highest(total: FixedPoint, halvings: int) -> Int32[Array, " candidates"]:
    """How many whole steps of 2^`halvings` fine ones each sum is below the highest, up to 2^23.

    Exact as long as no two sums are 2^45 fine steps apart, wherever they are: limbs wrap.
    """
    apart = total.plus(FixedPoint(-total.high[0], -total.low[0], total.step))
    high = jnp.max(apart.high)
    low = jnp.max(jnp.where(apart.high == high, apart.low, 0))
    if halvings >= LIMB_BITS:
        places = halvings - LIMB_BITS
        return jnp.minimum((high >> places) - (apart.high >> places), 1 << FARTHEST_BITS)
    limbs = jnp.minimum(high - apart.high, 1 << (FARTHEST_BITS - LIMB_BITS + halvings))
    return limbs * (LIMB >> halvings) + ((low >> halvings) - (apart.low >> halvings))


def choice(budget: Budget, question: Select) -> tuple[Choice, Guarantee]:
    """The server part that chooses a candidate in each round, and what it promises the public."""
    sums = question.sums

    def make(epsilon: float, delta: float) -> tuple[Choice, DpEvent, float]:
        found = []
        for kind, release in KINDS:
            each = _largest(release, sums, epsilon, delta, budget.relation)
            found.append((*each, kind))
        most, event, kind = max(found, key=lambda each: each[0])
        return _on_grid(kind, most, question, budget.relation), event, sums.overflow()

    return within_delta(budget, make, spared=0.0)


def _largest(
    release: Callable[[float], DpEvent],
    sums: Mean,
    epsilon: float,
    delta: float,
    relation: Relation,
) -> tuple[float, DpEvent]:
    """The largest epsilon of a release with which all of them keep the promise, and its event."""

    def event(each: float) -> DpEvent:
        return sums.event(release(each), relation)

    most = calibration.release_epsilon(event, sums.times, epsilon, delta, relation)
    return most, event(most)


def _refuse_too_fine(bound: float, width: float, people: int, step: float) -> None:
    """Raises a ValueError if sums of so many scores are not exact in these steps."""
    if not (bound <= MOST_OF_A_TERM * step and people * width <= MOST_STEPS * step):
        raise ValueError(
            f"scores of up to {bound:g} that differ by up to {width:g} are too fine for "
            f"{people:,} people: move them nearer to zero, or ask fewer people at once"
        )


def _on_grid(
    kind: type[Exponential] | type[PermuteAndFlip],
    epsilon: float,
    question: Select,
    relation: Relation,
) -> Choice:
    shape, people = question.scores, question.sums.capacity
    half, width = shape.spread(relation) / 2, shape.spread(Relation.ADD_REMOVE)
    mechanism = kind(epsilon, half)
    fine, rounding = mechanism.grid.step, 0.0
    if not fine <= shape.unit:
        finest = max(step_for(width, people, 0.0), 2 * step_for(shape.bound, 1, 0.0))
        cuts = 0.0 if shape.unit else min(fine, finest)
        fine, rounding = cuts or shape.unit, people * cuts
        mechanism = _covering(kind, epsilon, (1 + ROUNDING) * half + cuts)
    _refuse_too_fine(shape.bound, width, people, fine)
    halvings = round(math.log2(mechanism.grid.step / fine))
    own = question.sums.cohort, shape.candidates
    return Choice(mechanism, fine, halvings, rounding, *own)


def _covering(
    kind: type[Exponential] | type[PermuteAndFlip], epsilon: float, moved: float
) -> Exponential | PermuteAndFlip:
    """The mechanism for scores that move by this much before they are rounded to its own grid.

    Step 2.
    """
    mechanism = kind(epsilon, moved)
    while mechanism.grid.sensitivity < moved + mechanism.grid.step:
        mechanism = kind(epsilon, moved + mechanism.grid.step)
    return mechanism
