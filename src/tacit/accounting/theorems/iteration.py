"""The last of many noisy contractive steps: private without paying for the steps nobody sees.

    X_k = Proj(phi_k(X_{k-1}) + Z_k),   Z_k ~ N(0, noise^2 I),   k = 1..t,

where every phi_k brings two points together to a fraction c <= 1 of their distance, the phi_k of
two neighbours differ by at most `shift` at any point, Proj projects to a convex set of diameter D
(or does nothing), and X_0 does not depend on the data. Only X_t is released.

**Proof.** Choose m.

1. Run both neighbours' first t - m steps with the same noise: they end at most
   z = min(D, shift (1 - c^(t-m))/(1 - c)) apart.
2. From there let Y follow the second neighbour's steps from his point with noises W_k = Z_k + v_k,
   where v_k, of norm at most a_k, moves Y towards X. As Proj brings no two points apart,
   ||X_k - Y_k|| <= z_k with z_k = c z_{k-1} + shift - a_k, so z_t = 0 makes Y_t = X_t.
3. Y_t is one function of (W_k), which with v = 0 gives the second neighbour's iterate; and v_k is a
   function of the earlier W and of the first steps' noise, of the same law on both sides. So X_t
   against X'_t is a post-processing of an adaptive composition of Gaussians,
   mu = sqrt(sum a_k^2)/noise.
4. z_t = 0 asks for sum c^(t-k) a_k = A, with A = c^m z + shift (1 - c^m)/(1 - c). Cauchy-Schwarz
   gives the best a_k, alpha c^(t-k) with alpha = A (1 - c^2)/(1 - c^(2m)), and

       mu = min over m of  A / noise * sqrt((1 - c^2)/(1 - c^(2m))).

5. All z_k stay nonnegative: n steps before the end, c^n z_k is (1 - c^n)/(1 - c) times
   alpha (1 + c^n)/(1 + c) - shift, which is least at n = m, and there c^m z (1 - c)/(1 - c^m) >= 0.

With c = 1 the last factor of step 4 is 1/sqrt(m). The release is as private as N(0, 1) against
N(mu, 1).

**What it needs** (none of it can be checked from a run): convex losses after regularisation, a step
size of at most 2/smoothness, gradients bounded because the losses are Lipschitz, and nothing but
the last iterate released. *Clipping a gradient is not a contraction* in general, so a clip norm
must not be passed as `lipschitz`.

References:
    Feldman, Mironov, Talwar, Thakurta (2018), "Privacy amplification by iteration". Altschuler and
    Talwar (2022), "Privacy of noisy stochastic gradient descent". Bok, Su, Altschuler (2024),
    "Shifted interpolation for differential privacy". Dong, Roth, Su (2022), for composition.
"""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from tacit.accounting import events
from tacit.accounting.events import LastIterateDpEvent
from tacit.accounting.pairs.sampled_gaussian import poisson_renyi
from tacit.accounting.relation import Relation
from tacit.argument import got, is_number, refuse_not_counted, refuse_not_positive
from tacit.borrowed import GaussianDpEvent, PoissonSampledDpEvent

Orders = Float[np.ndarray, " orders"]

# Beyond this many last steps only all of them are tried; every choice is a bound.
_MOST_STEPS = 2_000_000
# Covers the rounding of the powers and sums below, so that mu is not below its formula.
_SLACK = 1e-11
# Shares of the noise that hide the gradient: each twenty-fifth, as an optimum is flat.
_SPLITS = np.linspace(0.04, 0.96, 24)


@dataclass(frozen=True)
class NoisyDescent:
    """Noisy gradient descent X <- Proj(X - step_size (gradient + N(0, noise^2 I))).

    The gradient is (1/people) times the sum of the records' gradients (the divisor does not change
    with the data), plus a regulariser's.

    Args:
      relation: whose sensitivity is meant: 2 lipschitz/people for replace-one, else half of it.
      lipschitz: the Lipschitz constant of every record's loss in the model. Not a clip norm:
        clipped gradients do not contract.
      smoothness: of the whole objective on every data set: its gradient's Lipschitz constant.
      strong_convexity: of the whole objective on every data set; 0 for merely convex.
      step_size: at most 2/smoothness.
      people: the divisor.
      noise: standard deviation of the noise on the averaged gradient, per coordinate.
      steps: how many, the last one being released.
      diameter: of the set every iterate is projected to; None without one.

    Raises:
      ValueError: a premise is broken or not a number.
    """

    relation: Relation
    lipschitz: float
    smoothness: float
    strong_convexity: float
    step_size: float
    people: int
    noise: float
    steps: int
    diameter: float | None

    def __post_init__(self):
        for name in ("lipschitz", "smoothness", "step_size", "noise"):
            refuse_not_positive(name, getattr(self, name))
        if self.diameter is not None:
            refuse_not_positive("diameter", self.diameter)
        for name in ("people", "steps"):
            refuse_not_counted(name, getattr(self, name))
        curvature = self.strong_convexity
        if not (is_number(curvature) and 0 <= curvature <= self.smoothness):
            raise ValueError(f"strong_convexity must be in [0, smoothness], got {got(curvature)}")
        _check_step(self.step_size, self.smoothness)

    @property
    def contraction(self) -> float:
        """The Lipschitz constant of one step, rounded up: max |1 - step_size curvature|."""
        ends = (self.strong_convexity, self.smoothness)
        return min(1.0, max(abs(1 - self.step_size * end) for end in ends) + 2.0**-50)

    @property
    def sensitivity(self) -> float:
        """How far two neighbours' averaged gradients may be apart at one point."""
        return self.relation.people_moved * self.lipschitz / self.people


@dataclass(frozen=True)
class SampledDescent:
    """Projected noisy SGD on Poisson batches: each record joins with probability batch/people.

    X <- Proj(X - step_size (sum over the batch / batch + N(0, noise^2 I))).

    Args:
      smoothness: of every record's convex loss. As a Poisson batch may hold all `people`, its sum
        over `batch` is (people/batch) smoothness-smooth, and that bounds the step size.
      batch: the expected batch and the divisor.

    The other arguments are as in `NoisyDescent`.
    """

    lipschitz: float
    smoothness: float
    step_size: float
    people: int
    batch: int
    noise: float
    steps: int
    diameter: float

    def __post_init__(self):
        for name in ("lipschitz", "smoothness", "step_size", "noise", "diameter"):
            refuse_not_positive(name, getattr(self, name))
        for name in ("people", "batch", "steps"):
            refuse_not_counted(name, getattr(self, name))
        if self.batch > self.people:
            raise ValueError(f"batch must be at most people = {self.people}, got {self.batch}")
        _check_step(self.step_size, self.smoothness * self.people / self.batch)


def last_iterate(descent: NoisyDescent) -> LastIterateDpEvent:
    """The event of releasing the last iterate of `descent`, under its relation."""
    shift = descent.step_size * descent.sensitivity
    noise = descent.step_size * descent.noise
    return events.last_iterate(descent.steps, descent.contraction, shift, noise, descent.diameter)


def gdp(event: LastIterateDpEvent) -> float:
    """The mu for which the last iterate is mu-GDP.

    **Guarantee.** An upper bound under the relation that `shift` was computed for; never above the
    composition of all steps, shift sqrt(steps)/noise.

    **Error.** Attained by quadratic losses without projection; float64 rounding is covered.
    """
    last = np.append(np.arange(1, min(event.steps, _MOST_STEPS)), event.steps)
    # Step 1, and of step 4 the A.
    apart = event.shift * _sum_of_powers(event.contraction, event.steps - last)
    if event.diameter is not None:
        apart = np.minimum(apart, event.diameter)
    drift = event.shift * _sum_of_powers(event.contraction, last)
    total = np.exp(last * math.log(event.contraction)) * apart + drift
    # The noises' variances add up as powers of the square: 1 + c^2 + ... + c^(2(m-1)).
    gathered = _sum_of_powers(event.contraction, 2 * last) / (1 + event.contraction)
    spread = event.noise * np.sqrt(gathered)
    return float(np.min(total / spread)) * (1 + _SLACK)


def multiplier(event: LastIterateDpEvent) -> float:
    """The noise multiplier of the Gaussian release that is as private: 1/mu."""
    return 1 / gdp(event)


def noisy_gd(contraction: float, steps: int, ratio: float) -> float:
    """The mu of strongly convex noisy gradient descent: exact for quadratic losses.

    Args:
      ratio: shift/noise, that is the averaged gradient's sensitivity over its noise.
    """
    _check_contraction(contraction)
    refuse_not_positive("ratio", ratio)
    refuse_not_counted("steps", steps)
    decay = steps * math.log(contraction)
    growth = math.expm1(decay) / (contraction - 1) * (1 + contraction) / (1 + math.exp(decay))
    return ratio * math.sqrt(growth)


def projected_noisy_gd(steps: int, ratio: float, crossing: float) -> float:
    """A mu of convex projected noisy gradient descent that does not grow with its steps.

    Args:
      ratio: shift/noise.
      crossing: diameter/shift, at most `steps`.
    """
    refuse_not_positive("ratio", ratio)
    refuse_not_counted("steps", steps)
    _check_crossing(crossing, steps)
    return ratio * math.sqrt(3 * crossing + math.ceil(crossing))


def noisy_cgd(contraction: float, batches: int, epochs: int, ratio: float) -> float:
    """The mu of strongly convex noisy gradient descent over `batches` in a fixed cycle.

    Args:
      ratio: shift/noise of the one step in each epoch that uses the record.
    """
    _check_contraction(contraction)
    refuse_not_positive("ratio", ratio)
    refuse_not_counted("batches", batches)
    refuse_not_counted("epochs", epochs)
    log = math.log(contraction)
    decay = batches * (epochs - 1) * log
    earlier = math.exp((batches - 1) * log) / math.expm1(batches * log)
    ends = -math.expm1(2 * log) * -math.expm1(decay) / (1 + math.exp(decay))
    return ratio * math.sqrt(1 + earlier**2 * ends)


def projected_noisy_cgd(batches: int, epochs: int, ratio: float, crossing: float) -> float:
    """A mu of convex projected noisy descent over `batches` in a cycle, whatever the `epochs`.

    Args:
      ratio: shift/noise of the one step in each epoch that uses the record.
      crossing: diameter/shift, at most `epochs` - 1.
    """
    refuse_not_positive("ratio", ratio)
    refuse_not_counted("batches", batches)
    refuse_not_counted("epochs", epochs)
    _check_crossing(crossing, epochs - 1)
    return ratio * math.sqrt(1 + (3 * crossing + math.ceil(crossing)) / batches)


def fmtt18(orders: Orders, position: int, people: int, lipschitz: float, noise: float) -> Orders:
    """Renyi divergences for the record at `position` (1 to `people`) of one noisy pass.

    One record a step, replace-one, losses convex and smooth, step size within 2/smoothness: the
    record's move, 2 step_size lipschitz, is absorbed by its own step's noise and all later ones'.

    Args:
      noise: standard deviation of the noise on each gradient.
    """
    refuse_not_counted("people", people)
    if not (is_number(position) and 1 <= position <= people):
        raise ValueError(f"position must be in [1, {people}], got {got(position)}")
    refuse_not_positive("lipschitz", lipschitz)
    refuse_not_positive("noise", noise)
    return 2 * orders * lipschitz**2 / (noise**2 * (people + 1 - position))


def altschuler_talwar(orders: Orders, descent: SampledDescent) -> Orders:
    """Renyi divergences of the last iterate of projected noisy SGD, add/remove or zero-out.

    6. As in steps 2 and 3 above, but each of the last tau steps' noise is split in two independent
       parts. One hides the record's gradient, present with probability batch/people, as a sampled
       Gaussian does.
    7. The other absorbs diameter/tau of the distance, which is at most the diameter at first.
    8. The sum of both, over tau steps, is minimised over tau and the split; every choice is a
       bound, and so is plain composition.

    Args:
      orders: greater than 1.
    """
    rate = descent.batch / descent.people
    whole = descent.noise * descent.batch / descent.lipschitz
    best = descent.steps * _sampled(rate, whole, orders)
    crossing = descent.diameter / (descent.step_size * descent.noise)
    for part in _SPLITS:
        hidden = np.maximum(_sampled(rate, whole * math.sqrt(part), orders), 1e-30)
        absorbed = orders * crossing**2 / (2 * (1 - part))
        last = np.clip(np.ceil(np.sqrt(absorbed / hidden)), 1, descent.steps)
        best = np.minimum(best, last * hidden + absorbed / last)
    return best


def _sampled(rate: float, multiplier: float, orders: Orders) -> Orders:
    return poisson_renyi(PoissonSampledDpEvent(rate, GaussianDpEvent(float(multiplier))), orders)


def _sum_of_powers(base: float, count: np.ndarray) -> Float[np.ndarray, " counts"]:
    """1 + base + ... + base^(count - 1), without cancellation for a base near 1."""
    if base == 1:
        return count.astype(float)
    return np.expm1(count * math.log(base)) / (base - 1)


def _check_step(step_size: float, smoothness: float):
    if not step_size <= 2 / smoothness:
        raise ValueError(f"step_size must be at most 2/{smoothness:g} to contract, got {step_size}")


def _check_contraction(contraction: float):
    if not (is_number(contraction) and 0 < contraction < 1):
        raise ValueError(f"contraction must be in (0, 1), got {got(contraction)}")


def _check_crossing(crossing: float, steps: int):
    if not (is_number(crossing) and 0 < crossing <= steps):
        raise ValueError(f"crossing must be in (0, {steps}], got {got(crossing)}")
