"""The accountants: ways to certify one composition, and which of them is the tightest.

Each is a frozen object that answers epsilon at a delta, delta at an epsilon and the whole curve,
always from above, and says by how much its own arithmetic can have overstated the answer.

| the composition holds | accountant | its slack |
| --- | --- | --- |
| Gaussians only | exact: together one Gaussian of 1/z^2 = sum 1/z_i^2 | 0 |
| one kind of pure event only | exact: randomised response, a binomial sum | 0 |
| a zCDP event among others, losses above 10^5, or over 10^8 releases | Renyi | not known: all |
| anything else | privacy loss distribution of the dominating pairs | that of its grid |

Of an exponential mechanism the pair that dominates every choice at every epsilon is itself no
exponential mechanism, while the Renyi divergences are those of real ones; and close to the largest
loss of Euclidean noise a grid is coarse where the divergences are exact. There both are asked.
"""

import math
from dataclasses import dataclass
from typing import Any, Protocol, final

import numpy as np
from jaxtyping import Float

from tacit.accounting.composition import Parts, total_multiplier
from tacit.accounting.events import (
    EuclideanNormDpEvent,
    ExponentialMechanismDpEvent,
    LocalDpEvent,
)
from tacit.accounting.kind import FINENESS, MOST_CELLS, NARROWEST, Kind
from tacit.accounting.kinds import kind_of
from tacit.accounting.loss import convolution
from tacit.accounting.loss.convolution import Bound, Terms
from tacit.accounting.loss.gaussian import gaussian_delta, gaussian_epsilon
from tacit.accounting.loss.pld import trimmed
from tacit.accounting.loss.renyi import renyi_deltas, renyi_epsilon
from tacit.accounting.pairs.pure import certified_delta, repeated_delta, repeated_epsilon
from tacit.borrowed import DpEvent, GaussianDpEvent

# Losses above it are told from none by nobody, and an exponential of them takes long.
_LARGEST = 1e5
# Of delta, what all tails together may be: no digit of epsilon shows it. The least is a float.
_TAIL_SHARE = 1e-7
_LEAST_TAIL = 1e-300
# Beyond, a transform's rounding, 2e-14 a release, is more than a millionth of all it holds.
_MOST_RELEASES = 10**8
# Shares of delta: the first does not show in epsilon, the last is for where nothing less serves.
_GIVEN_UP = (1e-3, 0.03, 0.3)
# Eight units in the last place.
_ROUNDED = 1 + 2.0**-50
# Of the widest spread: who is a hundred times narrower makes the grid of all no finer.
_COARSENESS = 6400
_SHARPER_BY_RENYI = (EuclideanNormDpEvent, ExponentialMechanismDpEvent)
Curve = Float[np.ndarray, " n"]


class Accountant(Protocol):
    """A certifier of one composition."""

    @property
    def name(self) -> str:
        """What receipts call it."""
        ...

    def epsilon(self, delta: float) -> Bound:
        """The smallest epsilon it certifies at `delta`, in (0, 1)."""
        ...

    def delta(self, epsilon: float) -> Bound:
        """The smallest delta it certifies at `epsilon`, at least 0."""
        ...

    def deltas(self, epsilons: Curve) -> Curve:
        """Certified deltas at many epsilons, right to about 1e-9."""
        ...


def accountants_of(found: Parts, finest: float, cells: int = MOST_CELLS) -> list[Accountant]:
    """Every accountant that may be the tightest, able to resolve deltas down to `finest`.

    Args:
      cells: how many the grid of losses may have.
    """
    (only, count), *others = found.items()
    if all(isinstance(part, GaussianDpEvent) for part in found):
        return [ExactGaussian(total_multiplier(found))]
    if isinstance(only, LocalDpEvent) and not others and only.epsilon <= _LARGEST:
        return [ExactResponse(only.epsilon, count)]
    if any(map(_has_no_grid, found)) or found.total() > _MOST_RELEASES:
        return [RenyiDivergences(found)]
    losses = LossDistribution(_losses(found, finest, cells))
    both = any(isinstance(part, _SHARPER_BY_RENYI) for part in found)
    return [losses, RenyiDivergences(found)] if both else [losses]


@final
@dataclass(frozen=True)
class ExactGaussian:
    """All releases Gaussian: together one of this noise multiplier, whose curve is known."""

    multiplier: float
    name: str = "exact Gaussian"

    def epsilon(self, delta: float) -> Bound:
        return Bound(gaussian_epsilon(self.multiplier, delta), 0.0)

    def delta(self, epsilon: float) -> Bound:
        return Bound(gaussian_delta(self.multiplier, epsilon), 0.0)

    def deltas(self, epsilons: Curve) -> Curve:
        return np.array([gaussian_delta(self.multiplier, each) for each in epsilons])


@final
@dataclass(frozen=True)
class ExactResponse:
    """`count` pure releases of one epsilon: at worst as many randomised responses."""

    local_epsilon: float
    count: int
    name: str = "exact randomised response"

    def epsilon(self, delta: float) -> Bound:
        return Bound(repeated_epsilon(self.local_epsilon, self.count, delta), 0.0)

    def delta(self, epsilon: float) -> Bound:
        return Bound(certified_delta(self.local_epsilon, self.count, epsilon), 0.0)

    def deltas(self, epsilons: Curve) -> Curve:
        return repeated_delta(self.local_epsilon, self.count, epsilons)


@final
@dataclass(frozen=True)
class RenyiDivergences:
    """Divergences at many orders: for releases of which no more than those is known."""

    found: Parts
    name: str = "Renyi"

    def epsilon(self, delta: float) -> Bound:
        bound = renyi_epsilon(self.found, delta)
        return Bound(bound, bound)

    def delta(self, epsilon: float) -> Bound:
        bound = float(self.deltas(np.array([epsilon]))[0])
        return Bound(bound, bound)

    def deltas(self, epsilons: Curve) -> Curve:
        return renyi_deltas(self.found, epsilons)


@final
@dataclass(frozen=True)
class LossDistribution:
    """The dominating pairs' losses on one grid, added by a tilted transform."""

    terms: Terms
    name: str = "privacy loss distribution"

    def epsilon(self, delta: float) -> Bound:
        """As every accountant; where a few far losses steer the tilt, they are given up as failure.

        Why: a tilt serves one scale, and a loss far above all others, of mass below delta, has
        another. Every attempt is a bound.
        """
        bound = convolution.epsilon_at(self.terms, delta)
        for share in _GIVEN_UP:
            if bound.slack < bound.value or bound.value == 0:
                break
            room = share * delta / len(self.terms)
            terms = [(trimmed(both, room / count), count) for both, count in self.terms]
            bound = min(bound, convolution.epsilon_at(terms, delta), key=lambda each: each.value)
        # A loss is an index times an interval: right to a rounding or two, which an atom can feel.
        rounded = bound.value * _ROUNDED
        return Bound(rounded, bound.slack + rounded - bound.value if bound.slack else 0.0)

    def delta(self, epsilon: float) -> Bound:
        return convolution.delta_at(self.terms, epsilon)

    def deltas(self, epsilons: Curve) -> Curve:
        return convolution.curve_at(self.terms, epsilons)


def _has_no_grid(part: DpEvent) -> bool:
    """Whether nothing but divergences is known, or losses are so large that they say nothing."""
    return not kind_of(part).reach(part) <= _LARGEST


def _losses(found: Parts, finest: float, cells: int) -> Terms:
    """Each kind of event's losses on one grid, fine beside the whole; Gaussians become one."""
    gaussians = Parts({e: k for e, k in found.items() if isinstance(e, GaussianDpEvent)})
    together = Parts({e: k for e, k in found.items() if e not in gaussians})
    if gaussians:
        together[GaussianDpEvent(total_multiplier(gaussians))] = 1
    kinds = [(kind_of(part), part, count) for part, count in together.items()]
    interval = _interval(kinds, cells)
    tail = max(_TAIL_SHARE * finest / together.total(), _LEAST_TAIL)
    return [
        (trimmed(kind.losses(part, interval, tail), 10 * tail), count)
        for kind, part, count in kinds
    ]


def _interval(kinds: list[tuple[Kind, Any, int]], cells: int) -> float:
    """A grid fine beside the whole, of bounded size, and met by the largest pure loss.

    Why met: a release of pure epsilon often has an atom there, which a grid would move up.
    """
    total = sum(count for *_, count in kinds)
    variance = math.fsum(count * kind.spread(part) ** 2 for kind, part, count in kinds)
    widest = max(kind.spread(part) for kind, part, _ in kinds) / _COARSENESS
    bounded = math.fsum(kind.reach(part) for kind, part, _ in kinds) / cells
    interval = max(math.sqrt(variance / total) / FINENESS, widest, bounded, NARROWEST)
    pure = max(
        (kind.pure(part) for kind, part, _ in kinds if kind.pure(part) < math.inf), default=0
    )
    return pure / math.ceil(pure / interval) if pure > interval else interval
