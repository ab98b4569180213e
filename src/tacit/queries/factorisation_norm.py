"""gamma_2 of a workload: how many people its answers take, up to a logarithm.

W = RA is answered by R times noisy Ah; with noise of deviation one on each number the worst answer
has the deviation |R|_(2 -> inf), and one person moves Ah by |A|_(1 -> 2). The least product of both
is gamma_2(W). Where people report for themselves, a vector in the ball of length |A|_(1 -> 2) each,
all m answers are within tau for

    n = O(gamma_2(W)² log m / (epsilon² tau²))

people; one query after the other, each of m parts of the people reporting one bit, takes m in the
place of gamma_2². For m thresholds gamma_2 is about log(m)/pi + 1; for one query asked m times, 1.

References:
    Edmonds, Nikolov and Ullman 2020, "The power of factorization mechanisms in local and central
        differential privacy".
"""

import math
from typing import NamedTuple

from tacit.argument import got, is_made
from tacit.question.objectives import MaxError
from tacit.question.workloads import Workload


class Gamma2(NamedTuple):
    """Bounds of a number."""

    lower: float
    upper: float


def gamma2(workload: Workload) -> Gamma2:
    """gamma_2, between the dual bound and what a strategy reaches.

    Within a thousandth or nearly; of products it is the product of the factors', however many cells
    these have together.

    Raises:
      ValueError: if it is no workload, or one with too many cells to be written out.
    """
    if not is_made(workload, Workload):
        raise ValueError(f"a workload is Prefix(cells), say, got {got(workload)}")
    best = MaxError().best(workload)
    return Gamma2(math.sqrt(best.lower), math.sqrt(best.upper))
