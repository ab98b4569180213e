"""How many people: of a kind, or of each of several kinds.

**A curator's count** is the exact one and noise z of a known law, the same for every count, on
whole numbers where delta is zero. With probability `confidence` at least |z| is at most what
`server.reach` says, so the count lies that near to what is released; it is whole, and not below
zero. Nothing is divided by the number of people: the declared one cancels.

**Counts of local reports** are frequencies times the public number of people, with the exact
limits of `Frequencies`. A report has to name a category. So there is one more, "none of these", for
whoever is in none: without it they would be counted in the first.

Released numbers are float32, so limits are moved outwards by 2^-22 of the count.
"""

import math

import numpy as np
from jaxtyping import Float, Num

from tacit.device.categories import OnCategory
from tacit.facts import stated
from tacit.plan import Identity, Plan
from tacit.population.release import Release
from tacit.server.reach import reach
from tacit.statistics.answer import CallTerms, released
from tacit.statistics.average import Average
from tacit.statistics.frequencies import Frequencies

# Of a count: four roundings of floats of 32 bits.
_FLOAT32 = 2.0**-22

Counts = Float[np.ndarray, " counts"]


def rmse_of(plan: Plan) -> float:
    """The root mean squared error of one count of those that a plan gives: all have the same, in
    people."""
    counts = math.prod(plan.sums.contribution.answer_shape)
    return plan.sums.people * math.sqrt(stated(plan.error) / counts)


def answered(
    plan: Plan,
    data: Num[np.ndarray, " people"],
    terms: CallTerms,
    confidence: float,
) -> tuple[Counts, Counts, Counts, Release]:
    """Every count, its lower and upper limit, and the release."""
    shape = plan.sums.contribution.answer_shape
    release = released(plan, Average(shape), data, *terms)
    shares = np.atleast_1d(np.asarray(release.answer))
    counts = plan.sums.people * shares.astype(np.float64)
    if isinstance(plan.device, Identity) and (
        plan.server.facts.noise == 0 or plan.server.grid == 1
    ):
        # The sum is whole and so is the noise; what is not is float32's.
        counts = np.round(counts)
    return counts, *_limits(plan, shares, counts, confidence), release


def _limits(
    plan: Plan, shares: np.ndarray, counts: Counts, confidence: float
) -> tuple[Counts, Counts]:
    people = plan.sums.people
    if isinstance(plan.device, OnCategory):
        support = plan.device.oracle.support
        own, other = float(support.own), float(support.other)
        each = Frequencies(shares, people, own, other, confidence).each
        low, high = people * np.asarray(each.lower), people * np.asarray(each.upper)
    else:
        far = reach(plan, 1 - confidence) + _FLOAT32 * np.abs(counts)
        low, high = counts - far, counts + far
    low = np.maximum(np.ceil(low - 1e-9 * people), 0.0)
    return low, np.maximum(np.floor(high + 1e-9 * people), low)
