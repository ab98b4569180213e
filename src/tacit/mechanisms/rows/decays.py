"""Sums of positive numbers with weights that fall by a rate at each step, without a subtraction.

A window of length n is put together of windows of lengths 1, 2, 4, ..., each two of the one before:
as many additions as n has digits, so a sum is right within a few roundings, however much larger its
neighbours are. (Prefix sums less prefix sums, or Fourier transforms, have errors of the largest.)
"""

import numpy as np
from jaxtyping import Float64

Sums = Float64[np.ndarray, " deviations"]
# Of a rate, e^-600, that is a float above zero.
STEEPEST = 600.0


def decayed(values: Sums, rate: float, length: int) -> Sums:
    """The sum over k < `length` of rate^k values[i - k]."""
    found, done, passed, end = np.zeros(len(values)), 0, 1.0, len(values)
    block, size, power, left = values.copy(), 1, rate, min(length, end)
    while left:
        if left & 1:
            found[done:] += passed * block[: end - done]
            done, passed = done + size, passed * power
        left >>= 1
        if left:
            # Its own earlier part is read whole before it is written.
            block[size:] += power * block[:-size]
            size, power = 2 * size, power * power
    return found


def powers(rate: float, size: int) -> Sums:
    """rate^0, rate^1, ...: each half is the other times a power."""
    found, power = np.ones(1), rate
    while len(found) < size:
        found, power = np.concatenate([found, power * found]), power * power
    return found[:size]


def later(values: Sums, moved: int) -> Sums:
    """What stands so many places later; zero where nothing does."""
    size, found = len(values), np.zeros_like(values)
    if abs(moved) < size:
        found[max(-moved, 0) : size - max(moved, 0)] = values[max(moved, 0) : size + min(moved, 0)]
    return found
