"""Output perturbation: a model is fitted as if nobody looked, and then gets noise.

What is fitted is F(w) = sum_i l(<w, x_i>, y_i) + s|w|²/2 (`tacit.solve.objective`), s-strongly
convex with a public s. One person moves its gradient anywhere by at most L = `lipschitz`.

1. *Sensitivity.* At the minimum w of one data set the other one's gradient is what the two data
   sets differ in: at most cL, with c = 1 for one who joins or leaves (the number of people that
   multiplies the penalty is public and stays), c = 2 for one who is replaced. So |w - w'| <= cL/s
   by strong convexity. With s = n times the penalty per person that is 2L/(n lambda).
2. *What the solver returns* is not w. Its exact gradient is proved to be at most t = `tolerance`,
   so it is within t/s of w, and two answers are within (cL + 2t)/s. They are cut towards zero to a
   grid, and to a range of 2^45 steps: the range is convex, so nothing gets further apart by that,
   and the grid adds one step a coordinate, in norm the root of the number of weights. That is the
   sensitivity of a vector of whole steps, to which noise is added exactly: no float is left to
   argue about.

The noise is of density e^(-epsilon |z| / sensitivity) (pure), or Gaussian. Both grow with 1/s:
objective perturbation needs noise of a size that does not.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import final

import jax
import numpy as np
from jax.stages import Wrapped
from jaxtyping import Float, PRNGKeyArray, Shaped

from tacit.accounting import events
from tacit.accounting.relation import Relation
from tacit.argument import refuse_negative, refuse_none_positive, refuse_not_positive, takes_numpys
from tacit.borrowed import DpEvent
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.k_norm import EuclideanNorm
from tacit.mechanisms.additive.laplace import Laplace
from tacit.noise.discrete import Limbs
from tacit.noise.drawn import drawn
from tacit.noise.fixed import LIMB
from tacit.solve.minimise import minimise
from tacit.solve.objective import Objective, cut

Noise = Gaussian | EuclideanNorm | Laplace

# Of the solver's gradient, relative to one person's: far below the noise, far above rounding.
_TOLERANCE, _ROUNDING = 2.0**-14, 2.0**-36
# The grid, relative to the noise; and the steps that fit it with noise on top.
_FINE, _RANGE = 2.0**-20, 2.0**45


@final
@dataclass(frozen=True)
class OutputPerturbation:
    """The minimum of an objective, with noise. Build it with `pure` or `gaussian`.

    **Guarantee**: (`epsilon`, `delta`)-differential privacy of the weights under `relation`, for
    the point that the solver returns and with all rounding; but for the reserve of `tv_distance`
    that is to be added to delta (`accounting.reserve`). The solver raises `NotConverged` where it
    cannot prove its answer: then nothing is released, and what that tells of the data is not
    covered.

    **Error**: the root mean square distance of the weights from the minimum is at most `rmse`.

    | data | effect |
    | --- | --- |
    | a row beyond the bound, NaN, a label that is none | changed alone, as in `objective.cut` |
    | nobody | the minimum of the penalty: zero, with noise |
    | more or fewer people than `objective.people` | the penalty stays as it is |

    Args:
      objective: What is fitted; public.
      relation: Who is a neighbour; of `ZERO_OUT` as of `ADD_REMOVE`.
      epsilon: Of the release.
      delta: Zero if pure.
      tolerance: Of the solver, for the gradient of the sum.
      noise: On the weights.

    References:
        Chaudhuri, Monteleoni and Sarwate 2011, "Differentially private empirical risk
        minimization", Algorithm 1 and Theorem 6.
        Wu, Li, Kumar, Chaudhuri, Jha and Naughton 2017, "Bolt-on differential privacy".
    """

    objective: Objective
    relation: Relation
    epsilon: float
    delta: float
    tolerance: float
    noise: Noise

    def __post_init__(self):
        refuse_none_positive(self, "epsilon", "tolerance")
        refuse_negative("delta", self.delta)

    @classmethod
    @takes_numpys
    def pure(cls, objective: Objective, epsilon: float, relation: Relation) -> OutputPerturbation:
        """With noise of density e^(-epsilon |z| / sensitivity).

        Raises:
          ValueError: if `epsilon` is not positive and finite, or the loss has no Lipschitz
            constant.
        """
        tolerance, moved = _moved(objective, relation)
        noise = euclidean(epsilon, moved, objective.size)
        return cls(objective, relation, float(epsilon), 0.0, tolerance, noise)

    @classmethod
    @takes_numpys
    def gaussian(
        cls, objective: Objective, epsilon: float, delta: float, relation: Relation
    ) -> OutputPerturbation:
        """With the least Gaussian noise.

        Raises:
          ValueError: if `epsilon` is not in [0, inf), `delta` not in (0, 1), or the loss has no
            Lipschitz constant.
        """
        tolerance, moved = _moved(objective, relation)
        step = power_below(moved) * _FINE
        moved += step * math.sqrt(objective.size)
        noise = Gaussian.calibrate(epsilon, delta, moved, step)
        return cls(objective, relation, float(epsilon), float(delta), tolerance, noise)

    @property
    def event(self) -> DpEvent:
        """What is released, for composition."""
        if isinstance(self.noise, Gaussian):
            return events.gaussian(self.noise.noise_multiplier)
        return self.noise.event

    @property
    def tv_distance(self) -> float:
        """How far the release is from its law, at most, in total variation."""
        return self.noise.tv_distance(self.objective.size)

    @property
    def rmse(self) -> float:
        """The root mean square distance from the exact minimum, at most."""
        cuts = self.noise.step * math.sqrt(self.objective.size)
        spread = math.sqrt(self.noise.error(self.objective.size))
        return spread + cuts + self.tolerance / self.objective.strength

    def sample(
        self,
        key: PRNGKeyArray,
        rows: Shaped[np.ndarray, "people dim"],
        labels: Shaped[np.ndarray, " people"],
    ) -> Float[np.ndarray, " dim *outputs"]:
        """The weights, for the public."""
        examples = cut(self.objective, rows, labels)
        found = minimise(self.objective, examples, self.tolerance)
        return noisy(self.noise, key, found.point)


def tolerance_of(objective: Objective) -> float:
    """A gradient that the solver reaches, and that is small beside one person's."""
    return objective.lipschitz * max(_TOLERANCE, objective.people * _ROUNDING)


def euclidean(epsilon: float, moved: float, size: int) -> EuclideanNorm | Laplace:
    """Noise for answers of so many weights, `moved` by so much before they are cut to the grid."""
    refuse_not_positive("epsilon", epsilon)
    step = power_below(moved / epsilon) * _FINE
    sensitivity = moved + step * math.sqrt(size)
    if size == 1:
        return Laplace.calibrate(epsilon, sensitivity, step)
    return EuclideanNorm.calibrate(epsilon, sensitivity, step, size)


def noisy(
    noise: Noise, key: PRNGKeyArray, weights: Float[np.ndarray, " *shape"]
) -> Float[np.ndarray, " *shape"]:
    """The weights on the noise's grid, with it: whole steps below 2^47, so exact in floats.

    Raises:
      ValueError: if the noise is of another number of weights.
    """
    noise.tv_distance(weights.size)
    steps = np.clip(np.trunc(weights.ravel() / noise.step), -_RANGE, _RANGE)
    high, low = drawn(_limbs(weights.size), noise, key)(noise, key)
    whole = steps + high.astype(np.float64) * LIMB + low
    return (whole * noise.step).reshape(weights.shape)


@functools.lru_cache(maxsize=64)
def _limbs(size: int) -> Wrapped:
    """Of the noise of so many weights: one program for laws of as many digits."""

    def limbs(noise: Noise, key: PRNGKeyArray) -> Limbs:
        law = noise.steps if isinstance(noise, Gaussian) else noise.noise
        return law.limbs(key, (size,))

    return jax.jit(limbs)


def _moved(objective: Objective, relation: Relation) -> tuple[float, float]:
    """The solver's tolerance, and how far apart its answers for neighbours are: step 2."""
    tolerance = tolerance_of(objective)
    apart = relation.people_moved * objective.lipschitz + 2 * tolerance
    return tolerance, apart / objective.strength


def power_below(x: float) -> float:
    """The largest power of two that is not above x."""
    return 2.0 ** (math.frexp(x)[1] - 1)
