"""Whether somebody's record is in the data, from the means of their many attributes: tracing.

n members and everybody else are drawn from one law: d yes-no attributes, of public means p and
covariance C. Released are the members' means, q. A person with record x is told to be a member if

    score = <q - p, x - p>

is large: a member's own record is in q. With noise of standard deviation s on each mean, an
outsider's score has mean 0 and variance V = |C|² (1/n + 1/k) + s² tr C, with p known of k other
people, for q - p has the covariance C/n + C/k + s² I; a member's has mean tr C/n more, and nearly
the same variance. Scores are sums over attributes, nearly normal if these depend little on each
other, so at a rate of false alarms a the share of members that is found is

    Phi(z - Phi^-1(1 - a)),    z = (tr C/n) / V^(1/2).

Of independent attributes C is diagonal, of v_j = p_j (1 - p_j), and z is about (d/n)^(1/2) for
exact means: more attributes than people give their members away (Homer and others did it with
genomes in 2008; statistics of them were taken off the net).

**What a promise allows.** A member is one person more, so at a rate of false alarms a no test finds
them with a probability above 1 - (the misses that the promise's event leaves at a): its tradeoff
curve. Here the test knows nobody else's record; one who does reaches the curve. Under noise that is
large beside what others' records vary by, z is (tr C)^(1/2)/(n s): for attributes that are yes as
often as no, what the curve of Gaussian noise has.

References:
    Homer and others 2008, "Resolving individuals contributing trace amounts of DNA to highly
    complex mixtures using high-density SNP genotyping microarrays".
    Dwork, Smith, Steinke, Ullman and Vadhan 2015, "Robust traceability from trace amounts".
    Dong, Roth and Su 2022, "Gaussian differential privacy" (tradeoff curves).
"""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple, Self, final

import numpy as np
from jaxtyping import Float
from scipy.stats import norm

from tacit.argument import counted, got, is_number, is_whole
from tacit.attacks.answered import mean_of
from tacit.attacks.outcome import Outcome
from tacit.attacks.told_members import told_members
from tacit.audit.promises import most_found
from tacit.contribution import Ball
from tacit.plan import Plan
from tacit.question.participation import Everyone
from tacit.question.sums import Mean
from tacit.trust.people import Curated, refuse_no_trust

# As many as set the threshold of a rate of false alarms.
OUTSIDERS = 5_000
MOST_ATTRIBUTES = 4096

Records = Float[np.ndarray, "people attributes"]
Chances = Float[np.ndarray, " attributes"]


@final
@dataclass(frozen=True)
class AttributeLaw:
    """What is publicly known of attributes.

    Args:
      means: how often each is yes.
      trace: of their covariance, the sum of their variances.
      squares: the sum of the squares of all its entries.
      people: of how many others this is known; infinite where it is exact.
    """

    means: Chances
    trace: float
    squares: float
    people: float = math.inf

    @classmethod
    def independent(cls, chances: Chances) -> Self:
        own = chances * (1 - chances)
        return cls(chances, float(own.sum()), float(np.square(own).sum()))

    @classmethod
    def of(cls, records: Records) -> Self:
        """As so many people show it; an empirical covariance has squares of (tr C)²/people more."""
        centred, people = records - records.mean(axis=0), len(records)
        trace = float(np.square(centred).sum()) / people
        squares = float(np.square(centred.T @ centred).sum()) / people**2
        return cls(records.mean(axis=0), trace, max(squares - trace**2 / people, 0.0), people)


class Crowd(NamedTuple):
    """Members, outsiders who set the threshold, and what is known of both."""

    members: Records
    others: Records
    law: AttributeLaw


@final
@dataclass(frozen=True)
class Tracing:
    """The attack on so many people.

    Args:
      members: n, at least 2.
      attributes: d, from 1 to 4,096.
      false_alarms: a, in (0, 1/2].
    """

    members: int
    attributes: int
    false_alarms: float = 0.01

    def __post_init__(self):
        for name, least, most in (("members", 2, 2**20), ("attributes", 1, MOST_ATTRIBUTES)):
            value = counted(getattr(self, name))
            object.__setattr__(self, name, value)
            if not (is_whole(value) and least <= value <= most):
                raise ValueError(
                    f"{name} must be a whole number from {least} to {most:,}, got {got(value)}"
                )
        if not (is_number(self.false_alarms) and 0 < self.false_alarms <= 0.5):
            raise ValueError(f"false_alarms must be in (0, 1/2], got {got(self.false_alarms)}")

    @property
    def question(self) -> Mean:
        """What is asked: the mean of everybody's attributes, less one half."""
        radius = math.sqrt(self.attributes) / 2
        return Mean(Ball(self.attributes, radius), Everyone(), 1, self.members)

    def scores(self, means: Chances, records: Records, chances: Chances) -> Float[np.ndarray, " n"]:
        """How much each record is like what the means have more of than their law."""
        return (records - chances) @ (means - chances)

    def expected(self, plan: Plan, law: AttributeLaw) -> float:
        """The share of members that is found."""
        noise = plan.server.facts.stated_noise / self.members
        spread = math.sqrt(law.squares * (1 / self.members + 1 / law.people) + noise**2 * law.trace)
        apart = law.trace / self.members / spread if spread else 0.0
        return float(norm.sf(norm.isf(self.false_alarms) - apart))

    def run(self, trust: Curated, seed: int) -> Outcome:
        """The attack on made people of independent attributes, in a ledger of their own."""
        return self.against(self.made(seed), trust, seed)

    def made(self, seed: int) -> Crowd:
        """People whose attributes are yes with chances between 0.1 and 0.9."""
        numbers = np.random.default_rng(seed)
        chances = numbers.uniform(0.1, 0.9, self.attributes)
        members, others = (_drawn(numbers, many, chances) for many in (self.members, OUTSIDERS))
        return Crowd(members, others, AttributeLaw.independent(chances))

    def against(self, crowd: Crowd, trust: Curated, seed: int) -> Outcome:
        """The attack on these people, in a ledger of their own.

        Raises:
          ValueError: if they have not as many members and attributes as were declared.
        """
        if crowd.members.shape != (self.members, self.attributes):
            raise ValueError(
                f"there must be {self.members} members with {self.attributes} attributes, got "
                f"{crowd.members.shape}"
            )
        refuse_no_trust(trust)
        plan, chances = trust.plan(self.question), crowd.law.means
        means = mean_of(plan, (crowd.members - 0.5).astype(np.float32), seed) + 0.5
        inside, outside = (self.scores(means, each, chances) for each in crowd[:2])
        found, others, most = told_members(inside, outside, self.false_alarms)
        expected = replace(self, false_alarms=others).expected(plan, crowd.law)
        return Outcome("members", found, expected, most_found(plan, most), others)


def _drawn(numbers: np.random.Generator, people: int, chances: Chances) -> Records:
    return (numbers.random((people, len(chances)), np.float32) < chances).astype(np.float64)
