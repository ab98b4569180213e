"""What is asked of a table, from the plan to the answer.

All aggregates are parts of one question, so all are read in one statement, released in one round
and charged once; each has an equal share of the budget, and noise of its own. `plan` reads nothing;
`run` reads the sums, charges the ledger, and only then draws noise.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np

from tacit.accounting.relation import Relation
from tacit.argument import got, is_number
from tacit.contribution import Contribution, Product
from tacit.ledger.ledger import opened
from tacit.ledger.unnamed import closed_if_cut_off
from tacit.plan import Plan
from tacit.population.grant import Grant
from tacit.population.keyed import KeyedSums, staged_by_key
from tacit.population.release import Release
from tacit.population.staged import Staged
from tacit.population.totals import NoisySums, Totals, staged_on
from tacit.question.keyed import Keyed
from tacit.question.participation import Everyone
from tacit.question.sums import Mean
from tacit.tables.answered import TableAnswer, framed
from tacit.tables.asked import Found, Measure, Noisy, Which, fitted, refuse_no_measures
from tacit.tables.caps import Caps
from tacit.tables.engine import sums_of, units_in
from tacit.tables.found import keys_of
from tacit.tables.granting import granted_of
from tacit.tables.open_keys import Keys, UndeclaredKeys
from tacit.tables.planned import MANY_PEOPLE, TablePlan, servers_of, told_of
from tacit.tables.remarks import remarks_of
from tacit.tables.statement import Statement
from tacit.tables.words import question_in_words
from tacit.tables.written import digest_of
from tacit.trust.people import Curated

if TYPE_CHECKING:
    from tacit.tables.table import Table

_REASONS = (
    "a table is held by a curator, who sees it: trust must be Central(epsilon, delta), or "
    "NonPrivate() to see what privacy costs; Local, Shuffled and Federated are for people's own "
    "devices, and tacit.simulation.Simulated tries them with the arrays of a table"
)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Ask:
    """Aggregates of the rows of each group, of one table.

    Args:
      table: whose rows.
      keys: the groups.
      aggregates: what is asked, by name.
      caps: how much of one person's rows counts.
      confidence: of each interval by itself.
    """

    table: "Table"
    keys: Keys
    aggregates: Mapping[str, Measure]
    caps: Caps
    confidence: float

    def __post_init__(self):
        refuse_no_measures(self.aggregates)
        self._refuse_overwritten()
        if not (is_number(self.confidence) and 0 < self.confidence < 1):
            raise ValueError(f"confidence must be above 0 and below 1, got {got(self.confidence)}")
        caps, asked = self.caps.within(self.keys.groups), self.aggregates.items()
        object.__setattr__(self, "aggregates", {name: fitted(each, caps) for name, each in asked})
        self.statement.of(self.table.joined)

    def __repr__(self) -> str:
        return f"Ask({self.words}; of {self.table.name})"

    @property
    def words(self) -> str:
        """What is asked, to be read."""
        table = self.table
        people = None if table.people == MANY_PEOPLE else table.people
        return question_in_words(self.aggregates, self.keys, table.conditions, people)

    def plan(self, trust: Curated) -> TablePlan:
        """What `trust` promises for these numbers.

        Raises:
          ValueError: if it is no curator's, or has no such plan.
        """
        return self._planned(self._plan(trust))

    def _planned(self, plan: Plan) -> TablePlan:
        """What this question says of a plan of it."""
        chance, servers = 1 - self.confidence, servers_of(plan)
        named = zip(self.aggregates.items(), servers, strict=True)
        widths = {name: each.width(server, chance) for (name, each), server in named}
        told = *told_of(plan), self.statement.unread(self.table.joined)
        return TablePlan(self.words, plan, widths, self.kept, self.confidence, *told)

    def grant(
        self,
        trust: Curated,
        *,
        grant_id: str | None = None,
        seed: int | None = None,
        note: str | None = None,
    ) -> Grant:
        """Reads the exact sums, and charges the ledger for releasing them with noise.

        Args:
          grant_id: an idempotency key: asking again with the same one charges nothing, and
            continues the same grant with the same noise, if the table is the same.
          seed: for tests: the receipt then says that nothing is private.
          note: what the ledger keeps beside the question.

        Raises:
          ValueError: if the trust model has no such plan.
          EngineError: if the engine stops.
          LedgerError: if an account has no limit yet, or the grant of this name was opened with
            something else: another table, say.
          OverBudget: if an account has too little left.
          Nothing is charged in any of these cases.
        """
        plan = self._plan(trust)
        said = {"asked": self.words, "note": note, "question": self.digest}
        staged = self.table, plan, lambda: self._staged(plan)
        return granted_of(*staged, grant_id=grant_id, seed=seed, **said)

    def run(
        self, trust: Curated, *, seed: int | None = None, note: str | None = None
    ) -> TableAnswer:
        """Asks, charges and answers; arguments as of `grant`."""
        with closed_if_cut_off(opened(self.table.ledger)) as (name,):
            return self.read(self.grant(trust, grant_id=name, seed=seed, note=note).run())

    def read(self, release: Release) -> TableAnswer:
        """What a release of this question says."""
        rows, keys = self._groups(release), enumerate(self.keys.names)
        columns: dict[str, Any] = {name: [row[i] for row in rows] for i, name in keys}
        for name, each in (found := self._found(release)).items():
            columns |= each.named(name)
        frame = framed(columns).iloc[self.keys.order(rows)].reset_index(drop=True)
        own = self.confidence, release, self.kept, self._planned(release.plan)
        return TableAnswer(frame, self.keys.names, *own, remarks_of(found))

    @cached_property
    def statement(self) -> Statement:
        """What the engine is asked."""
        table = self.table
        own = table.whose, table.name, table.conditions, self.keys, self.caps, self.aggregates
        return Statement(*own)

    def _refuse_overwritten(self) -> None:
        """Each number that is paid for has columns of its own."""
        made = [name + end for name, each in self.aggregates.items() for end in each.behind]
        for column, many in Counter([*self.keys.names, *made]).items():
            if many > 1:
                raise ValueError(
                    f"{many} columns of the answer would be called {column!r}: rename a number"
                )

    def _plan(self, trust: Curated) -> Plan:
        if not isinstance(trust, Curated):
            raise ValueError(f"{_REASONS}; got {got(trust)}")
        return trust.plan(self._question).per(self.table.whose.unit)

    @property
    def kept(self) -> str:
        """How much of a person's rows counts, in words."""
        return self.caps.words(self.keys.groups, self.table.whose.called)

    @property
    def _question(self) -> Mean | Keyed:
        keys, sums = self.keys, Mean(self._shape, Everyone(), 1, self.table.people)
        if not isinstance(keys, UndeclaredKeys):
            return sums
        many = min(self.caps.groups, self.caps.rows)
        return Keyed(sums, keys.most, many, keys.at_least, keys.share)

    @cached_property
    def _shapes(self) -> list[Contribution]:
        caps, groups = self.caps.within(self.keys.groups), self.keys.groups
        return [each.shape(caps, groups) for each in self.aggregates.values()]

    @property
    def _shape(self) -> Contribution:
        return self._shapes[0] if len(self._shapes) == 1 else Product(*self._shapes)

    @property
    def _cells(self) -> list[int]:
        """Of each aggregate in one group."""
        sizes = [int(np.prod(each.answer_shape, dtype=int)) for each in self._shapes]
        return [size // self.keys.groups for size in sizes]

    def staged_as(self, plan: Plan) -> Staged:
        """A plan about these sums of declared groups, set up on what the engine finds."""
        self._refuse_another_number(plan)
        sums, fingerprint = sums_of(self.statement, self.table.joined, self._cells)
        shaped = [own.reshape(s.answer_shape) for own, s in zip(sums, self._shapes, strict=True)]
        return staged_on(plan, self.digest, Totals.of(plan, shaped, fingerprint))

    def _staged(self, plan: Plan) -> Staged:
        if not isinstance(self.keys, UndeclaredKeys):
            return self.staged_as(plan)
        self._refuse_another_number(plan)
        found = keys_of(self.statement, self.table.joined)
        return staged_by_key(plan, self.digest, found)

    @property
    def digest(self) -> str:
        """Of all that is asked, and of what is public beside the rows."""
        return digest_of([self.statement.digest, *(each.digest for each in self.table.publics)])

    def _refuse_another_number(self, plan: Plan) -> None:
        """What is not said is how many there are: that is public for whom it was declared."""
        table = self.table
        public = any(each.relation is not Relation.ADD_REMOVE for each in plan.guarantees)
        if public and units_in(table.joined, table.whose) != table.people:
            raise ValueError(
                "under replace-one and zero-out the number of people is public: people= must be how"
                f" many have rows in the table, and {table.people:,} is not; nothing was charged"
            )

    def _groups(self, release: Release) -> list[tuple[Any, ...]]:
        """The keys of every group that is answered."""
        if isinstance(self.keys, UndeclaredKeys):
            sums: KeyedSums = release.state
            return self.keys.read(sums.texts, self.table.joined)
        return self.keys.rows

    def _found(self, release: Release) -> dict[str, Found | Which]:
        sums: NoisySums | KeyedSums = release.state
        answers = zip(sums.answer, self._cells, servers_of(release.plan), strict=True)
        groups, found = len(self._groups(release)), {}
        for (name, aggregate), (cells, own, server) in zip(
            self.aggregates.items(), answers, strict=True
        ):
            noisy = Noisy(cells.reshape(groups, own), server, 1 - self.confidence)
            found |= {name + more: numbers for more, numbers in aggregate.read(noisy).items()}
        return found
