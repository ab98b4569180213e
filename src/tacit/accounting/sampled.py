"""A sample of any release, as a kind of its own.

What a secret sample does to a Gaussian release is known exactly (`pairs.sampled_gaussian`). What it
does to any other follows from that release's own losses (`pairs.subsampled`): so a sample needs to
be told no more than how it is drawn, and where to look up what is sampled.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.accounting.events import DiscreteGaussianDpEvent
from tacit.accounting.kind import MOST_CELLS, Kind, Orders
from tacit.accounting.loss.pld import Directions, Losses
from tacit.accounting.pairs import sampled_gaussian, subsampled
from tacit.accounting.relation import Relation
from tacit.borrowed import DpEvent, GaussianDpEvent, PoissonSampledDpEvent

# A tail that no delta above 1e-200 would notice in any number of releases that there is.
_UNSEEN = 1e-250


@dataclass(frozen=True)
class Scheme:
    """How a sample is drawn: what that does to a Gaussian, exactly, and to any losses.

    Args:
      gaussian: the losses for a rate, a noise multiplier, an interval and a tail.
      gaussian_renyi: the Renyi divergences of the sampled Gaussian event.
      any: the losses for those of what is sampled, a rate and an interval.
    """

    gaussian: Callable[[float, float, float, float], Directions]
    gaussian_renyi: Callable[[Any, Orders], Orders]
    any: Callable[[Directions, float, float], Directions]


POISSON = Scheme(
    sampled_gaussian.poisson_losses, sampled_gaussian.poisson_renyi, subsampled.poisson
)
FIXED = Scheme(
    sampled_gaussian.without_replacement_losses,
    sampled_gaussian.without_replacement_renyi,
    subsampled.without_replacement,
)


@dataclass(frozen=True)
class Sampled:
    """The answers of a sampled event, from those of what it samples."""

    scheme: Scheme
    kind_of: Callable[[DpEvent], Kind]

    def kind(self, name: str, relations: frozenset[Relation]) -> Kind:
        """The row of this way of sampling."""
        answers = self.spread, self.losses, self.renyi, self.pure, self.reach
        return Kind(name, relations, *answers)

    def spread(self, event: Any) -> float:
        """The standard deviation of the loss, the person present."""
        rate, inner = _rate(event), event.event
        if isinstance(inner, GaussianDpEvent):
            return sampled_gaussian.spread(rate, inner.noise_multiplier)
        removed, _ = subsampled.poisson(self._base(inner, _UNSEEN), rate, self._interval(event))
        mean = float(removed.masses @ removed.values)
        return math.sqrt(removed.masses @ (removed.values - mean) ** 2)

    def losses(self, event: Any, interval: float, tail: float) -> Directions:
        """The losses of the sampled pair."""
        rate, inner = _rate(event), event.event
        if isinstance(inner, GaussianDpEvent):
            return self.scheme.gaussian(rate, inner.noise_multiplier, interval, tail)
        return self.scheme.any(self._base(inner, tail), rate, interval)

    def renyi(self, event: Any, orders: Orders) -> Orders:
        """The Renyi divergences of the sampled pair.

        Why 10: at order a the discrete Gaussian's tails count as if it were moved by a times its
        sensitivity; they are cut beyond thirty sigmas, so up to ten they weigh less than e^-200. At
        higher orders the divergence without sampling is a bound, by convexity.
        """
        inner = event.event
        if isinstance(inner, GaussianDpEvent):
            return self.scheme.gaussian_renyi(event, orders)
        base = _without_rarest(self._base(inner, _UNSEEN))
        pair = self.scheme.any(base, _rate(event), self._interval(event))
        seen = subsampled.renyi(pair, orders)
        if not isinstance(inner, DiscreteGaussianDpEvent):
            return seen
        near = orders * inner.sensitivity <= 10 * inner.sigma
        return np.where(near, seen, self.kind_of(inner).renyi(inner, orders))

    def pure(self, event: Any) -> float:
        """log(1 + rate (e^epsilon - 1)) for a sampled pure release."""
        pure_epsilon = self.kind_of(event.event).pure(event.event)
        if not math.isfinite(pure_epsilon):
            return math.inf
        return subsampled.amplified(pure_epsilon, 0.0, _rate(event))[0]

    def reach(self, event: Any) -> float:
        """A loss hardly ever exceeded, with the person or without."""
        rate, inner = _rate(event), self.kind_of(event.event).reach(event.event)
        if rate == 1:
            return inner
        absent = math.log1p(-rate)
        return max(float(np.logaddexp(absent, math.log(rate) + inner)), -absent)

    def _base(self, inner: DpEvent, tail: float) -> Directions:
        """The losses of what is sampled, on a grid fine beside them."""
        kind = self.kind_of(inner)
        return kind.losses(inner, kind.finest(inner), tail)

    def _interval(self, event: Any) -> float:
        finest = self.kind_of(event.event).finest(event.event)
        return max(_rate(event) * finest, self.reach(event) / MOST_CELLS)


def _rate(event: Any) -> float:
    if isinstance(event, PoissonSampledDpEvent):
        return event.sampling_probability
    return event.sample_size / event.source_dataset_size


def _without_rarest(base: Directions) -> Directions:
    """The losses without outcomes too rare for any delta above 1e-200 to notice."""
    forth, back = (
        Losses(one.interval, one.lowest, one.masses, 0.0) if one.infinite <= _UNSEEN else one
        for one in base
    )
    return forth, forth if base[0] is base[1] else back
