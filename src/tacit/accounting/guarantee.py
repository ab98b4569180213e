"""One promise: made by an accountant, planned, charged by the ledger and written in the receipt.

It is the same object all the way, so no two places can disagree about what was promised.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self, final

from tacit.accounting import event_json
from tacit.accounting.relation import Relation, refuse_no_relation
from tacit.argument import got, is_number, refuse_negative
from tacit.borrowed import DpEvent

# The unit of every plan, until a population says another.
PERSON = "person"


@final
@dataclass(frozen=True)
class Guarantee:
    """One promise: against whom, for which unit and neighbours, and how strong.

    **Guarantee**: what `observer` sees is (epsilon, delta)-differentially private when one
    `unit` changes in the sense of `relation`. `epsilon` is a certified upper bound for `event` at
    `delta - delta_reserved`, found by the named `accountant`.

    Args:
      accountant: whose bound `epsilon` is.
      delta_reserved: the part of `delta` that pays for releases other than `event`, as
        `reserve` proves.

    Raises:
      ValueError: the relation is none, epsilon is not at least 0 and finite, delta not in [0, 1),
        or the reserve is not a part of delta.
    """

    observer: str
    unit: str
    relation: Relation
    event: DpEvent
    epsilon: float
    delta: float
    accountant: str
    delta_reserved: float = 0.0

    def __post_init__(self) -> None:
        refuse_no_relation(self.relation)
        refuse_negative("epsilon", self.epsilon)
        if not (is_number(self.delta) and 0 <= self.delta < 1):
            raise ValueError(f"delta must be in [0, 1), got {got(self.delta)}")
        reserved, most = self.delta_reserved, self.delta
        if not (is_number(reserved) and 0 <= reserved <= most):
            raise ValueError(f"delta_reserved must be in [0, delta = {most}], got {got(reserved)}")

    @property
    def delta_of_event(self) -> float:
        """The delta that is left for the event."""
        return self.delta - self.delta_reserved

    def to_json(self) -> dict[str, Any]:
        """The promise as plain JSON data, under the names of its fields."""
        plain = {name: getattr(self, name) for name in _WORDS}
        numbers = {name: float(getattr(self, name)) for name in _NUMBERS}
        event = event_json.to_json(self.event)
        return {**plain, **numbers, "relation": self.relation.value, "event": event}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The promise that `to_json` wrote.

        Raises:
          ValueError: it wrote no such thing.
        """
        if not (isinstance(data, Mapping) and set(data) == {field.name for field in fields(cls)}):
            raise ValueError("it must have the fields of a promise, and no others")
        for name in _WORDS:
            if not isinstance(data[name], str):
                raise ValueError(f"{name} must be text, got {got(data[name])}")
        for name in _NUMBERS:
            if not is_number(data[name]):
                raise ValueError(f"{name} must be a number, got {got(data[name])}")
        numbers = {name: float(data[name]) for name in _NUMBERS}
        relation, event = Relation(data["relation"]), event_json.from_json(data["event"])
        return cls(**{**data, **numbers, "relation": relation, "event": event})


_WORDS = ("observer", "unit", "accountant")
_NUMBERS = ("epsilon", "delta", "delta_reserved")
