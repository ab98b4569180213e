"""Whose error a workload's noise is to be least in: of all queries in sum, or of the worst one.

| objective | what is least | bound |
| --- | --- | --- |
| `MeanError()` | the sum of all answers' variances | `solve.strategies` |
| `MaxError()` | the largest of them: gamma_2² at unit noise | `solve.worst_error` |

Both are norms of the workload that multiply under Kronecker products, with the strategies that
reach them: of a `Kronecker` the factors are solved. Marginal tables have a closed form, once it is
known what each one's error counts (`solve.least_largest`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, final, runtime_checkable

import numpy as np
from jaxtyping import Float

from tacit.question.composed_workloads import Kronecker
from tacit.question.workloads import Answers, Workload
from tacit.solve.least_largest import PerGroup, least_largest
from tacit.solve.strategies import Gram, Square, Weights, least_squares, strategy
from tacit.solve.worst_error import least_worst

Places = Float[np.ndarray, " sums"]


class Optimum(Protocol):
    """A strategy that is nearly best, and between which bounds the least error is.

    `lower` and `upper` are at noise of deviation one, for columns of length one at most.
    """

    @property
    def lower(self) -> float: ...

    @property
    def upper(self) -> float: ...

    def strategy(self) -> Square:
        """A, lower triangular, with columns no longer than one."""
        ...


@runtime_checkable
class ErrorObjective(Protocol):
    """What is least."""

    def best(self, workload: Workload) -> Optimum:
        """The strategy for it."""
        ...

    def of(self, variances: Answers) -> float:
        """What it is of these variances of the answers."""
        ...

    def squared_weights(self, places: Places) -> Places:
        """Of a convolution's sums for prefix sums, at places from 0 to 1."""
        ...

    def importances(self, variances: Callable[[PerGroup], PerGroup], groups: int) -> PerGroup:
        """What squared errors of groups of answers count, up to a factor, for this to be least.

        Args:
          variances: of each group's answers, where their sum with these importances is least.
          groups: how many there are.
        """
        ...


@final
@dataclass(frozen=True)
class MeanError:
    """The least sum of all answers' variances."""

    def best(self, workload: Workload) -> Optimum:
        if isinstance(workload, Kronecker):
            return OfFactors(self.best(workload.first), self.best(workload.second))
        gram = workload.gram()
        found = least_squares(gram)
        return OfGram(gram, found.weights, found.lower, found.upper)

    def of(self, variances: Answers) -> float:
        return float(variances.sum())

    def squared_weights(self, places: Places) -> Places:
        return (places + 1 / 25) ** 0.5 * (1 - places) ** 0.8

    def importances(self, variances: Callable[[PerGroup], PerGroup], groups: int) -> PerGroup:
        del variances
        return np.ones(groups)


@final
@dataclass(frozen=True)
class MaxError:
    """The least variance of the worst answer."""

    def best(self, workload: Workload) -> Optimum:
        if isinstance(workload, Kronecker):
            return OfFactors(self.best(workload.first), self.best(workload.second))
        found = least_worst(workload)
        gram = workload.weighed(found.importances)
        return OfGram(gram, found.weights, found.lower, found.upper)

    def of(self, variances: Answers) -> float:
        return float(variances.max())

    def squared_weights(self, places: Places) -> Places:
        return ((places + 0.057) * (1.011 - places)) ** 0.6

    def importances(self, variances: Callable[[PerGroup], PerGroup], groups: int) -> PerGroup:
        return least_largest(variances, groups).importances


@final
@dataclass(frozen=True)
class OfGram:
    """An optimum by its weights.

    Args:
      gram: V.
      weights: v.
      lower, upper: of the least error.
    """

    gram: Gram
    weights: Weights
    lower: float
    upper: float

    def strategy(self) -> Square:
        return strategy(self.gram, self.weights)


@final
@dataclass(frozen=True)
class OfFactors:
    """The optimum of a Kronecker product, by those of its factors."""

    first: Optimum
    second: Optimum

    @property
    def lower(self) -> float:
        return self.first.lower * self.second.lower

    @property
    def upper(self) -> float:
        return self.first.upper * self.second.upper

    def strategy(self) -> Square:
        return np.kron(self.first.strategy(), self.second.strategy())
