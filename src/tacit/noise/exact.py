"""Noise for one number of the host, drawn from its exact law rounded down to a whole number.

With a whole u, u + floor(s Z) = floor(u + s Z): whatever comes out is a function of a real
mechanism's answer. s is a fraction, and floor(s Z) is drawn from its exact law:

**Student**, d degrees of freedom, Z = T/d^(1/2) of density proportional to (1+z²)^(-(d+1)/2); for
d = 1 that is the Cauchy law.

1. With z = tan t the angle t has a density proportional to cos^(d-1) t, as the points of the region
   r² < cos^(d-1) t have; for r dr dt integrates over r to half of it.
2. So |Z| = X/Y for a uniform point (X, Y) >= 0 of the region (X² + Y²)^(d+1) < Y^(2(d-1)), the
   quarter disc if d = 1, which lies in the unit square.
3. Coordinates are drawn 64 bits at a time until no further bit can change whether the point is in
   the region, and floor(s X/Y).

**Laplace.**

4. floor(s E) is geometric, P(G >= g) = e^(-g/s). With 1/s = k/2^128 it is the floor of X/k, where
   X is geometric with P(X >= x) = e^(-x/2^128).
5. X = U + 2^128 V is, if V counts successes of probability 1/e and U is uniform, accepted with
   probability e^(-U/2^128) (Canonne, Kamath and Steinke 2020, Algorithm 2).
6. An event of probability e^-gamma is a run of events gamma/1, gamma/2, ... of even length.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from jaxtyping import PRNGKeyArray

from tacit.noise.host_words import HostKey, held

# Bits of a word, the words that are drawn at once (32 KiB), and those that become whole numbers at
# once: most need few.
WORD, CHUNK, AT_ONCE = 64, 4096, 64
ONE = 2**128


def stream(key: PRNGKeyArray | HostKey) -> Iterator[int]:
    """Uniform 64-bit words without end, as whole numbers of the host."""
    own = held(key)
    for chunk in itertools.count():
        words = own.folded(chunk).bits((CHUNK, 2)).view(np.uint64)
        for few in words.reshape(-1, AT_ONCE):
            yield from few.tolist()


def cauchy(words: Iterator[int], scale: float) -> int:
    """floor(`scale` Z) with Z from the Cauchy law, exactly."""
    return student(words, scale, 1)


def student(words: Iterator[int], scale: float, degrees: int) -> int:
    """floor(`scale` Z) with Z = T/`degrees`^(1/2) and T from Student's law, exactly."""
    up, down = scale.as_integer_ratio()
    size = _quotient(words, up, down, degrees)
    return size if next(words) & 1 else -1 - size


def laplace(words: Iterator[int], scale: float | Fraction) -> int:
    """floor(b L) with L from the Laplace law, exactly, and b = 2^128 / floor(2^128 / `scale`)."""
    up, down = scale.as_integer_ratio()
    rate = ONE * down // up
    draw = next(words) << WORD | next(words)
    while not _decayed(words, draw):
        draw = next(words) << WORD | next(words)
    while _decayed(words, ONE):
        draw += ONE
    size = draw // rate
    return size if next(words) & 1 else -1 - size


def _quotient(words: Iterator[int], up: int, down: int, degrees: int) -> int:
    """floor(up/down X/Y) for a uniform point (X, Y) of the region: step 3."""
    power, lift = degrees + 1, 2 * (degrees - 1)
    while True:
        x, y, side = next(words), next(words), 1 << WORD
        # The point is in [x, x+1) by [y, y+1); this square may be in the region in part.
        while (x * x + y * y) ** power < (y + 1) ** lift * side**4:
            inside = ((x + 1) ** 2 + (y + 1) ** 2) ** power <= y**lift * side**4
            least = up * x // (down * (y + 1))
            if inside and y and least == (up * (x + 1) - 1) // (down * y):
                return least
            x, y, side = x << WORD | next(words), y << WORD | next(words), side << WORD


def _decayed(words: Iterator[int], part: int) -> bool:
    """An event of probability e^-(`part` / 2^128), for `part` <= 2^128: step 6."""
    high, low = divmod(part, 1 << WORD)
    place = 1
    while (first := next(words)) < high or (first == high and next(words) < low):
        if _none_of(words, place):
            break
        place += 1
    return place % 2 == 1


def _none_of(words: Iterator[int], places: int) -> bool:
    """An event of probability 1 - 1/`places`."""
    if places == 1:
        return False
    most = 2**WORD - 2**WORD % places
    while (word := next(words)) >= most:
        pass
    return word % places != 0
