"""An attack on everybody's secret bit, played once: how many of all bits were guessed.

Such attacks ask one question in which everybody's bit has a part, guess all bits from its answer,
and foresee how many the answer's noise gives away. What a promise allows of each bit is in
`one_bit`, whatever was asked.
"""

from typing import Protocol

import numpy as np
from jaxtyping import Bool, Float

from tacit.attacks.answered import mean_of
from tacit.attacks.breach import BreachRate
from tacit.attacks.one_bit import most_guessed
from tacit.attacks.outcome import Outcome
from tacit.plan import Plan
from tacit.question.sums import Mean
from tacit.trust.people import Curated, refuse_no_trust

Bits = Bool[np.ndarray, " people"]


class BitAttack(Protocol):
    """What is asked, and how bits are guessed from the answer."""

    @property
    def question(self) -> Mean: ...

    def terms(self, bits: Bits) -> Float[np.ndarray, "people numbers"]:
        """What each person hands over."""
        ...

    def guess(self, answer: Float[np.ndarray, " numbers"]) -> Bits:
        """Everybody's bit, from the mean of all terms."""
        ...

    def expected(self, plan: Plan) -> float | None:
        """The share of bits that the plan's noise gives away; None if nobody foresees it."""
        ...


def bits_found(
    attack: BitAttack, bits: Bits, trust: Curated, seed: int, rarer: float = 0.5
) -> Outcome:
    """The attack on people with these bits, in a ledger of their own.

    Args:
      attack: on as many people.
      bits: theirs.
      trust: whom they trust.
      seed: of the noise.
      rarer: the chance of the rarer value, as is known of everybody.
    """
    refuse_no_trust(trust)
    plan = trust.plan(attack.question)
    guessed = attack.guess(mean_of(plan, attack.terms(bits), seed))
    found = BreachRate(int(np.count_nonzero(guessed == bits)), len(bits))
    return Outcome("all bits", found, attack.expected(plan), most_guessed(plan, rarer))


def made_bits(people: int, seed: int) -> Bits:
    """Of made people, even ones."""
    return np.random.default_rng(seed).integers(0, 2, people).astype(bool)
