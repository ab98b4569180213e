"""All data sets of a few people with a few bits, and how far neighbours' laws are apart."""

import itertools
import math
from collections.abc import Callable, Mapping

import numpy as np

Law = Mapping[object, float]


def data_sets(dim: int, people: int, labels: int = 2) -> list[tuple[tuple[int, ...], ...]]:
    """Every multiset of so many people, each with bits and a label."""
    kinds = list(itertools.product(*[(0, 1)] * dim, range(labels)))
    return list(itertools.combinations_with_replacement(kinds, people))


def rows(people: tuple[tuple[int, ...], ...], dim: int) -> np.ndarray:
    return np.array(people, np.float32).reshape(len(people), dim + 1)


def added(law: Callable[[np.ndarray], Law], dim: int, people: int, labels: int = 2) -> float:
    """The worst log-ratio of one person more or less."""
    return max(
        apart(law(rows(more, dim)), law(rows(more[:left] + more[left + 1 :], dim)))
        for more in data_sets(dim, people, labels)
        for left in range(people)
    )


def changed(law: Callable[[np.ndarray], Law], dim: int, people: int, labels: int = 2) -> float:
    """The worst log-ratio of one person changed."""
    worst = 0.0
    for others in data_sets(dim, people - 1, labels):
        laws = [law(rows((*others, *one), dim)) for one in data_sets(dim, 1, labels)]
        worst = max(worst, *(apart(one, other) for one, other in itertools.combinations(laws, 2)))
    return worst


def apart(one: Law, other: Law) -> float:
    """The largest log-ratio of chances, either way."""
    return max(
        0.0 if one[each] == other[each] == 0 else abs(math.log(one[each] / other[each]))
        for each in one
    )
