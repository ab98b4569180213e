"""A law of all columns together that is taught where it is worst: MWEM.

It begins with even shares a(x) of all combinations of all columns. In each of T rounds, with h(q)
people in the cell q of some table, n people declared, and the shares as they are,

1. a query is chosen by |h(q) - t(q)|, t(q) = n a(q) as a whole number (`whole_scores`);
2. its h(q) is measured with noise, in whole numbers;
3. the shares are taught it (`solve.table_cells`), and everything measured before once more, as
   often as `repeats` says.

**Privacy.** One person, come, gone or changed, moves h(q) by 1 at most, and so both the score of
each query and what is measured: sensitivity 1. The rest of a round is made of earlier answers.
So all is the composition of T choices and T measurements, each chosen with earlier ones in view.
How both are paid for is the `choice` and the `noise`: pure for each, 2 T epsilon in all; or choices
of bounded range and Gaussian noise.

**Error.** For n people who are as many as declared. Let d_t be how far the worst query is off in
round t, in people. But for a part of the chance each: what is chosen is off by g less at most, and
is measured within v (then cut to 0..n, which moves it nearer to h). By the theorem of
`solve.table_cells`, with no repeats, the mean of the squares of what is chosen is at most
4 n² log |X|/T + v²; so the mean of all shares before each round is off, in its worst query, by

    g + 1 + (4 n² log |X|/T + v²)^(1/2) at most,

1 for the roundings of t. That is below the published 2 n (log |X|/T)^(1/2) + 10 T log|Q|/epsilon,
but for the 1, at its chance 2 T/|Q|: there g = 8 T log|Q|/epsilon and v = 2 T log|Q|/epsilon.

References:
    Hardt, Ligett and McSherry 2012, "A simple and practical algorithm for differentially private
        data release" (algorithm 1, theorem 2.2; repeats are its section 2.3.1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, final

import jax
import numpy as np
from jaxtyping import Float, Int32, Int64, PRNGKeyArray

from tacit.argument import keep_pythons, refuse_not_counted
from tacit.mechanisms.selection.whole_scores import Chooser
from tacit.noise.exact import stream
from tacit.solve.table_cells import Shares, TableCells, Told, taught


class CountNoise(Protocol):
    """Noise on whole numbers."""

    def sample(self, key: PRNGKeyArray, values: np.ndarray) -> Int64[np.ndarray, "*shape"]:
        """The numbers with their noise."""
        ...

    def reach(self, chance: float) -> float:
        """How far one number is moved, at most, but for this chance."""
        ...


@final
@dataclass(frozen=True)
class MultiplicativeWeights:
    """What was measured of people, round after round: the query's number, and its share.

    **Guarantee**: of `rounds` choices and as many measurements, each of sensitivity 1 under every
    relation, composed.

    **Error**: `error_bound(chance)`, in people, of the mean of the shares before each round.

    | people | effect |
    | --- | --- |
    | in no cell: below 0, or beyond the last | not counted |
    | nobody in a cell | shares of noise |
    | another number than declared | shares are of those declared |

    Args:
      cells: the tables whose cells are the queries.
      rounds: T.
      people: n, declared.
      repeats: how often all earlier measurements are taught again in a round.
      choice: what chooses by whole scores of sensitivity 1.
      noise: of whole numbers of sensitivity 1.
    """

    cells: TableCells
    rounds: int
    people: int
    repeats: int
    choice: Chooser
    noise: CountNoise

    def __post_init__(self):
        keep_pythons(self, "rounds", "people", "repeats")
        for name, least in (("rounds", 1), ("people", 1), ("repeats", 0)):
            refuse_not_counted(name, getattr(self, name), least)

    def sample(
        self, key: PRNGKeyArray, people: Int32[np.ndarray, " people"]
    ) -> Float[np.ndarray, "rounds two"]:
        """For each round the number of the query chosen, and what share of the people declared it
        was told to have, from each person's cell."""
        exact = self.cells.of(self.cells.counted(people))
        shares, told = self.cells.even(), ()
        for own in jax.random.split(key, self.rounds):
            told = (*told, self._round(own, exact, shares))
            shares = taught(self.cells, shares, told, self.repeats)
        return np.array(told)

    def _round(
        self, key: PRNGKeyArray, exact: Int64[np.ndarray, " queries"], shares: Shares
    ) -> Told:
        for_choice, for_noise = jax.random.split(key)
        expected = np.rint(self.people * self.cells.of(shares)).astype(np.int64)
        query = self.choice.sample(stream(for_choice), np.abs(exact - expected))
        (count,) = self.noise.sample(for_noise, exact[query : query + 1])
        return query, min(max(int(count), 0), self.people) / self.people

    def error_bound(self, chance: float) -> float:
        """How far the worst query is off, at most, but for this chance."""
        each = chance / (2 * self.rounds)
        short = self.choice.shortfall(self.cells.queries, each) + 1
        entropy = math.log(self.cells.combinations) / self.rounds
        return short + math.hypot(2 * self.people * math.sqrt(entropy), self.noise.reach(each))
