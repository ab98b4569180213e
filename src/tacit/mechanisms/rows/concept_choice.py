"""One concept of a class, chosen by how many people it labels right: PAC learning, pure epsilon.

**Sensitivity.** One person more is right or wrong about them under each concept, so every score
grows by 0 or 1. All scores less half the number of people move by 1/2, and their differences are
the same: for one person more or less the sensitivity is 1/2. One person changed moves scores by 1.

**Error.** What is chosen is right about as many people as the best, but for (2 D/epsilon)
ln(N/chance) of them: D the sensitivity, N concepts. What that says of the law that people are drawn
from is in `tacit.pac.sample_sizes`.

References:
    Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith 2011, "What can we learn privately?"
    (Theorem 3.4).
    McKenna and Sheldon 2020, "Permute-and-flip".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import final

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, PRNGKeyArray

from tacit.argument import keep_pythons
from tacit.mechanisms.rows.concept_scores import ScoredConcepts
from tacit.mechanisms.selection.permute_and_flip import PermuteAndFlip


@final
@dataclass(frozen=True)
class ConceptChoice:
    """A concept that is right about nearly the most people, chosen by `PermuteAndFlip`.

    **Guarantee**: pure `epsilon`-differential privacy of the concept, in the relation in which no
    score moves by more than `sensitivity` from what all have in common; all rounding included.

    **Error**: `shortfall(chance)`, in people labelled right.

    | people | effect |
    | --- | --- |
    | without a label | not counted |
    | nobody | every concept is equally likely |
    | concepts that are right about as many | equally likely |

    Args:
      scored: the class.
      epsilon: from 0.01 to 1000.
      sensitivity: 1/2 for one person more or less, 1 for one person changed.
    """

    scored: ScoredConcepts
    epsilon: float
    sensitivity: float

    def __post_init__(self):
        keep_pythons(self, "epsilon", "sensitivity")
        _ = self.choice

    @cached_property
    def choice(self) -> PermuteAndFlip:
        """What compares scores."""
        return PermuteAndFlip(self.epsilon, self.sensitivity)

    def sample(
        self, key: PRNGKeyArray, rows: Float[np.ndarray, "people numbers"]
    ) -> Float[np.ndarray, " numbers"]:
        """What tells the concept.

        Args:
          key: The randomness.
          rows: Each person's bits, and after them their label, negative where they have none.
        """
        scores, grid = self.scored.scores(rows), self.choice.grid
        below = (scores.max() - scores) * int(grid.per_step)
        kept = np.minimum(below, int(grid.reach)).astype(np.int32)
        number = int(self.choice.sample_distances(key, jnp.asarray(kept)))
        return np.array(self.scored.answer(number), float)

    def shortfall(self, chance: float) -> float:
        """How many more people the best concept is right about, at most, but for this chance."""
        return self.choice.shortfall(self.scored.concepts, 1, math.log(1 / chance))
