"""Rows from one release of all pairs of columns: denoised, and a mixture fitted to them.

How important each pair is follows from public numbers: its squared error counts the less the more
noise its cells have anyway, and the more cells it has; a few rounds of that settle it. So what is
asked, and its noise, are known before the data are. Noise is Gaussian where the promise has a delta
and Laplace where it has none: denoising asks of noise its variance alone.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, final

import numpy as np
from jaxtyping import Int64

from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.population.release import Release
from tacit.queries.closure import Tables, cells_of
from tacit.queries.domain import Domain
from tacit.queries.marginal_answer import MarginalAnswer
from tacit.queries.marginal_counts import Marginals, weighting_for
from tacit.synthesis.mixture import ProductMixture, fitted
from tacit.synthesis.pairs import pairs_of, shares_of
from tacit.trust.people import Trust

_ROUNDS, _POWER = 8, 1.1


@final
@dataclass(frozen=True)
class FromPairs:
    """All pairs at once; nothing is chosen by looking at people."""

    def asked(self, domain: Domain, trust: Trust, people: int) -> "PairRelease":
        if not len(domain.names) >= 2:
            raise ValueError("rows are made of at least two columns: declare a second one")
        return PairRelease(domain, trust, people)


@final
@dataclass(frozen=True)
class PairRelease:
    """The release of all pairs of columns.

    Args:
      domain: at least two columns.
      trust: a curator: `Central`, or `NonPrivate`.
      people: about how many they are.

    Raises:
      ValueError: if the trust model has no such plan.
    """

    domain: Domain
    trust: Trust
    people: int

    def __post_init__(self):
        _ = self.marginals

    @cached_property
    def tables(self) -> Tables:
        """All pairs of columns, with their importance."""
        sizes = self.domain.sizes
        sets = tuple(combinations(range(len(sizes)), 2))
        cells, rule = cells_of(sizes, sets), weighting_for(self.trust)
        found = Tables(sizes, sets, tuple(own**-_POWER for own in cells), rule)
        for _ in range(_ROUNDS):
            noise = map(math.sqrt, found.least_variances())
            each = zip(noise, cells, strict=True)
            importance = tuple(own**-_POWER / max(sd, 1e-12) for sd, own in each)
            found = Tables(sizes, sets, importance, rule)
        return found

    @cached_property
    def marginals(self) -> Marginals:
        """The same, with its promise."""
        return Marginals(self.domain, self.tables, self.trust, self.people)

    @property
    def plan(self) -> Plan:
        return self.marginals.plan

    def of(
        self, table: Any, ledger: LedgerOrPath, name: str, *, seed: int | None, note: str
    ) -> tuple[Release, "PairLaw"]:
        answer = self.marginals.of(table, ledger, name, seed=seed, note=note)
        shares = shares_of(self.tables, answer.contrasts)
        pairs = pairs_of(self.tables, answer.contrasts, answer.deviation, shares)
        mixture = fitted(self.tables.sizes, pairs, shares, np.random.default_rng(0))
        return answer.release, PairLaw(answer, mixture)


@final
@dataclass(frozen=True, eq=False)
class PairLaw:
    """A mixture that agrees with released pairs.

    Args:
      answer: the release.
      mixture: fitted to it.
    """

    answer: MarginalAnswer
    mixture: ProductMixture

    def rows(self, many: int, rng: np.random.Generator) -> Int64[np.ndarray, "rows columns"]:
        return self.mixture.rows(many, rng)

    def report(self, domain: Domain) -> list[dict[str, Any]]:
        """For each pair, in total variation: how far its law is from what was released, and how far
        noise alone moved that from people's own."""
        return [self._pair(pair, domain) for pair in self.answer.tables.sets]

    def _pair(self, pair: tuple[int, ...], domain: Domain) -> dict[str, Any]:
        answer, (first, second) = self.answer, pair
        people = max(float(answer.contrasts[()]), 1.0)
        released = answer.tables.table(pair, answer.contrasts) / people
        noise = np.sqrt(answer.tables.variances(pair, answer.deviation)).sum() / people
        return {
            "first": domain.names[first],
            "second": domain.names[second],
            "from_released": float(np.abs(self.mixture.pair(pair) - released).sum() / 2),
            # A normal number of deviation s is off by s sqrt(2/pi) on average.
            "by_noise": float(noise * np.sqrt(2 / np.pi) / 2),
        }
