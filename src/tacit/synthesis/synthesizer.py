"""Rows like people's records, from one private release."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

from tacit.argument import got, is_made
from tacit.ledger.ledger import LedgerOrPath
from tacit.ledger.unnamed import closed_at_the_end
from tacit.plan import Plan
from tacit.queries.domain import Domain
from tacit.queries.record_source import refuse_public_number
from tacit.question.sums import refuse_nobody
from tacit.synthesis.from_pairs import FromPairs
from tacit.synthesis.method import RowMethod, RowRelease
from tacit.synthesis.synthetic import Synthetic
from tacit.trust.people import Trust, refuse_no_trust


@final
@dataclass(frozen=True)
class Synthesizer:
    """Makes rows of declared columns; `plan` is known before the data are.

    **Guarantee**: the plan's, of one release. Everything after it, rows of any number included, is
    made of what was released, and costs nothing more.

    Args:
      domain: what each column may hold, at least two: a list of values, or `Binned(ends)`. A record
        with any other value has no part in it.
      trust: a curator: `Central` or `NonPrivate`.
      people: about how many they are; exactly, where that is public.
      method: how: `FromPairs()`, `FromTree()`, `FromRounds(rounds)` or `FromSmall(rows)`.

    Raises:
      ValueError: if an argument is not of its kind, or the trust model has no such plan.
    """

    domain: Domain | Mapping[str, Any]
    trust: Trust
    people: int
    method: RowMethod = field(default_factory=FromPairs)

    def __post_init__(self):
        refuse_no_trust(self.trust)
        refuse_nobody(self.people)
        if not is_made(self.method, RowMethod):
            raise ValueError(
                "a method is FromPairs(), FromTree(), FromRounds(rounds) or FromSmall(rows), got "
                f"{got(self.method)}"
            )
        object.__setattr__(self, "domain", Domain.of(self.domain))
        _ = self.asked

    @cached_property
    def asked(self) -> RowRelease:
        """The release that is made."""
        return self.method.asked(Domain.of(self.domain), self.trust, self.people)

    @property
    def plan(self) -> Plan:
        """What will be promised."""
        return self.asked.plan

    def fit(
        self,
        table: Any,
        *,
        ledger: LedgerOrPath,
        name: str,
        seed: int | None = None,
        note: str | None = None,
    ) -> Synthetic:
        """Releases what is asked of these people, and learns to make rows like theirs.

        Args:
          table: a DataFrame or a mapping of columns to arrays or lists, a row for each person; or a
            `tacit.Table`, of which one row of each person counts.
          ledger, name, seed, note: as for `tacit.statistics.mean`. With `ledger.once(...)` a fit
            that is cut off goes on when it is made again; so does one that was learning to make
            rows.

        Raises:
          ValueError: if a declared column is missing, or of another kind; nothing is charged.
          LedgerError: if an account has no limit yet, with the calls that set it.
          OverBudget: if an account has too little left, with what it has.
        """
        refuse_public_number(table, self.trust)
        with closed_at_the_end(ledger) as book:
            release, law = self.asked.of(table, book, name, seed=seed, note=note)
        return Synthetic(Domain.of(self.domain), release, law)
