"""All full trees of a few bits, one by one, and how many people each is right about."""

import itertools

import numpy as np


def trees(dim: int, depth: int, labels: int = 2) -> list[tuple[int, ...]]:
    tests = itertools.product(range(dim), repeat=2**depth - 1)
    ends = list(itertools.product(range(labels), repeat=2**depth))
    return [(*test, *end) for test in tests for end in ends]


def right(tree: tuple[int, ...], depth: int, rows: np.ndarray) -> int:
    """By going down for each person."""
    count = 0
    for *bits, label in rows.astype(int):
        node = 0
        for _ in range(depth):
            node = 2 * node + 1 + bits[tree[node]]
        count += tree[node] == label
    return count
