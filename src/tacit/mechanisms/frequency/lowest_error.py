"""Which local frequency oracle to use: the one with the least exact error.

Every oracle's mean squared L2 error is a rational number that does not depend on the data,
so the choice spends nothing and reveals nothing.

What is known of the order: all w-subsets of the k categories, at the best w, are the optimum (Ye
and Barg), and are listed for up to 18 categories. Randomised response is the case w = 1. The others
are block designs on at least k places, or mixtures of them, and lose by the places that are no
category: subset selection by those up to the next prime, projective geometry by those up to the
next whole space, which now and then is nearer (k = 57 at epsilon log 6: a plane of 57 points).

References:
    Ye and Barg 2018, "Optimal schemes for discrete distribution estimation under locally
        differential privacy".
    Wang, Blocki, Li and Jha 2017, for the comparison of oracles by exact variance.
"""

from __future__ import annotations

from collections.abc import Callable

from tacit.mechanisms.frequency.hadamard_response import HadamardResponse
from tacit.mechanisms.frequency.local_hashing import LocalHashing
from tacit.mechanisms.frequency.projective_geometry import ProjectiveGeometry
from tacit.mechanisms.frequency.randomised_response import (
    FrequencyOracle,
    RandomisedResponse,
    check,
)
from tacit.mechanisms.frequency.rappor import SymmetricUnary
from tacit.mechanisms.frequency.subset_selection import (
    LARGEST_PRIME,
    MOST_LISTED,
    AllSubsets,
    SubsetSelection,
)
from tacit.mechanisms.frequency.unary_encoding import UnaryEncoding

# What makes an oracle of epsilon and a number of categories.
Maker = Callable[[float, int], FrequencyOracle]


def oracles(categories: int) -> list[Maker]:
    """All oracles that take so many categories, in the order in which a tie is decided."""
    makers: list[Maker] = [RandomisedResponse]
    if categories <= MOST_LISTED:
        makers.append(AllSubsets)
    if categories <= LARGEST_PRIME:
        makers += [SubsetSelection, ProjectiveGeometry, LocalHashing]
    return [*makers, HadamardResponse, UnaryEncoding, SymmetricUnary]


def lowest_error(epsilon: float, categories: int) -> FrequencyOracle:
    """The oracle of the least mean squared error; randomised response where it ties.

    Raises:
      ValueError: if `epsilon` is not in [1e-6, inf) or `categories` not in [2, 65536].
    """
    check(epsilon, categories)
    made = (maker(epsilon, categories) for maker in oracles(categories))
    return min(made, key=lambda oracle: oracle.error(1))
