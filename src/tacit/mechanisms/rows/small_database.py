"""A small database that stands for people's: the net mechanism, exactly.

Of all databases y of m rows one is chosen, by the worst of Q queries that both are asked: which
share of rows is in one cell of one table. With n people in cells, h(q) and y(q) of each in q,

    s_y = -max over q of |n y(q) - m h(q)|,

a whole number: m n times the worst difference of shares.

**Sensitivity** m, under every relation.

1. *One person more*: n y(q) grows by y(q), from 0 to m, and m h(q) by 0 or m, so their difference
   moves by m at most.
2. *One person changed*: n stays, and m h(q) moves by m at most. One who is in no cell, before or
   after, is the first case.
3. A maximum of sizes moves by no more than they do. n is that of these people: no declared number
   is in the score.

**Error.** Draw m of the people with replacement: each query's share is off by more than t with
chance 2 e^(-2 m t²) at most (Hoeffding), so some small database is within
t = (ln(2 Q)/2m)^(1/2) in all queries. What is chosen is worse by what the exponential mechanism
falls short, over m n: (2/(epsilon n)) ln(N/chance), for N = C(|X| + m - 1, m) databases.

It is exact and slow: N is listed. At sizes that can be listed the first term is large, and a noisy
histogram is better; its second term alone grows with the queries' dimension, not their number.

References:
    Blum, Ligett and Roth 2008, "A learning theory approach to non-interactive database privacy".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from typing import final

import numpy as np
from jaxtyping import Int32, Int64, PRNGKeyArray

from tacit.argument import keep_pythons, refuse_not_counted
from tacit.mechanisms.selection.whole_scores import Chooser
from tacit.noise.exact import stream
from tacit.solve.table_cells import TableCells


@final
@dataclass(frozen=True)
class SmallDatabase:
    """How many rows of the chosen database are of each combination.

    **Guarantee**: that of `choice`, of sensitivity `rows`, under every relation.

    **Error**: `error_bound(people, chance)`, in people, of the worst query.

    | people | effect |
    | --- | --- |
    | in no cell: below 0, or beyond the last | not counted |
    | nobody in a cell | every database is equally likely |
    | one combination only | its one database |

    Args:
      cells: the tables whose cells are the queries.
      rows: m.
      choice: what chooses by whole scores.
    """

    cells: TableCells
    rows: int
    choice: Chooser

    def __post_init__(self):
        keep_pythons(self, "rows")
        refuse_not_counted("rows", self.rows)

    @cached_property
    def databases(self) -> Int64[np.ndarray, "databases combinations"]:
        """All of them: how many rows of each combination; public, listed once."""
        points = self.cells.combinations
        listed = np.array(list(combinations_with_replacement(range(points), self.rows)))
        found = np.zeros((len(listed), points), np.int64)
        np.add.at(found, (np.arange(len(listed))[:, None], listed), 1)
        return found

    @cached_property
    def _answers(self) -> Int64[np.ndarray, "queries databases"]:
        many = len(self.databases)
        return self.cells.of(self.databases.T.reshape(*self.cells.sizes, many))

    def scores(self, people: Int32[np.ndarray, " people"]) -> Int64[np.ndarray, " databases"]:
        """s of each database, from each person's cell."""
        counts = self.cells.counted(people)
        off, many = np.zeros(len(self.databases), np.int64), int(counts.sum())
        for theirs, own in zip(self._answers, self.cells.of(counts), strict=True):
            off = np.maximum(off, np.abs(many * theirs - self.rows * int(own)))
        return -off

    def sample(
        self, key: PRNGKeyArray, people: Int32[np.ndarray, " people"]
    ) -> Int64[np.ndarray, " combinations"]:
        """The database chosen, from each person's cell."""
        return self.databases[self.choice.sample(stream(key), self.scores(people))]

    def error_bound(self, people: int, chance: float) -> float:
        """How far the chosen one's share of people is from theirs in the worst query, times the
        people, at most, but for this chance."""
        net = math.sqrt(math.log(2 * self.cells.queries) / (2 * self.rows))
        short = self.choice.shortfall(self.cells.databases(self.rows), chance)
        return net * people + short / self.rows
