"""The low rank of a matrix whose every cell is a person's: in two rounds, as Hardt and Roth did.

Of A, with m rows and n columns, a person holds one cell: (row i, column j, number a), |a| <= 1;
cells that nobody holds are zero. With public random numbers O, n x p, all are asked for

    Y = A O, with noise,    of which W are orthonormal columns;    then    Z = A'W, with noise,

and W Z' is the answer, cut to the rank that is sought by the singular values of Z.

**How far one person moves a sum.** Their cell moves one row of Y by a O_j, and one row of Z by
a W_i. O is public, and so is W, being made of the first answer: people give

    a O_j / (the longest row of O)  in row i;    then    a W_i / (the longest row of W)  in row j,

vectors of norm at most one, whatever cells there are. So both rounds are of one unit ball, with
shares of one promise (`question.uneven`).

**Error.** Noise on Z is in proportion to W's longest row, which is at least (p/m)^(1/2), and near
that if no row of A stands out (A is incoherent). Here no coherence is declared, and no number is
cut to it: the released W says how long its rows are. With E for the noise of a number of Z, before
the cut to the rank,

    |A - W Z'| <= |A - W W'A| + E (n^(1/2) + p^(1/2))        (spectral norm; the last in the mean),

where W W'A is what such columns hold of A: how much that is, nothing says beforehand, and noise on
Y takes from it.

**What is better now.** Noise on every number of A, of one round, and the same cut: of an incoherent
matrix the cut leaves as little of that noise. Of square matrices it errs less than these rounds;
those are for columns that are many times the rows (transpose what is tall), and for sums of few
numbers. That is a `Mean` of `OneHot` or of a ball of m n numbers, without any of this.

| a person | counts as |
| --- | --- |
| whose number is beyond one | one of that sign |
| with a NaN or an infinity, or a row or a column that is none | nobody |

References:
    Hardt and Roth 2012, "Beating randomized response on incoherent matrices".
    Halko, Martinsson and Tropp 2011, "Finding structure with randomness".
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, cast, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int32, Num

from tacit.argument import got, is_whole
from tacit.contribution import Ball
from tacit.learning.routed_terms import RoutedTerms
from tacit.plan import Plan
from tacit.population.owners import ONE_VALUE, Group, refuse_group
from tacit.statistics.shared_rounds import deviations_of, shared_plan
from tacit.trust.people import Curated, Trust

# Columns beside the rank that is sought; as float32 numbers, rows and columns are exact below.
BESIDE, MOST = 4, 2**24


@final
@dataclass(frozen=True)
class CellMatrixRounds:
    """The two rounds, from public numbers.

    Args:
      trust: a curator, or nobody.
      rows, columns: of the matrix.
      rank: that is sought.
      shares: of both rounds.

    Raises:
      ValueError: if one of them is not of its kind.
    """

    trust: Trust
    rows: int
    columns: int
    rank: int
    shares: tuple[float, float] = (0.5, 0.5)

    def __post_init__(self):
        if not isinstance(self.trust, Curated):
            raise ValueError(f"trust must be a Central or NonPrivate, got {got(self.trust)}")
        for name, many in (("rows", self.rows), ("columns", self.columns), ("rank", self.rank)):
            if not (is_whole(many) and 1 <= many <= MOST):
                raise ValueError(f"{name} must be from 1 to {MOST:,}, got {got(many)}")
        if not self.rank <= min(self.rows, self.columns):
            raise ValueError(
                f"rank must be at most {min(self.rows, self.columns)}, the matrix's least side, "
                f"got {self.rank}"
            )

    @property
    def width(self) -> int:
        """p."""
        return min(self.rank + BESIDE, self.rows, self.columns)

    @property
    def places(self) -> int:
        """Rows of the larger of both sums."""
        return max(self.rows, self.columns)

    @cached_property
    def plan(self) -> Plan:
        """What will be promised; sums are not divided by how many cells there are."""
        return shared_plan(self.trust, Ball(self.places * self.width, 1.0), 1, self.shares)

    @cached_property
    def noise(self) -> tuple[float, ...]:
        """Of the noise on one number of each round's sum, the deviation."""
        return deviations_of(self.plan)

    def learner(self) -> "CellMatrix":
        """Who asks, of people's (row, column, number)."""
        drawn = np.random.default_rng(0).normal(size=(self.columns, self.width))
        return CellMatrix(jnp.asarray(drawn, jnp.float32), self.rows, self.places)

    def found(self, state: "CellColumns") -> Float[np.ndarray, "rows columns"]:
        """The matrix of the rank that was sought, of what both rounds released."""
        left, sizes, right = np.linalg.svd(np.asarray(state.answer, np.float64)[: self.columns])
        kept = left[:, : self.rank] * sizes[: self.rank] @ right[: self.rank]
        return np.asarray(state.basis, np.float64) @ kept.T

    def off(self, state: "CellColumns") -> float:
        """E (n^(1/2) + p^(1/2)): what noise on the second sum is foreseen to leave."""
        return float(state.longest) * self.noise[1] * (self.columns**0.5 + self.width**0.5)


class CellColumns(NamedTuple):
    """What is known so far.

    Args:
      basis: W.
      longest: the length of the longest row that terms are divided by.
      answer: of the last round, in the matrix's own units.
      rounds: how many there were.
    """

    basis: Float[Array, "rows width"]
    longest: Float[Array, ""]
    answer: Float[Array, "places width"]
    rounds: Int32[Array, ""]


@final
class CellMatrix(eqx.Module):
    """Asks how cells lie along random columns, and then along those that this tells.

    Args:
      drawn: O.
      rows: of the matrix.
      places: rows of an answer.
    """

    drawn: Float[Array, "columns width"]
    rows: int = eqx.field(static=True)
    places: int = eqx.field(static=True)

    def init(self) -> CellColumns:
        width = self.drawn.shape[1]
        none = jnp.zeros((self.rows, width)), jnp.zeros((self.places, width))
        return CellColumns(none[0], _longest(self.drawn), none[1], jnp.zeros((), jnp.int32))

    def ask(self, state: CellColumns, person: Num[Array, "3"] | Group) -> Float[Array, " numbers"]:
        """The table of all rows, one of them theirs; a ValueError if they hold several records."""
        refuse_group(person, ONE_VALUE)
        return self.terms(state, cast(Array, person)[None]).weighted_sum(jnp.ones((1, 1)))

    def terms(self, state: CellColumns, people: Num[Array, "people 3"]) -> RoutedTerms:
        """The same of many people, who are added up by one product of matrices."""
        known = jnp.isfinite(people).all(axis=1)
        held = jnp.where(known[:, None], people, 0.0)
        row, column = held[:, 0].astype(jnp.int32), held[:, 1].astype(jnp.int32)
        there = (row >= 0) & (row < self.rows) & (column >= 0) & (column < len(self.drawn))
        number = jnp.where(known & there, jnp.clip(held[:, 2], -1.0, 1.0), 0.0)
        first = state.rounds == 0
        along = jnp.where(
            first,
            self.drawn[jnp.clip(column, 0, len(self.drawn) - 1)],
            state.basis[jnp.clip(row, 0, self.rows - 1)],
        )
        places = jax.nn.one_hot(jnp.where(first, row, column), self.places)
        return RoutedTerms(number[:, None] * along / state.longest, places, Ball)

    def tell(self, state: CellColumns, answer: Float[Array, " numbers"]) -> CellColumns:
        table = state.longest * answer.reshape(self.places, -1)
        turned = jnp.linalg.qr(table[: self.rows])[0]
        first = state.rounds == 0
        basis = jnp.where(first, turned, state.basis)
        longest = jnp.where(first, _longest(turned), state.longest)
        return CellColumns(basis, longest, table, state.rounds + 1)


def _longest(rows: Float[Array, "rows width"]) -> Float[Array, ""]:
    return jnp.sqrt(jnp.max(jnp.sum(jnp.square(rows), axis=1)))
