"""A cap: how much of its owner's privacy a device spends in any stretch of time, whoever asks.

Pure budgets add up exactly. So all that a device sends in any stretch of `days`, to whatever
servers, is epsilon-private with the sum of its reports' own epsilons, and that is at most the
cap's. What samplers are off their laws by adds up, and takes its reserve at the cap's own epsilon
out of delta (`accounting.reserve`): that has a cap too.
"""

import re
from dataclasses import dataclass
from typing import Self, final

from tacit.argument import got, is_number, refuse_not_positive

# What a pure promise may have for its samplers (`accounting.reserve`).
_DELTA = 1e-9
_STRETCHES = {"day": 1.0, "week": 7.0, "month": 30.0, "year": 365.0}
# What is no number is heard as one, to be told of it.
_NUMBER = "([0-9.e+-]+|[+-]?(?i:nan|inf))"
_WORDS = re.compile(rf"epsilon {_NUMBER}(?: and delta {_NUMBER})? (?:a|per) (day|week|month|year)")
_LIKE = '"epsilon 50 a week"'
_FORM = f'{_LIKE} or "epsilon 4 and delta 1e-5 a week", or so much a day, month or year'


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
    delta: float = _DELTA

    def __post_init__(self):
        refuse_not_positive("epsilon", self.epsilon)
        refuse_not_positive("days", self.days)
        if not (is_number(self.delta) and 0 <= self.delta < 1):
            raise ValueError(f"delta must be at least 0 and below 1, got {got(self.delta)}")

    @classmethod
    def read(cls, words: str) -> Self:
        """A cap in words: "epsilon 50 a week", of a day, week, month (30 days) or year; and of
        reports in sums under masks, which have a delta, "epsilon 4 and delta 1e-5 a week".

        Raises:
          ValueError: if these are no such words, or a number in them is not allowed.
        """
        numbers = _numbers(words)
        if numbers is None:
            raise ValueError(f"a cap is {_FORM}, got {words!r}")
        try:
            return cls(**numbers)
        except ValueError as error:
            raise ValueError(f"a cap is like {_LIKE}, and its {error}") from None

    def __str__(self) -> str:
        # Both, also where nobody said a delta: it may be what is short.
        return f"epsilon {self.epsilon:g} and delta {self.delta:g} in any {self.days:g} days"


def _numbers(words: str) -> dict[str, float] | None:
    """What these words say of a cap, or None if they are in no such order."""
    found = _WORDS.fullmatch(words.strip()) if isinstance(words, str) else None
    if found is None:
        return None
    epsilon, delta, stretch = found.groups()
    said = {"epsilon": epsilon} if delta is None else {"epsilon": epsilon, "delta": delta}
    try:
        numbers = {name: float(number) for name, number in said.items()}
    except ValueError:
        return None
    return {**numbers, "days": _STRETCHES[stretch]}
