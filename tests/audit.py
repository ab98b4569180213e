"""Audits: a lower bound on epsilon that a sampler's own output proves.

Under (epsilon, delta)-privacy any event E satisfies P[E | one] <= e^epsilon P[E | other] + delta,
so epsilon >= log((P[E | one] - delta) / P[E | other]). Counting E on independent runs on both
inputs and replacing each probability by its exact (Clopper-Pearson) confidence limit gives a bound
that holds with probability 1 - alpha. A claim below the bound is refuted; one above is not proved.
"""

import math

from scipy.stats import beta


def lower_limit(successes: int, trials: int, alpha: float) -> float:
    """The exact lower confidence limit: above the truth with probability alpha at most."""
    return float(beta.ppf(alpha, successes, trials - successes + 1)) if successes > 0 else 0.0


def upper_limit(successes: int, trials: int, alpha: float) -> float:
    """The exact upper confidence limit: below the truth with probability alpha at most."""
    return 1 - lower_limit(trials - successes, trials, alpha)


def epsilon_lower_bound(
    one: tuple[int, int],
    other: tuple[int, int],
    alpha: float = 1e-6,
    delta: float = 0.0,
) -> float:
    """The epsilon that (event count, trials) on two neighbouring inputs prove, or -inf."""
    likely = lower_limit(*one, alpha / 2) - delta
    unlikely = upper_limit(*other, alpha / 2)
    return math.log(likely / unlikely) if likely > 0 else -math.inf
