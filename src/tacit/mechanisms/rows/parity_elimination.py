"""The parity behind people's labels: Gaussian elimination among people kept by coins.

A person's bits x in {0,1}^d and label y say one equation about the parity r: <r, x> = y modulo 2.
One *part* of the people is answered so: with probability c nothing is said. Otherwise everybody is
kept with probability p, independently; if no r solves the equations of those kept, nothing is said;
else what is said is uniform among all r that do.

1. *One person more.* Fix the others' coins. Without the newcomer's equation the solutions are an
   affine set V; with it V stays, is halved, or is empty. Given that V is not empty, the chance of
   an r in V is 1/|V|, and with the newcomer (1 - p)/|V| + p times 1/|V|, 2/|V| or 0: a factor
   between 1 - p and 1 + p, and of an r not in V both are 0. If V is empty nothing is said either
   way. The chance that nothing is said, c + (1 - c) P(V empty) =: c + (1 - c) e, becomes
   c + (1 - c)(e + p f) with f at most 1 - e: a factor between 1 and 1 + p (1 - c)/c. So

       e^epsilon = max(1/(1 - p), 1 + p (1 - c)/c),    p = 1 - e^-epsilon and c = 1/(1 + e^epsilon).

   (1 + p is below 1/(1 - p).)
2. *One person changed.* The chances with either are those without them times a factor between 1 - p
   and 1 + p, so they differ by (1 + p)/(1 - p) at most; that nothing is said has
   c + (1 - c)(e + p f) for two f's: again 1 + p (1 - c)/c. With t = e^epsilon

       p = (t - 1)/(t + 1) = tanh(epsilon/2) and c = 1/(2 + t)

   make both t, as (1 - c)/c = 1 + t. With m = 1 for one person more and m = 2 for one person
   changed, p = (t - 1)/(t + m - 1) and c = 1/(m + t).
3. *Parts.* Everybody is dealt into one of k parts by a coin of their own (not by place: one
   newcomer would move all who come later), and the first part that says something is heard. A
   person is in one part, and the others' law does not depend on them: k parts cost what one costs.
4. *Rounding.* p is rounded down and c up, to multiples of 2^-64, and coins compare 64 random bits
   with them exactly: both bounds only fall. Elimination is on whole numbers.

**Error.** For labels that are of one parity, nothing is said by coins alone, so which part is heard
does not depend on its people. Of uniform bits m people kept have rank d, and one solution, with
probability Q(m) = prod over i < d of (1 - 2^(i-m)). So of n people the answer is not the parity
with probability at most

    c^k + (1 - c^k) E[1 - Q(K)],    K binomial of n people with chance p/k each.

Whatever law bits have, what is said is consistent with those kept; none of the 2^d parities that
are wrong about a share of alpha is, but for a chance of 2^d (1 - alpha)^m.

References:
    Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith 2011, "What can we learn privately?"
    (Section 4.2: p = epsilon/4 and c = 1/2, one person changed).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np
from jaxtyping import Float, PRNGKeyArray

from tacit.argument import (
    got,
    is_number,
    is_whole,
    keep_pythons,
    refuse_no_share,
    refuse_not_counted,
    refuse_not_positive,
    takes_numpys,
)
from tacit.late import binom
from tacit.mechanisms.rows.equations import bits_of, eliminated, equations_of, uniform_solution
from tacit.mechanisms.rows.tree_choice import refuse_no_moved
from tacit.noise.exact import WORD, stream
from tacit.noise.host_choice import below

# A coin compares one word.
_ONE = 2**WORD
# More than there will be: beyond it a search for how many are needed gives up.
MOST_PEOPLE = 2**40
# With so many silence is 2^-64 at most, as c is one half at most.
_MOST_PARTS = 64
# 2^-i of these ranks and more are no floats beside one.
_SURE = 64


@final
@dataclass(frozen=True)
class ParityElimination:
    """A parity of `dim` bits, or nothing.

    **Guarantee**: pure `epsilon`-differential privacy of the answer, for one person more or less if
    `moved` is 1, and for one person changed if it is 2, whatever bits and labels are; all rounding
    included.

    **Error**: `failure(people)`, for people with uniform bits whose labels are of one parity.

    | people | effect |
    | --- | --- |
    | without a label | not counted |
    | labels that are of no parity | nothing is said, nearly always: noise needs `NoisyParity` |
    | nobody, or too few | a uniform solution of what is known |
    | all bits 0 and a label of 1 | an equation that nothing solves |

    Args:
      dim: d, how many bits a person has.
      epsilon: positive and finite.
      moved: m, 1 for one person more or less and 2 for one person changed.
      parts: k.
    """

    dim: int
    epsilon: float
    moved: int
    parts: int

    def __post_init__(self):
        keep_pythons(self, "dim", "epsilon", "moved", "parts")
        refuse_not_positive("epsilon", self.epsilon)
        refuse_no_moved(self.moved)
        for name in ("dim", "parts"):
            refuse_not_counted(name, getattr(self, name))

    @classmethod
    @takes_numpys
    def for_failure(cls, dim: int, epsilon: float, moved: int, failure: float) -> ParityElimination:
        """With as many parts as need fewest people for a `failure`.

        Raises:
          ValueError: if no number of parts, or of people, is enough.
        """
        refuse_no_share("failure", failure)
        each = [cls(dim, epsilon, moved, parts) for parts in range(1, _MOST_PARTS + 1)]
        able = [made for made in each if made.silence < failure]
        if not able:
            raise ValueError(
                f"a failure of {failure} is out of reach at an epsilon of {epsilon:g}: with "
                f"{_MOST_PARTS} parts nothing is said with a chance of {each[-1].silence:.3g}"
            )
        # More parts than a few beyond the fewest that are able never need fewer people.
        return min(able[:8], key=lambda made: made.people_for(failure))

    @property
    def kept(self) -> int:
        """p in units of 2^-64, rounded down: what it is of is right within a few last places.

        Steps 1 and 2, and 4.
        """
        chance = -math.expm1(-self.epsilon) / (1 + (self.moved - 1) * math.exp(-self.epsilon))
        return min(int(chance * (1 - 2.0**-48) * _ONE), _ONE - 1)

    @property
    def silent(self) -> int:
        """c in units of 2^-64, rounded up likewise; never below one of them."""
        grown = math.exp(min(self.epsilon, 700.0))
        return int(_ONE * (1 + 2.0**-48) / (self.moved + grown)) + 1

    @property
    def silence(self) -> float:
        """The chance that coins leave no part to be heard: c^k."""
        return (self.silent / _ONE) ** self.parts

    def sample(
        self, key: PRNGKeyArray, rows: Float[np.ndarray, "people numbers"]
    ) -> Float[np.ndarray, " dim"] | None:
        """Whether each bit is of the parity; None where nothing is said.

        Args:
          key: The randomness.
          rows: Each person's `dim` bits, and after them their label, negative without one.
        """
        words, silent = stream(key), self.silent
        for equations in self._dealt(words, equations_of(rows)):
            if next(words) < silent:
                continue
            pivots = eliminated(equations)
            if pivots is not None:
                return bits_of(uniform_solution(words, pivots, self.dim), self.dim)
        return None

    def failure(self, people: int) -> float:
        """How often people with uniform bits have no answer, or not their parity, at most."""
        if not (is_whole(people) and 0 <= people <= MOST_PEOPLE):
            raise ValueError(f"people must be a whole number from 0 to 2^40, got {got(people)}")
        return failure_of(self.dim, people, self.kept / _ONE, self.silent / _ONE, self.parts)

    def people_for(self, failure: float) -> int:
        """The least number of people with uniform bits for a `failure` of at most so much.

        Raises:
          ValueError: if no number of people is enough.
        """
        if not (is_number(failure) and self.silence < failure):
            raise ValueError(f"failure must be above {self.silence:.3g}, got {got(failure)}")
        few, many = 0, self.dim * self.parts
        while self.failure(many) > failure:
            few, many = many, 2 * many
            if many > MOST_PEOPLE:
                raise ValueError(
                    f"an epsilon of {self.epsilon:g} takes more than 2^40 people for a parity of "
                    f"{self.dim} bits: take a larger one"
                )
        while many - few > 1:
            middle = (few + many) // 2
            few, many = (few, middle) if self.failure(middle) <= failure else (middle, many)
        return many

    def _dealt(self, words: Iterator[int], equations: Sequence[int]) -> list[list[int]]:
        """The equations of those kept, part by part."""
        parts: list[list[int]] = [[] for _ in range(self.parts)]
        kept = self.kept
        for equation in equations:
            part = below(words, self.parts)
            if next(words) < kept:
                parts[part].append(equation)
        return parts


def failure_of(dim: int, people: int, kept: float, silent: float, parts: int) -> float:
    """How often so many people with uniform bits have no answer, or not their parity, at most.

    Args:
      kept: p.
      silent: c.
      parts: k.
    """
    own, ranks, short = kept / parts, np.arange(dim, dim + _SURE), -np.expm1(_full_rank(dim))
    # Above the last of these the rest counts as the last does; below the first, nobody is sure.
    lost = float(binom.cdf(dim - 1, people, own)) + float(binom.pmf(ranks, people, own) @ short)
    lost += float(binom.sf(ranks[-1], people, own) * short[-1])
    return min(1.0, silent**parts + (1 - silent**parts) * lost)


@lru_cache
def _full_rank(dim: int) -> Float[np.ndarray, " ranks"]:
    """ln Q(m) of m = d, d + 1, ..."""
    last = np.log1p(-(2.0 ** -np.arange(1, dim + _SURE)))
    sums = np.concatenate([[0.0], np.cumsum(last)])
    return sums[dim : dim + _SURE] - sums[:_SURE]
