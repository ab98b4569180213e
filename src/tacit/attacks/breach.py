"""How often an onlooker reconstructed what somebody sent: a rate, with what it proves.

A *breach* is a guess within a tolerance of its target. Target and guess are taken at length one:
what a device sends shows a direction, and a picture is the same picture in other light. The
distance of two directions is sqrt(2 - 2 cosine), between 0 and 2; a guess of zero has sqrt 2, what
every guess has of a direction at right angles.

A rate of so many breaches is a draw from a binomial law, and its limits are the exact ones of
Clopper and Pearson: each is on the wrong side of the true rate with probability (1 - confidence)/2
at most. A theorem's bound on the true rate is refuted by a lower limit above it.

References:
    Bhowmick, Duchi, Freudiger, Kapoor, Rogers (2018), "Protection against reconstruction and its
    applications in private federated learning", Definition 2.3 and equation (8).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import ArrayLike, Float

from tacit.argument import got, is_number, is_whole
from tacit.statistics.chance_limits import lower_limit, upper_limit


def distances(targets: ArrayLike, guesses: ArrayLike) -> Float[np.ndarray, " people"]:
    """Of each target from its guess, both at length one.

    | target or guess | distance |
    | --- | --- |
    | zero | sqrt 2 |
    | NaN or infinite somewhere | infinite |

    Raises:
      ValueError: if there is not one guess, of the target's shape, for each target.
    """
    one, other = np.asarray(targets, np.float64), np.asarray(guesses, np.float64)
    if one.shape != other.shape or one.ndim < 2:
        raise ValueError(
            f"each of the targets must have a guess of its shape, got {one.shape} and {other.shape}"
        )
    cosines = np.sum(_units(one) * _units(other), axis=1)
    return np.where(np.isnan(cosines), np.inf, np.sqrt(2 * np.maximum(1 - cosines, 0.0)))


@final
@dataclass(frozen=True)
class BreachRate:
    """`breaches` of so many `people`; `low` and `high` enclose the true rate at `confidence`."""

    breaches: int
    people: int
    confidence: float = 0.95

    def __post_init__(self):
        for name, least in (("people", 1), ("breaches", 0)):
            value = getattr(self, name)
            if not (is_whole(value) and value >= least):
                raise ValueError(f"{name} must be a whole number from {least} on, got {got(value)}")
        if not self.breaches <= self.people:
            raise ValueError(f"there are at most {self.people} breaches, got {self.breaches}")
        if not (is_number(self.confidence) and 0 < self.confidence < 1):
            raise ValueError(f"confidence must be in (0, 1), got {got(self.confidence)}")

    @property
    def share(self) -> float:
        return self.breaches / self.people

    @property
    def low(self) -> float:
        return float(lower_limit(self.breaches, self.people, (1 - self.confidence) / 2))

    @property
    def high(self) -> float:
        return float(upper_limit(self.breaches, self.people, (1 - self.confidence) / 2))

    def __str__(self) -> str:
        return f"{self.share:.1%} [{self.low:.1%}, {self.high:.1%}]"


def breach_rate(found: ArrayLike, tolerance: float, confidence: float = 0.95) -> BreachRate:
    """How many of these distances are within the tolerance."""
    losses = np.asarray(found)
    if losses.ndim != 1:
        raise ValueError(f"there must be one distance for each person, got shape {losses.shape}")
    if not (is_number(tolerance) and tolerance >= 0):
        raise ValueError(f"tolerance must be at least zero, got {got(tolerance)}")
    return BreachRate(int(np.count_nonzero(losses <= tolerance)), losses.size, confidence)


def _units(rows: Float[np.ndarray, "people ..."]) -> Float[np.ndarray, "people dim"]:
    """Each at length one; zero stays zero, and what is not finite is NaN."""
    flat = rows.reshape(len(rows), -1)
    flat = np.where(np.isfinite(flat).all(axis=1, keepdims=True), flat, np.nan)
    largest = np.abs(flat).max(axis=1, keepdims=True)
    scaled = flat / np.where(largest == 0, 1.0, largest)
    norms = np.linalg.norm(scaled, axis=1, keepdims=True)
    return scaled / np.where(norms == 0, 1.0, norms)
