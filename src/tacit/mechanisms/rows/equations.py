"""Linear equations modulo 2: one for each person, all of them solved, and a uniform solution.

An equation <x, r> = y about d bits r is one whole number: its lowest bit is y, and the d above it
are x, the first of them highest. Adding two equations is one exclusive or.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Float

from tacit.noise.exact import WORD


def eliminated(equations: Sequence[int]) -> dict[int, int] | None:
    """An equation for each bit that leads one; None if nothing solves them all.

    An equation's lowest bit is its label, and the d above it are the person's.
    """
    pivots: dict[int, int] = {}
    for equation in equations:
        left = equation
        while left > 1:
            leading = left.bit_length()
            if leading not in pivots:
                pivots[leading] = left
                break
            left ^= pivots[leading]
        if left == 1:
            return None
    return pivots


def uniform_solution(words: Iterator[int], pivots: dict[int, int], dim: int) -> int:
    """A uniform one of all solutions, its bits as an equation has them and the lowest 1."""
    free = 0
    for _ in range(-(-dim // WORD)):
        free = free << WORD | next(words)
    solution = (free & (1 << dim) - 1) << 1 | 1
    for leading in sorted(pivots):
        bit = 1 << leading - 1
        solution &= ~bit
        if (pivots[leading] & solution).bit_count() & 1:
            solution |= bit
    return solution


def equations_of(rows: Float[np.ndarray, "people numbers"]) -> list[int]:
    """One whole number for each person with a label."""
    labels = rows[:, -1]
    there = rows[(labels == 0) | (labels == 1)] > 0
    packed = np.packbits(there, axis=1)
    spare = -there.shape[1] % 8
    return [int.from_bytes(row.tobytes(), "big") >> spare for row in packed]


def bits_of(solution: int, dim: int) -> Float[np.ndarray, " dim"]:
    """Whether each bit is of the parity."""
    return np.array([float(bit) for bit in f"{solution >> 1:0{dim}b}"])
