"""Keys that nobody declared, from the engine's rows to which of them are released.

Every key has so many people that it is released now and then, besides the audited one; keys share
nobody and are drawn for by themselves, so a grant of 16,384 of them is as many draws. The release
counts rows as well, with noise, for which a tenth of the budget is left: only which keys are in it
is looked at.
"""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import final

import numpy as np
import pandas as pd

from audits.engines import ANY, GROUPS, capped_by, quieter, row_of
from tacit.accounting.relation import Relation
from tacit.ledger.ledger import Ledger
from tacit.population.release import Release
from tacit.tables import counted
from tacit.tables.ask import Ask
from tacit.tables.open_keys import undeclared
from tacit.tables.table import Table
from tacit.trust.central import Central

SHARE = 0.9


@final
@dataclass(frozen=True)
class Finding:
    """A table in which a person has rows in several keys, of which one counts.

    Args:
      trust: what is promised.
      others: how many people each key has besides.
      span: in how many keys the person has a row.
    """

    trust: Central
    others: int
    span: int

    @property
    def groups(self) -> int:
        return GROUPS

    def ask(self, folder: Path, present: bool) -> Ask:
        ledger = Ledger(folder / "ledger.db")
        ledger.limit("people", "public", Relation.ADD_REMOVE, 1e6, 1.0)
        table = Table(self._frame(present), "person", "people", ledger)
        by = table.by(undeclared("key", most=GROUPS, share=SHARE))
        return by.ask(n=counted.count(), groups_per_person=1, rows_per_group=1)

    def seen(self, ask: Ask, release: Release) -> np.ndarray:
        """Of every key, whether it is released."""
        kept = np.zeros(GROUPS)
        kept[ask.read(release).frame["key"].to_numpy(int)] = 1.0
        return kept

    def _frame(self, present: bool) -> pd.DataFrame:
        key = np.repeat(np.arange(GROUPS), self.others)
        others = pd.DataFrame({"key": key, "person": np.arange(len(key))})
        keys = np.arange(GROUPS)
        own = pd.DataFrame({"key": keys, "person": -1 - keys // self.span})
        return pd.concat([others, own]) if present else others


TRUST = Central(1.0, 0.01)


def lowered(ask: Ask, trust: Central) -> Central:
    """Keys are chosen by the rule of sixteen times the delta: of fewer people."""
    plan = ask._plan(trust)
    choice = replace(plan.server.choice, delta=16 * plan.server.choice.delta)
    ask.__dict__["_plan"] = lambda _: replace(plan, server=replace(plan.server, choice=choice))
    return trust


# Keys of one person alone, which are as good as never kept.
ALONE = Finding(TRUST, others=0, span=1)
ONE, SEVERAL = Finding(TRUST, others=5, span=1), Finding(TRUST, others=5, span=4)
ROWS = [
    row_of("keys found", ONE, {"noise x 2/3": quieter}),
    row_of("keys found, of one alone", ALONE, {"threshold too low": lowered}),
    row_of("keys found, of several", SEVERAL, {"groups not bounded": partial(capped_by, ANY)}),
]
