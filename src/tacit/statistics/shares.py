"""What noise a round has that gets a share of a promise, before any plan of such rounds is made.

Of a question of uneven rounds, Gaussian noise grows with the root of 1/share, and pure noise with
1/share itself (`question.uneven`); two plans tell which it is, and how large.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self, final

from tacit.facts import stated
from tacit.plan import Plan


@final
@dataclass(frozen=True)
class ShareNoise:
    """The deviation of noise, by share.

    Args:
      whole: with all of the promise.
      power: how it grows with 1/share.
    """

    whole: float
    power: float

    @property
    def pure(self) -> bool:
        """Whether it is that of a promise without a delta."""
        return self.power > 0.75

    @classmethod
    def of(cls, plan: Callable[[tuple[float, ...]], Plan], numbers: float) -> Self:
        """That of rounds whose plans are made by `plan` from their shares.

        Args:
          numbers: how many times the variance of one number an answer's error is.
        """
        errors = (stated(plan(shares).error) for shares in ((1.0,), (0.5, 0.5)))
        whole, half = (math.sqrt(error / numbers) for error in errors)
        return cls(whole, math.log2(half / whole) if whole > 0 else 0.0)

    def at(self, shares: tuple[float, ...]) -> tuple[float, ...]:
        """Of rounds with these shares."""
        return tuple(self.whole * share**-self.power for share in shares)
