"""A labeling of a line drawn by the exponential mechanism from all of a class.

u(f) is how many people labeling f labels right; f is drawn with probability proportional to
e^(a u(f)), exactly and over all of them (`line_law` sums them without a list).

**Privacy, far labelings, error**: as of trees, so `tree_choice` has the proof, with N labelings.
What is not drawn by the law is a uniform one, drawn as if there were nobody. In short: one person
more moves every u by 0 or 1, so a = epsilon; one person changed by 1 at most, up or down, so
2 a = epsilon.

**Distance.**

1. A labeling's chance is a product of as many shares as there are points, at most 2^12, each with
   one power, right within 2^-35, and a sum of at most 2^6 terms; every sum is within 2^-23 for the
   same reason, and the whole within 2^-21.
2. Two data sets cost 2 (2^-20 + 2^-21), below 2^-16 = `SPARE`, which epsilon contains.
3. What a walk is below the best is the sum of what its steps are, so no power on its way is smaller
   than its own; and N is below 2^600, which step 2 of `tree_choice` asks for.

References:
    Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith 2011, "What can we learn privately?"
    (Section 3: learners by the exponential mechanism).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from jaxtyping import Float, PRNGKeyArray

from tacit.argument import keep_pythons, refuse_not_counted
from tacit.mechanisms.rows.line_labelings import Labelings
from tacit.mechanisms.rows.line_law import LineLaw, counted_along
from tacit.mechanisms.rows.tree_choice import is_far, rate_for, refuse_no_terms, short_of
from tacit.noise.exact import stream


@final
@dataclass(frozen=True)
class LineChoice:
    """A labeling that is right about nearly the most people.

    **Guarantee**: pure `epsilon`-differential privacy of the labeling, for one person more or less
    if `moved` is 1, and for one person changed if it is 2; all rounding included.

    **Error**: `shortfall(chance)`, in people labelled right.

    | people | effect |
    | --- | --- |
    | without a point or a label | not counted |
    | nobody | every labeling is equally likely |
    | labelings that are right about as many | equally likely |
    | a piece without anybody | ends anywhere, equally likely |

    Args:
      labelings: the class, of at most 4,096 points and 64 states.
      epsilon: from 0.01 to 1000.
      moved: by how many steps of a score two neighbours' chances may differ.
      labels: how many there are.
    """

    labelings: Labelings
    epsilon: float
    moved: int
    labels: int = 2

    def __post_init__(self):
        keep_pythons(self, "epsilon", "moved", "labels")
        refuse_no_terms(self.epsilon, self.moved)
        refuse_not_counted("labels", self.labels, 2)

    @cached_property
    def law(self) -> LineLaw:
        """The law that labelings are drawn from, but for uniform ones."""
        return LineLaw(self.labelings, rate_for(self.epsilon, self.moved))

    def sample(
        self, key: PRNGKeyArray, rows: Float[np.ndarray, "people 2"]
    ) -> Float[np.ndarray, " numbers"]:
        """Where its pieces begin, and then their labels.

        Args:
          key: The randomness.
          rows: Each person's point and label, whole numbers from 0; negative without one.
        """
        words = stream(key)
        counts = counted_along(rows, self.labelings.points, self.labels)
        sums = self.law.sums(counts)
        if is_far(words, self.law.weights.summed(self.law.firsts(sums))):
            sums = self.law.sums(np.zeros_like(counts))
        return np.array(self.law.draw(words, sums), float)

    def shortfall(self, chance: float) -> float:
        """How many more people the best is right about, at most, but for this chance."""
        return short_of(self.labelings.concepts, self.law.rate, chance)
