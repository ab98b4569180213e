"""A decision tree drawn by the exponential mechanism from all that there are.

u(t) is how many people tree t labels right; t is drawn with probability proportional to e^(a u(t)),
exactly and over all trees (`tree_law` sums them without a list).

1. *Privacy.* One person more is right or wrong about them under each tree, so every u grows by 0 or
   1, every weight and their sum by a factor between 1 and e^a: a chance moves by e^a at most, and a
   = epsilon. One person changed moves every u by 1 at most, up or down: 2 a = epsilon.
2. *Far trees.* With M the largest u, each tree has a weight of phi e^(a M) more, phi = 2^-40/N for
   N trees: with probability 2^-40/(F + 2^-40), F = e^(-a M) times the sum of all weights, a uniform
   tree comes instead. (M moves with a person as u does, so the sum of both weights moves as above.)
   Trees of which e^(a (u - M)) is below 2^-20 phi may then be left out: that changes a weight by a
   factor of 1 - 2^-20 at most. Powers below 2^-1022 count as zero; a tree's own power is at most
   every power on its way, and N below 2^900, so what is lost are such trees.
3. *Distance.* e^-a is rounded up to a float, the rate. Its powers are right within 2^-35, a sum
   over d bits or labels within d 2^-52, and a tree's chance is a product of 15 shares at most:
   within 2^-30 in all. Two data sets cost 2 (2^-20 + 2^-30), below 2^-16 = `SPARE`, which epsilon
   contains.

**Error.** With the largest u at M, trees k below weigh at most N e^(-a k) together, and the best 1:
what is drawn is within ln(N/chance)/a of the best, but for that chance and 2^-40.

References:
    McSherry and Talwar 2007, "Mechanism design via differential privacy" (Theorem 6).
    Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith 2011, "What can we learn privately?"
    (Section 3: learners by the exponential mechanism).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from jaxtyping import Float, PRNGKeyArray

from tacit.argument import got, is_number, keep_pythons, refuse_not_counted, refuse_outside
from tacit.mechanisms.rows.decays import STEEPEST
from tacit.mechanisms.rows.leaf_weights import People, TreeSums
from tacit.mechanisms.rows.tree_law import TreeLaw
from tacit.mechanisms.selection.exponential import LEAST_EPSILON, MOST_EPSILON, SPARE
from tacit.noise.exact import stream
from tacit.noise.host_choice import below, chosen

# The part of uniform rules: step 2.
_UNIFORM = 2.0**-40


@final
@dataclass(frozen=True)
class TreeChoice:
    """A tree of `depth` tests of one of `dim` bits that is right about nearly the most people.

    **Guarantee**: pure `epsilon`-differential privacy of the tree, for one person more or less if
    `moved` is 1, and for one person changed if it is 2; all rounding included.

    **Error**: `shortfall(chance)`, in people labelled right.

    | people | effect |
    | --- | --- |
    | without a label | not counted |
    | nobody | every tree is equally likely |
    | trees that label everybody alike | equally likely |
    | bits that are equal for all | tested like others: one leaf has nobody then |

    Args:
      dim: d.
      depth: D, from 1 to 3.
      epsilon: from 0.01 to 1000.
      moved: by how many steps of a score two neighbours' chances may differ.
      labels: how many there are.
    """

    dim: int
    depth: int
    epsilon: float
    moved: int
    labels: int = 2

    def __post_init__(self):
        keep_pythons(self, "dim", "depth", "epsilon", "moved", "labels")
        refuse_no_terms(self.epsilon, self.moved)
        refuse_not_counted("dim", self.dim)
        refuse_not_counted("labels", self.labels, 2)
        _ = self.law

    @cached_property
    def law(self) -> TreeLaw:
        """The law that trees are drawn from, but for uniform ones."""
        return TreeLaw(self.depth, rate_for(self.epsilon, self.moved))

    def sample(
        self, key: PRNGKeyArray, rows: Float[np.ndarray, "people numbers"]
    ) -> Float[np.ndarray, " nodes"]:
        """The bits its nodes test and its leaves' labels, level by level from the root.

        Args:
          key: The randomness.
          rows: Each person's `dim` bits, and after them their label, a whole number from 0;
            negative without one.
        """
        words, people = stream(key), by_label(rows, self.labels)
        roots = self.law.roots(people)
        if is_far(words, self.law.weights.summed(roots)):
            tests = [below(words, self.dim) for _ in range(2**self.depth - 1)]
            leaves = [below(words, self.labels) for _ in range(2**self.depth)]
            return np.array(tests + leaves, float)
        return np.array(self.law.draw(words, people, roots), float)

    def shortfall(self, chance: float) -> float:
        """How many more people the best tree is right about, at most, but for this chance."""
        return short_of(self.law.trees(self.dim, self.labels), self.law.rate, chance)


def refuse_no_terms(epsilon: float, moved: int) -> None:
    """Raises a ValueError unless rules can be drawn for this promise."""
    refuse_outside("epsilon", epsilon, LEAST_EPSILON, MOST_EPSILON)
    refuse_no_moved(moved)


def refuse_no_moved(moved: int) -> None:
    """Raises a ValueError unless neighbours are apart by one person more, or by one changed."""
    if not (is_number(moved) and moved in (1, 2)):
        raise ValueError(f"moved must be 1 or 2, got {got(moved)}")


def rate_for(epsilon: float, moved: int) -> float:
    """e^-a of step 1, rounded up for step 3."""
    exponent = min((epsilon - SPARE) / moved, STEEPEST)
    return math.exp(-exponent) * (1 + 2.0**-40)


def is_far(words: Iterator[int], summed: TreeSums) -> bool:
    """Whether a uniform rule comes instead of one by the law, of which this is the sum."""
    return bool(chosen(words, np.array([float(summed.share), _UNIFORM])))


def short_of(rules: int, rate: float, chance: float) -> float:
    """How many more people the best of so many is right about, at most, but for this chance."""
    if not (is_number(chance) and _UNIFORM < chance < 1):
        raise ValueError(f"chance must be above 2^-40 and below 1, got {got(chance)}")
    return -(math.log(rules) - math.log(chance - _UNIFORM)) / math.log(rate)


def by_label(rows: Float[np.ndarray, "people numbers"], labels: int) -> People:
    """The bits of those with label 0, of those with label 1, and so on."""
    bits, own = (rows[:, :-1] > 0).astype(np.float32), rows[:, -1]
    return tuple(bits[own == label] for label in range(labels))
