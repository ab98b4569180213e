"""Rows like people's records, from one private release of all pairs of columns.

How important each pair is follows from public numbers: its squared error counts the less the more
noise its cells have anyway, and the more cells it has; a few rounds of that settle it. So what is
asked, and its noise, are known before the data are.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, final

import numpy as np

from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.queries.closure import Tables, cells_of
from tacit.queries.domain import Domain
from tacit.queries.marginal_counts import Marginals, alike
from tacit.synthesis.mixture import fitted
from tacit.synthesis.pairs import pairs_of, shares_of
from tacit.synthesis.synthetic import Synthetic
from tacit.trust.central import Central
from tacit.trust.people import Trust

_ROUNDS, _POWER = 8, 1.1


@final
@dataclass(frozen=True)
class Synthesizer:
    """Makes rows of declared columns; `plan` is known before the data are.

    **Guarantee**: the plan's, of one release. Everything after it, rows of any number included, is
    made of what was released, and costs nothing more.

    Args:
      domain: what each column may hold, at least two: a list of values, or `Binned(ends)`. A record
        with any other value has no part in it.
      trust: a curator: `Central` with a delta, or `NonPrivate`.
      people: about how many they are; exactly, where that is public.

    Raises:
      ValueError: if an argument is not of its kind, or the trust model has no such plan.
    """

    domain: Domain | Mapping[str, Any]
    trust: Trust
    people: int

    def __post_init__(self):
        known = Domain.of(self.domain)
        if not len(known.names) >= 2:
            raise ValueError("rows are made of at least two columns: declare a second one")
        object.__setattr__(self, "domain", known)
        # Refuses what tables of these people would.
        Marginals(known, alike(known, ((0, 1),)), self.trust, self.people)
        if isinstance(self.trust, Central) and not self.trust.delta > 0:
            raise ValueError(
                "noise that is told from what ties columns is Gaussian: its promise needs a delta "
                "above 0, got 0"
            )

    @cached_property
    def tables(self) -> Tables:
        """All pairs of columns, with their importance."""
        sizes = Domain.of(self.domain).sizes
        sets = tuple(combinations(range(len(sizes)), 2))
        cells = cells_of(sizes, sets)
        found = Tables(sizes, sets, tuple(own**-_POWER for own in cells))
        for _ in range(_ROUNDS):
            noise = map(math.sqrt, found.least_variances())
            each = zip(noise, cells, strict=True)
            found = Tables(sizes, sets, tuple(own**-_POWER / max(sd, 1e-12) for sd, own in each))
        return found

    @cached_property
    def asked(self) -> Marginals:
        """The release that is made."""
        return Marginals(Domain.of(self.domain), self.tables, self.trust, self.people)

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
        """Releases these people's pairs, and learns to make rows like theirs.

        Args:
          table: a DataFrame, or a mapping of columns to arrays or lists; a row for each person.
          ledger, name, seed, note: as for `tacit.statistics.mean`.

        Raises:
          ValueError: if a declared column is missing, or of another kind; nothing is charged.
          LedgerError: if an account has no limit yet, with the calls that set it.
          OverBudget: if an account has too little left, with what it has.
        """
        words = "synthetic rows" if note is None else note
        answer = self.asked.of(table, ledger, name, seed=seed, note=words)
        shares = shares_of(self.tables, answer.contrasts)
        pairs = pairs_of(self.tables, answer.contrasts, answer.deviation, shares)
        rng = np.random.default_rng(0)
        return Synthetic(answer, fitted(self.tables.sizes, pairs, shares, rng))
