"""Rows from one release of all pairs of columns: denoised, and a mixture fitted to them.

How important each pair is follows from public numbers: its squared error counts the less the more
noise its cells have anyway, and the more cells it has; a few rounds of that settle it. So what is
asked, and its noise, are known before the data are. Noise is Gaussian where the promise has a delta
and Laplace where it has none: denoising asks of noise its variance alone.

Laplace noise grows with all that is asked, so tables of many pairs drown, and single columns with
them. Of a promise without a delta pairs have at most half, and only so many are asked, of the
fewest cells first, that the noisiest is expected to be off by no more than .03 in total variation,
by noise alone; that may be none. Pairs that are not asked are those of independent columns.

How many that are is bisected: one more pair is as large as all before it or larger, and leaves less
of the same promise for each, so what noise is expected to move only rises with their number. That
is no theorem, as weights are settled anew each time; whatever is found is itself within the limit.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Protocol, final

import numpy as np
from jaxtyping import Float, Int64

from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.population.release import Release
from tacit.queries.closure import Blocks, Set, Tables, cells_of
from tacit.queries.domain import Domain
from tacit.queries.marginal_answer import MarginalAnswer
from tacit.queries.marginal_counts import Marginals, weighting_for
from tacit.queries.weighting import ForLaplace, Quieter, Weighting, l1_of
from tacit.synthesis.mixture import ProductMixture, fitted
from tacit.synthesis.pairs import Pairs, Shares, pairs_of, shares_of
from tacit.trust.central import Central
from tacit.trust.people import Trust

# Of weights that follow from noise that follows from weights; and of cells, how much less tables
# of more of them weigh.
_ROUNDS, _POWER = 8, 1.1
# Of epsilon, for pairs under a promise without a delta, at most: where it binds, their noise goes
# as 1/share, and that of single columns as 1/(1 - share). A choice, not measured.
_SHARE = 0.5
# What pairs may be off by then, by noise, in total variation.
_MOST_NOISE = 0.03
# A normal number of deviation one is off by so much on average; Laplace's is off by less.
_NORMAL = math.sqrt(2 / math.pi)


@final
@dataclass(frozen=True)
class FromPairs:
    """All pairs at once; nothing is chosen by looking at people."""

    def asked(self, domain: Domain, trust: Trust, people: int) -> "PairRelease":
        refuse_one_column(domain)
        return PairRelease(domain, trust, people, mixture_for)


class PairModel(Protocol):
    """A law of rows that knows its pairs."""

    def pair(self, columns: Set) -> Float[np.ndarray, "first second"]:
        """The shares of a pair of columns."""
        ...

    def rows(self, many: int, rng: np.random.Generator) -> Int64[np.ndarray, "rows columns"]:
        """So many rows."""
        ...


@final
@dataclass(frozen=True)
class PairRelease:
    """The release of all pairs of columns.

    Args:
      domain: at least two columns.
      trust: a curator: `Central`, or `NonPrivate`.
      people: about how many they are.
      model: what the law is made by of the number of categories, all pairs, and single columns.

    Raises:
      ValueError: if the trust model has no such plan.
    """

    domain: Domain
    trust: Trust
    people: int
    model: Callable[[tuple[int, ...], Pairs, list[Shares]], PairModel]

    def __post_init__(self):
        _ = self.marginals

    @cached_property
    def tables(self) -> Tables:
        """Pairs of columns, with their importance; all of them where the promise has a delta."""
        sizes = self.domain.sizes
        every = tuple(combinations(range(len(sizes)), 2))
        if not (isinstance(self.trust, Central) and self.trust.delta == 0):
            return weighed(sizes, every, weighting_for(self.trust))
        return heard(sizes, every, self.trust, self.people)

    @cached_property
    def marginals(self) -> Marginals:
        """The same, with its promise."""
        return Marginals(self.domain, self.tables, self.trust, self.people)

    @property
    def plan(self) -> Plan:
        return self.marginals.plan

    def of(
        self, table: Any, ledger: LedgerOrPath, name: str, *, seed: int | None, note: str | None
    ) -> tuple[Release, "PairLaw"]:
        answer = self.marginals.of(table, ledger, name, seed=seed, note=note)
        known = denoised(answer.contrasts, answer.deviation, self.tables)
        return answer.release, PairLaw(answer, self.model(self.tables.sizes, *known))


def refuse_one_column(domain: Domain) -> None:
    if not len(domain.names) >= 2:
        raise ValueError("rows are made of at least two columns: declare a second one")


def denoised(contrasts: Blocks, deviation: float, tables: Tables) -> tuple[Pairs, list[Shares]]:
    """All pairs, and single columns, of released contrasts with noise of this deviation."""
    shares = shares_of(tables, contrasts)
    pairs = pairs_of(tables, contrasts, deviation, shares)
    return with_independent(tables.sizes, pairs, shares), shares


def mixture_for(sizes: tuple[int, ...], pairs: Pairs, shares: list[Shares]) -> ProductMixture:
    """From the same start for the same pairs."""
    return fitted(sizes, pairs, shares, np.random.default_rng(0))


def weighed(sizes: tuple[int, ...], sets: tuple[Set, ...], rule: Weighting) -> Tables:
    """These tables, the less important the noisier and the larger they are, by Gaussian noise."""
    cells = np.array(cells_of(sizes, sets), np.float64)
    found = Tables(sizes, sets, tuple(cells**-_POWER))
    for _ in range(_ROUNDS):
        noise = np.maximum(np.sqrt(found.least_variances()), 1e-12)
        found = replace(found, importance=tuple(cells**-_POWER / noise))
    return replace(found, weighting=rule)


def heard(sizes: tuple[int, ...], every: tuple[Set, ...], trust: Central, people: int) -> Tables:
    """Single columns, and as many pairs as are not lost in Laplace noise, the smallest first.

    Bisected, as `by_noise` rises with their number.
    """
    cells = dict(zip(every, cells_of(sizes, every), strict=True))
    ordered = sorted(every, key=lambda pair: (cells[pair], pair))

    def first(many: int) -> Tables:
        pairs = tuple(sorted(ordered[:many]))
        return sparing(weighed(sizes, pairs + tuple((i,) for i in range(len(sizes))), ForLaplace()))

    low, high = 0, len(ordered)
    while low < high:
        middle = (low + high + 1) // 2
        near = by_noise(first(middle), trust.epsilon, people) <= _MOST_NOISE
        low, high = (middle, high) if near else (low, middle - 1)
    return first(low)


def by_noise(tables: Tables, epsilon: float, people: int) -> float:
    """By how much Laplace noise moves the pair it moves most, in total variation, on average."""
    shape = tables.shape
    moved = sum(
        weight * l1_of(tuple(tables.sizes[i] for i in own))
        for own, weight in zip(shape.sets, shape.weights, strict=True)
    )
    deviation = math.sqrt(2) * moved / epsilon
    pairs = [own for own in tables.sets if len(own) == 2]
    each = [np.sqrt(tables.variances(own, deviation)).sum() for own in pairs]
    return _NORMAL * max(each) / people / 2


def sparing(tables: Tables) -> Tables:
    """Tables whose pairs take no more than their share of what one record moves all sums by."""
    shape, spent = tables.shape, {False: 0.0, True: 0.0}
    for own, weight in zip(shape.sets, shape.weights, strict=True):
        spent[len(own) > 1] += weight * l1_of(tuple(tables.sizes[i] for i in own))
    factor = spent[False] / spent[True] * _SHARE / (1 - _SHARE) if spent[True] > 0 else 1.0
    return replace(tables, weighting=Quieter(tables.weighting, factor)) if factor < 1 else tables


def with_independent(
    sizes: tuple[int, ...], pairs: Pairs, shares: list[Shares]
) -> dict[Set, Float[np.ndarray, "first second"]]:
    """Every pair: of independent columns, where it was not asked."""
    every = combinations(range(len(sizes)), 2)
    return {
        pair: pairs[pair] if pair in pairs else np.multiply.outer(*(shares[i] for i in pair))
        for pair in every
    }


@final
@dataclass(frozen=True, eq=False)
class PairLaw:
    """A law that is near to released pairs.

    Args:
      answer: the release.
      model: made of it.
    """

    answer: MarginalAnswer
    model: PairModel

    @property
    def counted(self) -> str:
        return self.answer.counted

    def rows(self, many: int, rng: np.random.Generator) -> Int64[np.ndarray, "rows columns"]:
        return self.model.rows(many, rng)

    def report(self, domain: Domain) -> list[dict[str, Any]]:
        """For each pair, in total variation: how far its law is from what was released, and how far
        noise alone moved that from people's own."""
        pairs = (own for own in self.answer.tables.sets if len(own) == 2)
        return [self._pair(pair, domain) for pair in pairs]

    def _pair(self, pair: tuple[int, ...], domain: Domain) -> dict[str, Any]:
        answer, (first, second) = self.answer, pair
        people = max(float(answer.contrasts[()]), 1.0)
        released = answer.tables.table(pair, answer.contrasts) / people
        noise = np.sqrt(answer.tables.variances(pair, answer.deviation)).sum() / people
        return {
            "first": domain.names[first],
            "second": domain.names[second],
            "from_released": float(np.abs(self.model.pair(pair) - released).sum() / 2),
            "by_noise": float(noise * _NORMAL / 2),
        }
