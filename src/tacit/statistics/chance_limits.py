"""Limits of a chance, from how often something came true: those of Clopper and Pearson.

Of n tries of one chance p, k came true. The lower limit at level a is the p under which as many
or more have probability a, and is above the true p with probability a at most; the upper limit is
that of how often it did not come true. They hold for every n and p, and are no normal
approximation. P[Bin(n, p) >= k] is the beta law's I_p(k, n - k + 1), which is turned round by
bisection: SciPy's own inverse is far off at some counts (1.17.1; 999 of 10,100), the law is not.

References:
    Clopper and Pearson 1934, "The use of confidence or fiducial limits illustrated in the case of
    the binomial".
"""

import numpy as np
from jaxtyping import Float
from scipy.special import betainc

Counts = float | Float[np.ndarray, "*tries"]
Chance = Float[np.ndarray, "*tries"]


def lower_limit(successes: Counts, tries: Counts, alpha: float) -> Chance:
    """Above the true chance with probability `alpha` at most; 0 of none."""
    many, none = np.maximum(successes, 1.0), np.asarray(tries) - successes
    low, high = np.zeros(np.shape(many + none)), np.ones(np.shape(many + none))
    for _ in range(60):
        middle = (low + high) / 2
        under = betainc(many, none + 1.0, middle) <= alpha
        low, high = np.where(under, middle, low), np.where(under, high, middle)
    return np.where(np.asarray(successes) > 0, low, 0.0)


def upper_limit(successes: Counts, tries: Counts, alpha: float) -> Chance:
    """Below the true chance with probability `alpha` at most; 1 of all."""
    return 1.0 - lower_limit(np.asarray(tries) - successes, tries, alpha)
