"""The exponential mechanism of the host, for whole scores: one of N, in proportion to e^(a score).

Its scores have any size, and its epsilon may be as small as many choices of one promise take.

**Privacy.**

1. One person moves each score by D at most, so each e^(a score) by a factor of at most e^(a D), and
   their sum too: a chance by e^(2 a D) at most. a = (epsilon - 2^-32) / 2D, rounded down.
2. Weights are of the distance d below the highest score, e^(-a d), which are in the same
   proportions. Far ones are cut where a d = 500: u becomes max(u, max u - reach), which moves by D
   as well.
3. d is exact, a d right within 2^-44, and its exponential within 2^-50 relatively: weights are
   within a factor of e^(2^-40). Draws are exact in these proportions (`noise.host_choice`).
4. So a chance, a weight over a sum, is within e^(2^-39), and two data sets within e^(2^-38) of one
   another more than in step 1, which the 2^-32 contain.

**Error.** Candidates whose score is k below the highest have at most N e^(-a k) of its chance.

References:
    McSherry and Talwar 2007, "Mechanism design via differential privacy".
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np
from jaxtyping import Float64, Int64

from tacit.argument import got, is_number, is_whole, keep_pythons, refuse_not_counted
from tacit.noise.host_choice import chosen

# Above the 2^-38 of step 4, and far below the least epsilon.
SPARE = 2.0**-32
LEAST_EPSILON, MOST_EPSILON = 2.0**-16, 1000.0
# Step 2: its exponential, 2^-722, is a float with all its digits.
_DEEPEST = 500.0

Scores = Int64[np.ndarray, " candidates"]


class Chooser(Protocol):
    """Chooses one of several candidates by whole scores."""

    def sample(self, words: Iterator[int], scores: Scores) -> int:
        """The number of the candidate chosen."""
        ...

    def shortfall(self, candidates: int, chance: float) -> float:
        """How far the chosen score is below the highest, at most, but for this chance."""
        ...


@final
@dataclass(frozen=True)
class Highest:
    """The first candidate of the highest score. **Guarantee**: none."""

    def sample(self, words: Iterator[int], scores: Scores) -> int:
        del words
        return int(np.argmax(scores))

    def shortfall(self, candidates: int, chance: float) -> float:
        del candidates, chance
        return 0.0


@final
@dataclass(frozen=True)
class WholeScores:
    """Chooses one of several candidates, of nearly the highest score.

    **Guarantee**: pure `epsilon`-differential privacy of the choice, where one person moves each
    score by `sensitivity` at most; of bounded range, so `events.exponential_mechanism`.

    **Error**: `shortfall(candidates, chance)`, in units of the scores.

    | scores | effect |
    | --- | --- |
    | all equal | each candidate is equally likely |
    | e^-500 times as likely, or less | as e^-500 |

    Args:
      epsilon: From 2^-16 to 1000.
      sensitivity: A whole number of at least 1.
    """

    epsilon: float
    sensitivity: int

    def __post_init__(self):
        keep_pythons(self, "epsilon", "sensitivity")
        if not (is_number(self.epsilon) and LEAST_EPSILON <= self.epsilon <= MOST_EPSILON):
            raise ValueError(f"epsilon must be between 2^-16 and 1000, got {got(self.epsilon)}")
        if not (is_whole(self.sensitivity) and 1 <= self.sensitivity <= 2**30):
            raise ValueError(
                f"sensitivity must be a whole number from 1 to 2^30, got {got(self.sensitivity)}"
            )

    @property
    def rate(self) -> float:
        """a of step 1."""
        return (self.epsilon - SPARE) / (2 * self.sensitivity) * (1 - 2.0**-50)

    def weights(self, scores: Scores) -> Float64[np.ndarray, " candidates"]:
        """What chances are in proportion to."""
        reach = math.floor(_DEEPEST / self.rate)
        return np.exp(-self.rate * np.minimum(scores.max() - scores, reach))

    def sample(self, words: Iterator[int], scores: Scores) -> int:
        """The number of the candidate chosen.

        Args:
          words: Uniform 64-bit words, as `tacit.noise.exact.stream` gives them.
          scores: Below 2^53 in size.
        """
        return chosen(words, self.weights(scores))

    def shortfall(self, candidates: int, chance: float) -> float:
        """How far the chosen score is below the highest, at most, but for this chance.

        Raises:
          ValueError: if the chance is not below 1, or too small for anything to be known.
        """
        refuse_not_counted("candidates", candidates)
        if not (is_number(chance) and math.exp(-_DEEPEST) * candidates < chance < 1):
            raise ValueError(
                f"chance must be above {candidates} e^-500 and below 1, got {got(chance)}"
            )
        return math.log(candidates / chance) / self.rate
