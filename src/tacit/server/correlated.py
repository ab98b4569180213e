"""Noise that is correlated between rounds, so that it cancels where answers are added up.

Let x_t be the sums of the rounds, each moved by at most S by one person in each round they join.
The server adds Gaussian noise z_t not to x_t but to

    y_t = c_0 x_t + c_1 x_(t-1) + ... + c_(b-1) x_(t-b+1),     c >= 0, c_0² + ... + c_(b-1)² <= 1,

and tells the learner the x^_t that solve the same equations for y: x^ = x + C^-1 z, C the lower
triangular matrix with c on its diagonals. That is post-processing, one answer from the last b - 1.

**Privacy.**

1. A person who joins round t moves y by S times column t of C, of length at most one.
2. If they join again after b rounds or more, these columns have no row in common, so k rounds of
   theirs move y by at most S sqrt(k) in norm.
3. So what the public sees is k Gaussian releases of multiplier sigma/S, also if later questions
   depend on earlier answers (Gaussian noise and a lower triangular C; Denisov et al. 2022, Theorem
   2.1).

**Error.** The noise in the running sums is A C^-1 z, A all ones on and below the diagonal. The c
are those of the square root of A, which are binom(2j, j)/4^j, cut after b of them and scaled to
length one: for b = T they are within a factor 1 + o(1) of the best possible for one pass
(Henzinger, Upadhyay, Upadhyay 2023), and for fewer bands near the best of that many (Kalinin,
Lampert 2024). They fall, so C^-1 does not blow up (Eneström, Kakeya).

**On the grid.** The c are whole numbers of 1024ths, rounded down, so y is a whole number of steps
of a grid 1024 times as fine as that of x, and noise is added to it there, as everywhere. The last
b - 1 exact sums are what the server has to remember; no learner sees them, and checkpoints hide
them.

References:
    Denisov, McMahan, Rush, Smith, Thakurta. Improved differential privacy for SGD via optimal
        private linear operators on adaptive streams. NeurIPS 2022.
    Choquette-Choo, Ganesh, McKenna, McMahan, Rush, Thakurta, Xu. (Amplified) banded matrix
        factorization. NeurIPS 2023 (bands and separation).
    Henzinger, Upadhyay, Upadhyay. Almost tight error bounds on differentially private continual
        counting. SODA 2023.
    Kalinin, Lampert. Banded square root matrix factorization. NeurIPS 2024.
"""

import math
from typing import final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray, PyTree

from tacit.accounting import calibration, events
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation
from tacit.accounting.reserve import Budget, within_delta
from tacit.borrowed import DpEvent
from tacit.contribution import Contribution
from tacit.facts import NoiseFacts
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.noise.fixed import ROUNDING, FixedPoint
from tacit.question.running import Running
from tacit.server.grid import step_of

# Of the c: rounding them down costs a thousandth of the largest.
PARTS = 1024


def square_root_bands(bands: int) -> tuple[int, ...]:
    """The c, in 1024ths: falling, none negative, of length at most one (step 1)."""
    weights = np.cumprod([1.0, *((2 * j - 1) / (2 * j) for j in range(1, bands))])
    scaled = weights / np.linalg.norm(weights) * PARTS
    return tuple(int(c) for c in np.floor(scaled))


def inverse_bands(bands: tuple[int, ...], rounds: int) -> Float[np.ndarray, " rounds"]:
    """The first column of C^-1: how much of a round's noise is in the answers from there on."""
    c, found = np.array(bands) / PARTS, np.zeros(rounds)
    for t in range(rounds):
        reach = min(t, len(c) - 1)
        earlier = c[1 : reach + 1] @ found[t - reach : t][::-1]
        found[t] = ((t == 0) - earlier) / c[0]
    return found


class Memory(eqx.Module):
    """The last sums, latest first, which are secret, and the last answers, which are not."""

    sums: tuple[FixedPoint, ...]
    answers: tuple[Float[Array, "*shape"], ...]


@final
class CorrelatedMean(eqx.Module):
    """Sums with correlated noise, over the expected cohort.

    Args:
      mechanism: the noise on y, on its grid.
      reports: the shape that is summed.
      bands: the c, in 1024ths.
      divisor: the expected cohort.
      rounds: of the whole stream, for its `error`.
    """

    mechanism: Gaussian
    reports: Contribution
    bands: tuple[int, ...] = eqx.field(static=True)
    divisor: float
    rounds: int = eqx.field(static=True)

    @property
    def grid(self) -> PyTree:
        return self.mechanism.step * PARTS

    @property
    def facts(self) -> NoiseFacts:
        """Of the last answer, whose noise is the largest."""
        size = math.prod(self.reports.answer_shape)
        spread = float(np.linalg.norm(inverse_bands(self.bands, self.rounds)))
        noise = self.mechanism.variance**0.5 * spread
        return NoiseFacts(noise, noise**2 * size, self.mechanism.tv_distance(size))

    @property
    def running_error(self) -> float:
        """The expected squared L2 error of the sum of all rounds' sums."""
        ends = np.cumsum(inverse_bands(self.bands, self.rounds))
        return float(self.mechanism.error(math.prod(self.reports.answer_shape)) * (ends @ ends))

    def init(self) -> Memory:
        before = len(self.bands) - 1
        nothing = self.reports.empty(jnp.asarray(self.grid, jnp.float32))
        return Memory((nothing,) * before, (jnp.zeros(nothing.high.shape),) * before)

    def step(
        self, carry: Memory, key: PRNGKeyArray, total: FixedPoint
    ) -> tuple[Memory, Float[Array, "*shape"], None]:
        sums = (total, *carry.sums)
        step = jnp.asarray(self.mechanism.step, jnp.float32)
        mixed = FixedPoint.zero(total.high.shape, step)
        for band, each in zip(self.bands, sums, strict=True):
            mixed = mixed.plus(each.times(band, step))
        noisy = self.mechanism.sample(key, mixed).value() * PARTS
        earlier = zip(self.bands[1:], carry.answers, strict=True)
        answer = (noisy - sum(band * each for band, each in earlier)) / self.bands[0]
        before = len(self.bands) - 1
        memory = Memory(sums[:before], (answer, *carry.answers)[:before])
        return memory, answer / self.divisor, None


def running_mean(
    budget: Budget, question: Running, reports: Contribution, between: Relation
) -> tuple[CorrelatedMean, Guarantee]:
    """The server part for a stream that is added up, and what it promises the public.

    Args:
      budget: what is to be kept over all rounds.
      question: who reports, and how often.
      reports: what is summed.
      between: how one report changes; the budget's relation, unless devices randomise.

    Raises:
      ValueError: without a delta, or with one that samplers of so many rounds use up.
    """
    if not budget.delta > 0:
        raise ValueError("correlated noise is Gaussian: its promise needs a delta above 0, got 0")
    sums = question.sums

    def event(multiplier: float) -> DpEvent:
        return sums.event(events.gaussian(multiplier), budget.relation)

    def make(epsilon: float, delta: float) -> tuple[CorrelatedMean, DpEvent, float]:
        multiplier = calibration.noise_multiplier(event, epsilon, delta, budget.relation)
        server = _correlated(multiplier, question, reports, between)
        chance = sums.overflow() + sums.rounds * server.facts.tv_distance
        return server, event(multiplier), chance

    return within_delta(budget, make, known=sums.overflow())


def _correlated(
    multiplier: float, question: Running, shape: Contribution, between: Relation
) -> CorrelatedMean:
    sums, bands = question.sums, square_root_bands(question.bands)
    moved = (1 + ROUNDING) * shape.sensitivity(between)
    # So many sums in 1024ths have to fit the limbs together.
    step = step_of(shape, sums.capacity * sum(bands), multiplier * moved * PARTS)
    moved += step * math.sqrt(math.prod(shape.answer_shape))
    mechanism = Gaussian(multiplier * moved, moved, step / PARTS)
    return CorrelatedMean(mechanism, shape, bands, sums.cohort, sums.rounds)
