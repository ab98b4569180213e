"""Noise for a workload: added to sums that are chosen so that it is least in the answers.

Let h be the counts. The server adds noise z to y = Kh, K a public square matrix of whole numbers,
and answers W K^-1 (y + z) = W h + W K^-1 z. That is post-processing of one noisy y. Noise is
Gaussian here; without a delta it is Laplace's, on a K of its own (`server.factorised_pure`).

**Whole numbers.** The best strategy A (`solve.strategies`) times 2^14 is cut towards zero: K. So
y is a vector of whole numbers, formed exactly, and noise is added to it on its grid as to any sum.

**Privacy.** K is what neighbours are measured by, not A. A person who comes or goes moves y by a
column of K, one who changes cells by the difference of two: `moved` is the largest length among
these, of whole numbers whose squares are summed exactly and whose root is rounded up. What the
public sees is one Gaussian release of multiplier sigma / `moved` in each round.

**Error.** The answers have the covariance sigma² W (K'K)^-1 W', of which the plan states the sum of
variances, exactly. `of_least` is how many times the least the error is that was to be least, their
sum or the largest (`question.objectives`), at most: that of any strategy with normal noise, the
loss by whole numbers included. If one person is replaced by another, the bound is that of columns
no longer than one, so it is not comparable, and none is stated.

| counts | answer |
| --- | --- |
| of up to 2^31 people | as stated |
| of more | those modulo 2^46 steps: of the exact sum, with the same promise |

References:
    Li, Miklau, Hay, McGregor and Rastogi 2015, "The matrix mechanism".
    Edmonds, Nikolov and Ullman 2020, "The power of factorization mechanisms in local and central
        differential privacy".
"""

from __future__ import annotations

import functools
import hashlib
import math
from dataclasses import dataclass
from typing import Any, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int32, PRNGKeyArray
from scipy.linalg import solve_triangular

from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation
from tacit.accounting.reserve import Budget
from tacit.facts import NoiseFacts
from tacit.mechanisms.additive.gaussian import LEAST_STEPS, Gaussian
from tacit.mechanisms.additive.laplace import Laplace
from tacit.noise.fixed import FixedPoint
from tacit.noise.products import BITS, product
from tacit.question.linear import Linear
from tacit.question.objectives import ErrorObjective
from tacit.question.workloads import Workload
from tacit.server.answering import answer_facts, calibrated
from tacit.server.laplace_reach import laplace_reach
from tacit.server.reach import gaussian_reach

# Of decoded answers that are written out.
_MOST_WEIGHTS = 2**26


@final
@dataclass(frozen=True, eq=False)
class Strategy:
    """Sums for a workload, and what follows from them.

    Args:
      matrix: K, of whole numbers, 2^14 times a strategy; whole numbers of `server.factorised_pure`.
      decoder: D with DK = 2^14 W, for the workload's basis; there with DK = W.
      variance: the sum of all answers' variances at noise of deviation one on K h / 2^14; there on
        K h.
      largest: the largest variance among them.
      of_least: the objective's error times this at a column of length one, at most, in units of the
        least that any strategy has whose columns are no longer than one; None if it is not known.
    """

    matrix: Int32[np.ndarray, "sums cells"]
    decoder: Float[np.ndarray, "basis sums"]
    variance: float
    largest: float
    of_least: float | None

    @functools.cached_property
    def digest(self) -> str:
        return hashlib.sha256(self.matrix.tobytes()).hexdigest()

    def moved(self, relation: Relation) -> float:
        """How far one person moves K h / 2^14, at most, rounded up."""
        whole = self.matrix.astype(np.float64)
        # Squares below 2^28 of at most 2^12 cells: sums below 2^53 are exact in any order.
        products = whole.T @ whole
        lengths = products.diagonal()
        most = float(lengths.max())
        if relation.people_moved == 2:
            # Who was in no cell may come to be in one.
            most = max(most, float((lengths + lengths[:, None] - 2 * products).max()))
        return math.nextafter(math.sqrt(most), math.inf) / 2**BITS


@functools.lru_cache(maxsize=8)
def strategy_for(workload: Workload, objective: ErrorObjective) -> Strategy:
    """The best one for an objective, in whole numbers."""
    basis, best = workload.basis(), objective.best(workload)
    scaled = np.trunc(2**BITS * best.strategy())
    decoder = solve_triangular(scaled.T, 2**BITS * basis.T, lower=False).T
    variances = workload.variances(decoder)
    sums = float(variances.sum()), float(variances.max())
    of_least = objective.of(variances) / best.lower
    return Strategy(scaled.astype(np.int32), decoder, *sums, of_least)


@final
class FactorisedMean(eqx.Module):
    """A workload's answers, with noise that cancels in them, over the expected cohort.

    Args:
      mechanism: the noise on y.
      workload: what is answered.
      objective: whose error is nearly least.
      divisor: the expected cohort.
      matrix: K; what is recorded of it is its digest.
      decoder: D for the workload's basis: DK = 2^14 W, and of Laplace noise W over its step.
      digest: of K.
      variances: of all answers in sum, and the largest, at noise of deviation one.
      of_least: its error in units of the least, at most; None where that is not known.
    """

    mechanism: Gaussian | Laplace
    workload: Workload = eqx.field(static=True)
    objective: ErrorObjective = eqx.field(static=True)
    divisor: float
    matrix: Int32[Array | np.ndarray, "sums cells"] = eqx.field(metadata={"recorded": False})
    decoder: Float[Array | np.ndarray, "basis sums"] = eqx.field(metadata={"recorded": False})
    digest: str = eqx.field(static=True)
    variances: tuple[float, float] = eqx.field(static=True)
    of_least: float | None = eqx.field(static=True)

    @property
    def grid(self) -> Float[Array, ""]:
        return jnp.ones(())

    @property
    def facts(self) -> NoiseFacts:
        return answer_facts(self, self.matrix.shape[0])

    def reach(self, chance: float) -> Float[np.ndarray, " queries"]:
        """How far noise moves each answer's sum, at most, but for this chance each.

        Normal noise of y is that of normal numbers, each rounded to a step (`server.reach`);
        Laplace's has the bound of `server.laplace_reach`.
        """
        decoder = np.asarray(self.decoder, np.float64)
        lengths = np.sqrt(self.workload.variances(decoder))
        left, sizes = chance - self.facts.tv_distance, math.sqrt(decoder.shape[1]) * lengths
        if isinstance(self.mechanism, Gaussian):
            return gaussian_reach(self.mechanism, left, lengths, sizes)
        largest = np.minimum(lengths, self._largest_weights(decoder))
        return laplace_reach(self.mechanism, left, lengths, largest, sizes)

    def _largest_weights(self, decoder: Float[np.ndarray, "basis sums"]) -> Any:
        """Of each answer; infinite where there are too many to write out."""
        if self.workload.queries * decoder.shape[1] > _MOST_WEIGHTS:
            return math.inf
        return np.abs(self.workload.answers(decoder)).max(1)

    def init(self) -> None:
        return None

    def step(
        self, carry: None, key: PRNGKeyArray, total: FixedPoint
    ) -> tuple[None, Float[Array, " queries"], None]:
        decoder = jnp.asarray(self.decoder, jnp.float32)
        basis = jnp.dot(decoder, self.noisy(key, total).value(), precision="highest")
        return carry, self.workload.answers(basis) / self.divisor, None

    def noisy(self, key: PRNGKeyArray, total: FixedPoint) -> FixedPoint:
        """y with its noise, in whole steps."""
        sums = product(jnp.asarray(self.matrix), total)
        return self.mechanism.sample(key, sums.on(self.mechanism.step))


def factorised_mean(budget: Budget, question: Linear) -> tuple[FactorisedMean, Guarantee]:
    """The server part for a workload with a delta, and what it promises the public.

    Raises:
      ValueError: if the participation is not proved under the relation.
    """
    strategy = strategy_for(question.workload, question.objective)
    return calibrated(
        budget,
        question.sums,
        lambda multiplier: _server(question, strategy, multiplier, budget.relation),
    )


def _server(
    question: Linear, strategy: Strategy, multiplier: float, relation: Relation
) -> FactorisedMean:
    moved = strategy.moved(relation)
    _refuse_no_noise(multiplier, moved)
    mechanism = Gaussian(multiplier * moved, moved, 2.0**-BITS)
    least = strategy.of_least if relation is Relation.ADD_REMOVE else None
    return FactorisedMean(
        mechanism=mechanism,
        workload=question.workload,
        objective=question.objective,
        divisor=question.sums.cohort,
        matrix=strategy.matrix,
        decoder=strategy.decoder,
        digest=strategy.digest,
        variances=(strategy.variance, strategy.largest),
        of_least=None if least is None else moved**2 * least,
    )


def _refuse_no_noise(multiplier: float, moved: float) -> None:
    """Raises a ValueError if noise would be finer than its grid."""
    if not multiplier * moved >= LEAST_STEPS * 2.0**-BITS:
        raise ValueError(
            f"epsilon is too large for a workload's noise, which is at least {2.0**-4 / moved:.2g} "
            f"times what one person moves its sums by, and would be {multiplier:.2g} times that"
        )
