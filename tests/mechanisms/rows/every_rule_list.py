"""All decision lists of a few bits, one by one, and how many people each is right about."""

import itertools

import numpy as np


def lists(dim: int, length: int, labels: int = 2) -> list[tuple[int, ...]]:
    rules = itertools.product(range(2 * dim), repeat=length)
    ends = list(itertools.product(range(labels), repeat=length + 1))
    return [(*rule, *end) for rule in rules for end in ends]


def right(told: tuple[int, ...], length: int, rows: np.ndarray) -> int:
    """By going through the rules for each person."""
    count = 0
    for *bits, label in rows.astype(int):
        met = [place for place in range(length) if bits[told[place] // 2] == told[place] % 2]
        count += told[length + (met[0] if met else length)] == label
    return count
