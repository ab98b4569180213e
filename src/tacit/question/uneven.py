"""Means whose rounds are not worth the same: each has a share of the noise's budget of its own.

A learner that goes from a rough answer to a fine one (find the people, then measure them) wants
nearly everything for its last round. If round t has the share w_t, and the shares add up to one,
then

* Gaussian noise of multiplier z / sqrt(w_t) in round t makes all rounds together one Gaussian
  release of multiplier z: in units of each round's own noise a person moves the answers by
  sqrt(w_1 + w_2 + ...) / z = 1/z, also where a round is asked for what came out before;
* pure noise of epsilon w_t in round t adds up to epsilon.

So what is promised does not depend on the shares, and even ones are `Mean`.
"""

import math
from dataclasses import dataclass
from typing import final

from tacit.argument import got, is_number
from tacit.contribution import Product
from tacit.contribution.words import in_words
from tacit.question.participation import Everyone
from tacit.question.sums import Mean, refuse_no_mean

# Of the largest share: of less, no grid holds the noise beside that of the others.
LEAST_PART = 1e-12


@final
@dataclass(frozen=True)
class Uneven:
    """Means of everybody, in rounds that have different shares of the promise.

    Args:
      sums: what is asked, of `Everyone()`, in a shape that is no `Product`.
      shares: one for each round, positive, none below 1e-12 of the largest; they are divided by
        their sum.
    """

    sums: Mean
    shares: tuple[float, ...]

    of_means = True

    def __post_init__(self):
        refuse_no_mean(self.sums)
        if self.sums.participation != Everyone():
            raise ValueError(
                "rounds of uneven shares ask Everyone(), got "
                f"{type(self.sums.participation).__name__}"
            )
        if isinstance(self.sums.contribution, Product):
            raise ValueError("rounds of uneven shares are of one shape, got a Product")
        object.__setattr__(self, "shares", _shares(self.shares, self.sums.rounds))

    @property
    def words(self) -> str:
        shares = ", ".join(f"{share:.3g}" for share in self.shares)
        return f"means of shares {shares} of {in_words(self.sums.contribution)}"


def _shares(given: tuple[float, ...], rounds: int) -> tuple[float, ...]:
    several = isinstance(given, tuple | list) and len(given) == rounds
    if not (several and all(is_number(share) and 0 < share < math.inf for share in given)):
        raise ValueError(
            f"shares must be {rounds} positive numbers, one for each round, got {got(given)}"
        )
    # By a power of two, which rounds nothing: so that no sum overflows.
    _, power = math.frexp(max(given))
    parts = [math.ldexp(share, -power) for share in given]
    if not min(parts) >= LEAST_PART * max(parts):
        raise ValueError(
            f"no share may be below {LEAST_PART:g} of the largest, got {got(min(given))} and "
            f"{got(max(given))}"
        )
    whole = math.fsum(parts)
    return tuple(part / whole for part in parts)
