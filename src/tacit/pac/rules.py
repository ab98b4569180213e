"""What a learnt concept says: the label it gives to bits, and itself in words.

Its numbers are as `tacit.question.concepts` states them for each class.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float, Int64

from tacit.question.concepts import (
    Concept,
    Conjunction,
    DecisionTree,
    MonotoneConjunction,
    NoisyParity,
)

Numbers = Float[np.ndarray, " numbers"]
Bits = Bool[np.ndarray, "people bits"]


def labels_of(concept: Concept, numbers: Numbers, bits: Bits) -> Int64[np.ndarray, " people"]:
    """The label of each row of bits."""
    told = numbers.astype(np.int64)
    match concept:
        case DecisionTree(depth=depth):
            return _leaves(told, depth, bits)
        case Conjunction() | MonotoneConjunction():
            met = (bits | (told != 1)) & (~bits | (told != -1))
            return met.all(axis=1).astype(np.int64)
        case NoisyParity(dim=dim):
            return (bits @ told[:dim] + told[dim]) % 2
    return (bits @ told) % 2


def in_words(concept: Concept, numbers: Numbers, names: Sequence[str]) -> str:
    """The rule, with the bits' names."""
    told = [int(number) for number in numbers]
    match concept:
        case DecisionTree(depth=depth):
            return "\n".join(_branch(told, depth, names, 0, ""))
        case Conjunction() | MonotoneConjunction():
            asked = [
                f"{'not ' * (each < 0)}{name}"
                for each, name in zip(told, names, strict=True)
                if each
            ]
            return f"1 if {' and '.join(asked)}; else 0" if asked else "always 1"
        case NoisyParity(dim=dim):
            return _parity(told[:dim], names, told[dim])
    return _parity(told, names, 0)


def _leaves(
    told: Int64[np.ndarray, " nodes"], depth: int, bits: Bits
) -> Int64[np.ndarray, " people"]:
    node = np.zeros(len(bits), np.int64)
    for _ in range(depth):
        node = 2 * node + 1 + bits[np.arange(len(bits)), told[node]]
    return told[node]


def _branch(
    told: Sequence[int], depth: int, names: Sequence[str], node: int, indent: str
) -> list[str]:
    """The lines of the subtree at a node; one of a single label is that label."""
    labels = set(_labels(told, depth, node))
    if len(labels) == 1:
        return [f"{indent}{labels.pop()}"]
    lines = []
    for child, without in ((2 * node + 2, ""), (2 * node + 1, "not ")):
        below = _branch(told, depth - 1, names, child, f"{indent}  ")
        head = f"{indent}{without}{names[told[node]]}:"
        lines += [f"{head} {below[0].strip()}"] if len(below) == 1 else [head, *below]
    return lines


def _labels(told: Sequence[int], depth: int, node: int) -> Sequence[int]:
    first, last = node, node
    for _ in range(depth):
        first, last = 2 * first + 1, 2 * last + 2
    return told[first : last + 1]


def _parity(told: Sequence[int], names: Sequence[str], opposite: int) -> str:
    summed = [name for each, name in zip(told, names, strict=True) if each]
    if not summed:
        return f"always {opposite}"
    return f"{'1 less ' * opposite}the sum of {', '.join(summed)}, modulo 2"
