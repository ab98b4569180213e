"""Euclidean K-norm noise: pure epsilon for vectors of bounded L2 sensitivity, on a grid.

The law has density proportional to e^(-lambda ||z||) in R^d, lambda = epsilon / sensitivity: the
ratio at neighbours is at most e^epsilon by the triangle inequality. The norm is Gamma(d) / lambda,
the direction uniform, so E||z||² = d (d+1) / lambda². What is released is within `tv_distance` in
total variation of that noise rounded to the grid, so of a post-processing of it: no float is drawn.

**A mixture of Gaussians.** Let V be the log of a Gamma((d+1)/2) number, of density pi, and
sigma(v)² = 2e^v / lambda². Then z = sigma(V) times d standard normals has the law above, since

    integral of e^(v/2) exp(-e^v - x² e^-v / 4) dv  is proportional to  e^-x,    x = lambda ||z||.

1. *Finitely many.* The integral becomes a sum over v = log((d+1)/2) + j h, weights pi(v). By
   Poisson's formula the sum is the integral and, for m = 1, -1, 2, -2, ..., terms that are,
   relative to it, |K_(1/2 + 2 pi i m/h)(x)| / K_(1/2)(x), Bessel's K. With K_nu(x) = 1/2 the
   integral of e^(-x cosh t + nu t), its path moved to t + i theta, that is at most

       e^(-2 pi |m| theta / h) (cos theta)^(-1/2) e^(x (1 - cos theta)),    0 <= theta < pi/2.

   Under the law x is Gamma(d), and the mean of the last factor is (cos theta)^-d. So the densities
   differ by at most E = 2 (cos theta)^(-d - 1/2) / (e^(2 pi theta / h) - 1) in L1, and the sum's
   own total by at most E: E in total variation, once it is normalised. h is the largest with E
   <= 2^-46 for some theta. Weights of pi are log-concave in j, so a geometric series bounds those
   cut off.
2. *Whole numbers.* For each sigma (in steps) the normals become discrete Gaussians. Let phi(k) be
   the normal density, p(k) = phi(k)/Z the discrete law, and q(k) the integral of phi over k ± 1/2.
   By Jensen's inequality q(k)/phi(k), a mean of e^(-(2ku + u²)/2sigma²) over u in ± 1/2, is at
   least e^(-1/24 sigma²); by Poisson's formula Z > 1. So q >= e^(-1/24 sigma²) p everywhere, and d
   coordinates of either are within d / (24 sigma²). The mean of that over the mixture is about
   lambda² d / (24 (d-1)), lambda per step; at most 2^-43.5, as 1/lambda must be 2^20 steps or more.
3. *Floats.* A sigma that is off by a relative 2^-53 moves d normals by less than sqrt(d) 2^-53
   (Pinsker's inequality: the divergence is d 2^-106). The tables of the weights and of the discrete
   Gaussians have distances of their own, in `tacit.noise.discrete`. All of them add up.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple, final

import equinox as eqx
import numpy as np
from jaxtyping import PRNGKeyArray

from tacit.accounting import events
from tacit.accounting.events import EuclideanNormDpEvent
from tacit.argument import refuse_negative, refuse_none_positive, refuse_not_whole, takes_numpys
from tacit.mechanisms.additive.laplace import UNRECORDED, UnfitStep, check, on_grid
from tacit.mechanisms.alone import per_grid
from tacit.noise.discrete import LARGEST_SCALE
from tacit.noise.fixed import FixedPoint
from tacit.noise.mixture import DiscreteGaussianMixture
from tacit.noise.tables import AliasTable, table
from tacit.noise.weights import ONE, Bounds, exponential

# Floats of so many coordinates are 2^-43 of step 3, an eighth of what is promised.
LARGEST_DIMENSION = 2**20
# The largest step, relative to sensitivity / epsilon: step 2.
COARSEST = 2.0**-20
# What the quadrature may cost, and each of its two ends (step 1): beside 2^-43.5 of step 2.
SHARE = 2.0**-46
# Two dimensions need the most nodes, 109; a power of two for their table.
MOST_NODES = 256
# Of theta in step 1, of which any will do: h is within 1e-6 of that of ten times as many.
_TANGENTS = np.geomspace(1e-4, 1e2, 4000)


@final
class EuclideanNorm(eqx.Module):
    """Adds noise of density proportional to e^(-epsilon ||z||_2 / sensitivity); see `calibrate`.

    **Guarantee**: pure `epsilon`-differential privacy of one release, and the tighter curve of
    `event` under composition, under any relation in which neighbouring sums are within
    `sensitivity` in L2 on the grid, cutting to it included; up to `tv_distance(dimension)`, at most
    2^-40, in total variation, the reserve of which is added to delta (`accounting.reserve`).
    Without any delta there is `Laplace`, with sqrt(dimension) times the sensitivity: up to twice
    the variance.

    **Error**: `variance` = (dimension + 1) (sensitivity / epsilon)² a coordinate.

    | sum | effect |
    | --- | --- |
    | on a grid of another step | counts as zero, so what comes out is noise |
    | a list or array of numbers | cut to whole steps and to 2^45 of them; NaN counts as zero |
    | not of `dimension` coordinates | ValueError |
    | a `FixedPoint` beyond 2^46 steps with its noise | wraps around: a function of the release |

    The coordinates share one scale: two releases of halves are not one release.

    References:
        Hardt and Talwar 2010, "On the geometry of differential privacy" (the K-norm mechanism).
        Chaudhuri, Monteleoni and Sarwate 2011 (the Euclidean one, for empirical risk minimisation).
    """

    epsilon: float
    sensitivity: float
    step: float
    dimension: int = eqx.field(static=True)
    total_variation: float
    noise: DiscreteGaussianMixture = eqx.field(metadata=UNRECORDED)

    def __check_init__(self):
        refuse_none_positive(self, "epsilon", "sensitivity", "step", "dimension")
        refuse_negative("total_variation", self.total_variation)

    @classmethod
    @takes_numpys
    def calibrate(
        cls, epsilon: float, sensitivity: float, step: float, dimension: int
    ) -> EuclideanNorm:
        """The least noise that is `epsilon`-private.

        Args:
          epsilon: Positive and finite.
          sensitivity: In L2, in the units of the sum.
          step: Of the sum's grid, from 2^-100 to 2^100, and at most 2^-20
            sensitivity / epsilon.
          dimension: The number of coordinates, from 2 to 2^20. (Of one, `Laplace` is the same.)

        Raises:
          ValueError: if one of them is not in its range, or the noise above 2^40 steps.
        """
        check(epsilon, sensitivity, step)
        refuse_not_whole("dimension", dimension, 2, LARGEST_DIMENSION)
        rate = Fraction(epsilon) * Fraction(step) / Fraction(sensitivity)
        nodes = _nodes(dimension)
        sigmas = [_root((dimension + 1) * node.growth / rate**2) for node in nodes]
        if not (rate <= COARSEST and sigmas[-1] <= LARGEST_SCALE):
            most = float(sensitivity / epsilon * COARSEST)
            least = float(step) * sigmas[-1] / LARGEST_SCALE
            raise UnfitStep(f"step must be between {least:.3g} and {most:.3g}, got {step}")
        chosen = _table(nodes)
        noise = DiscreteGaussianMixture.of(chosen.columns, sigmas)
        own = _apart(dimension, nodes, sigmas)
        apart = own + dimension * noise.tv_distance + chosen.tv_distance
        numbers = float(epsilon), float(sensitivity), float(step)
        return cls(*numbers, int(dimension), float(apart) * (1 + 2.0**-40), noise)

    @property
    def event(self) -> EuclideanNormDpEvent:
        return events.euclidean_norm(self.epsilon, self.dimension)

    @property
    def variance(self) -> float:
        """Of one coordinate, in the sum's units squared."""
        return (self.dimension + 1) * (self.sensitivity / self.epsilon) ** 2

    def error(self, dim: int) -> float:
        """The mean squared L2 error of the sum, whose dimension must be given again."""
        self._check(dim)
        return dim * self.variance

    def tv_distance(self, dim: int) -> float:
        """How far the release is from its law, at most, in total variation."""
        self._check(dim)
        return self.total_variation

    @per_grid
    def sample(self, key: PRNGKeyArray, total: FixedPoint) -> FixedPoint:
        """The sum with its noise, on the sum's own grid."""
        self._check(total.high.size)
        high, low = self.noise.limbs(key, total.high.shape)
        return on_grid(total, self.step).plus(FixedPoint(high, low, total.step))

    def _check(self, dim: int) -> None:
        if dim != self.dimension:
            raise ValueError(f"the sum must have {self.dimension} coordinates, got {dim}")


class _Node(NamedTuple):
    """Of step 1: e^(j h), and the weight pi relative to that of j = 0."""

    growth: Fraction
    weight: Bounds

    @property
    def share(self) -> float:
        return self.weight.above / ONE


def _nodes(dimension: int) -> list[_Node]:
    """The deviations and their weights, the smallest first."""
    spacing = _spacing(dimension)
    least, most = (_side(dimension, way * spacing) for way in (-1, 1))
    return [*reversed(least), _Node(Fraction(1), Bounds(ONE, ONE)), *most]


def _table(nodes: list[_Node]) -> AliasTable:
    """What a deviation is drawn from."""
    doubt = sum(node.weight.above - node.weight.below for node in nodes)
    return table([node.weight.below for node in nodes], doubt, MOST_NODES)


def _apart(dimension: int, nodes: list[_Node], sigmas: list[float]) -> float:
    """The distance of steps 1 to 3, but for tables' own; of step 2 with the nodes as they are."""
    squares = math.fsum(node.share / s**2 for node, s in zip(nodes, sigmas, strict=True))
    rounding = dimension * squares / (24 * math.fsum(node.share for node in nodes))
    return 3 * SHARE + rounding + math.sqrt(dimension) * 2.0**-53


def _spacing(dimension: int) -> Fraction:
    """The largest h of step 1 that some theta allows, rounded down."""
    power = (dimension + 0.5) / 2 * np.log1p(_TANGENTS**2)
    allowed = 2 * math.pi * np.arctan(_TANGENTS) / (np.log(2 / SHARE + 1) + power)
    return Fraction(math.floor(float(allowed.max()) * (1 - 1e-9) * 2**40), 2**40)


def _side(dimension: int, spacing: Fraction) -> list[_Node]:
    """The nodes to one side of the middle, until all further ones weigh at most `SHARE`: step 1."""
    found, last = [], 1.0
    while True:
        found.append(_node(dimension, (len(found) + 1) * spacing))
        before, last = last, found[-1].share
        if last * last / (before - last) <= SHARE:
            return found


def _node(dimension: int, place: Fraction) -> _Node:
    """pi(v) is proportional to e^(-(d+1)/2 (e^u - 1 - u)), u = v - log((d+1)/2)."""
    size = exponential(abs(place))
    growth = size if place < 0 else Bounds(ONE**2 // size.above, -(-(ONE**2) // size.below))
    fall, rise = (
        max(Fraction(dimension + 1, 2) * (Fraction(end, ONE) - 1 - place), Fraction(0))
        for end in growth
    )
    return _Node(
        Fraction(growth.above, ONE), Bounds(exponential(rise).below, exponential(fall).above)
    )


def _root(square: Fraction) -> float:
    """The square root, correctly rounded but for 2^-64 steps: step 3."""
    return float(Fraction(math.isqrt(math.floor(square * 4**64)), 2**64))
