"""Steps and averages with a theorem: how far descent on noisy gradients ends from the least risk.

Round t = 1, ..., T hands descent an answer of mean grad F(w_t); let E |answer|² <= G². Gradients of
norm at most L, cohorts of c people expected and noise of mean square `error` (the plan's own:
d sigma² for a deviation of sigma on each of d numbers) have

    G² = L² (1 + 1/c) + error,

as the mean of everybody, or of c people drawn without replacement, is no longer than L, and a
Poisson cohort's sum over c has a variance of at most L²/c. All of that is public, so steps,
averages and errors are as well, which are in expectation over noise and cohorts.

| | step h_t | released | E F - min F at most |
| --- | --- | --- | --- |
| `Convex` | D/(G sqrt T) | the mean of w_1, ..., w_T | D G/sqrt T |
| `StronglyConvex` | 2/(m (t + 1)) | their mean of weights t | 2 G²/(m (T + 1)) |
| `Smooth` | 1/B | w_(T+1) | (1 - m/B)^T h_0 + error/2m |

* For a convex F, steps projected onto a convex set give E |w_(t+1) - w*|² <= E |w_t - w*|²
  - 2 h_t E(F(w_t) - F(w*)) + h_t² G²; if F is m-strongly convex, less m h_t E |w_t - w*|². Over
  h_t, the second times t, and summed: distances cancel, but for |w_1 - w*|² <= D² in the first.
* For a gradient that is B-Lipschitz, F(w - (g + z)/B) <= F(w) - |g|²/2B + |z|²/2B in the mean over
  noise z; and |g|² >= 2m (F(w) - min F) if F is m-strongly convex. Here the cohort is everybody, F
  smooth wherever noise may take it, and nothing is projected.

**Rounds.** T Gaussian releases are one of 1/sqrt T of the noise multiplier, so at a given privacy
the error of T rounds over everybody is T e, e that of a plan for one. The first two bounds fall
with T to D sqrt e and 2 e/m; after L²/e rounds (`enough_rounds`) they are within sqrt 2 and 2 of
that. The third is least at a finite T (`Smooth.best_rounds`).

**Clipping** must change nothing: a bound of L (1 + 2^-8) leaves gradients of norm L as they are,
also after what sums of chunks keep for rounding. A penalty is public: put into the steps and not
into the loss, it adds no noise, and to L in G its own largest gradient.

References:
    Bassily, Smith and Thakurta 2014, "Private empirical risk minimization: efficient algorithms and
        tight error bounds" (the first two, with private answers).
    Lacoste-Julien, Schmidt and Bach 2012, "A simpler approach to obtaining an O(1/t) convergence
        rate for the projected stochastic subgradient method" (the second).
    Shamir and Zhang 2013, "Stochastic gradient descent for non-smooth optimization: convergence
        results and optimal averaging schemes" (polynomial weights).
    Bassily, Feldman, Talwar and Thakurta 2019, "Private stochastic convex optimization with optimal
        rates" (the same descent for the population's risk).
    Wang, Ye and Xu 2017, "Differentially private empirical risk minimization revisited: faster and
        more general" (fewer rounds where the risk is smooth).
"""

import math
from dataclasses import dataclass
from typing import final

import jax.numpy as jnp
import optax
from jaxtyping import Array, ArrayLike, Float

from tacit.argument import got, is_number, refuse_negative, refuse_not_counted, refuse_not_positive
from tacit.learning.averaging import Project, averaged, projected


@final
@dataclass(frozen=True)
class Convex:
    """Steps of one length and the plain average.

    Args:
      diameter: D, the largest distance between two points of the set; from where descent starts to
        the minimiser is enough.
      norm: G, the root of an answer's mean square norm at most: `answer_norm`.
      rounds: T.

    Raises:
      ValueError: if a number is not positive and finite.
    """

    diameter: float
    norm: float
    rounds: int

    def __post_init__(self):
        _check(diameter=self.diameter, norm=self.norm, rounds=self.rounds)

    @property
    def rate(self) -> float:
        """The length of every step, in gradients."""
        return self.diameter / (self.norm * math.sqrt(self.rounds))

    @property
    def excess(self) -> float:
        """How far the average's expected risk is above the least in the set, at most."""
        return self.diameter * self.norm / math.sqrt(self.rounds)

    def optimizer(self, project: Project) -> optax.GradientTransformation:
        """The steps, projected; what to release is its state's `average`."""
        return averaged(projected(optax.sgd(self.rate), project), 0)


@final
@dataclass(frozen=True)
class StronglyConvex:
    """Steps that shorten as 1/t, and an average in which the last rounds count most.

    Args:
      modulus: m, how strongly convex the mean risk is.
      norm: G, the root of an answer's mean square norm at most, a penalty's gradient included.
      rounds: T.

    Raises:
      ValueError: if a number is not positive and finite.
    """

    modulus: float
    norm: float
    rounds: int

    def __post_init__(self):
        _check(modulus=self.modulus, norm=self.norm, rounds=self.rounds)

    def rate(self, done: ArrayLike) -> Float[Array, ""]:
        """The length of the step after so many rounds: an Optax schedule."""
        return 2 / (self.modulus * (jnp.asarray(done) + 2.0))

    @property
    def excess(self) -> float:
        """How far the average's expected risk is above the least in the set, at most."""
        return 2 * self.norm**2 / (self.modulus * (self.rounds + 1))

    def optimizer(self, project: Project, ridge: float = 0.0) -> optax.GradientTransformation:
        """The steps on answers and a penalty of ridge |w|²/2; release its state's `average`."""
        steps = optax.chain(optax.add_decayed_weights(ridge), optax.sgd(self.rate))
        return averaged(projected(steps, project), 1)


@final
@dataclass(frozen=True)
class Smooth:
    """Steps as long as the curvature allows, and the last weights: for answers from everybody.

    Args:
      smoothness: B, the Lipschitz constant of the mean risk's gradient, a penalty's included.
      modulus: m, how strongly convex it is.
      start: h_0, by how much the risk exceeds the least before the first round, at most.

    Raises:
      ValueError: if a number is not positive and finite, or the modulus above the smoothness.
    """

    smoothness: float
    modulus: float
    start: float

    def __post_init__(self):
        _check(smoothness=self.smoothness, modulus=self.modulus, start=self.start)
        if not self.modulus <= self.smoothness:
            raise ValueError(
                f"modulus must be at most the smoothness, {self.smoothness}, got {self.modulus}"
            )

    @property
    def rate(self) -> float:
        """The length of every step, in gradients."""
        return 1 / self.smoothness

    def excess(self, rounds: int, error: float) -> float:
        """How far the expected risk is above the least after `rounds`, at most.

        Args:
          error: the mean squared one of the plan for that many rounds.
        """
        refuse_not_counted("rounds", rounds, 0)
        refuse_negative("error", error)
        left = (1 - self.modulus / self.smoothness) ** rounds
        return left * self.start + error / (2 * self.modulus)

    def best_rounds(self, error: float) -> int:
        """The number of rounds at which e^(-T m/B) h_0 + T `error`/2m is least; one at least.

        Args:
          error: the mean squared one of a plan for one round at the same privacy.
        """
        _check(error=error)
        ratio = self.smoothness / self.modulus
        return max(1, round(ratio * math.log(2 * self.modulus * self.start / (ratio * error))))


def answer_norm(lipschitz: float, error: float, cohort: float) -> float:
    """G: the root of an answer's mean square norm at most.

    Args:
      lipschitz: L, of the gradients; with a penalty in the steps, the most that L and it add up to.
      error: mean squared norm of the noise: the plan's `error`.
      cohort: people expected in a round: the question's `cohort`.

    Raises:
      ValueError: if L or the cohort is not positive and finite, or the error negative.
    """
    _check(lipschitz=lipschitz, cohort=cohort)
    if not (is_number(error) and 0 <= error < math.inf):
        raise ValueError(f"error must be at least zero and finite, got {got(error)}")
    return math.sqrt(lipschitz**2 * (1 + 1 / cohort) + error)


def enough_rounds(lipschitz: float, error: float) -> int:
    """L²/error: with as many rounds, noise is half of G², and more rounds gain little.

    Args:
      lipschitz: L, of the gradients.
      error: the mean squared one of a plan for one round over everybody, at the same privacy.
    """
    _check(lipschitz=lipschitz, error=error)
    return math.ceil(lipschitz**2 / error)


def _check(**numbers: float) -> None:
    for name, value in numbers.items():
        refuse_not_positive(name, value)
