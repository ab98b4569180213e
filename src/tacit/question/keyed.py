"""Sums for keys that nobody declared: which keys there are is asked together with them.

Which keys turn up in a table is about people: a key that one person alone has would tell of them.
So a part of the promise goes to the choice of the keys that are released (`share` of epsilon, and
a quarter of delta), and the rest to the noise on their sums.
"""

from dataclasses import dataclass
from typing import final

from tacit.argument import counted, got, is_number, is_whole
from tacit.contribution.words import in_words
from tacit.question.participation import Everyone
from tacit.question.sums import Mean

# Of delta, for keys that are kept though their last person went.
DELTA_SHARE = 0.25


@final
@dataclass(frozen=True)
class Keyed:
    """The sums of each key that enough people have.

    Args:
      sums: what is summed, of `most` keys together, once, of everybody.
      most: how many keys are released, at most: of more, the first in the order of their names.
      keys: in how many of all keys one person is counted, at most.
      at_least: keys of fewer people are never released.
      share: of epsilon, for the choice of keys.
    """

    sums: Mean
    most: int
    keys: int
    at_least: int
    share: float

    of_means = False

    def __post_init__(self):
        if not (isinstance(self.sums, Mean) and self.sums.participation == Everyone()):
            raise ValueError(f"sums must be a Mean of Everyone(), got {got(self.sums)}")
        if not self.sums.rounds == 1:
            raise ValueError(f"keys are asked for in one round, got rounds={self.sums.rounds}")
        for name in ("most", "keys", "at_least"):
            value = getattr(self, name)
            if not (is_whole(value) and value >= 1):
                raise ValueError(f"{name} must be a whole number from 1, got {got(value)}")
            object.__setattr__(self, name, counted(value))
        if not (is_number(self.share) and 0 < self.share < 1):
            raise ValueError(f"share must be above 0 and below 1, got {got(self.share)}")

    @property
    def words(self) -> str:
        shape = in_words(self.sums.contribution)
        return f"keys that nobody declared, and for each of them sums of {shape}"
