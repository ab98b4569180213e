"""What a learnt concept says: the label it gives to bits, or a point, and itself in words.

Its numbers are as `tacit.question.concepts` states them for each class.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int64

from tacit.pac.pieces import labels_along, words_along
from tacit.question.concepts import (
    Concept,
    Conjunction,
    DecisionTree,
    MonotoneConjunction,
    NoisyParity,
    RuleList,
)
from tacit.question.line_concepts import AlongLine

Numbers = Float[np.ndarray, " numbers"]
Bits = Bool[np.ndarray, "people bits"]
Rows = Bool[np.ndarray, "people columns"] | Float[np.ndarray, "people columns"]


def labels_of(concept: Concept, numbers: Numbers, rows: Rows) -> Int64[np.ndarray, " people"]:
    """The label of each row of bits, or of each point."""
    told = numbers.astype(np.int64)
    if isinstance(concept, AlongLine):
        return labels_along(told, rows[:, 0])
    bits = rows > 0
    match concept:
        case DecisionTree(depth=depth):
            return _leaves(told, depth, bits)
        case RuleList(length=length):
            return _first_met(told, length, bits)
        case Conjunction() | MonotoneConjunction():
            met = (bits | (told != 1)) & (~bits | (told != -1))
            return met.all(axis=1).astype(np.int64)
        case NoisyParity(dim=dim):
            return (bits @ told[:dim] + told[dim]) % 2
    return (bits @ told) % 2


def in_words(concept: Concept, numbers: Numbers, names: Sequence[str]) -> str:
    """The rule, with the bits' names."""
    told = [int(number) for number in numbers]
    if isinstance(concept, AlongLine):
        return words_along(told, names[0])
    match concept:
        case DecisionTree(depth=depth):
            return "\n".join(lines(shortened(told, depth), names))
        case RuleList(length=length):
            return "\n".join(rule_lines(told, length, names))
        case Conjunction() | MonotoneConjunction():
            return _asked(told, names)
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


def _first_met(
    told: Int64[np.ndarray, " numbers"], length: int, bits: Bits
) -> Int64[np.ndarray, " people"]:
    """The label of the first rule that is for each."""
    found = np.full(len(bits), told[2 * length])
    for rule in reversed(range(length)):
        bit, value = divmod(int(told[rule]), 2)
        found = np.where(bits[:, bit] == value, told[length + rule], found)
    return found


def rule_lines(
    told: Sequence[int],
    length: int,
    names: Sequence[str],
    labels: Sequence[object] | None = None,
) -> list[str]:
    """A list in words, a line for each rule, without those at its end that tell nothing.

    Args:
      told: what tells it.
      length: how many rules it has.
      names: of the bits.
      labels: what each label is called; None for its number.
    """
    rules, ends = told[:length], told[length:]
    many = next((n for n in range(length, 0, -1) if ends[n - 1] != ends[length]), 0)
    said = [
        f"{'else ' * (place > 0)}if {'not ' * (rule % 2 == 0)}{names[rule // 2]}: "
        f"{_called(ends[place], labels)}"
        for place, rule in enumerate(rules[:many])
    ]
    rest = str(_called(ends[length], labels))
    return [*said, f"else: {rest}" if said else rest]


class BitTest(NamedTuple):
    """A bit, and what follows without it and with it: a test, or a label."""

    bit: int
    without: "BitTest | int"
    with_it: "BitTest | int"


def in_turn(told: Sequence[int], length: int) -> BitTest | int:
    """A list as tests, each of which gives a label or leads to the next; without those at its end
    that tell nothing."""
    rest: BitTest | int = told[2 * length]
    for rule, label in zip(told[:length][::-1], told[length : 2 * length][::-1], strict=True):
        bit, value = divmod(rule, 2)
        ends = (rest, label) if value else (label, rest)
        rest = rest if label == rest else BitTest(bit, *ends)
    return rest


def shortened(told: Sequence[int], depth: int) -> BitTest | int:
    """A tree without tests that tell nothing: of a known bit, or of equal ends."""
    return _short(told, depth, 0, {})


def _short(told: Sequence[int], depth: int, node: int, known: Mapping[int, int]) -> BitTest | int:
    """The subtree at a node, given bits that are known there."""
    if depth == 0:
        return told[node]
    bit = told[node]
    if bit in known:
        return _short(told, depth - 1, 2 * node + 1 + known[bit], known)
    ends = (_short(told, depth - 1, 2 * node + 1 + has, {**known, bit: has}) for has in (0, 1))
    without, with_it = ends
    return without if without == with_it else BitTest(bit, without, with_it)


def lines(
    tree: BitTest | int,
    names: Sequence[str],
    labels: Sequence[object] | None = None,
    indent: str = "",
) -> list[str]:
    """A tree in words, a line for each end and for each test on the way.

    Args:
      names: of the bits.
      labels: what each label is called; None for its number.
      indent: of every line.
    """
    if not isinstance(tree, BitTest):
        return [f"{indent}{_called(tree, labels)}"]
    told: list[str] = []
    for end, without in ((tree.with_it, ""), (tree.without, "not ")):
        head = f"{indent}{without}{names[tree.bit]}:"
        below = lines(end, names, labels, f"{indent}  ")
        told += [head, *below] if isinstance(end, BitTest) else [f"{head} {_called(end, labels)}"]
    return told


def _called(label: int, labels: Sequence[object] | None) -> object:
    return label if labels is None else labels[label]


def _asked(told: Sequence[int], names: Sequence[str]) -> str:
    """A conjunction."""
    each = zip(told, names, strict=True)
    asked = [f"{'not ' * (one < 0)}{name}" for one, name in each if one]
    return f"1 if {' and '.join(asked)}; else 0" if asked else "always 1"


def _parity(told: Sequence[int], names: Sequence[str], opposite: int) -> str:
    summed = [name for each, name in zip(told, names, strict=True) if each]
    if not summed:
        return f"always {opposite}"
    return f"{'1 less ' * opposite}the sum of {', '.join(summed)}, modulo 2"
