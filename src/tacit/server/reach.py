"""How far noise moves an answer: at most so far, except with a stated chance.

Intervals are made of this. Everything here follows from a plan's numbers; no data, no answer.

For noise z and weights w, `reach` is a t with P(|<w, z>| > t) <= chance. Each law has an upper
bound of that tail, falling in t, and t is found by bisection, rounded up. With k the noise in steps
of its grid, and |w| the sum of the weights' sizes:

1. *Gaussian.* The law is that of a normal number, rounded to a step: |k - x| <= 1/2, hence
   |<w, k>| <= |<w, x>| + |w|/2, and <w, x> is normal of deviation sigma |w|_2.
2. *Laplace* of rate r. k = G - G' for geometric numbers, and floor(E/r) is one for an exponential
   E, as P(floor(E/r) >= g) = e^(-rg). So k is within 1 of L = (E - E')/r, a Laplace number of
   scale 1/r, and |<w, k>| <= |<w, L>| + |w|. With one weight a, P(|aL| > t/r) = e^(-t/a). With two,
   a > b, by partial fractions of the characteristic function 1/((1 + a²s²)(1 + b²s²)),

       P(|aL + bL'| > t/r) = (a² e^(-t/a) - b² e^(-t/b)) / (a² - b²),

   and e^(-t/a) (1 + t/2a) at b = a. It rises with b: P(|aL + y| <= t) falls as |y| grows, because
   the law of aL is symmetric and falls from its middle. With more weights, see `laplace_sum`.
3. *Staircase* with stairs of n steps from r on, b = e^-epsilon, N = 2r - 1 + 2nb/(1-b): exactly,
   with j = r + n g + u and 0 <= u < n,

       P(|k| >= j) = (2/N) ((n - u) b^(g+1) + n b^(g+2)/(1-b)),   and 1 - (2j - 1)/N for j <= r.
4. *Reports* of m people, unbiased, each of variance v at most and within b of what it reports: by
   Bennett's inequality for each side, with h(x) = (1 + x) log(1 + x) - x,

       P(|sum| > t) <= 2 exp(-(m v/b²) h(b t/(m v))).
5. *Both*: half of the chance each, and the two reaches add up.

What samplers are off their laws by (`tv_distance`) comes off the chance.

References:
    Bennett 1962, "Probability inequalities for the sum of independent random variables".
    Boucheron, Lugosi and Massart 2013, "Concentration inequalities", Theorem 2.9.
"""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from jaxtyping import Float
from scipy.special import ndtri

from tacit.contribution import Contribution, Grid, Interval
from tacit.device.noise_sharing import NoiseSharing
from tacit.device.vectors import OnNumber
from tacit.facts import ReportFacts
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.additive.staircase import Staircase
from tacit.plan import Identity, Plan, Server
from tacit.server.aggregated_mean import AggregatedMean
from tacit.server.laplace_sum import LaplaceSum
from tacit.server.means import Noise, NoisyMean, PlainMean

Tail = Callable[[float], float]
Lengths = Float[np.ndarray, "*sums"]
Weights = Float[np.ndarray, " numbers"]
# Nearer weights are taken as equal, upwards: their difference would have no digits.
_ALIKE = 1e-4
_ROUNDING = 1 + 1e-9  # Far above what floats round a tail's argument by.


def reach(plan: Plan, chance: float, weights: tuple[float, ...] = (1.0,)) -> float:
    """What the weighted sums of one round are off by, at most, but for this chance.

    Sums of the people's terms as they are held on the plan's grid: `NoisyMean.grid` says how fine.

    Args:
      plan: for a mean of numbers, under any trust model, or of several numbers from a curator.
      chance: above 0 and below 1.
      weights: one for each number; where all numbers' noise is alike, one for any of them.

    Raises:
      ValueError: if nothing is known of such a plan's noise.
    """
    return _reach(plan.server, [_reports(plan), _noise(plan.server, weights)], chance)


def noise_reach(server: Server, chance: float, weights: tuple[float, ...] = (1.0,)) -> float:
    """The same of what one server adds, whatever is summed: a part of several, say."""
    return noise_reaches(server, (chance,), weights)[0]


def noise_reaches(
    server: Server, chances: tuple[float, ...], weights: tuple[float, ...]
) -> list[float]:
    """The same for each of several chances; what none of them changes is computed once."""
    tail = _noise(server, weights)
    return [_reach(server, [tail], chance) for chance in chances]


def gaussian_reach(noise: Noise, chance: float, length: Lengths, size: Lengths) -> Lengths:
    """How far Gaussian noise moves weighted sums, at most, but for this chance each, by law 1.

    Args:
      noise: on each number.
      chance: that a sum is farther; not above zero, nothing is known.
      length, size: of each sum's weights, the L2 norm and one not below the L1 norm.

    Raises:
      ValueError: if the noise is another.
    """
    if not isinstance(noise, Gaussian):
        raise ValueError(f"no reach is proved for the noise of {type(noise).__name__}")
    if not chance > 0:
        return np.full(np.shape(length), np.inf)
    normal = -float(ndtri(chance / 2)) * noise.sigma
    return (normal * np.asarray(length) + noise.step / 2 * np.asarray(size)) * _ROUNDING


def sums_reach(
    server: Server, chance: float, length: Lengths, size: Lengths, largest: Weights
) -> Lengths:
    """How far what one server adds moves several weighted sums, but for this chance each.

    Gaussian noise, by law 1, moves each as far as its own weights let it. All other noise moves all
    alike: each term's law is symmetric and falls from its middle, so no sum is moved farther than
    one whose weights are, in some order, no smaller.

    Args:
      length, size: of each sum's weights, the L2 norm and one not below the L1 norm.
      largest: not negative; in some order, no smaller than the sizes of any sum's weights.

    Raises:
      ValueError: if nothing is known of such noise.
    """
    match server:
        case NoisyMean(mechanism=Gaussian() as noise):
            return gaussian_reach(noise, chance - server.tv_distance, length, size)
        case AggregatedMean(noise=noise):
            return gaussian_reach(noise, chance - server.facts.tv_distance, length, size)
    own = tuple(largest[largest > 0].tolist())
    return np.full(np.shape(length), noise_reach(server, chance, own) if own else 0.0)


def moves_apart(server: Server) -> bool:
    """Whether `sums_reach` has a reach for each of several sums, and not one for all."""
    normal = isinstance(server, NoisyMean) and isinstance(server.mechanism, Gaussian)
    return normal or isinstance(server, AggregatedMean)


def _reach(server: Server, tails: list[Tail | None], chance: float) -> float:
    sources = [tail for tail in tails if tail is not None]
    left = chance - server.facts.tv_distance
    if not left > 0:
        return math.inf
    return sum(_least(tail, left / len(sources)) for tail in sources)


def _reports(plan: Plan) -> Tail | None:
    """The tail of what devices add, if they do."""
    match plan.device:
        case Identity() | NoiseSharing():
            return None
        case OnNumber(facts=ReportFacts(report_set=Interval() as reports, worst_error=variance)):
            lower, upper = _ends(plan.sums.contribution)
            farthest = max(reports.upper - lower, upper - reports.lower)
            return partial(_bennett, plan.sums.cohort, variance, farthest)
    raise ValueError(f"no interval is proved for reports of {type(plan.device).__name__}")


def _ends(number: Contribution) -> tuple[float, float]:
    match number:
        case Interval(lower=lower, upper=upper):
            return lower, upper
        case Grid(least=least, most=most, step=step):
            return least * step, most * step
    raise ValueError(f"no interval is proved for a {type(number).__name__}")


def _noise(server: Server, weights: tuple[float, ...]) -> Tail | None:
    """The tail of what the server adds, if it does."""
    match server:
        case PlainMean():
            return None
        case NoisyMean(mechanism=Gaussian() as noise) | AggregatedMean(noise=noise):
            return partial(_gaussian, noise.step, noise.sigma, math.hypot(*weights), _size(weights))
        case NoisyMean(mechanism=Laplace() as noise) if len(weights) <= 2:
            return partial(_laplace, noise.step, noise.noise.parameter, weights)
        case NoisyMean(mechanism=Laplace() as noise):
            return partial(_laplaces, noise, LaplaceSum.of(weights))
        case NoisyMean(mechanism=Staircase() as noise) if len(weights) == 1:
            return partial(_staircase, noise, abs(weights[0]))
    raise ValueError(f"no interval is proved for the noise of {type(server).__name__}")


def _gaussian(step: float, sigma: float, length: float, size: float, t: float) -> float:
    beyond = t - step * size / 2
    return math.erfc(beyond / (sigma * length * math.sqrt(2)))


def _laplace(step: float, rate: float, weights: tuple[float, ...], t: float) -> float:
    beyond = (t / step - _size(weights)) * rate
    if beyond <= 0:
        return 1.0
    b, a = sorted((abs(weights[0]), abs(weights[-1]) if len(weights) == 2 else 0.0))
    if b == 0:
        return math.exp(-beyond / a)
    if b > a * (1 - _ALIKE):
        return math.exp(-beyond / a) * (1 + beyond / (2 * a))
    tails = a**2 * math.exp(-beyond / a) - b**2 * math.exp(-beyond / b)
    return tails / (a**2 - b**2)


def _laplaces(noise: Laplace, weighted: LaplaceSum, t: float) -> float:
    return weighted.grid_tail(noise.noise.parameter, t / noise.step)


def _staircase(noise: Staircase, weight: float, t: float) -> float:
    steps, b = math.floor(t / (noise.step * weight)) + 1, math.exp(-noise.epsilon)
    total = 2 * noise.floor - 1 + 2 * noise.width * b / (1 - b)
    if steps <= noise.floor:
        return 1 - (2 * steps - 1) / total
    stair, place = divmod(steps - noise.floor, noise.width)
    own = (noise.width - place) * b ** (stair + 1)
    return 2 / total * (own + noise.width * b ** (stair + 2) / (1 - b))


def _bennett(people: float, variance: float, farthest: float, t: float) -> float:
    spread = people * variance
    x = farthest * t / spread
    return min(1.0, 2 * math.exp(-spread / farthest**2 * ((1 + x) * math.log1p(x) - x)))


def _size(weights: tuple[float, ...]) -> float:
    return math.fsum(map(abs, weights))


def _least(tail: Tail, chance: float) -> float:
    """The least t with a tail of at most this chance, a little above."""
    low, high = 0.0, 1.0
    while tail(high) > chance:
        low, high = high, 2 * high
    while tail(high / 2) <= chance and high > 2.0**-200:
        high /= 2
    low = high / 2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if tail(middle) <= chance else (middle, high)
    return high * _ROUNDING
