"""What was released, in the language every accountant reads: events and their checks.

An event names a mechanism by the few numbers its privacy depends on. Where dp_accounting has the
event, it is theirs; what it lacks (shuffled passes, local reports, bounded-range selection, a
person with many records, a last iterate) is ours. Why constructors: dp_accounting drops a
composition silently when a noise multiplier is an `int` or a `numpy.float32`, so every number
passes here and becomes a Python float.

Noise multipliers are over the distance between two neighbouring sums (`relation`).
"""

import math
from collections.abc import Sequence

import attr

from tacit.argument import got, is_number, is_whole, refuse_negative, refuse_not_positive
from tacit.borrowed import (
    ComposedDpEvent,
    DiscreteLaplaceDpEvent,
    DpEvent,
    GaussianDpEvent,
    LaplaceDpEvent,
    PoissonSampledDpEvent,
    RandomizedResponseDpEvent,
    SampledWithoutReplacementDpEvent,
    SampledWithReplacementDpEvent,
    SelfComposedDpEvent,
    TruncatedSubsampledGaussianDpEvent,
    ZCDpEvent,
)

# Up to here floats hold every whole number.
_LARGEST_COUNT = 2**53
# A choice: no mechanism here has more than 2^20, and cells grow with the root.
_LARGEST_DIMENSION = 2**24
# Its exponential is a float; e^710 is none.
_LARGEST_LOCAL = 700


@attr.s(frozen=True, slots=True, auto_attribs=True)
class LocalDpEvent(DpEvent):
    """One report whose law changes by a factor of at most e^epsilon between neighbours."""

    epsilon: float


@attr.s(frozen=True, slots=True, auto_attribs=True)
class PrivUnitDpEvent(DpEvent):
    """One PrivUnit report: in the cap around its direction with probability `cap`."""

    epsilon: float
    cap: float


@attr.s(frozen=True, slots=True, auto_attribs=True)
class KNormDpEvent(DpEvent):
    """One answer with density proportional to e^(-epsilon norm), for any norm."""

    epsilon: float


@attr.s(frozen=True, slots=True, auto_attribs=True)
class EuclideanNormDpEvent(DpEvent):
    """One K-norm answer whose norm is Euclidean, in `dimension` dimensions."""

    epsilon: float
    dimension: int


@attr.s(frozen=True, slots=True, auto_attribs=True)
class ExponentialMechanismDpEvent(DpEvent):
    """One choice whose log-probabilities move within a range of epsilon ("bounded range")."""

    epsilon: float


@attr.s(frozen=True, slots=True, auto_attribs=True)
class PermuteAndFlipDpEvent(DpEvent):
    """One choice by permute-and-flip."""

    epsilon: float


@attr.s(frozen=True, slots=True, auto_attribs=True)
class SparseVectorDpEvent(DpEvent):
    """One run of a sparse-vector mechanism to its halt: all its answers, epsilon in total."""

    epsilon: float


@attr.s(frozen=True, slots=True, auto_attribs=True)
class DiscreteGaussianDpEvent(DpEvent):
    """One integer with discrete Gaussian noise of parameter sigma; it moves by `sensitivity`."""

    sigma: float
    sensitivity: int


@attr.s(frozen=True, slots=True, auto_attribs=True)
class EpsilonDeltaDpEvent(DpEvent):
    """Any release that is (epsilon, delta)-private, and of which no more is known."""

    epsilon: float
    delta: float


@attr.s(frozen=True, slots=True, auto_attribs=True)
class ShuffledDpEvent(DpEvent):
    """One pass in which `people` reports, each local_epsilon-DP, are in uniform secret order."""

    local_epsilon: float
    people: int


@attr.s(frozen=True, slots=True, auto_attribs=True)
class BlanketDpEvent(DpEvent):
    """One shuffled pass whose `people` all run the same randomiser, of this blanket mass."""

    local_epsilon: float
    blanket: float
    people: int


@attr.s(frozen=True, slots=True, auto_attribs=True)
class PoissonRecordsDpEvent(DpEvent):
    """`event` on Poisson-sampled records, of which one person holds at most `records`."""

    rate: float
    records: int
    event: DpEvent


@attr.s(frozen=True, slots=True, auto_attribs=True)
class GroupDpEvent(DpEvent):
    """`event`, seen by a group of `size` people who change together."""

    size: int
    event: DpEvent


@attr.s(frozen=True, slots=True, auto_attribs=True)
class LastIterateDpEvent(DpEvent):
    """The last of `steps` noisy contractive iterations; see `iteration` for what it requires."""

    steps: int
    contraction: float
    shift: float
    noise: float
    diameter: float | None


def gaussian(noise_multiplier: float) -> GaussianDpEvent:
    """One sum with Gaussian noise; the multiplier is over the L2 distance between neighbours."""
    return GaussianDpEvent(_positive("noise_multiplier", noise_multiplier))


def laplace(noise_multiplier: float) -> LaplaceDpEvent:
    """One number with Laplace noise; the multiplier is its scale over the neighbours' distance."""
    return LaplaceDpEvent(_positive("noise_multiplier", noise_multiplier))


def discrete_laplace(noise_parameter: float, sensitivity: int) -> DiscreteLaplaceDpEvent:
    """One integer plus noise k with probability proportional to e^(-noise_parameter |k|)."""
    parameter = _positive("noise_parameter", noise_parameter)
    return DiscreteLaplaceDpEvent(parameter, _count("sensitivity", sensitivity))


def discrete_gaussian(sigma: float, sensitivity: int) -> DiscreteGaussianDpEvent:
    """One integer plus noise k with probability proportional to e^(-k^2 / 2 sigma^2)."""
    return DiscreteGaussianDpEvent(_positive("sigma", sigma), _count("sensitivity", sensitivity))


def k_norm(epsilon: float) -> KNormDpEvent:
    """One vector with K-norm noise of any norm: pure epsilon."""
    return KNormDpEvent(_positive("epsilon", epsilon))


def euclidean_norm(epsilon: float, dimension: int) -> EuclideanNormDpEvent:
    """One vector whose noise has density proportional to e^(-epsilon ||noise||_2)."""
    if not (is_whole(dimension) and 1 <= dimension <= _LARGEST_DIMENSION):
        raise ValueError(f"dimension must be a whole number from 1 to 2^24, got {got(dimension)}")
    return EuclideanNormDpEvent(_positive("epsilon", epsilon), int(dimension))


def exponential_mechanism(epsilon: float) -> ExponentialMechanismDpEvent:
    """One choice with probabilities proportional to e^(epsilon score / 2 sensitivity)."""
    return ExponentialMechanismDpEvent(_positive("epsilon", epsilon))


def permute_and_flip(epsilon: float) -> PermuteAndFlipDpEvent:
    """One choice by permute-and-flip, or by noisy maximum with exponential noise."""
    return PermuteAndFlipDpEvent(_positive("epsilon", epsilon))


def sparse_vector(epsilon: float) -> SparseVectorDpEvent:
    """One sparse-vector run, thresholds and answers together."""
    return SparseVectorDpEvent(_positive("epsilon", epsilon))


def randomized_response(noise_parameter: float, categories: int) -> RandomizedResponseDpEvent:
    """One of `categories` values, with chance `noise_parameter` drawn anew, evenly from all.

    Of the report that keeps epsilon it is `categories` / (e^epsilon + `categories` - 1).
    """
    if not (is_number(noise_parameter) and 0 < noise_parameter <= 1):
        raise ValueError(f"noise_parameter must be in (0, 1], got {got(noise_parameter)}")
    buckets = _count("categories", categories)
    if buckets < 2:
        raise ValueError(f"categories must be at least 2, got {categories}")
    return RandomizedResponseDpEvent(float(noise_parameter), buckets)


def epsilon_delta(epsilon: float, delta: float) -> EpsilonDeltaDpEvent:
    """Any (epsilon, delta)-private release."""
    if not (is_number(delta) and 0 <= delta < 1):
        raise ValueError(f"delta must be in [0, 1), got {got(delta)}")
    return EpsilonDeltaDpEvent(_positive("epsilon", epsilon), float(delta))


def zcdp(rho: float, xi: float = 0.0) -> ZCDpEvent:
    """Any release whose Renyi divergence of every order a is at most xi + a rho."""
    refuse_negative("xi", xi)
    return ZCDpEvent(_positive("rho", rho), float(xi))


def local(epsilon: float) -> LocalDpEvent:
    """One epsilon-locally-private report of one person."""
    return LocalDpEvent(_positive("epsilon", epsilon))


def priv_unit(epsilon: float, cap: float) -> PrivUnitDpEvent:
    """One PrivUnit report; `cap` is the probability of the cap around the true direction."""
    epsilon = _positive("epsilon", epsilon)
    if not (is_number(cap) and 0.5 <= cap < 1):
        raise ValueError(f"cap must be in [0.5, 1), got {got(cap)}")
    if not cap * math.exp(-epsilon) <= 1 - cap:
        raise ValueError(f"cap must be at most e^epsilon / (1 + e^epsilon), got {cap}")
    return PrivUnitDpEvent(epsilon, float(cap))


def shuffled(local_epsilon: float, people: int) -> ShuffledDpEvent:
    """One shuffled pass over `people` reports, each local_epsilon-DP."""
    return ShuffledDpEvent(_local(local_epsilon), _count("people", people))


def blanket(local_epsilon: float, blanket: float, people: int) -> BlanketDpEvent:
    """One shuffled pass of one randomiser, the same for all `people`.

    `blanket` is the mass of the part of a report that does not depend on the person: the integral
    over reports of the least density any person gives them; or any lower bound on it of at least
    2 / (e^local_epsilon + 1), which every such randomiser may be given.
    """
    local_epsilon = _local(local_epsilon)
    least = 2 / (1 + math.exp(-local_epsilon)) * math.exp(-local_epsilon)
    if not (is_number(blanket) and least * (1 - 1e-12) <= blanket <= 1):
        raise ValueError(f"blanket must be in [2 / (e^local_epsilon + 1), 1], got {got(blanket)}")
    return BlanketDpEvent(local_epsilon, float(blanket), _count("people", people))


def poisson(rate: float, event: DpEvent) -> DpEvent:
    """`event` on a cohort each person joins independently and secretly with probability `rate`."""
    return PoissonSampledDpEvent(_rate(rate), _event(event))


def poisson_records(rate: float, records: int, event: DpEvent) -> DpEvent:
    """`event` on records drawn independently with probability `rate`, `records` a person."""
    return PoissonRecordsDpEvent(_rate(rate), _count("records", records), _event(event))


def truncated_poisson(
    people: int, rate: float, capacity: int, noise_multiplier: float
) -> TruncatedSubsampledGaussianDpEvent:
    """A Gaussian sum over a Poisson cohort, cut at random to `capacity` when it is larger.

    Args:
      people: in the larger of the two neighbours, the one that has the person in it.
    """
    sizes = _count("people", people), _rate(rate), _count("capacity", capacity)
    multiplier = _positive("noise_multiplier", noise_multiplier)
    return TruncatedSubsampledGaussianDpEvent(*sizes, multiplier)


def without_replacement(people: int, sample: int, event: DpEvent) -> DpEvent:
    """`event` on a secret uniform subset of exactly `sample` of `people` people."""
    people, sample = _count("people", people), _count("sample", sample)
    if sample > people:
        raise ValueError(f"sample must be at most people = {people}, got {sample}")
    return SampledWithoutReplacementDpEvent(people, sample, _event(event))


def with_replacement(people: int, draws: int, event: DpEvent) -> DpEvent:
    """`event` on `draws` secret uniform draws out of `people` people; one may be drawn twice."""
    people, draws = _count("people", people), _count("draws", draws)
    return SampledWithReplacementDpEvent(people, draws, _event(event))


def group(size: int, event: DpEvent) -> DpEvent:
    """`event`, for `size` people who change together."""
    return GroupDpEvent(_count("size", size), _event(event))


def last_iterate(
    steps: int, contraction: float, shift: float, noise: float, diameter: float | None
) -> LastIterateDpEvent:
    """The last iterate of `steps` noisy steps, each contracting distances to a fraction.

    Args:
      contraction: every step's Lipschitz constant, in (0, 1].
      shift: how far one step of the two neighbours may send one point apart.
      noise: the standard deviation of each step's noise, per coordinate.
      diameter: of the set every iterate is projected to; None without one.
    """
    if not (is_number(contraction) and 0 < contraction <= 1):
        raise ValueError(f"contraction must be in (0, 1], got {got(contraction)}")
    across = None if diameter is None else _positive("diameter", diameter)
    lengths = _positive("shift", shift), _positive("noise", noise), across
    return LastIterateDpEvent(_count("steps", steps), float(contraction), *lengths)


def repeated(event: DpEvent, count: int) -> SelfComposedDpEvent:
    """`event` released `count` times, each time chosen with the earlier answers in view."""
    return SelfComposedDpEvent(_event(event), _count("count", count))


def composed(events: Sequence[DpEvent]) -> ComposedDpEvent:
    """All of `events`, each chosen with the earlier answers in view."""
    if isinstance(events, str) or not isinstance(events, Sequence) or not events:
        raise ValueError(f"events must be a list of at least one event, got {got(events)}")
    return ComposedDpEvent([_event(event) for event in events])


def _positive(name: str, value: float) -> float:
    refuse_not_positive(name, value)
    return float(value)


def _local(value: float) -> float:
    # Beyond this e^epsilon is no float, and nothing is hidden anyway.
    if not _positive("local_epsilon", value) <= _LARGEST_LOCAL:
        raise ValueError(f"local_epsilon must be at most {_LARGEST_LOCAL}, got {got(value)}")
    return float(value)


def _rate(value: float) -> float:
    if not (is_number(value) and 0 < value <= 1):
        raise ValueError(f"rate must be in (0, 1], got {got(value)}")
    return float(value)


def _count(name: str, value: int) -> int:
    if not (is_whole(value) and 1 <= value <= _LARGEST_COUNT):
        raise ValueError(f"{name} must be a whole number from 1 to 2^53, got {got(value)}")
    return int(value)


def _event(value: DpEvent) -> DpEvent:
    if not isinstance(value, DpEvent):
        raise ValueError(f"an event must be made of events, got {got(value)}")
    return value
