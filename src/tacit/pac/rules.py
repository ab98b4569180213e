"""What a learnt concept says: the label it gives to bits, and itself in words.

Its numbers are as `tacit.question.concepts` states them for each class.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

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
            return "\n".join(_lines(_short(told, depth, 0, {}), names, ""))
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


class _Test(NamedTuple):
    """A bit, and what follows without it and with it."""

    bit: int
    without: "_Test | int"
    with_it: "_Test | int"


def _short(told: Sequence[int], depth: int, node: int, known: Mapping[int, int]) -> _Test | int:
    """The subtree at a node without tests that tell nothing: of a known bit, or of equal ends."""
    if depth == 0:
        return told[node]
    bit = told[node]
    if bit in known:
        return _short(told, depth - 1, 2 * node + 1 + known[bit], known)
    ends = (_short(told, depth - 1, 2 * node + 1 + has, {**known, bit: has}) for has in (0, 1))
    without, with_it = ends
    return without if without == with_it else _Test(bit, without, with_it)


def _lines(tree: _Test | int, names: Sequence[str], indent: str) -> list[str]:
    if not isinstance(tree, _Test):
        return [f"{indent}{tree}"]
    lines = []
    for end, without in ((tree.with_it, ""), (tree.without, "not ")):
        head = f"{indent}{without}{names[tree.bit]}:"
        below = _lines(end, names, f"{indent}  ")
        lines += [head, *below] if isinstance(end, _Test) else [f"{head} {end}"]
    return lines


def _parity(told: Sequence[int], names: Sequence[str], opposite: int) -> str:
    summed = [name for each, name in zip(told, names, strict=True) if each]
    if not summed:
        return f"always {opposite}"
    return f"{'1 less ' * opposite}the sum of {', '.join(summed)}, modulo 2"
