"""The covariance of a normal distribution about zero, whose length is hardly known.

`covariance` asks for squares between declared bounds, and its noise is in proportion to these.
Where people are normal they can be found first, and measured tightly then: `whitening` says how.
This is its one-call form. Which rounds there are, and what share of the promise each has, is chosen
before anything is spent (`ladder`).

**Guarantee**: that of the question (`Uneven` of squares in the unit ball), whatever the data are.

**Error**: predicted by `rmse`, if people are normal about zero with deviations between those
declared; it is that of the distribution's covariance, not these people's, in its own units: of
Sigma^(-1/2) (found) Sigma^(-1/2) from the identity, in the Frobenius norm. Where people are not
normal, the answer is as private, and biased by what undoing the clipping does to their law.

| people | answer |
| --- | --- |
| normal about zero, deviations as declared | off by the predicted error; some by more (`ladder`) |
| about another mean m | with m m' added, or what clipping leaves of it: take the mean off first |
| shorter than declared | found for longer than they are |
| longer than declared | clipped: no error is promised, and a remark if they are found so |
| a NaN or an infinity in a row | the row counts as zero |
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from tacit.argument import got, is_number, keep_pythons, listed
from tacit.contribution import Outer
from tacit.contribution.outer import levels_for
from tacit.contribution.vectors import ROUNDED_UNIT
from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.question.sums import refuse_nobody
from tacit.server.symmetric import variances_of
from tacit.statistics.answer import released
from tacit.statistics.between import between, columns_of, dim_of, in_units
from tacit.statistics.covariance_answers import FoundCovariance
from tacit.statistics.ladder import Ladder, ladder_for
from tacit.statistics.one_round import refuse_no_curator
from tacit.statistics.remarks import MISSING_ZERO, beyond_range
from tacit.statistics.shared_rounds import shared_plan
from tacit.statistics.shares import ShareNoise
from tacit.statistics.too_few import refuse_nothing_learnt
from tacit.statistics.whitening import WhiteningCovariance
from tacit.trust.people import Trust

# Of the longest deviation to the least: what float32 keeps apart in a matrix and its inverse.
MOST_RATIO = 1e3


@final
@dataclass(frozen=True)
class NormalCovariance:
    """The covariance of a normal distribution to be asked: `plan` and `rmse` before the data.

    Args:
      dim: how many numbers a person has.
      deviations: (least, most) of people about zero in any direction, public; at most a thousand
        times apart.
      trust: `Central` or `NonPrivate`.
      people: how many they are, exactly: sums are divided by it.

    Raises:
      ValueError: if an argument is not of its kind, or the trust model has no such plan.
    """

    dim: int
    deviations: tuple[float, float]
    trust: Trust
    people: int

    def __post_init__(self):
        keep_pythons(self, "dim", "people")
        object.__setattr__(self, "dim", dim_of(self.dim))
        object.__setattr__(self, "deviations", deviations_of(self.deviations))
        refuse_no_curator(self.trust, "the covariance of a normal law")
        refuse_nobody(self.people)

    @cached_property
    def ladder(self) -> Ladder:
        """The rounds, those of the least foreseen error."""
        noise = ShareNoise.of(self._plan, variances_of(self.dim))
        least, most = self.deviations
        return ladder_for(self.dim, self.people, 1.0, most / least, noise)

    @cached_property
    def plan(self) -> Plan:
        """What will be promised."""
        return self._plan(self.ladder.shares)

    @property
    def rmse(self) -> float:
        """The predicted distance from the distribution's covariance, in its own units (root mean
        square)."""
        return self.ladder.rmse

    def learner(self) -> WhiteningCovariance:
        """Who asks, of people's numbers over the least deviation."""
        return WhiteningCovariance.of(self.ladder.rungs, self.dim, self.ladder.most)

    def of(
        self,
        values: Any,
        ledger: LedgerOrPath,
        name: str,
        *,
        seed: int | None = None,
        note: str | None = None,
    ) -> FoundCovariance:
        """The covariance behind these people's rows, charged to them; arguments as for `mean`."""
        given = self.trust, self.people, self.rmse, math.sqrt(self.dim)
        refuse_nothing_learnt(*given, "the covariance, in its own units,")
        labels, rows = columns_of(values, self.dim)
        people = f"a normal law in {self.dim:,} dimensions, deviations {between(self.deviations)}"
        asked = f"the covariance of {people}"
        least, _ = self.deviations
        terms = in_units(rows, least), name, ledger, seed, note, asked
        release = released(self.plan, self.learner(), *terms)
        found = np.asarray(release.state.covariance, np.float64) * least**2
        beside = (*beyond_range(found, self.deviations), MISSING_ZERO)
        title = f"covariance of {name}"
        return FoundCovariance(title, labels, found, self.rmse, release, beside)

    def _plan(self, shares: Sequence[float]) -> Plan:
        shape = Outer(self.dim, ROUNDED_UNIT, levels_for(self.people))
        return shared_plan(self.trust, shape, self.people, tuple(shares))


def deviations_of(given: Any) -> tuple[float, float]:
    """The declared (least, most); a ValueError if they are none."""
    both = listed(given) or ()
    pair = len(both) == 2 and all(map(is_number, both))
    least, most = map(float, both) if pair else (math.nan, math.nan)
    squares = 0 < least * least and most * most < math.inf
    if not (squares and 0 < least <= most <= MOST_RATIO * least):
        own = f"({least:g}, {most:g})" if pair else got(given)
        raise ValueError(
            "deviations must be (least, most), positive and finite as their squares are, the most "
            f"at most {MOST_RATIO:,.0f} times the least, got {own}"
        )
    return least, most
