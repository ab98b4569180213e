"""One Fourier transform of a tilted sum of losses, and a proved bound on its rounding.

Every term's masses are tilted and normalised, so that they add to 1, and folded onto a circle of
n = 2^m cells; transforms are multiplied, each as often as its term occurs, and transformed back.

1. A transform of n points has a relative error in L2 of at most eta = 8 u m, with u the unit
   roundoff (Higham 2002, Theorem 24.2, has 6.7 u m).
2. A power of k factors has a relative error of at most 4u a factor: a product of complex numbers
   has one of sqrt(5) u (Brent, Percival and Zimmermann 2007), and squaring doubles what was there.
3. The transforms z_j of tilted masses w_j satisfy |z_j| <= 1, so the product of the z_j^k_j errs by
   at most the sum of k_j (eta + 4u) ||w_j||, grown by the gain of factors a little above 1.
4. The transform back adds eta once more, of a sum whose norm is at most 1.

References:
    Higham (2002), "Accuracy and Stability of Numerical Algorithms", Section 24.1. Brent, Percival,
    Zimmermann (2007), "Error bounds on complex floating-point multiplication".
"""

import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Complex
from scipy import fft
from scipy.special import logsumexp

from tacit.accounting.loss.pld import UNIT, Losses, Masses


def tilted_sum(
    terms: Sequence[tuple[Losses, int]], theta: float, size: int
) -> tuple[Masses, float]:
    """The sum of all terms, tilted by theta, modulo `size` cells; and its error in L2 at most.

    Args:
      terms: losses on one grid, each with its count.
      size: a power of two.
    """
    # Step 1, and of step 4 the beginning.
    eta = 8 * UNIT * math.log2(size)
    spectrum, error, gain = np.ones(size // 2 + 1, complex), eta, 0.0
    for one, count in terms:
        folded = _folded(one, theta, size)
        length = norm(folded)
        spectrum *= _power(np.asarray(fft.rfft(folded)), count)
        # Step 3.
        error += count * (eta + 4 * UNIT) * length
        gain += count * (eta * math.sqrt(size) + 4 * UNIT) * length
    return np.asarray(fft.irfft(spectrum, size)), error * math.exp(gain)


def norm(values: Masses) -> float:
    """The L2 norm, by the largest value: the squares of small ones alone would be zero."""
    largest = float(np.max(np.abs(values), initial=0.0))
    if not 0 < largest < math.inf:
        return largest
    return largest * math.sqrt(float(np.sum(np.square(values / largest))))


def _folded(one: Losses, theta: float, size: int) -> Masses:
    """One term's masses, tilted and normalised, modulo `size` cells."""
    with np.errstate(divide="ignore"):
        logs = theta * one.values + np.log(one.masses)
    tilted = np.exp(logs - logsumexp(logs))
    start = one.lowest % size
    if start + len(tilted) <= size:
        return np.concatenate([np.zeros(start), tilted, np.zeros(size - start - len(tilted))])
    return np.bincount((start + np.arange(len(tilted))) % size, tilted, size)


def _power(base: Complex[np.ndarray, " n"], count: int) -> Complex[np.ndarray, " n"]:
    """The base to the power of `count`, by squaring in place: step 2."""
    result = None
    while True:
        if count & 1:
            result = base.copy() if result is None else np.multiply(result, base, out=result)
        count >>= 1
        if not count:
            assert result is not None
            return result
        np.multiply(base, base, out=base)
