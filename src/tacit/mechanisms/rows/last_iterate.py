"""Noisy gradient descent of which only the last iterate is shown.

What is fitted is the mean objective f(w) = (1/n) sum_i l(<w, x_i>, y_i) + a|w|²/2 over the ball of
a public radius, by

    w <- Proj(w - t grad f(w) + z),     z ~ N(0, sigma²), t = 1/smoothness.

A step is a contraction, by the convexity and smoothness of f, and two neighbours' steps differ by
at most t c L/n at any point, c = 2 for one who is replaced and 1 for one who comes or goes. (n is
the declared number: with up to 2n people the step contracts as much. How many there are is a
secret under add/remove, so plans ask for a relation under which it is public.) So noise of later
steps hides what earlier ones did, and the last iterate costs a number of releases that stops
growing with the steps (`tacit.accounting.theorems.iteration`, where this is proved).

**What it needs** is kept here rather than asked for: gradients are bounded because the loss is
Lipschitz on rows within the bound, and never clipped, for a clipped gradient does not contract.

**Rounding.** Iterates live on a grid: w - t grad f(w) is computed in float64 and cut to whole steps
g, the noise is drawn exactly on them, and then the projection rounds once more.

1. Cutting moves w by at most g sqrt(d), the projection by less.
2. The float64 gradient is off by less than 2^-28 (L + B), B = C R² r the most that it can change
   within the ball: a sum of n products of size at most L is off by a relative n 2^-53, n up to
   2^24, slopes by 2^-45, and a score by (d + 2) 2^-53 R r.
3. All of that, `rounding` = 2 g sqrt(d) + 2^-28 t (L + B) a step, is one more way in which two
   neighbours' steps may differ: 2 `rounding` is added to their shift.

References:
    Feldman, Mironov, Talwar, Thakurta 2018, "Privacy amplification by iteration".
    Altschuler and Talwar 2022, "Privacy of noisy stochastic gradient descent".
    Bok, Su and Altschuler 2024, "Shifted interpolation for differential privacy".
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import final

import jax
import numpy as np
from jaxtyping import Float, PRNGKeyArray, Shaped

from tacit.accounting import events
from tacit.accounting.events import LastIterateDpEvent
from tacit.accounting.loss.gaussian import gaussian_noise_multiplier
from tacit.accounting.relation import Relation
from tacit.accounting.theorems import iteration
from tacit.argument import refuse_none_positive, refuse_not_positive, takes_numpys
from tacit.mechanisms.additive.gaussian import no_narrower, normal_distance, rounded_variance
from tacit.mechanisms.rows.output_perturbation import power_below
from tacit.noise.discrete import DiscreteGaussianLaw
from tacit.noise.fixed import LIMB
from tacit.solve.ball import nearest_within
from tacit.solve.objective import Examples, Objective, cut

# The grid relative to the noise of a step; and what step 2 is proved for, with twice the people.
_FINE, _GRADIENT, MOST_PEOPLE = 2.0**-34, 2.0**-28, 2**23
# Each adds a ten-thousandth to the noise: a tenth in all.
_TRIES = 1000


@final
@dataclass(frozen=True)
class LastIterateDescent:
    """The last of `steps` noisy, projected gradient steps. Build it with `calibrate`.

    **Guarantee**: (epsilon, delta)-differential privacy of the weights at every point of the curve
    of `event`, under the relation it was made for; but for the reserve of `tv_distance` that is to
    be added to delta (`accounting.reserve`). Nothing else of the run may be shown.

    **Error**: where nothing is projected the last iterate spreads around the minimum with a
    variance of at most sigma² / (1 - c²) a coordinate, c = `event.contraction`, once the start is
    forgotten; it forgets a fraction c of it a step.

    | data | effect |
    | --- | --- |
    | a row beyond the bound, NaN, a label that is none | changed alone, as in `objective.cut` |
    | up to twice `objective.people` people, or fewer | the mean is over the public number |

    Args:
      objective: What is fitted; public.
      event: What is released, for composition.
      radius: Of the ball that iterates are projected to.
      sigma: Of a step's noise on the weights, a coordinate.
      step: The grid of the iterates.
      noise: Of a step, in steps of the grid; as in `mechanisms.gaussian`.
    """

    objective: Objective
    event: LastIterateDpEvent
    radius: float
    sigma: float
    step: float
    noise: DiscreteGaussianLaw = field(metadata={"recorded": False})

    def __post_init__(self):
        refuse_none_positive(self, "radius", "sigma", "step")

    @classmethod
    @takes_numpys
    def calibrate(
        cls,
        objective: Objective,
        radius: float,
        steps: int,
        epsilon: float,
        delta: float,
        relation: Relation,
    ) -> LastIterateDescent:
        """With the least noise for which `steps` steps are (`epsilon`, `delta`)-private.

        Raises:
          ValueError: if `radius`, `epsilon` or `delta` is out of range, there are too many
            people, or the loss has no Lipschitz constant.
        """
        refuse_not_positive("radius", radius)
        if not objective.people <= MOST_PEOPLE:
            raise ValueError(f"people must be at most {MOST_PEOPLE}, got {objective.people}")
        shift = relation.people_moved * _rate(objective) * objective.lipschitz / objective.people
        mu = 1 / gaussian_noise_multiplier(epsilon, delta)
        contraction = 1 - _rate(objective) * objective.penalty.strong_convexity + 2.0**-50

        def event(sigma: float) -> LastIterateDpEvent:
            apart = shift + 2 * _rounding(objective, radius, power_below(sigma) * _FINE)
            return events.last_iterate(steps, min(1.0, contraction), apart, sigma, 2 * radius)

        # The grid grows with the noise and the shift with the grid, by 2^-34 of it a coordinate.
        sigma = iteration.gdp(event(shift)) * shift / mu
        for _ in range(_TRIES):
            if iteration.gdp(event(sigma)) <= mu:
                break
            sigma *= 1.0001
        else:
            raise ValueError(f"steps must be fewer than {steps}: their rounding alone costs more")
        step = power_below(sigma) * _FINE
        own = objective, event(sigma), float(radius), sigma, step
        return cls(*own, no_narrower(rounded_variance(sigma, step)))

    @property
    def tv_distance(self) -> float:
        """How far the release is from its law, at most, in total variation."""
        draws = self.event.steps * self.objective.size
        return draws * (self.noise.tv_distance + normal_distance(self.sigma / self.step))

    def sample(
        self,
        key: PRNGKeyArray,
        rows: Shaped[np.ndarray, "people dim"],
        labels: Shaped[np.ndarray, " people"],
    ) -> Float[np.ndarray, " dim *outputs"]:
        """The weights, for the public."""
        examples, shape = cut(self.objective, rows, labels), self.objective.shape
        people = examples.rows.astype(np.float64, copy=False), examples.labels
        weights, rate = np.zeros(shape), _rate(self.objective)
        for own in jax.random.split(key, self.event.steps):
            moved = weights - rate * _gradient(self.objective, *people, weights)
            high, low = (np.asarray(part, np.float64) for part in _drawn(self.noise, own, shape))
            on_grid = np.trunc(moved / self.step) + high * LIMB + low
            weights = nearest_within(on_grid * self.step, self.radius)
        return weights


def descended(
    objective: Objective, examples: Examples, radius: float, steps: int
) -> Float[np.ndarray, " dim *outputs"]:
    """The last iterate without any noise, which nothing is promised of."""
    people = examples.rows.astype(np.float64, copy=False), examples.labels
    weights = np.zeros(objective.shape)
    for _ in range(steps):
        moved = weights - _rate(objective) * _gradient(objective, *people, weights)
        weights = nearest_within(moved, radius)
    return weights


def _rate(objective: Objective) -> float:
    """One over the smoothness of the mean objective."""
    return 1 / (objective.loss.smoothness(objective.reach) + objective.penalty.smoothness)


def _rounding(objective: Objective, radius: float, step: float) -> float:
    """How far a step is from the exact one, at most: step 3."""
    cuts = 2 * step * math.sqrt(objective.size)
    changes = objective.lipschitz + objective.loss.smoothness(objective.reach) * radius
    return cuts + _GRADIENT * _rate(objective) * changes


def _gradient(
    objective: Objective,
    rows: Float[np.ndarray, "people dim"],
    labels: Float[np.ndarray, " people"],
    weights: Float[np.ndarray, " dim *outputs"],
) -> Float[np.ndarray, " dim *outputs"]:
    """Of the mean objective, over the public number of people."""
    slopes = objective.loss.slope(rows @ weights, labels)
    return rows.T @ slopes / objective.people + objective.penalty.strong_convexity * weights


@jax.jit(static_argnums=2)
def _drawn(noise: DiscreteGaussianLaw, key: PRNGKeyArray, shape: tuple[int, ...]):
    return noise.limbs(key, shape)
