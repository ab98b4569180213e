"""Means of a stream whose sums over rounds matter: their noise may cancel in these sums.

How far it may be correlated is for the participation to say: a person who reports again within the
rounds over which noise is correlated would be hidden by less of it.
"""

from dataclasses import dataclass
from typing import final

from tacit.argument import counted, got, is_whole
from tacit.contribution import Product
from tacit.contribution.words import in_words
from tacit.question.dropouts import whom_asks
from tacit.question.participation import Cyclic, Once
from tacit.question.sums import Mean, refuse_no_mean


@final
@dataclass(frozen=True)
class Running:
    """Means of a stream, for a learner who adds them up: noise is correlated and cancels in sums.

    What `Mean` with fresh noise in every round is to each answer, this is to all running sums. It
    is for gradient descent where cohorts cannot be secret, hence nothing is amplified.

    Args:
      sums: what is asked; nobody returns within `bands` rounds: `Once` or `Cyclic`, or whoever
        takes part if `bands` is one.
      bands: over how many rounds noise is correlated; one is independent noise.
    """

    sums: Mean
    bands: int

    of_means = True

    def __post_init__(self):
        refuse_no_mean(self.sums)
        object.__setattr__(self, "bands", counted(self.bands))
        if isinstance(self.sums.contribution, Product):
            raise ValueError("running sums are of one shape, got a Product")
        if not (is_whole(self.bands) and 1 <= self.bands <= self.separation):
            raise ValueError(
                f"bands must be from 1 to {self.separation}, the rounds after which somebody may "
                f"return, got {got(self.bands)}"
            )

    @property
    def words(self) -> str:
        return f"running sums of means of {in_words(self.sums.contribution)}"

    @property
    def separation(self) -> int:
        """After how many rounds a person may report again."""
        participation, rounds = whom_asks(self.sums.participation), self.sums.rounds
        if isinstance(participation, Cyclic):
            return participation.separation(rounds)
        return rounds if participation == Once() else 1
