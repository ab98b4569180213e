"""Laplace noise for a workload: pure epsilon, on sums over nested blocks of cells.

As in `server.factorised`, noise z is added to y = Kh, for the counts h and a public matrix K of
whole numbers, and the answers are D (y + z) with DK = W: post-processing of one noisy y. D are the
least squares, W K^+. K is 2^14 times the sums that `solve.nested_sums` finds for the least error,
cut towards zero: blocks of cells, or the cells themselves, where that is best; of a Kronecker
product, the product of the factors' sums, whose errors multiply as their lengths do. What all of K
can be divided by is the step that noise is drawn in: of cells themselves, a person.

**Privacy.** `moved` is by how much one person moves y in L1, counted in K's whole numbers: the
largest sum of a column, or for one who changes cells the largest distance of two. Laplace noise on
whole numbers is scaled to that, so the release is epsilon-private, but for the delta that the
sampler's distance costs (`noise.discrete`), which the plan states.

**Error.** The variances of all answers are those of D's rows, times that of the noise: stated as
they are. How far they are from the least of such noise is not known, and not stated.

| question | answer |
| --- | --- |
| of fewer answers than cells, apart | of sums that hold them; of all cells, if weights vanish |
| of the least worst error | refused: weights are for the mean |
| about more than 2^12 cells | refused |
"""

import functools

import numpy as np
from jaxtyping import Float, Int32
from scipy.linalg import cho_factor, cho_solve

from tacit.accounting import calibration, events
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation
from tacit.accounting.reserve import Budget, within_delta
from tacit.borrowed import DpEvent
from tacit.mechanisms.additive.laplace import Laplace
from tacit.noise.products import BITS
from tacit.question.cell_limits import refuse_too_many
from tacit.question.composed_workloads import Kronecker
from tacit.question.linear import Linear
from tacit.question.objectives import MaxError
from tacit.question.workloads import Workload
from tacit.server.factorised import FactorisedMean, Strategy
from tacit.solve.nested_sums import nested_sums


@functools.lru_cache(maxsize=8)
def pure_strategy(workload: Workload) -> Strategy:
    """Weighted sums over blocks, in whole numbers."""
    refuse_too_many(workload)
    scaled = np.floor(2**BITS * _sums(workload))
    scaled = scaled[scaled.any(1)]
    scaled /= np.gcd.reduce(scaled.astype(np.int64), axis=None)
    decoder = _decoder(workload, scaled)
    if decoder is None:
        scaled = np.eye(workload.cells)
        decoder = workload.basis()
    variances = workload.variances(decoder)
    whole, largest = float(variances.sum()), float(variances.max())
    return Strategy(scaled.astype(np.int32), decoder, whole, largest, None)


def _decoder(
    workload: Workload, scaled: Float[np.ndarray, "sums cells"]
) -> Float[np.ndarray, "basis sums"] | None:
    """The least D with DK = W; None where sums that are cut to nothing would be missed."""
    basis = workload.basis()
    try:
        decoder = basis @ cho_solve(cho_factor(scaled.T @ scaled, lower=True), scaled.T)
    except np.linalg.LinAlgError:
        decoder = basis @ np.linalg.pinv(scaled)
    near = np.abs(decoder @ scaled - basis) <= 1e-9 * np.abs(basis).max(1, keepdims=True)
    return decoder if near.all() else None


def _sums(workload: Workload) -> Float[np.ndarray, "sums cells"]:
    if isinstance(workload, Kronecker):
        return np.kron(_sums(workload.first), _sums(workload.second))
    return nested_sums(workload.gram().dense()).matrix()


def moved_in_l1(matrix: Int32[np.ndarray, "sums cells"], relation: Relation) -> int:
    """By how much one person moves Kh, at most, for K whose rows are each of zeros and one number.

    Two columns are as far apart as they are long, but for twice what they have in common: products
    of whole numbers below 2^53, so exact.
    """
    whole = matrix.astype(np.float64)
    lengths = whole.sum(0)
    most = lengths.max()
    if relation.people_moved == 2:
        # Who was in no cell may come to be in one.
        common = (whole > 0).astype(np.float64).T @ whole
        most = max(most, (lengths + lengths[:, None] - 2 * common).max())
    return int(most)


def factorised_pure_mean(budget: Budget, question: Linear) -> tuple[FactorisedMean, Guarantee]:
    """The server part for a workload without a delta, and what it promises the public.

    Raises:
      ValueError: for the least worst error, or of too many cells.
    """
    _refuse_worst(question)
    sums, relation = question.sums, budget.relation
    strategy = pure_strategy(question.workload)

    def event(release: float) -> DpEvent:
        return sums.event(events.k_norm(release), relation)

    def make(epsilon: float, delta: float) -> tuple[FactorisedMean, DpEvent, float]:
        each = calibration.release_epsilon(event, sums.times, epsilon, delta, relation)
        server = _server(question, strategy, each, relation)
        chance = sums.overflow() + sums.rounds * server.facts.tv_distance
        return server, event(each), chance

    return within_delta(budget, make, known=sums.overflow())


def _refuse_worst(question: Linear) -> None:
    if isinstance(question.objective, MaxError):
        raise ValueError(
            "noise without a delta is weighted for the mean error: ask MeanError(), or a promise "
            "with a delta above 0"
        )


def _server(
    question: Linear, strategy: Strategy, epsilon: float, relation: Relation
) -> FactorisedMean:
    moved = moved_in_l1(strategy.matrix, relation)
    step = 2.0 ** -max(0, moved.bit_length() - 1)
    return FactorisedMean(
        mechanism=Laplace.calibrate(epsilon, moved * step, step),
        workload=question.workload,
        objective=question.objective,
        divisor=question.sums.cohort,
        matrix=strategy.matrix,
        decoder=strategy.decoder / step,
        digest=strategy.digest,
        variances=(strategy.variance / step**2, strategy.largest / step**2),
        of_least=None,
    )
