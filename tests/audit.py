"""Audits: a lower bound on epsilon that a sampler's own output proves.

Counting an event on independent runs on both inputs and replacing each probability by its exact
(Clopper-Pearson) limit gives a bound that holds with probability 1 - alpha: see
`tacit.audit.promises`. A claim below the bound is refuted; one above is not proved. The event is
what is likelier on the first of both, so no more is asked of it.
"""

from tacit.audit.promises import likelier
from tacit.statistics.chance_limits import lower_limit, upper_limit


def epsilon_lower_bound(
    one: tuple[int, int],
    other: tuple[int, int],
    alpha: float = 1e-6,
    delta: float = 0.0,
) -> float:
    """The epsilon that (event count, trials) on two neighbouring inputs prove, or -inf."""
    least, most = lower_limit(*one, alpha / 2), upper_limit(*other, alpha / 2)
    return float(likelier(least, most, delta))
