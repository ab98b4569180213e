"""What a ledger writes down and gives back: charges, opened grants, accounts, history.

A charge goes into the database as text and two doubles and comes back equal: the event through its
closed JSON form, the floats untouched.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from dp_accounting import DpEvent
from sqlalchemy import Row

from tacit.accounting.event_json import from_json, to_json
from tacit.accounting.relation import Relation


@dataclass(frozen=True)
class Charge:
    """One guarantee of a grant: what `observer` can learn about one `unit` of the population."""

    observer: str
    unit: str
    relation: Relation
    event: DpEvent
    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon < math.inf:
            raise ValueError(f"epsilon must be at least 0 and finite, got {self.epsilon}")
        if not 0 <= self.delta < 1:
            raise ValueError(f"delta must be in [0, 1), got {self.delta}")


@dataclass(frozen=True)
class Opened:
    """A grant that may run: its key (None once closed), and whether it was charged just now."""

    root_key: bytes | None
    new: bool


@dataclass(frozen=True)
class Spent:
    """One account: what its grants have cost, and its limit."""

    observer: str
    unit: str
    relation: Relation
    epsilon: float
    delta: float
    limit_epsilon: float
    limit_delta: float


@dataclass(frozen=True)
class Entry:
    """One grant of a population's history; `closed` is None while it may still run."""

    grant_id: str
    opened: str
    closed: str | None
    plan: Mapping[str, Any]
    guarantees: tuple[Charge, ...]


def to_row(charge: Charge) -> dict[str, Any]:
    """A charge as a row."""
    return {
        "observer": charge.observer,
        "unit": charge.unit,
        "relation": charge.relation.value,
        "event": json.dumps(to_json(charge.event), sort_keys=True, allow_nan=False),
        "epsilon": float(charge.epsilon),
        "delta": float(charge.delta),
    }


def from_row(row: Mapping[str, Any]) -> Charge:
    """The charge that `to_row` wrote."""
    event = from_json(json.loads(row["event"]))
    relation = Relation(row["relation"])
    numbers = row["epsilon"], row["delta"]
    return Charge(row["observer"], row["unit"], relation, event, *numbers)


def to_entry(grant: Row, charges: Iterable[Mapping[str, Any]]) -> Entry:
    """A row of the grants, and its rows of charges, as history."""
    guarantees = tuple(from_row(charge) for charge in charges)
    plan = json.loads(grant.plan)
    return Entry(grant.grant_id, grant.opened, grant.closed, plan, guarantees)


def to_spent(limit: Row, epsilon: Decimal, delta: Decimal) -> Spent:
    """A row of the limits, and what its account's grants have cost."""
    account = limit.observer, limit.unit, Relation(limit.relation)
    return Spent(*account, float(epsilon), float(delta), limit.epsilon, limit.delta)
