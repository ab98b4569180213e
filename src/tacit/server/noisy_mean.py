"""Noise on sums: which mechanism, how much, on which grid, and what it promises the public.

Each is calibrated for the question as a whole and exact on the sum's grid:

* with a delta, Gaussian noise, scaled to the L2 sensitivity: it composes and is sampled best;
* with delta = 0, pure noise of the least error for the shape: staircase noise on a number,
  Euclidean or cube K-norm noise on a vector of a ball or a cube, the difference of two Wisharts on
  squares, Laplace noise on all else.

Squares are whole multiples of every step they are summed in, so nothing is cut, and symmetric, so
both halves of noise that is not are averaged.

A product has one noise for each part. Part i of share w_i gets Gaussian noise z S_i / sqrt(w_i), or
pure noise of epsilon w_i: measured in its own noise the move of part i is at most sqrt(w_i) / z,
or epsilon w_i, so all parts together are one Gaussian release of multiplier z, or one release that
is epsilon-private.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

from tacit.accounting import calibration, events
from tacit.accounting.calibration import BELOW_ONE
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation
from tacit.accounting.reserve import Budget, is_negligible, within_delta
from tacit.accounting.upper import upper
from tacit.borrowed import DpEvent
from tacit.contribution import Ball, Contribution, Cube, Grid, Interval, Outer, Product, Sphere
from tacit.device.product import JointReports
from tacit.mechanisms.additive import cube_norm, k_norm, wishart
from tacit.mechanisms.additive.cube_norm import CubeNorm
from tacit.mechanisms.additive.gaussian import LEAST_STEPS, Gaussian
from tacit.mechanisms.additive.k_norm import EuclideanNorm
from tacit.mechanisms.additive.laplace import Laplace, UnfitStep
from tacit.mechanisms.additive.staircase import Staircase
from tacit.mechanisms.additive.wishart import WishartDifference
from tacit.noise.fixed import ROUNDING
from tacit.plan import Server
from tacit.question.participation import Participation
from tacit.question.sums import Mean
from tacit.server.grid import step_in
from tacit.server.means import JointMean, Noise, NoisyMean
from tacit.server.symmetric import SymmetricMean


def noisy_mean(
    budget: Budget, question: Mean, reports: Contribution, between: Relation
) -> tuple[Server, Guarantee]:
    """The server part for sums of `reports`, and what it promises the public.

    Args:
      budget: what is to be kept over all rounds.
      question: who reports, and how often.
      reports: what is summed.
      between: how one report changes; the budget's relation, unless devices randomise.
    """
    sums, relation = Sums(question, reports, between), budget.relation

    def make(epsilon: float, delta: float) -> tuple[Server, DpEvent, float]:
        noise = (relation, sums, epsilon)
        server, event = _pure(*noise) if delta == 0 else _gaussian(*noise, delta)
        return server, event, sums.chance(server)

    return within_delta(budget, make, known=question.overflow())


@dataclass(frozen=True)
class Sums:
    """What noise is added to: sums of one shape of report, and how one report changes.

    Where several noises take turns on one sum, all have the grid that is `held`.
    """

    question: Mean
    reports: Contribution
    between: Relation
    held: float | None = None

    def server(self, noise: Noising) -> Server:
        """The server whose noise on a shape with a share of the budget is this."""
        return self._server(self.reports, 1.0, noise)

    def _server(self, shape: Contribution, share: float, noise: Noising) -> Server:
        if isinstance(shape, Product | JointReports):
            shares = (share * own * BELOW_ONE for own in shape.noise_shares)
            each = zip(shape.parts, shares, strict=True)
            return JointMean(tuple(self._server(part, own, noise) for part, own in each))
        return self.mean(shape, share, noise)

    def mean(self, shape: Contribution, share: float, noise: Noising) -> NoisyMean | SymmetricMean:
        """The server of sums of one shape."""
        mechanism, size = noise(self, shape, share), math.prod(shape.answer_shape)
        if isinstance(shape, Outer) and not isinstance(mechanism, WishartDifference):
            return SymmetricMean(mechanism, self.question.cohort, shape.dim)
        cuts = 0.0 if mechanism.step <= shape.unit else self.question.capacity * mechanism.step
        return NoisyMean(mechanism, self.question.cohort, size, cuts)

    def chance(self, server: Server) -> float:
        """That some cohort is cut, or some round's noise is not as proved."""
        return self.question.overflow() + self.question.rounds * server.facts.tv_distance

    def step(self, shape: Contribution, noise: float) -> float:
        """The grid of a sum that gets noise of this deviation: a unit divided into powers of 2."""
        if self.held is not None:
            return self.held
        return step_in(self.question, shape, noise)


def _gaussian(
    relation: Relation, sums: Sums, epsilon: float, delta: float
) -> tuple[Server, DpEvent]:
    multiplier, event = gaussian_event(relation, sums.question, epsilon, delta)
    return sums.server(gaussian_noise(multiplier)), event


def gaussian_event(
    relation: Relation, question: Mean, epsilon: float, delta: float
) -> tuple[float, DpEvent]:
    """The least noise multiplier whose event keeps this promise, and that event."""
    question.refuse_unproved(relation)
    asked = question.participation, question.people, question.rounds
    multiplier = _multiplier(*asked, relation, epsilon, delta)
    return multiplier, question.event(events.gaussian(multiplier), relation)


@functools.lru_cache(maxsize=256)
def _multiplier(
    who: Participation, people: int, rounds: int, relation: Relation, epsilon: float, delta: float
) -> float:
    """The least that keeps the promise: whatever is summed, so that it is found once for many."""

    def event(multiplier: float) -> DpEvent:
        return who.event(events.gaussian(multiplier), people, rounds)

    return calibration.noise_multiplier(event, epsilon, delta, relation)


# The noise on such sums of a shape that has this share of the budget.
Noising = Callable[[Sums, Contribution, float], Noise]


def gaussian_noise(multiplier: float) -> Noising:
    """Gaussian noise that is, on the whole budget, so large in units of what hides in it."""

    def noise(sums: Sums, shape: Contribution, share: float) -> Gaussian:
        moved = (1 + ROUNDING) * shape.sensitivity(sums.between)
        step = sums.step(shape, multiplier * moved / math.sqrt(share))
        if not step <= shape.unit:
            moved += step * math.sqrt(math.prod(shape.answer_shape))
        sigma = multiplier * moved / math.sqrt(share)
        if not sigma >= LEAST_STEPS * step:
            raise ValueError(
                "people must be fewer, or epsilon smaller: a sum has no room for digits as fine as "
                f"its noise beside the terms of so many, got people={sums.question.people:,}"
            )
        return Gaussian(sigma, moved, step)

    return noise


def _pure(relation: Relation, sums: Sums, epsilon: float) -> tuple[Server, DpEvent]:
    def event(release: float) -> DpEvent:
        return sums.question.event(events.k_norm(release), relation)

    each = calibration.release_epsilon(event, sums.question.times, epsilon, 0.0, relation)
    server = sums.server(least_noise(each))
    if not is_negligible(epsilon, sums.question.rounds * server.facts.tv_distance):
        server = sums.server(laplace_noise(each))
    # Across most directions a vector's noise hides more than its epsilon: its own event says so.
    if isinstance(server, NoisyMean) and isinstance(server.mechanism, EuclideanNorm):
        return server, sums.question.event(server.mechanism.event, relation)
    return server, event(each)


def least_noise(epsilon: float) -> Noising:
    """Pure noise of the least error for each shape, with so much for the whole budget."""
    return lambda sums, shape, share: _on_its_grid(_least, shape, epsilon * share, sums)


def laplace_noise(epsilon: float) -> Noising:
    """Laplace noise, whose sampler takes least of all, with so much for the whole budget."""
    return lambda sums, shape, share: _on_its_grid(_laplace, shape, epsilon * share, sums)


def _on_its_grid(
    make: Callable[[Contribution, float, Sums], Noise],
    shape: Contribution,
    epsilon: float,
    sums: Sums,
) -> Noise:
    """A ValueError about epsilon, where noise has too many steps of a grid that nobody gave."""
    least = 2.0**-36 * (math.prod(shape.answer_shape) + 1)
    try:
        return make(shape, epsilon, sums)
    except UnfitStep:
        if epsilon >= least:
            raise
        raise ValueError(
            "epsilon must leave noise without a delta at most 2^40 steps of the sum's grid, as "
            f"{upper(least)} does, got {epsilon:.6g}"
        ) from None


def _least(shape: Contribution, epsilon: float, sums: Sums) -> Noise:
    """The pure mechanism of the least error for this shape: noise shaped like its norm."""
    rounding = 1 + ROUNDING
    match shape:
        case Interval() | Grid():
            moved = shape.sensitivity(sums.between)
            step = max(shape.unit, sums.step(shape, moved / epsilon))
            if not step <= shape.unit:
                moved = rounding * moved + step
            return Staircase.least_squares(epsilon, moved, step)
        case Ball(dim=dim) | Sphere(dim=dim) if 2 <= dim <= k_norm.LARGEST_DIMENSION:
            moved = rounding * shape.sensitivity(sums.between)
            step = sums.step(shape, moved / epsilon)
            moved += step * math.sqrt(dim)
            if step <= k_norm.COARSEST * moved / epsilon:
                return EuclideanNorm.calibrate(epsilon, moved, step, dim)
        case Cube(dim=dim, side=side) if dim <= cube_norm.LARGEST_DIMENSION:
            moved = rounding * side.sensitivity(sums.between)
            step = sums.step(side, moved * dim / epsilon)
            return CubeNorm.calibrate(epsilon, moved + step, step, dim)
        case Outer(dim=dim) if dim <= wishart.LARGEST_DIMENSION:
            moved = shape.nuclear_sensitivity(sums.between)
            step = sums.step(shape, moved / epsilon)
            if sums.held is None and shape.unit <= wishart.COARSEST * moved / epsilon:
                step = shape.unit
            return WishartDifference.calibrate(epsilon, moved, step, dim)
    return _laplace(shape, epsilon, sums)


def _laplace(shape: Contribution, epsilon: float, sums: Sums) -> Laplace:
    moved = shape.l1_sensitivity(sums.between)
    step = max(shape.unit, sums.step(shape, moved / epsilon))
    if not step <= shape.unit:
        moved = (1 + ROUNDING) * moved + step * math.prod(shape.answer_shape)
    return Laplace.calibrate(epsilon, moved, step)
