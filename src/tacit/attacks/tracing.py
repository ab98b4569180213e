"""Whether somebody's record is in the data, from the means of their many attributes: tracing.

n members and everybody else are drawn from one law: d independent yes-no attributes, attribute j
yes with chance p_j, which is public. Released are the members' means, q. A person with record x is
told to be a member if

    score = <q - p, x - p>

is large: a member's own record is in q. With v_j = p_j (1 - p_j) and noise of standard deviation s
on each mean, an outsider's score has mean 0 and variance V = sum v (v/n + s^2); a member's has mean
sum v/n more, and nearly the same variance. Scores are sums over attributes, nearly normal, so at a
rate of false alarms a the share of members that is found is

    Phi(z - Phi^-1(1 - a)),    z = (sum v/n) / V^(1/2),

about (d/n)^(1/2) for exact means: more attributes than people give their members away (Homer and
others did it with genomes in 2008; statistics of them were taken off the net).

**What a promise allows.** A member is one person more, so at a rate of false alarms a no test finds
them with a probability above 1 - (the misses that the promise's event leaves at a): its tradeoff
curve. Here the test knows nobody else's record; one who does reaches the curve.

References:
    Homer and others 2008, "Resolving individuals contributing trace amounts of DNA to highly
    complex mixtures using high-density SNP genotyping microarrays".
    Dwork, Smith, Steinke, Ullman and Vadhan 2015, "Robust traceability from trace amounts".
    Dong, Roth and Su 2022, "Gaussian differential privacy" (tradeoff curves).
"""

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float
from scipy.stats import norm

from tacit.accounting import accountant
from tacit.argument import counted, got, is_number, is_whole
from tacit.attacks.answered import mean_of
from tacit.attacks.breach import BreachRate
from tacit.contribution import Ball
from tacit.plan import Plan
from tacit.question.participation import Everyone
from tacit.question.sums import Mean
from tacit.trust.central import Central
from tacit.trust.nonprivate import NonPrivate

# As many as set the threshold of a rate of false alarms.
OUTSIDERS = 5_000
MOST_ATTRIBUTES = 4096

Records = Float[np.ndarray, "people attributes"]
Chances = Float[np.ndarray, " attributes"]


@final
@dataclass(frozen=True)
class Traced:
    """How many members were found.

    Args:
        false_alarms: the share of outsiders who were taken for members.
        found: of all members, with the limits of the true rate.
        expected: the share that is foreseen.
        allowed: the share that the promise allows; 1 where nothing is promised.
    """

    false_alarms: float
    found: BreachRate
    expected: float
    allowed: float

    def __str__(self) -> str:
        told = f"{self.found} of all members, {self.expected:.1%} expected"
        return (
            f"{told}; the promise allows {self.allowed:.1%}, at {self.false_alarms:.3g} of others"
        )


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

    def expected(self, plan: Plan, chances: Chances) -> float:
        """The share of members that is found."""
        noise = (plan.server.facts.noise or 0.0) / self.members
        own = chances * (1 - chances)
        spread = math.sqrt(np.sum(own * (own / self.members + noise**2)))
        return float(norm.sf(norm.isf(self.false_alarms) - own.sum() / self.members / spread))

    def allowed(self, plan: Plan) -> float:
        """The share of members that the plan's promise allows to be found."""
        missed = [
            accountant.tradeoff(each.event, self.false_alarms, each.relation).false_negative
            - each.delta_reserved
            for each in plan.guarantees
        ]
        return 1 - max([0.0, *missed])

    def run(self, trust: Central | NonPrivate, seed: int) -> Traced:
        """The attack on made people, in a ledger of their own."""
        plan, numbers = trust.plan(self.question), np.random.default_rng(seed)
        chances = numbers.uniform(0.1, 0.9, self.attributes)
        members = _drawn(numbers, self.members, chances)
        means = mean_of(plan, (members - 0.5).astype(np.float32), seed) + 0.5
        outside = self.scores(means, _drawn(numbers, OUTSIDERS, chances), chances)
        threshold = np.quantile(outside, 1 - self.false_alarms)
        told = int(np.count_nonzero(self.scores(means, members, chances) > threshold))
        found = BreachRate(told, self.members)
        expected, allowed = self.expected(plan, chances), self.allowed(plan)
        return Traced(self.false_alarms, found, expected, allowed)


def _drawn(numbers: np.random.Generator, people: int, chances: Chances) -> Records:
    return (numbers.random((people, len(chances)), np.float32) < chances).astype(np.float64)
