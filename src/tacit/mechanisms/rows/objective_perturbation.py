"""Objective perturbation: a random slope is added to the objective, and that is minimised.

F(w) = sum_i l(<w, x_i>, y_i) + s|w|²/2 is what is fitted; b is noise of density h; the minimum w of
F(w) + <b, w> is released, in theory. The loss is convex with a slope that is Lipschitz.

1. *Density.* The minimum and the noise determine each other: b = -grad F(w). That map is Lipschitz
   and, F being s-strongly convex, so is its inverse. Thus w has the density h(-grad F(w))
   det F''(w) almost everywhere (change of variables holds for such maps, second derivatives or
   not). For neighbours, b' = b + v where v is the difference of one or two people's gradients at w.
2. *Determinants.* Let A be the Hessian without the people that differ, A >= s. The ratio of the
   determinants is det(A + E)/det(A + E'), E and E' of one person each or zero. Numerator and
   denominator over det A are both between 1 and e^V, V = `volume`(R²/s) (`tacit.solve.losses`; for
   one score V = log(1 + C R²/s)). So the ratio is at most e^V, also for replaced people: the
   published log(1 + 2c/s + c²/s²), c = C R², is that twice, and with C R instead of C R² it would
   be wrong.
3. *Pure.* Let h be e^(-k|b|). As |v| <= cL (c = 2 for one who is replaced, else 1), the ratio of
   the densities is at most e^(kcL + V): k = (epsilon - V)/(cL).
4. *Gaussian.* Let h be N(0, sigma²). The log of the ratio is at most (|v|² + 2<b, v>)/2sigma² + V,
   b ~ h. v depends on b through the scores, so this is no Gaussian mechanism; but a person's
   gradient is x times a slope, x is fixed, and slopes lie in the hull of zero and m `corners`. So v
   lies in a fixed polytope, and the expression, convex in v, is largest at one of its vertices u.
   At u it is the loss of a Gaussian mechanism that moves by |u|, of curve d(|u|/sigma, e) at e
   = epsilon - V >= 0. (1 - e^(e - max G))^+ is at most the sum over all u, where u = 0 adds
   nothing. So delta is at most

       m d(L/sigma, e)                              if one joins or leaves,
       m² d(2L/sigma, e) + 2m d(L/sigma, e)         if one is replaced.

   For a loss whose slope has one sign (m = 1: logistic, hinge) who joins or leaves is as well
   hidden as in the Gaussian mechanism itself, where Redberg, Koskela and Wang have twice its delta.
5. *What the solver returns.* b is drawn on a grid: within `tv_distance` in total variation of a
   real b' rounded, |b - b'| <= r, one step a coordinate. (One weight: discrete Laplace noise of
   rate a a step differs from rounded Laplace noise at zero, by tanh(a/2) - (1 - e^(-a/2)) <= a²/8,
   and elsewhere by as much in all.) The solver's point has a proved gradient of at most t
   = `tolerance` with b, so of t + r with b', and is within (t + r)/s of the exact minimum w(b'),
   which is private. Given w(b'), the noise b' is known, so the solver's point is a function of the
   data and w(b'), within (t + r)/s of w(b') for both neighbours. To hide these 2(t + r)/s it gets
   noise of its own, pure, for 1/64 of epsilon: adaptive composition. That noise is about 2^-7 of
   what b does to the weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import final

import numpy as np
from jaxtyping import Float, PRNGKeyArray, Shaped

from tacit.accounting import events
from tacit.accounting.loss.gaussian import gaussian_delta
from tacit.accounting.relation import Relation
from tacit.argument import (
    got,
    is_number,
    refuse_negative,
    refuse_none_positive,
    refuse_not_positive,
    takes_numpys,
)
from tacit.borrowed import DpEvent
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.k_norm import EuclideanNorm
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.rows.output_perturbation import (
    euclidean,
    noisy,
    power_below,
    tolerance_of,
)
from tacit.noise.host_words import children
from tacit.solve.minimise import minimise
from tacit.solve.objective import Objective, cut
from tacit.solve.regularisers import L2

# Of epsilon, to hide where the solver stopped: twice as much halves noise that is small beside the
# slope's, and asks for twice `_FITS`. And of the rest, for the determinants at most: more raises
# penalties less, and leaves the slope less. Choices, not measured.
_SOLVER, _VOLUME = 1 / 64, 1 / 2
# The tolerance for which the weights of so many people fit their grid.
_FITS = 2.0**-31
# Grids, relative to what they are for. Twice as coarse, a Gaussian slope is 16 times as far from a
# rounded normal (now within 2^-87 a weight), but for its tables; twice as fine asks for twice
# `_FITS`.
_FINE = 2.0**-20
# For what floats do to the arithmetic of epsilon itself.
_BELOW_ONE = 1 - 1e-12

Tilt = Gaussian | EuclideanNorm | Laplace


@final
@dataclass(frozen=True)
class ObjectivePerturbation:
    """The minimum of an objective with a random slope. Build it with `pure` or `gaussian`.

    **Guarantee**: (`epsilon`, `delta`)-differential privacy of the weights under `relation`, for
    the point that the solver returns and with all rounding; but for the reserve of `tv_distance`
    that is to be added to delta (`accounting.reserve`). At other epsilons the curve is `delta_at`.
    The solver raises `NotConverged` where it cannot prove its answer: then nothing is released, and
    what that tells of the data is not covered.

    **Error**: the root mean square distance of the weights from the minimum of `objective` is at
    most `rmse`. That objective's penalty is raised where needed, so that determinants cost at most
    half of epsilon: `raised` says to what.

    | data | effect |
    | --- | --- |
    | a row beyond the bound, NaN, a label that is none | changed alone, as in `objective.cut` |
    | nobody | noise |
    | more or fewer people than `objective.people` | the penalty stays as it is |

    Args:
      objective: What is fitted, with the penalty used; public.
      relation: Who is a neighbour; of `ZERO_OUT` as of `ADD_REMOVE`.
      epsilon: Of the release.
      delta: Zero if pure.
      tolerance: Of the solver, for the gradient of the sum.
      tilt: The law of the slope.
      spread: The noise on the weights.

    References:
        Chaudhuri, Monteleoni and Sarwate 2011, "Differentially private empirical risk
        minimization", Algorithm 2 and Theorem 9.
        Kifer, Smith and Thakurta 2012, "Private convex empirical risk minimization and
        high-dimensional regression" (Gaussian slopes).
        Iyengar, Near, Song, Thakkar, Thakurta and Wang 2019, "Towards practical differentially
        private convex optimization" (approximate minima).
        Redberg, Koskela and Wang 2023, "Improving the privacy and practicality of objective
        perturbation for differentially private linear learners" (hockey-stick divergence).
    """

    objective: Objective
    relation: Relation
    epsilon: float
    delta: float
    tolerance: float
    tilt: Tilt
    spread: Laplace

    def __post_init__(self):
        refuse_none_positive(self, "epsilon", "tolerance")
        refuse_negative("delta", self.delta)

    @classmethod
    @takes_numpys
    def pure(
        cls, objective: Objective, epsilon: float, relation: Relation
    ) -> ObjectivePerturbation:
        """With a slope of density e^(-k|b|).

        Raises:
          ValueError: if `epsilon` is not positive and finite, or the loss lacks a constant.
        """
        raised = _raised(objective, epsilon)
        left = (epsilon * (1 - _SOLVER) - _volume(raised)) * _BELOW_ONE
        moved = relation.people_moved * raised.lipschitz
        return cls._with(raised, relation, epsilon, 0.0, euclidean(left, moved, raised.size))

    @classmethod
    @takes_numpys
    def gaussian(
        cls, objective: Objective, epsilon: float, delta: float, relation: Relation
    ) -> ObjectivePerturbation:
        """With the least Gaussian slope that the bound above allows.

        Raises:
          ValueError: if `epsilon` is not positive and finite, `delta` not in (0, 1), or the loss
            lacks a constant.
        """
        if not (is_number(delta) and 0 < delta < 1):
            raise ValueError(f"delta must be in (0, 1), got {got(delta)}")
        raised = _raised(objective, epsilon)
        left = (epsilon * (1 - _SOLVER) - _volume(raised)) * _BELOW_ONE
        corners = raised.loss.corners
        multiplier = _least(lambda noise: _curve(noise, left, corners, relation) <= delta)
        sigma = multiplier * raised.lipschitz
        step = power_below(sigma) * _FINE
        tilt = Gaussian(sigma, raised.lipschitz, step)
        return cls._with(raised, relation, epsilon, float(delta), tilt)

    @classmethod
    def _with(
        cls, objective: Objective, relation: Relation, epsilon: float, delta: float, tilt: Tilt
    ) -> ObjectivePerturbation:
        """With the noise that hides where the solver stopped: step 5."""
        fits = objective.lipschitz * objective.people * epsilon * _FITS
        tolerance = max(tolerance_of(objective), fits)
        rounded = tilt.step * math.sqrt(objective.size)
        apart = 2 * (tolerance + rounded) / objective.strength
        spread = _hiding(epsilon * _SOLVER, apart, objective.size)
        return cls(objective, relation, float(epsilon), delta, tolerance, tilt, spread)

    @property
    def raised(self) -> float:
        """The penalty per person that was used."""
        return self.objective.penalty.strong_convexity

    @property
    def event(self) -> DpEvent:
        """What is released, for composition."""
        return events.epsilon_delta(self.epsilon, self.delta)

    @property
    def tv_distance(self) -> float:
        """How far the release is from its law, at most, in total variation."""
        size = self.objective.size
        apart = self.tilt.tv_distance(size) + self.spread.tv_distance(size)
        if isinstance(self.tilt, Laplace):
            apart += self.tilt.noise.parameter**2 / 8
        return apart

    @property
    def rmse(self) -> float:
        """The root mean square distance from the exact minimum, at most."""
        size = self.objective.size
        slope = math.sqrt(self.tilt.error(size)) + self.tolerance
        cuts = self.spread.step * math.sqrt(size)
        return slope / self.objective.strength + math.sqrt(self.spread.error(size)) + cuts

    def delta_at(self, epsilon: float) -> float:
        """Delta at another epsilon."""
        left = (epsilon * _BELOW_ONE - self.spread.epsilon) - _volume(self.objective)
        if isinstance(self.tilt, Gaussian):
            corners = self.objective.loss.corners
            return _curve(self.tilt.noise_multiplier, left, corners, self.relation)
        worst = -math.expm1(epsilon - self.epsilon) / (1 + math.exp(-self.epsilon))
        return max(0.0, worst)

    def sample(
        self,
        key: PRNGKeyArray,
        rows: Shaped[np.ndarray, "people dim"],
        labels: Shaped[np.ndarray, " people"],
    ) -> Float[np.ndarray, " dim *outputs"]:
        """The weights, for the public."""
        for_tilt, for_spread = children(key)
        examples = cut(self.objective, rows, labels)
        tilt = noisy(self.tilt, for_tilt, np.zeros(self.objective.shape))
        found = minimise(self.objective, examples, self.tolerance, tilt)
        return noisy(self.spread, for_spread, found.point)


def _hiding(epsilon: float, moved: float, size: int) -> Laplace:
    """Noise for points that are `moved` apart in L2, so by at most size^(1/2) times that in L1.

    Euclidean noise would be smaller by up to 2^(1/2), and needs some thirty tables where this needs
    one; either is far below what the slope does.
    """
    step = power_below(moved / epsilon) * _FINE
    return Laplace.calibrate(epsilon, math.sqrt(size) * (moved + step * math.sqrt(size)), step)


def _volume(objective: Objective) -> float:
    """V of step 2: what one person can do to the determinant, as a logarithm."""
    return objective.loss.volume(objective.reach**2 / objective.strength)


def _raised(objective: Objective, epsilon: float) -> Objective:
    """The objective with a penalty so strong that determinants cost at most half of epsilon."""
    refuse_not_positive("epsilon", epsilon)
    most = epsilon * (1 - _SOLVER) * _VOLUME
    square, people = objective.reach**2, objective.people
    least = square * _least(lambda times: objective.loss.volume(1 / times) <= most)
    if objective.strength >= least:
        return objective
    return replace(objective, penalty=L2(least / people * (1 + 1e-12)))


def _curve(multiplier: float, left: float, corners: int, relation: Relation) -> float:
    """Delta of a Gaussian slope, of noise `multiplier` times one person's gradient: step 4."""
    if not left >= 0:
        return 1.0
    alone = corners * gaussian_delta(multiplier, left)
    if relation.people_moved == 1:
        return min(1.0, alone)
    return min(1.0, corners**2 * gaussian_delta(multiplier / 2, left) + 2 * alone)


def _least(enough: Callable[[float], bool]) -> float:
    """The least positive number that is enough, from above, to a relative 1e-12."""
    high = 1.0
    while not enough(high):
        high *= 2
    low = high / 2
    while low > 2.0**-900 and enough(low):
        low, high = low / 2, low
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
