"""The mean of a high-dimensional normal distribution whose spread is known, from its people.

Clipping vectors to a ball that is sure to hold everybody costs noise for that ball, which in d
dimensions is far from anybody. `narrowing` finds the people first and clips tightly then; this is
its one-call form. How many wide rounds there are, and what share of the promise each round has, is
chosen before anything is spent: of public shares, those of the least predicted error.

**Guarantee**: that of the question (`Uneven` of a unit ball), whatever the data are.

**Error**: predicted by `rmse`, if people are normal with that spread about a mean in the ball; it
is the distance from the distribution's mean, not from these people's. Where they are not normal the
answer is as private, and biased by what undoing the clipping does to their law.

| people | answer |
| --- | --- |
| normal, their mean in the ball | within the predicted error of it (root mean square) |
| their mean beyond the ball | its nearest point; a remark from three predicted errors on |
| a NaN or an infinity in a row | it counts as the centre of each round's ball, zero in the first |
"""

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations_with_replacement
from typing import Any, final

import jax.numpy as jnp
import numpy as np

from tacit.argument import keep_pythons, refuse_not_positive
from tacit.contribution import Ball
from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.question.sums import refuse_nobody
from tacit.solve.ball import nearest_within
from tacit.statistics.answer import Answer, released
from tacit.statistics.between import columns_of, dim_of, in_units
from tacit.statistics.narrowing import Narrowing, NarrowingMean
from tacit.statistics.one_round import refuse_no_curator
from tacit.statistics.remarks import MISSING_THERE, beyond_ball
from tacit.statistics.shared_rounds import shared_plan
from tacit.statistics.shares import ShareNoise
from tacit.statistics.too_few import refuse_nothing_learnt
from tacit.trust.people import Trust

# Shares of wide rounds that are tried, each at most as large as the next round's.
TRIED = (0.0025, 0.005, 0.01, 0.02, 0.04, 0.08)
MOST_WIDE = 7
# How many spreads a radius may have: as float32 numbers, vectors so long still show one.
LEAST_SPREADS, MOST_SPREADS = 1e-6, 1e6


@final
@dataclass(frozen=True)
class GaussianMean:
    """The mean of a normal distribution to be asked: `plan` and `rmse` are known before the data.

    Args:
      dim: how many numbers a person has.
      radius: of the ball about zero in which the mean is, public; at most a million spreads, and
        a millionth of one at least.
      spread: the standard deviation of each number about it, public; whiten first where numbers
        hang together.
      trust: `Central` or `NonPrivate`.
      people: how many they are, exactly: sums are divided by it.

    Raises:
      ValueError: if an argument is not of its kind, or the trust model has no such plan.
    """

    dim: int
    radius: float
    spread: float
    trust: Trust
    people: int

    def __post_init__(self):
        keep_pythons(self, "dim", "radius", "spread", "people")
        object.__setattr__(self, "dim", dim_of(self.dim))
        _refuse_no_lengths(self.radius, self.spread)
        refuse_no_curator(self.trust, "the mean of a normal law")
        refuse_nobody(self.people)

    @cached_property
    def shares(self) -> tuple[float, ...]:
        """Of the rounds, those of the least predicted error."""
        counts = range(MOST_WIDE + 1)
        wide = chain.from_iterable(combinations_with_replacement(TRIED, many) for many in counts)
        tried = ((*each, 1 - math.fsum(each)) for each in wide)
        return min(tried, key=lambda shares: self._narrowing(shares).rmse)

    @cached_property
    def plan(self) -> Plan:
        """What will be promised."""
        return self._plan(self.shares)

    @cached_property
    def narrowing(self) -> Narrowing:
        """The balls of the plan's rounds, in units of the spread."""
        return self._narrowing(self.shares)

    @property
    def rmse(self) -> float:
        """The predicted distance from the distribution's mean (root mean square)."""
        return self.spread * self.narrowing.rmse

    def learner(self) -> NarrowingMean:
        """Who asks, of people's numbers over the spread."""
        return NarrowingMean.of(jnp.zeros(self.dim), self.narrowing)

    def of(
        self,
        values: Any,
        ledger: LedgerOrPath,
        name: str,
        *,
        seed: int | None = None,
        note: str | None = None,
    ) -> Answer:
        """The mean behind these people's rows, charged to them; arguments as for `mean`."""
        given = self.trust, self.people, self.rmse, self.radius
        refuse_nothing_learnt(*given, "the mean")
        labels, numbers = columns_of(values, self.dim)
        rows = in_units(numbers, self.spread)
        law = f"a normal law in {self.dim:,} dimensions"
        asked = f"the mean of {law}, within {self.radius:.15g}"
        release = released(self.plan, self.learner(), rows, name, ledger, seed, note, asked)
        centre = np.asarray(release.state.centre, np.float64) * self.spread
        found = nearest_within(centre, self.radius)
        beside = (*beyond_ball(centre, self.radius, self.rmse), MISSING_THERE)
        each = self.rmse / math.sqrt(self.dim)
        title = f"mean of {name}"
        return Answer(title, labels, found, None, None, each, release, remarks=beside)

    def _plan(self, shares: tuple[float, ...]) -> Plan:
        return shared_plan(self.trust, Ball(self.dim, 1.0), self.people, shares)

    def _narrowing(self, shares: tuple[float, ...]) -> Narrowing:
        return Narrowing(self.dim, self.people, self.radius / self.spread, self._noise.at(shares))

    @cached_property
    def _noise(self) -> ShareNoise:
        """On one coordinate of a round's answer."""
        return ShareNoise.of(self._plan, self.dim)


def _refuse_no_lengths(radius: float, spread: float) -> None:
    """Raises a ValueError unless both are, and neither vanishes beside the other."""
    refuse_not_positive("radius", radius)
    refuse_not_positive("spread", spread)
    if not LEAST_SPREADS <= radius / spread <= MOST_SPREADS:
        raise ValueError(
            f"radius must be from 1e-06 to 1e+06 times the spread, got {radius / spread:g} times"
        )
