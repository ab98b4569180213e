"""Pure local reports: randomised response is the worst of them, and it composes exactly.

A report that is e0-private, whatever its mechanism, is a post-processing of randomised response
with e0: the pair (E, 1)/(E+1) against (1, E)/(E+1), E = e^e0, whose loss is +e0 or -e0. So k
reports of one person are at worst k randomised responses, whose losses are (2i - k) e0 with
i ~ Bin(k, E/(E+1)): an exact sum, no grid. At delta = 0 the promise is the plain sum k e0.

Both weights come from the logistic function, never one as the other's difference from 1: of the
smaller one nothing would be left near e0 = 36, and a wrong epsilon below the true one.

References:
    Kairouz, Oh, Viswanath (2015), "The composition theorem for differential privacy", Theorem 3.3.
    Dwork, McSherry, Nissim, Smith (2006), for the plain sum.
"""

import math

import numpy as np
from jaxtyping import Float
from scipy.special import expit
from scipy.stats import binom

from tacit.accounting.events import LocalDpEvent
from tacit.accounting.pld import Directions, Masses, deltas_at, on_grid, smallest_epsilon


def pure_epsilon(event: LocalDpEvent) -> float:
    """The epsilon at delta = 0 of one report."""
    return event.epsilon


def spread(event: LocalDpEvent) -> float:
    """The standard deviation of one randomised response's loss."""
    return event.epsilon / math.cosh(min(event.epsilon / 2, 700.0))


def repeated_epsilon(epsilon: float, count: int, delta: float) -> float:
    """The exact epsilon at `delta` of `count` randomised responses, in closed form.

    **Guarantee.** An upper bound for any `count` epsilon-private reports, chosen adaptively.

    Why no search: between two neighbouring losses delta is solved by hand (`smallest_epsilon`).
    """
    lowest, masses = _responses(epsilon, count)
    return min(smallest_epsilon(lowest, 2 * epsilon, masses, delta), count * epsilon)


def repeated_delta(
    epsilon: float, count: int, targets: Float[np.ndarray, " n"]
) -> Float[np.ndarray, " n"]:
    """The exact delta at each of `targets`, at least 0, of `count` randomised responses."""
    lowest, masses = _responses(epsilon, count)
    found = deltas_at(lowest, 2 * epsilon, masses, targets)
    return np.where(targets < lowest, 1.0, found)


def losses(event: LocalDpEvent, interval: float, tail: float) -> Directions:
    """The losses of one randomised response, split onto a grid; nothing is cut off."""
    del tail
    values = np.array([event.epsilon, -event.epsilon])
    both = on_grid(values, expit(values), 0.0, interval)
    return both, both


def renyi(
    event: LocalDpEvent, orders: Float[np.ndarray, " orders"]
) -> Float[np.ndarray, " orders"]:
    """The Renyi divergences of one randomised response, in closed form."""
    log_truthful = -math.log1p(math.exp(-event.epsilon))
    kept = log_truthful + (orders - 1) * event.epsilon
    flipped = log_truthful - event.epsilon - (orders - 1) * event.epsilon
    return np.logaddexp(kept, flipped) / (orders - 1)


def _responses(epsilon: float, count: int) -> tuple[float, Masses]:
    """The lowest loss kept, and the masses from it on, 2 epsilon apart.

    Beyond sixty standard deviations lies less than any float; losses below 0 are of no use.
    """
    truth, lie = float(expit(epsilon)), float(expit(-epsilon))
    reach = 60 * math.sqrt(count * truth * lie) + 60
    low = max(0, count // 2 - 1, math.floor(count * truth - reach))
    lies = np.arange(count - low, max(count - math.ceil(count * truth + reach), 0) - 1, -1)
    return (2 * low - count) * epsilon, binom.pmf(lies, count, lie)
