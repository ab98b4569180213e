"""The direction of most of everybody's squares, chosen by the exponential mechanism: pure epsilon.

A person's row is a whole vector k with |k|² <= `levels`². The sum of their squares along a unit
vector u is u'Au, A = sum k k', and u is drawn with density proportional to e^(t u'Au) on the
sphere: the Bingham law.

**Privacy.** Let u'Au move by something from c to c + h over all u when the data change. Then the
density's numerator moves by a factor from e^(tc) to e^(t(c+h)), and so does its integral; their
ratio moves by e^(th) at most. h is the largest eigenvalue less the least of what A moves by:

1. *One person more or less* moves it by k k', of eigenvalues |k|² and zero: h <= `levels`².
2. *One replaced* moves it by k k' - l l', of eigenvalues r >= 0 >= -s: h = r + s, which is at most
   2 `levels`² (`contribution.outer`), as for two orthogonal rows.

So t = epsilon/h. There is no factor of two beside it, as there is where scores move both ways.

**Rounding.** The law above is drawn by `angular_envelope`, from normal vectors of more than 160
bits, and in whole numbers and 70 digits: floats decide, by `quick_chance`, what these would decide
as they do, so that on one machine a key has the same outcome with them as without; on another,
where eigenvectors are other floats, only the law is the same. The direction is cut to whole
multiples of 2^-30 by chance: floor(2^30 u_i + U), U uniform on [0, 1). That is a function of the
direction and of U, so it is as private. What is left is that whole vectors stand for normal ones,
and 70 digits for all.

3. A number is a normal one but for `wide_normals.tv_distance`, and e = 2^-169.
4. |g| is below 2^-36 with chance 2^-73 at most, for two numbers and for more. Otherwise u moves by
   q = 2 c d^(1/2) e/|g| at most, c <= 2^17 being how much longer R makes one vector than another.
5. The log of the chance moves by (2 t|A| + 2d) q: by (2^41 + 2d) q, for `MOST_PEOPLE`. So much more
   or less likely is a direction to be accepted, and 2^-120 for digits.
6. One that was accepted comes out otherwise with a chance of 2^30 q a number, and 2^-63.

Both runs part with the chance of 3 to 5 in each of `tries`, and of 6: `tv_distance`. That there are
so few tries rests on eigenvectors that are good in the last digits but a few; that each direction
has its law does not.

**Error.** u falls short of the largest direction by x with chance e^(-tx)/E[e^(-t gap)] at most,
over u uniform on the sphere. The gap is at most n `levels`² (1 - u_1²), and 1 - u_1² has the law of
a beta variable, (d-1)/2 and 1/2. So E >= e^(-ty) P(n `levels`² (1 - u_1²) <= y) for every y.

References:
    Chaudhuri, Sarwate and Sinha 2013, "A near-optimal algorithm for differentially-private
        principal components".
    Kapralov and Talwar 2013, "On differentially private low rank approximation".
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import count
from typing import final

import numpy as np
from jaxtyping import Float, Float64, Int64, PRNGKeyArray
from scipy.special import betainc

from tacit.argument import got, is_whole, keep_pythons, refuse_not_counted, refuse_not_positive
from tacit.mechanisms.rows import angular_envelope
from tacit.mechanisms.rows.angular_envelope import AngularEnvelope
from tacit.mechanisms.rows.quick_chance import QuickChance
from tacit.mechanisms.rows.tree_choice import refuse_no_moved
from tacit.noise import wide_normals
from tacit.noise.exact import WORD, stream
from tacit.noise.host_words import HostKey, held
from tacit.solve.one_thread import one_thread
from tacit.solve.whole_products import Whole

# Matrices of more columns take long: d^3 for eigenvectors, and d^2 for each proposal.
LEAST_DIMENSION, LARGEST_DIMENSION = 2, 512
# Steps 4 and 5: t|A| is below 2^40 then, and sums of squares of 4,096 levels below 2^53.
LARGEST_EPSILON, MOST_PEOPLE = 1000.0, 2**29
# Bits behind the point of what is released: step 6.
GRID = 30
# Proposals that are drawn at once, and for nothing after the one that is accepted; which are drawn
# follows from it. A choice, not measured.
_AT_ONCE = 8
# Rows whose squares one thread sums as fast as several.
_FEW = 2**12


@final
@dataclass(frozen=True)
class BinghamDirection:
    """A direction of nearly the most squares, drawn from a Bingham law.

    **Guarantee**: pure `epsilon`-differential privacy of the direction, in the relation in which
    squares along any two directions move by at most `moved` squared radii apart; up to
    `tv_distance` in total variation, the reserve of which is added to delta (`accounting.reserve`).
    The log-probabilities move within a range of `epsilon` (bounded range), so
    `events.exponential_mechanism` may compose it. How long it takes depends on the data.

    **Error**: `shortfall(people, chance)`, in squares.

    | rows | effect |
    | --- | --- |
    | longer than `radius`, once rounded | not counted |
    | no multiples of radius/levels | count as the nearest |
    | NaN | not counted |
    | nobody, or all zero | every direction is equally likely |
    | 2^29 or more of them | ValueError: their squares would be beyond exact sums |

    A direction and its opposite are equally likely.

    Args:
      dim: how many numbers a row has, from 2 to 512.
      radius: the longest row; one square is its own.
      levels: how many multiples there are along an axis, at most 4,096.
      epsilon: positive, at most 1000.
      moved: 1 for one person more or less, 2 for one replaced.
    """

    dim: int
    radius: float
    levels: int
    epsilon: float
    moved: int

    def __post_init__(self):
        keep_pythons(self, "dim", "radius", "levels", "epsilon", "moved")
        for name in ("epsilon", "radius"):
            refuse_not_positive(name, getattr(self, name))
        if not self.epsilon <= LARGEST_EPSILON:
            raise ValueError(f"epsilon must be at most 1000, got {self.epsilon}")
        if not (is_whole(self.dim) and LEAST_DIMENSION <= self.dim <= LARGEST_DIMENSION):
            raise ValueError(f"a direction is of 2 to 512 numbers, got {got(self.dim)}")
        refuse_not_counted("levels", self.levels)
        refuse_no_moved(self.moved)

    @property
    def rate(self) -> Fraction:
        """t, of a whole square: epsilon/h of step 1 or 2."""
        return Fraction(self.epsilon) / (self.moved * self.levels**2)

    @property
    def tv_distance(self) -> float:
        """How far a direction is from its law, at most, in total variation: steps 3 to 6."""
        moved = 2.0 ** (1 + 17 + 36) * math.sqrt(self.dim) / wide_normals.DEVIATION
        chance = (2.0**41 + 2 * self.dim) * moved + 2.0**-120
        each = self.dim * wide_normals.tv_distance() + 2.0**-73 + chance
        last = self.dim * (2.0**GRID * moved + 2.0**-63)
        return (math.e * angular_envelope.tries(self.dim) * each + last) * (1 + 1e-9)

    def sample(
        self, key: PRNGKeyArray, rows: Float[np.ndarray, "people dim"]
    ) -> Float64[np.ndarray, " dim"]:
        """The direction, as multiples of 2^-30."""
        with one_thread() if len(rows) <= _FEW else nullcontext():
            squares = self._squares(rows)
        for_words, for_normals = held(key).split()
        words, proposals = stream(for_words), _proposals(for_normals, self.dim)
        with one_thread():
            envelope = AngularEnvelope.of(squares, self.rate)
            return _on_grid(words, next(_accepted(words, envelope, proposals)))

    def shortfall(self, people: int, chance: float) -> float:
        """How many squares fewer than the best one the direction has, of so many people, at most;
        with probability 1 - `chance`."""
        parts = np.geomspace(1e-9, 1.0, 400)
        inside = np.log(betainc((self.dim - 1) / 2, 0.5, parts))
        rate = self.epsilon / self.moved
        found = people * parts + (math.log(1 / chance) - inside) / rate
        return float(min(found.min(), people))

    def _squares(self, rows: Float[np.ndarray, "people dim"]) -> Float64[np.ndarray, "dim dim"]:
        """A: exact, as sums of whole numbers below 2^53."""
        if not len(rows) < MOST_PEOPLE:
            raise ValueError("rows must be fewer than 2^29, for sums of squares that are exact")
        scaled = rows.astype(np.float64) * (self.levels / self.radius)
        whole = np.rint(np.where(np.isfinite(scaled), scaled, math.inf))
        fits = np.square(whole).sum(axis=1) <= self.levels**2
        kept = whole[fits]
        return kept.T @ kept


def _proposals(key: HostKey, dim: int) -> Iterator[Int64[np.ndarray, "parts many dim"]]:
    """Normal vectors without end, `_AT_ONCE` at a time, in parts."""
    for turn in count():
        yield wide_normals.parts(key, turn, _AT_ONCE, dim)


def _accepted(
    words: Iterator[int],
    envelope: AngularEnvelope,
    proposals: Iterator[Int64[np.ndarray, "parts many dim"]],
) -> Iterator[Whole]:
    quick = QuickChance.of(envelope)
    for parts in proposals:
        for place, guess in enumerate(quick.guesses(wide_normals.near(parts))):
            word = next(words) << WORD | next(words)
            if quick.accepts(word, guess, partial(wide_normals.whole, parts[:, place])):
                yield envelope.proposed(wide_normals.whole(parts[:, place]))


def _on_grid(words: Iterator[int], turned: Whole) -> Float64[np.ndarray, " dim"]:
    length = math.isqrt(int(turned @ turned))
    cut = [(int(each) << GRID + WORD) // length + next(words) >> WORD for each in turned]
    return np.array(cut, np.float64) / 2.0**GRID
