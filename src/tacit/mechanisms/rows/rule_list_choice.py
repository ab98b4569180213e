"""A decision list drawn by the exponential mechanism from all that there are.

u(l) is how many people list l labels right; l is drawn with probability proportional to e^(a u(l)),
exactly and over all lists (`rule_list_law` sums them without a list of them).

The scores, weights and roundings are those of trees, so `tree_choice` has the proof, word for word
but for this: a list's chance is a product of 7 shares at most, N is the number of lists, and sums
are over 2 d rules. In short: one person more moves every u by 0 or 1, so a = epsilon; one person
changed by 1 at most, up or down, so 2 a = epsilon.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from jaxtyping import Float, PRNGKeyArray

from tacit.argument import keep_pythons, refuse_not_counted
from tacit.mechanisms.rows.rule_list_law import RuleListLaw
from tacit.mechanisms.rows.tree_choice import (
    by_label,
    is_far,
    rate_for,
    refuse_no_terms,
    short_of,
)
from tacit.noise.exact import stream
from tacit.noise.host_choice import below


@final
@dataclass(frozen=True)
class RuleListChoice:
    """A list of `length` rules about `dim` bits that is right about nearly the most people.

    **Guarantee**: pure `epsilon`-differential privacy of the list, for one person more or less if
    `moved` is 1, and for one person changed if it is 2; all rounding included.

    **Error**: `shortfall(chance)`, in people labelled right.

    | people | effect |
    | --- | --- |
    | without a label | not counted |
    | nobody | every list is equally likely |
    | lists that label everybody alike | equally likely |
    | a rule that is for nobody | any label is as likely there |

    Args:
      dim: d.
      length: L, from 1 to 3.
      epsilon: from 0.01 to 1000.
      moved: by how many steps of a score two neighbours' chances may differ.
      labels: how many there are.
    """

    dim: int
    length: int
    epsilon: float
    moved: int
    labels: int = 2

    def __post_init__(self):
        keep_pythons(self, "dim", "length", "epsilon", "moved", "labels")
        refuse_no_terms(self.epsilon, self.moved)
        refuse_not_counted("dim", self.dim)
        refuse_not_counted("labels", self.labels, 2)
        _ = self.law

    @cached_property
    def law(self) -> RuleListLaw:
        """The law that lists are drawn from, but for uniform ones."""
        return RuleListLaw(self.length, rate_for(self.epsilon, self.moved))

    def sample(
        self, key: PRNGKeyArray, rows: Float[np.ndarray, "people numbers"]
    ) -> Float[np.ndarray, " numbers"]:
        """Its rules, 2 i + v where bit i must be v, then their labels, and that of the rest.

        Args:
          key: The randomness.
          rows: Each person's `dim` bits, and after them their label, a whole number from 0;
            negative without one.
        """
        words, people = stream(key), by_label(rows, self.labels)
        roots = self.law.roots(people)
        if is_far(words, self.law.weights.summed(roots)):
            rules = [below(words, 2 * self.dim) for _ in range(self.length)]
            labels = [below(words, self.labels) for _ in range(self.length + 1)]
            return np.array(rules + labels, float)
        return np.array(self.law.draw(words, people, roots), float)

    def shortfall(self, chance: float) -> float:
        """How many more people the best list is right about, at most, but for this chance."""
        return short_of(self.law.lists(self.dim, self.labels), self.law.rate, chance)
