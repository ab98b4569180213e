"""Everybody's secret bit, from noisy answers to how many of each of some public subsets have it.

The subsets are random, and public: whoever asks for many enough statistics of a column has asked
for some such. How bits are found in the answers is a `Decoder`'s: with least squares and a few
times as many subsets as people, noise well below the square root of people hides nobody. `one_bit`
says what a promise allows.

References:
    Dinur and Nissim 2003, "Revealing information while preserving privacy".
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from jaxtyping import Bool, Float

from tacit.argument import counted, got, is_made, is_whole, refuse_no_seed
from tacit.attacks.all_bits import bits_found, made_bits
from tacit.attacks.decoders import Decoder, NearestInSquares, Subsets
from tacit.attacks.outcome import Outcome
from tacit.contribution import Ball
from tacit.plan import Plan
from tacit.question.participation import Everyone
from tacit.question.sums import Mean
from tacit.trust.people import Curated

# People times subsets, which are written out.
MOST_NUMBERS = 2**24
BY = NearestInSquares()


@final
@dataclass(frozen=True)
class SubsetSums:
    """The attack on so many people, of whom so many subsets are asked for.

    Args:
      people: from 2 on.
      subsets: from 1 on; people times subsets is at most 2^24. 2^people are all there are, and
        then each is asked for once.
      by: how bits are found in answers.
      seed: of the subsets, which are public.
    """

    people: int
    subsets: int
    by: Decoder = BY
    seed: int = 0

    def __post_init__(self):
        for name, least in (("people", 2), ("subsets", 1)):
            value = counted(getattr(self, name))
            object.__setattr__(self, name, value)
            if not (is_whole(value) and value >= least):
                raise ValueError(f"{name} must be a whole number from {least} on, got {got(value)}")
        if not self.people * self.subsets <= MOST_NUMBERS:
            raise ValueError(
                "people times subsets must be at most 2^24, got "
                f"{self.people:,} and {self.subsets:,}"
            )
        if not is_made(self.by, Decoder):
            raise ValueError(f"by must be a decoder, NearestInSquares() say, got {got(self.by)}")
        refuse_no_seed(self.seed)

    @cached_property
    def asked(self) -> Subsets:
        """Who is in each subset."""
        if self.people <= 16 and self.subsets == 2**self.people:
            order = np.random.default_rng(self.seed).permutation(self.subsets)
            return (order[:, None] >> np.arange(self.people)) % 2 == 1
        drawn = np.random.default_rng(self.seed).integers(0, 2, (self.subsets, self.people))
        return drawn.astype(bool)

    @property
    def question(self) -> Mean:
        """What is asked: in which subsets somebody with the bit is, whose number is public."""
        most = max(1, int(self.asked.sum(axis=0).max()))
        return Mean(Ball(self.subsets, math.sqrt(most)), Everyone(), 1, self.people)

    def terms(self, bits: Bool[np.ndarray, " people"]) -> Float[np.ndarray, "people subsets"]:
        """What each person hands over."""
        return (self.asked.T * bits[:, None]).astype(np.float32)

    def guess(self, answer: Float[np.ndarray, " subsets"]) -> Bool[np.ndarray, " people"]:
        """Everybody's bit, from the mean of all terms."""
        return self.by.bits(self.asked, self.people * answer) >= 0.5

    def expected(self, plan: Plan) -> float | None:
        """The share of bits that the plan's noise gives away; None if nobody foresees it."""
        return self.by.expected(self.subsets, self.people, plan.server.facts.stated_noise)

    def run(self, trust: Curated, seed: int) -> Outcome:
        """The attack on made people with uniform bits, in a ledger of their own."""
        return bits_found(self, made_bits(self.people, seed), trust, seed)
