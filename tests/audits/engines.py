"""Tables, from the engine's rows to the noisy sums: all of a grant's road but its reading.

Groups share nobody, so what is released of each is an independent run of the same mechanism: one
grant of 16,384 groups, in which the same few rows lie, is as many draws. Seeds of its noise are
drawn from the audit's key. A bug is planted where the engine is asked: the plan, the charge
and the noise stay those of the question.
"""

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Protocol, final

import jax
import numpy as np
import pandas as pd

from audits.row import Row, Sampler
from tacit.accounting import accountant
from tacit.accounting.relation import Relation
from tacit.ledger.ledger import Ledger
from tacit.plan import Plan
from tacit.population.release import Release
from tacit.tables import counted, measured
from tacit.tables.ask import Ask
from tacit.tables.caps import Caps
from tacit.tables.table import Table
from tacit.trust.central import Central

SIDE, DAYS = 128, 30.0
GROUPS = SIDE**2
# Grants of one row, in the audit and in its quick version.
RUNS, QUICK = 16, 2
TRUST = Central(1.0, 0.0)
APPROXIMATE = Central(2.0, 0.01)
WEAKER = 1.5


class Asked(Protocol):
    """One question, asked of a table in which the same happens many times."""

    @property
    def trust(self) -> Central:
        """What is promised."""
        ...

    @property
    def span(self) -> int:
        """How many groups one draw is about; it is their sum."""
        ...

    @property
    def groups(self) -> int:
        """How many there are in one grant."""
        ...

    def ask(self, folder: Path, present: bool) -> Ask:
        """Of a table with the person of every draw, or without."""
        ...

    def seen(self, ask: Ask, release: Release) -> np.ndarray:
        """What is looked at, of every group."""
        ...


@final
@dataclass(frozen=True)
class Asking:
    """One question, asked of a table in which the same happens many times.

    Args:
      trust: what is promised.
      aggregate: what is asked.
      caps: of one person.
      rows: one person's places, among those of one draw, and their days, each.
      span: groups that one draw is about; it is their sum.
      side: whose square is the number of groups.
      others: rows that each group has besides, of a person each.
    """

    trust: Central
    aggregate: Any
    caps: Mapping[str, int]
    rows: tuple[tuple[int, float], ...]
    span: int = 1
    side: int = SIDE
    others: int = 0

    @property
    def groups(self) -> int:
        return self.side**2

    def seen(self, ask: Ask, release: Release) -> np.ndarray:
        """Of every group: how many rows or people, or the levels at the upper end."""
        del ask
        return release.state.answer[0].reshape(self.groups, -1)[:, 0]

    def ask(self, folder: Path, present: bool) -> Ask:
        """Of a table with the person of every draw, or without."""
        ledger = Ledger(folder / "ledger.db")
        ledger.limit("people", "public", Relation.ADD_REMOVE, 1e6, 1.0)
        table = Table(self._frame(present), "person", "people", ledger)
        keys = {"a": list(range(self.side)), "b": list(range(self.side))}
        return table.by(**keys).ask(found=self.aggregate, **self.caps)

    def _frame(self, present: bool) -> pd.DataFrame:
        draws = np.arange(self.groups // self.span)
        own = [
            (draws * self.span + place, 0 * draws - 1 - draws, days) for place, days in self.rows
        ]
        parts = [
            pd.DataFrame({"group": group, "person": person, "days": days})
            for group, person, days in (own if present else [])
        ]
        nobody = pd.DataFrame({"group": [0], "person": [None], "days": 0.0})
        others = pd.DataFrame({"group": np.repeat(np.arange(self.groups), self.others)})
        others = others.assign(person=np.arange(len(others)), days=0.0)
        whole = pd.concat([nobody, others, *parts])
        whole["person"] = whole.person.astype("Int64")
        return whole.assign(a=whole.group // self.side, b=whole.group % self.side)


def _plan(path: Asked) -> Plan:
    with tempfile.TemporaryDirectory() as folder:
        return path.ask(Path(folder), present=False).plan(path.trust).plan


def _found(
    path: Asked, present: bool, bug: Callable[[Ask], Central], key, draws: int
) -> np.ndarray:
    """What is released, of so many draws."""
    each = path.groups // path.span
    bits = np.asarray(jax.random.bits(key, (-(-draws // each),))).tolist()
    with tempfile.TemporaryDirectory() as folder:
        ask = path.ask(Path(folder), present)
        trust = bug(ask)
        said = [path.seen(ask, ask.grant(trust, seed=seed).run()) for seed in bits]
    return np.concatenate(said).reshape(-1, path.span).sum(axis=1)[:draws]


def _none(ask: Ask, trust: Central) -> Central:
    del ask
    return trust


def capped_by(caps: Caps, ask: Ask, trust: Central) -> Central:
    """The engine keeps as many rows of one person as these caps allow."""
    ask.__dict__["statement"] = replace(ask.statement, caps=caps)
    return trust


def quieter(ask: Ask, trust: Central) -> Central:
    """Two-thirds of the noise."""
    del ask
    return replace(trust, epsilon=WEAKER * trust.epsilon)


def row_of(
    name: str,
    path: Asked,
    bugs: Mapping[str, Callable[[Ask, Central], Central]],
    draws: int = RUNS * GROUPS,
    quick: int = QUICK * GROUPS,
) -> Row:
    def pair(bug: Callable[[Ask, Central], Central]) -> tuple[Sampler, Sampler]:
        own = partial(bug, trust=path.trust)
        one, other = (partial(_found, path, present, own) for present in (True, False))
        return one, other

    @cache
    def plan() -> Plan:
        return _plan(path)

    def curve(epsilon: float) -> float:
        promise = plan().guarantees[0]
        found = accountant.delta(promise.event, epsilon, promise.relation).delta
        return found + promise.delta_reserved

    planted = {name: pair(bug) for name, bug in bugs.items()}
    return Row(
        *("table", name, path.trust.epsilon),
        *pair(_none),
        planted,
        path.trust.delta,
        curve,
        draws=draws // path.span,
        quick=quick // path.span,
    )


# A person with six rows in one group, of which three count.
COUNT = Asking(
    TRUST, counted.count(), {"groups_per_person": 1, "rows_per_group": 3}, ((0, DAYS),) * 6
)
# A person at the upper end, with three rows of which one counts.
MEAN = Asking(
    APPROXIMATE,
    measured.mean("days", 0, DAYS),
    {"groups_per_person": 1, "rows_per_group": 1},
    ((0, DAYS),) * 3,
)
# A person in four groups, of which one counts.
PEOPLE = Asking(
    TRUST,
    counted.people(),
    {"groups_per_person": 1, "rows_per_group": 1},
    tuple((place, DAYS) for place in range(4)),
    span=4,
)
ANY = Caps(1024, 1024, 1024)
ROWS = [
    row_of("count", COUNT, {"bounding dropped": partial(capped_by, ANY), "noise x 2/3": quieter}),
    row_of("mean", MEAN, {"bounding dropped": partial(capped_by, ANY), "noise x 2/3": quieter}),
    row_of("people", PEOPLE, {"groups not bounded": partial(capped_by, Caps(4, 4, 1))}),
]
