"""What a ledger writes down and gives back: charges, opened grants, partitions, history.

A charge goes into the database as text and doubles and comes back equal: the event through its
closed JSON form, the floats untouched.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tacit.accounting.guarantee import Guarantee
from tacit.argument import got

if TYPE_CHECKING:
    from sqlalchemy import Row


@dataclass(frozen=True)
class Charge:
    """A guarantee as an account is charged for it.

    Args:
      part: the part of the population that the release reads; None for all of it.
    """

    guarantee: Guarantee
    part: str | None = None

    def __post_init__(self) -> None:
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
        # A word is a sequence too, of its letters.
        listed = isinstance(self.parts, list | tuple)
        if not (listed and all(isinstance(part, str) and part for part in self.parts)):
            raise ValueError(f"parts must be a list of names, got {got(self.parts)}")
        if not (self.parts and len(set(self.parts)) == len(self.parts)):
            raise ValueError(f"parts must be at least one name, all different, got {self.parts}")
        object.__setattr__(self, "parts", tuple(self.parts))

    def unlike(self, other: "Partition") -> str:
        """What a population that is divided so is told of another division."""
        said = f"is divided by {self.name!r} and cannot be again"
        if self.name != other.name:
            return said
        if self.parts != other.parts:
            return f"{said}: its parts are {list(self.parts)}, got {list(other.parts)}"
        return f"{said}: what fixes its parts is {self.fixed_by!r}, got {other.fixed_by!r}"


@dataclass(frozen=True)
class Opened:
    """A grant that may run: its key, and whether it was charged just now."""

    root_key: bytes
    new: bool


@dataclass(frozen=True)
class Entry:
    """One grant of a population's history; `closed` is None while it may still run.

    Args:
      asked: the question in words; empty if it was not said.
      note: what whoever asked wrote beside it.
    """

    grant_id: str
    opened: str
    closed: str | None
    plan: Mapping[str, Any]
    charges: tuple[Charge, ...]
    asked: str = ""
    note: str = ""

    def epsilons(self, observer: str) -> list[float]:
        """What this observer's accounts were charged, of each unit or part."""
        promises = [charge.guarantee for charge in self.charges]
        return [each.epsilon for each in promises if each.observer == observer]


def refuse_no_line(what: str, text: Any) -> None:
    """Raises a ValueError unless this is text that can be printed in one line; it may be empty."""
    if not (isinstance(text, str) and text.isprintable()):
        raise ValueError(f"{what} must be text of one line that can be printed, got {got(text)}")


def to_row(charge: Charge) -> dict[str, Any]:
    """A charge as a row."""
    row = charge.guarantee.to_json()
    event = json.dumps(row["event"], sort_keys=True, allow_nan=False)
    return {**row, "event": event, "part": charge.part or ""}


def from_row(row: Mapping[str, Any]) -> Charge:
    """The charge that `to_row` wrote."""
    promised = {**row, "event": json.loads(row["event"])}
    part = promised.pop("part")
    return Charge(Guarantee.from_json(promised), part or None)


def to_entry(grant: "Row", charges: Iterable[Mapping[str, Any]]) -> Entry:
    """A row of the grants, and its rows of charges, as history."""
    charged = tuple(from_row(charge) for charge in charges)
    plan = json.loads(grant.plan)
    said = grant.asked or "", grant.note or ""
    return Entry(grant.grant_id, grant.opened, grant.closed, plan, charged, *said)
