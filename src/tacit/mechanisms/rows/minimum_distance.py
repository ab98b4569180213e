"""Which of several public laws is nearest to people's: minimum distance, chosen privately.

Everybody is in one of finitely many public cells, and a law says what share of people is in each.
Two laws j < k differ most in the set A of those cells where j has more than k (Scheffé's): there
H_j(A) - H_k(A) = TV(j, k), their distance in total variation. Each of m laws is scored by the worst
of the m (m - 1)/2 sets that all pairs have: with n people in cells, #A of them in A,

    s_j = -max |n H_j(A) - #A|.

**Sensitivity.** *One person more*, in a cell: n H_j(A) grows by H_j(A) and #A by 1 or 0, so their
difference moves by H_j(A) - 1 or by H_j(A), in any case by 1 at most. *One person changed* from
cell to cell: n stays and #A moves by 1 at most. A maximum of sizes moves by no more than they do.
One who is in no cell, before or after, is the first case. So it is 1 under every relation, and n is
that of these people: no declared number is in the score.

**Integers.** A law's masses are multiples of 2^-32 that sum to one, and a set's mass M is their
exact sum. In steps of S = 256 to a person, t = floor(S n M) is exact in 64 bits. With one person
more t grows by floor(S M) or ceil(S M), a whole number from 0 to S, while S #A grows by 0 or S: so
t - S #A moves by S at most, and with n the same by S as well. Permute-and-flip chooses among those.

**Error.** Let P be the law that people are drawn from, n of them, independently; j* the law nearest
to it, at distance OPT; C the one that is chosen; W_j the worst |H_j(A) - #A/n|.

1. |P(A) - #A/n| exceeds D in one of the sets with chance m (m - 1) e^(-2 n D²) at most (Hoeffding:
   sets are public, and do not depend on who was drawn). Otherwise W_j* <= OPT + D.
2. With g what the chosen score falls short of the highest by, W_C <= W_j* + g/n. Floors move each
   score by less than one step.
3. One of the sets is that of C and j*: TV(C, j*) = |H_C(A) - H_j*(A)| <= W_C + W_j*.
4. So TV(C, P) <= OPT + TV(C, j*) <= OPT + 2 W_j* + g/n <= 3 OPT + 2 D + g/n.

With half of the chance for D and for g each, that is `error_bound`. All distances are between what
laws give to the cells. (Step 3 asks of a law for its m - 1 sets with others only. Where people
follow none of the laws, those of other pairs tell more of how far it is, for the same sensitivity.)

References:
    Yatracos 1985, "Rates of convergence of minimum distance estimators".
    Devroye and Lugosi 2001, "Combinatorial methods in density estimation".
    Bun, Kamath, Steinke and Wu 2019, "Private hypothesis selection".
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import final

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float64, Int32, Int64, PRNGKeyArray

from tacit.argument import keep_pythons, refuse_not_counted
from tacit.mechanisms.selection.permute_and_flip import PermuteAndFlip

# Of masses and of a person in scores, as **Integers** has them: 2^30 people times 2^32 are 62 bits.
UNIT_BITS, STEP_BITS = 32, 8
# Their number is cut here, so that its product with a mass has 64 bits: that too moves a score by
# one at most, since #A alone moves then. No refusal tells how many there are.
MOST_PEOPLE = 2**30

Units = Int64[np.ndarray, "laws cells"]


@final
@dataclass(frozen=True)
class MinimumDistance:
    """The number of a law that is near to people's. Its score is compared by `PermuteAndFlip`.

    **Guarantee**: pure `epsilon`-differential privacy of the number, under every relation; all
    rounding included.

    **Error**: `error_bound(chance)`, in total variation between cells.

    | people | effect |
    | --- | --- |
    | in no cell: below 0, or beyond the last | not counted |
    | nobody in a cell | every law is equally likely |
    | laws that are equal | equally likely |
    | all in a cell to which every law gives nothing | what is in no set counts for none |

    Args:
      units: the masses of each law's cells, in units of 2^-32; every row sums to 2^32.
      digest: of these numbers, by which they are known in records.
      epsilon: from 0.01 to 1000.
      people: about how many, declared: `error_bound` is of so many, and no choice depends on it.
    """

    units: Units = field(repr=False, compare=False, metadata={"recorded": False})
    digest: str
    epsilon: float
    people: int

    def __post_init__(self):
        keep_pythons(self, "epsilon", "people")
        refuse_not_counted("people", self.people)
        _ = self.choice

    @cached_property
    def choice(self) -> PermuteAndFlip:
        """What compares scores: they move by one person at most."""
        return PermuteAndFlip(self.epsilon, 1.0)

    @cached_property
    def sets(self) -> PairSets:
        """Whose counts are compared."""
        return PairSets(self.units)

    def sample(self, key: PRNGKeyArray, cells: Int32[np.ndarray, " people"]) -> Int32[Array, ""]:
        """The number of the law chosen, from each person's cell."""
        off = self.sets.steps_off(cells)
        below = np.minimum(off - off.min(), int(self.choice.grid.reach)).astype(np.int32)
        return self.choice.sample_distances(key, jnp.asarray(below))

    def error_bound(self, chance: float) -> float:
        """How far the chosen law is from the people's, beyond three times as far as the nearest
        one, at most, but for this chance."""
        floors = 2 * 2.0**-STEP_BITS
        short = self.choice.shortfall(len(self.units), 1, math.log(2 / chance)) + floors
        return 2 * self.sets.drawn_off(self.people, chance / 2) + short / self.people


@final
@dataclass(frozen=True)
class PairSets:
    """The sets in which two laws differ most, one for each pair: where the earlier law has more.

    Args:
      units: of `MinimumDistance`.
    """

    units: Units = field(repr=False, compare=False)

    @cached_property
    def masses(self) -> list[Int64[np.ndarray, "laws sets"]]:
        """What each law gives to the sets of a law and all later ones; public, computed once."""
        laws = self.units.astype(np.float64)
        return [(laws @ self._with(own).T).astype(np.int64) for own in range(len(laws) - 1)]

    def steps_off(self, cells: Int32[np.ndarray, " people"]) -> Int64[np.ndarray, " laws"]:
        """-s_j of each law, in 1/256 of a person, from each person's cell."""
        known = (cells >= 0) & (cells < self.units.shape[1])
        return self.off_by(np.bincount(cells[known], minlength=self.units.shape[1]))

    def off_by(self, counts: Int64[np.ndarray, " cells"]) -> Int64[np.ndarray, " laws"]:
        """The same, from how many people are in each cell."""
        people, off = min(int(counts.sum()), MOST_PEOPLE), np.zeros(len(self.units), np.int64)
        for own, masses in enumerate(self.masses):
            inside = (self._with(own) @ counts.astype(np.float64)).astype(np.int64)
            targets = people * masses >> UNIT_BITS - STEP_BITS
            off = np.maximum(off, np.abs(targets - (inside << STEP_BITS)).max(axis=1))
        return off

    def drawn_off(self, people: float, chance: float) -> float:
        """D: how far people are from the law they are drawn from, in any of the sets, at most."""
        laws = len(self.units)
        return math.sqrt(math.log(laws * (laws - 1) / chance) / (2 * people))

    def _with(self, own: int) -> Float64[np.ndarray, "sets cells"]:
        """The sets of this law and all later ones, as ones and zeros: floats add up whole numbers
        below 2^53 exactly, in any order."""
        return (self.units[own] > self.units[own + 1 :]).astype(np.float64)
