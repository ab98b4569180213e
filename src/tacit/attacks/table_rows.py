"""People's whole records, from tables of a few of their columns: what a census gives away.

Published are all tables of so many columns. The onlooker looks for whole people who could be those
that were counted (`queries.whole_table`), and names every record that one of them has: of exact
tables of three columns, all that there are, of a hundred people. Some names are right by luck, as
some records are common, so beside the members of the data stand others who were drawn from the
same law and never counted: the share of them whose record is named is what naming is worth without
the data (Dick and others measure against it, too).

**What a promise allows.** To say of somebody that they were counted because their record is named
is a test of whether they were. Of those who were not it says so of the share of others that is
named, on average over what is released; so of members no more than the promise's tradeoff curve
allows at that rate of false alarms, and it is taken at the upper limit of what the others show.

References:
    Dick, Dwork, Kearns, Liu, Roth, Vietri and Wu 2023, "Confidence-ranked reconstruction of census
    microdata from published statistics".
    Garfinkel, Abowd and Martindale 2019, "Understanding database reconstruction attacks on public
    data".
"""

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Int

from tacit.argument import counted, got, is_whole, listed
from tacit.attacks.answered import NAME, own_ledger
from tacit.attacks.breach import BreachRate
from tacit.attacks.outcome import Outcome
from tacit.audit.promises import most_found
from tacit.population.totals import NoisySums
from tacit.queries.marginal_counts import Marginals
from tacit.queries.whole_table import LeastSquaresFit, whole
from tacit.trust.people import Curated, refuse_no_trust

# Who were never counted; and the kinds of people in a made law.
OTHERS, KINDS = 5_000, 6

Cells = Int[np.ndarray, "people columns"]


class Counted(NamedTuple):
    """Who were counted, and others of the same law."""

    members: Cells
    others: Cells


@final
@dataclass(frozen=True)
class TableRows:
    """The attack on so many people.

    Args:
      people: who are counted, from 1 on.
      sizes: how many values each column has; at most 65,536 cells together.
      ways: columns of each table, 1, 2 or 3.
    """

    people: int
    sizes: tuple[int, ...] = (2, 9, 5, 4, 3)
    ways: int = 3

    def __post_init__(self):
        object.__setattr__(self, "people", counted(self.people))
        if not (is_whole(self.people) and self.people >= 1):
            raise ValueError(f"people must be a whole number from 1 on, got {got(self.people)}")
        sizes = listed(self.sizes)
        if sizes is None or not all(is_whole(size) and size >= 1 for size in sizes):
            raise ValueError(f"sizes must be whole numbers from 1 on, got {got(self.sizes)}")
        if not (is_whole(self.ways) and 1 <= self.ways <= 3):
            raise ValueError(f"ways must be 1, 2 or 3, got {got(self.ways)}")

    def asked(self, trust: Curated) -> Marginals:
        """The tables."""
        refuse_no_trust(trust)
        domain = {
            name: list(range(size)) for name, size in zip(self._names, self.sizes, strict=True)
        }
        return Marginals.asked(domain, trust=trust, people=self.people, ways=self.ways)

    def run(self, trust: Curated, seed: int) -> Outcome:
        """The attack on made people of a few kinds, in a ledger of their own."""
        return self.against(self.made(seed), trust, seed)

    def made(self, seed: int) -> Counted:
        """People of six kinds, each with its own shares of every column's values."""
        numbers = np.random.default_rng(seed)
        shares = [numbers.dirichlet(np.full(size, 0.5), KINDS) for size in self.sizes]
        kinds = numbers.integers(0, KINDS, self.people + OTHERS)
        steps, luck = [np.cumsum(own, axis=1) for own in shares], numbers.random
        columns = [(luck((len(kinds), 1)) > own[kinds, :-1]).sum(axis=1) for own in steps]
        drawn = np.stack(columns, axis=1)
        return Counted(drawn[: self.people], drawn[self.people :])

    def against(self, people: Counted, trust: Curated, seed: int) -> Outcome:
        """The attack on these people, in a ledger of their own."""
        asked = self.asked(trust)
        table = self.guess(asked, people.members, seed)
        named, others = (table[tuple(each.T)] > 0 for each in people)
        found, wrong = (BreachRate(int(each.sum()), each.size) for each in (named, others))
        allowed = most_found(asked.plan, wrong.high)
        return Outcome("members' records", found, None, allowed, wrong.share)

    def guess(self, asked: Marginals, members: Cells, seed: int) -> Int[np.ndarray, "*sizes"]:
        """How often each record is named, from the tables of these people."""
        table = {name: members[:, place] for place, name in enumerate(self._names)}
        with own_ledger(asked.plan) as book:
            state: NoisySums = asked.of(table, book, NAME, seed=seed).release.state
        fit = LeastSquaresFit().fit(asked.tables, state.answer[0], asked.deviation)
        return whole(asked.tables, fit)

    @property
    def _names(self) -> list[str]:
        return [f"column {place}" for place in range(len(self.sizes))]
