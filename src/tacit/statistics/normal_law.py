"""Mean and covariance of a normal distribution of which neither is known.

`GaussianMean` is told how people vary and `NormalCovariance` where they are. Here only a ball that
the mean is in is declared, and between which deviations people are: every round asks for both
(`locating`), and the mean is measured nearly as tightly in the end as if the covariance were known.
This is its one-call form. Which rounds there are is chosen before anything is spent.

**Guarantee**: that of the question (`Uneven` of squares in the unit ball), whatever the data are.

**Error**: predicted, if people are normal as declared, and of the distribution's own, in its units:
`rmse`, the length of Sigma^(-1/2) (found mean - mean); `covariance_rmse`, the distance of
Sigma^(-1/2) (found) Sigma^(-1/2) from the identity in the Frobenius norm (root mean squares). Where
people are not normal the answer is as private, and biased by what undoing the clipping does.

| people | answer |
| --- | --- |
| normal, their mean in the ball, deviations as declared | within the predicted errors |
| their mean beyond the ball | its nearest point; a remark from three predicted errors on |
| longer than declared | clipped: no error is promised, and a remark if they are found so |
| shorter than declared | found for longer than they are; the mean is as good |
| a NaN or an infinity in a row | it counts as the centre of each round's ball, zero in the first |
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import numpy as np
from jaxtyping import Float

from tacit.argument import keep_pythons, refuse_not_positive
from tacit.contribution import Outer
from tacit.contribution.outer import levels_for
from tacit.contribution.vectors import ROUNDED_UNIT
from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.question.sums import refuse_nobody
from tacit.server.symmetric import variances_of
from tacit.solve.ball import nearest_within
from tacit.statistics.answer import released
from tacit.statistics.between import Columns, between, columns_of, dim_of, in_units
from tacit.statistics.covariance_answers import FoundLaw
from tacit.statistics.gaussian_mean import MOST_SPREADS
from tacit.statistics.ladder import Ladder, ladder_for
from tacit.statistics.locating import COUNTED, LocatingSquares
from tacit.statistics.narrowing import CLIPPED
from tacit.statistics.normal_covariance import deviations_of
from tacit.statistics.one_round import refuse_no_curator
from tacit.statistics.remarks import MISSING_THERE, beyond_ball, beyond_range
from tacit.statistics.response import Response
from tacit.statistics.shared_rounds import shared_plan
from tacit.statistics.shares import ShareNoise
from tacit.statistics.too_few import refuse_nothing_learnt
from tacit.statistics.wide_rounds import Wide, surely, wide_rounds
from tacit.trust.people import Trust

# Shares of wide rounds that are tried, until the mean is known within `KNOWN` deviations.
WIDE = tuple((share,) * many for share in (0.005, 0.01, 0.02, 0.05) for many in (1, 2, 3, 4))
KNOWN = 1.0  # So near the last round clips at the middle of what people are.


@final
@dataclass(frozen=True)
class NormalLaw:
    """Mean and covariance of a normal law to be asked: `plan` and both predictions before the data.

    Args:
      dim: how many numbers a person has.
      radius: of the ball about zero in which the mean is, public; at most a million times the
        least deviation: as float32 numbers, vectors so long still show it.
      deviations: (least, most) of people about their mean in any direction, public; at most a
        thousand times apart.
      trust: `Central` or `NonPrivate`.
      people: how many they are, exactly: sums are divided by it.

    Raises:
      ValueError: if an argument is not of its kind, or the trust model has no such plan.
    """

    dim: int
    radius: float
    deviations: tuple[float, float]
    trust: Trust
    people: int

    def __post_init__(self):
        keep_pythons(self, "dim", "radius", "people")
        object.__setattr__(self, "dim", dim_of(self.dim))
        object.__setattr__(self, "deviations", deviations_of(self.deviations))
        refuse_not_positive("radius", self.radius)
        if not self.radius <= MOST_SPREADS * self.deviations[0]:
            raise ValueError(
                "radius must be at most 1e+06 times the least deviation, got "
                f"{self.radius / self.deviations[0]:g} times"
            )
        refuse_no_curator(self.trust, "a normal law")
        refuse_nobody(self.people)

    @cached_property
    def wide(self) -> tuple[float, ...]:
        """The shares of wide rounds: the first after which the mean is known well enough."""
        tried = sorted(WIDE, key=math.fsum)
        enough = (each for each in tried if self._known(each) <= KNOWN)
        return next(enough, min(tried, key=self._known))

    @cached_property
    def ladder(self) -> Ladder:
        """The rounds after these, of the least foreseen error of the covariance."""
        rest = 1 - math.fsum(self.wide)
        noise = replace(self._noise, whole=(1 + COUNTED) * self._noise.at((rest,))[0])
        least, most = self.deviations
        return ladder_for(self.dim, self.people, 1.0, most / least, noise)

    @cached_property
    def shares(self) -> tuple[float, ...]:
        """Of all rounds."""
        rest = 1 - math.fsum(self.wide)
        return *self.wide, *(rest * share for share in self.ladder.shares)

    @cached_property
    def plan(self) -> Plan:
        """What will be promised."""
        return self._plan(self.shares)

    @property
    def rmse(self) -> float:
        """The predicted distance from the distribution's mean, in its own units (root mean square).

        It is infinite where wide rounds are not foreseen to find the mean.
        """
        if not self._known(self.wide) <= KNOWN:
            return math.inf
        noise = self._of_mean(self.shares)[-1] * self._bounds[-1] / self._slopes[-1]
        return math.sqrt(self.dim * (noise**2 + CLIPPED / self.people))

    @property
    def covariance_rmse(self) -> float:
        """The predicted distance from the distribution's covariance, in its own units (root mean
        square)."""
        return self.ladder.rmse

    def learner(self) -> LocatingSquares:
        """Who asks, of people's numbers over the least deviation."""
        wide, *_ = self._narrowing(self.wide)
        return LocatingSquares.of(wide, self.ladder.rungs, self._slopes, self.dim, self.ladder.most)

    def of(
        self,
        values: Any,
        ledger: LedgerOrPath,
        name: str,
        *,
        seed: int | None = None,
        note: str | None = None,
    ) -> FoundLaw:
        """The law behind these people's rows, charged to them; arguments as for `mean`."""
        self._refuse_nothing_learnt()
        labels, rows = columns_of(values, self.dim)
        people = f"a normal law in {self.dim:,} dimensions, deviations {between(self.deviations)}"
        asked = f"the mean, within {self.radius:.15g}, and covariance of {people}"
        least, _ = self.deviations
        terms = in_units(rows, least), name, ledger, seed, note, asked
        release = released(self.plan, self.learner(), *terms)
        mean = np.asarray(release.state.centre, np.float64) * least
        found = np.asarray(release.state.spread.covariance, np.float64) * least**2
        law = f"normal law of {name}", labels, nearest_within(mean, self.radius), found
        rmses, beside = (self.rmse, self.covariance_rmse), self._remarks(mean, found)
        return FoundLaw(*law, *rmses, release, beside)

    def _refuse_nothing_learnt(self) -> None:
        """Before anything is charged."""
        given = self.trust, self.people
        unasked = self.radius / self.deviations[0]
        refuse_nothing_learnt(*given, self.rmse, unasked, "the mean, in deviations,")
        known = self.covariance_rmse, math.sqrt(self.dim)
        refuse_nothing_learnt(*given, *known, "the covariance, in its own units,")

    def _remarks(self, mean: Columns, covariance: Float[np.ndarray, "dim dim"]) -> tuple[str, ...]:
        """Of what was found."""
        rmse = self.rmse * self.deviations[1]
        beyond = beyond_ball(mean, self.radius, rmse), beyond_range(covariance, self.deviations)
        return (*beyond[0], *beyond[1], MISSING_THERE)

    def _known(self, wide: tuple[float, ...]) -> float:
        """After these rounds, within how many of the longest deviation the mean is known to be."""
        return self._narrowing(wide)[1]

    def _narrowing(self, wide: tuple[float, ...]) -> tuple[tuple[Wide, ...], float, float]:
        """Wide rounds. They hardly clip: people's length is not known, and what undoes it."""
        way = lambda known, _, noise: surely(self.dim, known, noise)  # noqa: E731
        radius = self.radius / self.deviations[1]
        return wide_rounds(self.dim, self.people, radius, self._of_mean(wide), way)

    def _of_mean(self, shares: tuple[float, ...]) -> tuple[float, ...]:
        """Noise on one number of the mean, in units of B."""
        each = (1 + COUNTED) / math.sqrt(2 * COUNTED)
        return tuple(each * noise for noise in self._noise.at(shares))

    @property
    def _bounds(self) -> tuple[float, ...]:
        """B of the rounds that are not wide."""
        return tuple(math.sqrt(bound * self.dim) for bound in self.ladder.bounds)

    @property
    def _slopes(self) -> tuple[float, ...]:
        return tuple(Response(self.dim, bound, 1.0).slope for bound in self._bounds)

    @cached_property
    def _noise(self) -> ShareNoise:
        """On the diagonal of an answer, in units of the unit ball's bound."""
        return ShareNoise.of(self._plan, variances_of(self.dim + 1))

    def _plan(self, shares: Sequence[float]) -> Plan:
        shape = Outer(self.dim + 1, ROUNDED_UNIT, levels_for(self.people))
        return shared_plan(self.trust, shape, self.people, tuple(shares))
