"""Everybody's secret bit, from noisy answers to as many questions as there are people.

n people have a public number i and a secret bit x_i. Asked are the n sums q = H x, with H the
Hadamard matrix of entries 1 and -1: which of the people with a bit are counted forwards, and which
backwards, is public. As H is n times its inverse's transpose, H^T q / n = x, and noise of standard
deviation s on each answer is noise of s/n^(1/2) on each bit: the least that any n bounded questions
leave (Dwork and Yekhanin). A bit is guessed to be the nearer of 0 and 1, so

    a share Phi(n^(1/2) / (2 s)) of all bits is found,

for noise on a bit is a sum over all answers, and nearly normal where that on answers is not.

Noise below n^(1/2)/4, far less than the n/2 that a sum varies by, gives away 97.7% of them: this is
why an interface that answers everything truthfully but for a little noise protects nobody (Dinur
and Nissim).

**What a promise allows** of somebody's bit is in `one_bit`. Gaussian noise of s = n^(1/2)/mu allows
Phi(mu/2) of even bits, which is what the attack reaches: it is the best there is, and audits n
people at once.

References:
    Dinur and Nissim 2003, "Revealing information while preserving privacy".
    Dwork and Yekhanin 2008, "New efficient attacks on statistical disclosure control mechanisms".
"""

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Bool, Float, Num
from scipy.linalg import hadamard
from scipy.stats import norm

from tacit.argument import counted, got, is_power_of_two, is_whole
from tacit.attacks.all_bits import bits_found, made_bits
from tacit.attacks.outcome import Outcome
from tacit.contribution import Ball
from tacit.plan import Plan
from tacit.question.participation import Everyone
from tacit.question.sums import Mean
from tacit.trust.people import Curated

# H is written out: 4,096² numbers are 128 MiB.
MOST_PEOPLE = 4096


@final
@dataclass(frozen=True)
class SecretBits:
    """The attack on so many people.

    Args:
      people: a power of two, from 4 to 4,096.
    """

    people: int

    def __post_init__(self):
        size = counted(self.people)
        object.__setattr__(self, "people", size)
        if not (is_whole(size) and 4 <= size <= MOST_PEOPLE and is_power_of_two(float(size))):
            raise ValueError(f"people must be a power of two from 4 to 4,096, got {got(size)}")

    @property
    def question(self) -> Mean:
        """What is asked: everybody's row of the matrix, or nothing."""
        return Mean(Ball(self.people, math.sqrt(self.people)), Everyone(), 1, self.people)

    def terms(self, bits: Bool[np.ndarray, " people"]) -> Float[np.ndarray, "people people"]:
        """What each person hands over."""
        return (hadamard(self.people) * bits[:, None]).astype(np.float32)

    def guess(self, answer: Num[np.ndarray, " people"]) -> Bool[np.ndarray, " people"]:
        """Everybody's bit, from the mean of all terms."""
        return hadamard(self.people) @ answer >= 0.5

    def expected(self, plan: Plan) -> float:
        """The share of bits that the plan's noise gives away."""
        noise = plan.server.facts.noise
        return float(norm.cdf(math.sqrt(self.people) / (2 * noise))) if noise else 1.0

    def run(self, trust: Curated, seed: int) -> Outcome:
        """The attack on made people with uniform bits, in a ledger of their own."""
        return bits_found(self, made_bits(self.people, seed), trust, seed)
