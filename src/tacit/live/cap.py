"""A cap: how much of its owner's privacy a device spends in any stretch of time, whoever asks.

Pure budgets add up exactly. So all that a device sends in any stretch of `days`, to whatever
servers, is epsilon-private with the sum of its reports' own epsilons, and that is at most the
cap's. What samplers are off their laws by adds up to p, and takes (1 + e^epsilon) p of delta, at
the cap's own epsilon (`accounting.reserve`): that has a cap too.
"""

import math
import re
from dataclasses import dataclass
from typing import Self, final

from tacit.argument import got, is_number, refuse_not_positive

_STRETCHES = {"day": 1.0, "week": 7.0, "month": 30.0, "year": 365.0}
_WORDS = re.compile(r"epsilon ([0-9.e+-]+) (?:a|per) (day|week|month|year)")


@final
@dataclass(frozen=True)
class Cap:
    """At most so much in any stretch of so many days.

    Args:
      epsilon: of all reports of a stretch together.
      days: how long a stretch is.
      delta: of all reports of a stretch together.

    Raises:
      ValueError: if a number is not positive and finite, or the delta not below one.
    """

    epsilon: float
    days: float
    delta: float = 1e-9

    def __post_init__(self):
        refuse_not_positive("epsilon", self.epsilon)
        refuse_not_positive("days", self.days)
        if not (is_number(self.delta) and 0 <= self.delta < 1):
            raise ValueError(f"delta must be at least 0 and below 1, got {got(self.delta)}")

    @classmethod
    def read(cls, words: str) -> Self:
        """A cap in words: "epsilon 50 a week", of a day, week, month (30 days) or year.

        Raises:
          ValueError: if these are no such words.
        """
        found = _WORDS.fullmatch(words.strip()) if isinstance(words, str) else None
        try:
            epsilon = float(found[1]) if found else math.nan
        except ValueError:
            epsilon = math.nan
        if found is None or not 0 < epsilon < math.inf:
            raise ValueError(
                f'a cap is "epsilon 50 a week", or so much a day, month or year, got {words!r}'
            )
        return cls(epsilon, _STRETCHES[found[2]])

    def __str__(self) -> str:
        return f"epsilon {self.epsilon:g} in any {self.days:g} days"
