"""What a ledger writes down and gives back: charges, opened grants, partitions, history.

A charge goes into the database as text and doubles and comes back equal: the event through its
closed JSON form, the floats untouched.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dp_accounting import DpEvent
from sqlalchemy import Row

from tacit.accounting.event_json import from_json, to_json
from tacit.accounting.relation import Relation


@dataclass(frozen=True)
class Charge:
    """One guarantee of a grant: what `observer` can learn about one `unit` of the population.

    Args:
        spill: the part of `delta` that pays for releases other than `event`: (1 + e^epsilon) times
            the chance of one.
        part: the part of the population that the release reads; None for all of it.
    """

    observer: str
    unit: str
    relation: Relation
    event: DpEvent
    epsilon: float
    delta: float
    spill: float = 0.0
    part: str | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon < math.inf:
            raise ValueError(f"epsilon must be at least 0 and finite, got {self.epsilon}")
        if not 0 <= self.delta < 1:
            raise ValueError(f"delta must be in [0, 1), got {self.delta}")
        if not 0 <= self.spill <= self.delta:
            raise ValueError(f"spill must be in [0, delta = {self.delta}], got {self.spill}")
        if self.part == "":
            raise ValueError("part must be the name of a part, or None for all people")


@dataclass(frozen=True)
class Partition:
    """Disjoint parts of a population, every unit in one of them, fixed and public.

    Args:
        fixed_by: what fixes a unit's part outside of its data; None if its data may.
    """

    name: str
    parts: tuple[str, ...]
    fixed_by: str | None = None

    def __post_init__(self) -> None:
        if not (self.parts and all(self.parts) and len(set(self.parts)) == len(self.parts)):
            raise ValueError(f"parts must be at least one name, all different, got {self.parts}")


@dataclass(frozen=True)
class Opened:
    """A grant that may run: its key, and whether it was charged just now."""

    root_key: bytes
    new: bool


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
        "part": charge.part or "",
        "event": json.dumps(to_json(charge.event), sort_keys=True, allow_nan=False),
        "epsilon": float(charge.epsilon),
        "delta": float(charge.delta),
        "spill": float(charge.spill),
    }


def from_row(row: Mapping[str, Any]) -> Charge:
    """The charge that `to_row` wrote."""
    event = from_json(json.loads(row["event"]))
    relation = Relation(row["relation"])
    numbers = row["epsilon"], row["delta"], row["spill"]
    return Charge(row["observer"], row["unit"], relation, event, *numbers, row["part"] or None)


def to_entry(grant: Row, charges: Iterable[Mapping[str, Any]]) -> Entry:
    """A row of the grants, and its rows of charges, as history."""
    guarantees = tuple(from_row(charge) for charge in charges)
    plan = json.loads(grant.plan)
    return Entry(grant.grant_id, grant.opened, grant.closed, plan, guarantees)
