"""Gaussian noise for prefix sums of many cells: on a convolution of the counts, without a matrix.

As in `server.factorised`, noise z is added to y = Kh, and the answers W K^-1 (y + z) are
post-processing of one noisy y. Only K is another: a convolution between two scalings, of whole
numbers (`solve.scaled_convolution`), so 2^16 cells take as many numbers and not their square. y is
formed exactly (`noise.convolutions`).

**Privacy.**

1. A person who comes or goes moves y by a column of K, one who changes cells by the difference of
   two.
2. As K has no entry below zero, two columns are no farther apart than the root of their squares'
   sum; the two largest are taken.
3. The squares of the lengths are whole numbers below 2^57, computed exactly; their root is rounded
   up to a whole number of steps.
4. What the public sees is one Gaussian release of multiplier sigma / `moved` in each round.

**Error.** The variances of all answers are computed from K, one by one. `of_least` compares them
with the dual bound of `solve.strategies` or `solve.worst_error`, which holds for any noise of this
kind: 1.003 to 1.005 where the mean square is to be least, up to 1.02 for the worst.

| counts | answer |
| --- | --- |
| of up to 2^31 people | as stated |
| of more in one cell | as if 2^31 - 1 were in it, with the same promise |
| of more in all | those modulo 2^62 steps: of the exact sum, with the same promise |
"""

import functools
import hashlib
import math
from dataclasses import dataclass
from typing import final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int32, PRNGKeyArray

from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation
from tacit.accounting.reserve import Budget
from tacit.facts import NoiseFacts
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.noise.convolutions import convolution, scaled_convolution
from tacit.noise.discrete import LARGEST_SCALE
from tacit.noise.fixed import FixedPoint, Tall
from tacit.question.linear import Linear
from tacit.question.objectives import ErrorObjective
from tacit.question.workloads import Prefix, Workload
from tacit.server.answering import answer_facts, calibrated
from tacit.server.reach import gaussian_reach
from tacit.solve.scaled_convolution import BITS, Numbers, ScaledConvolution

# To write out the best strategy for more takes ten seconds and more.
_WRITTEN_OUT = 1024


@final
@dataclass(frozen=True, eq=False)
class Convolving:
    """A convolution for prefix sums, and what follows from it.

    Args:
      sums: K.
      variances: of all answers, at noise of deviation one on K h / 2^28.
      of_least: the objective's error times this at a column of length one, at most, in units of the
        least that any strategy has whose columns are no longer than one.
    """

    sums: ScaledConvolution
    variances: Numbers
    of_least: float

    @functools.cached_property
    def digest(self) -> str:
        parts = (self.sums.rows, self.sums.falling, self.sums.columns)
        return hashlib.sha256(b"".join(each.tobytes() for each in parts)).hexdigest()

    def moved(self, relation: Relation) -> float:
        """How far one person moves K h / 2^28, at most: steps 2 and 3."""
        longest = sorted(self.sums.squared_lengths().tolist())[-relation.people_moved :]
        return (1 + math.isqrt(sum(longest) - 1)) / 2**BITS


def convolves(workload: Workload) -> bool:
    """Whether a workload's sums are a convolution, and not the best that could be written out."""
    return isinstance(workload, Prefix) and workload.cells > _WRITTEN_OUT


@functools.lru_cache(maxsize=8)
def convolving(workload: Workload, objective: ErrorObjective) -> Convolving:
    """The convolution for prefix sums whose error by an objective is nearly least."""
    places = (np.arange(workload.cells) + 0.5) / workload.cells
    sums = ScaledConvolution.of(objective.squared_weights(places))
    variances = 4.0**BITS * sums.variances()
    of_least = objective.of(variances) / objective.best(workload).lower
    return Convolving(sums, variances, of_least)


@final
class ConvolvedMean(eqx.Module):
    """Prefix sums, with noise that cancels in them, over the expected cohort.

    Args:
      mechanism: the noise on y.
      workload: what is answered.
      objective: whose error is nearly least.
      divisor: the expected cohort.
      rows, falling, columns: r, f and d of K; what is recorded of them is their digest.
      inverse: A.
      shares: 2^28 / d.
      digest: of K.
      variances: of all answers in sum, and the largest, at noise of deviation one.
      of_least: its error in units of the least, at most; None where that is not known.
    """

    mechanism: Gaussian
    workload: Workload = eqx.field(static=True)
    objective: ErrorObjective = eqx.field(static=True)
    divisor: float
    rows: Int32[Array | np.ndarray, " cells"] = eqx.field(metadata={"recorded": False})
    falling: Int32[Array | np.ndarray, " cells"] = eqx.field(metadata={"recorded": False})
    columns: Int32[Array | np.ndarray, " cells"] = eqx.field(metadata={"recorded": False})
    inverse: Float[Array | np.ndarray, " cells"] = eqx.field(metadata={"recorded": False})
    shares: Float[Array | np.ndarray, " cells"] = eqx.field(metadata={"recorded": False})
    digest: str = eqx.field(static=True)
    variances: tuple[float, float] = eqx.field(static=True)
    of_least: float | None = eqx.field(static=True)

    @property
    def grid(self) -> Float[Array, ""]:
        return jnp.ones(())

    @property
    def facts(self) -> NoiseFacts:
        return answer_facts(self, self.workload.cells)

    def reach(self, chance: float) -> Float[np.ndarray, " queries"]:
        """How far noise moves each answer's sum, at most, but for this chance each.

        Normal noise of y is that of normal numbers, each rounded to a step (`server.reach`).
        """
        lengths = np.sqrt(convolving(self.workload, self.objective).variances)
        sizes = math.sqrt(self.workload.cells) * lengths
        return gaussian_reach(self.mechanism, chance - self.facts.tv_distance, lengths, sizes)

    def init(self) -> None:
        return None

    def step(
        self, carry: None, key: PRNGKeyArray, total: FixedPoint
    ) -> tuple[None, Float[Array, " queries"], None]:
        heard = self.noisy(key, total).value() / jnp.asarray(self.rows)
        inverse, shares = (jnp.asarray(each, jnp.float32) for each in (self.inverse, self.shares))
        sums = convolution(inverse, heard[:, None])[:, 0]
        before = jnp.cumsum(sums[:-1] * (shares[:-1] - shares[1:]))
        answers = sums * shares + jnp.pad(before, (1, 0))
        return carry, answers / self.divisor, None

    def noisy(self, key: PRNGKeyArray, total: FixedPoint) -> Tall:
        """y with its noise, in whole steps."""
        step = self.mechanism.step
        rows, falling, columns = map(jnp.asarray, (self.rows, self.falling, self.columns))
        sums = scaled_convolution(rows, falling, columns, total).on(step)
        nothing = FixedPoint.zero(self.rows.shape, jnp.asarray(step, jnp.float32))
        return sums.plus(self.mechanism.sample(key, nothing))


def convolved_mean(budget: Budget, question: Linear) -> tuple[ConvolvedMean, Guarantee]:
    """The server part for many prefix sums with a delta, and what it promises the public.

    Raises:
      ValueError: if the participation is not proved under the relation, or the noise is more than
        can be drawn in steps so fine.
    """
    strategy = convolving(question.workload, question.objective)
    moved = strategy.moved(budget.relation)

    def server(multiplier: float) -> ConvolvedMean:
        _refuse_too_loud(multiplier * moved, budget)
        return _server(question, strategy, multiplier * moved, moved, budget.relation)

    return calibrated(budget, question.sums, server)


def _refuse_too_loud(sigma: float, budget: Budget) -> None:
    most = LARGEST_SCALE / 2 ** (BITS + 1)
    if not sigma <= most:
        raise ValueError(
            f"noise on sums of so many cells has a deviation of at most {most:,.0f}, and epsilon "
            f"{budget.epsilon:g} takes {sigma:,.0f}: ask about up to {_WRITTEN_OUT:,} cells"
        )


def _server(
    question: Linear, strategy: Convolving, sigma: float, moved: float, relation: Relation
) -> ConvolvedMean:
    sums, variances = strategy.sums, strategy.variances
    whole = (each.astype(np.int32) for each in (sums.rows, sums.falling, sums.columns))
    return ConvolvedMean(
        Gaussian(sigma, moved, 2.0**-BITS),
        question.workload,
        question.objective,
        question.sums.cohort,
        *whole,
        inverse=sums.partial_inverse(),
        shares=2.0**BITS / sums.columns,
        digest=strategy.digest,
        variances=(float(variances.sum()), float(variances.max())),
        of_least=moved**2 * strategy.of_least if relation is Relation.ADD_REMOVE else None,
    )
