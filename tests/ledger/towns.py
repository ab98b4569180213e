"""People with a ledger, for its tests: what is charged to them, and the accounts of a town."""

import hmac
from pathlib import Path

from tacit.accounting.events import gaussian, local
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation
from tacit.ledger.ledger import Charge, Ledger

KEY, OTHER_KEY = b"k" * 32, b"o" * 32
PRINT = {"data": "print", "learner": "same"}


def charge(epsilon: float, delta: float = 1e-6, observer: str = "public") -> Charge:
    return Charge(
        Guarantee(observer, "person", Relation.ADD_REMOVE, gaussian(3), epsilon, delta, "plain sum")
    )


def keyed(key: bytes, text: str = "print") -> bytes:
    return hmac.new(key, f"4 data{text}".encode(), "sha256").hexdigest().encode()


def opened(folder: Path, epsilon: float = 1.0, delta: float = 1e-5) -> Ledger:
    ledger = Ledger(folder / "ledger.db")
    ledger.limit("town", "public", Relation.ADD_REMOVE, epsilon, delta)
    return ledger


SEVERAL = [
    charge(0.1, 1e-7),
    charge(0.2, 1e-7),
    charge(0.3, 0.0, "server"),
    Charge(
        Guarantee("shuffler", "household", Relation.REPLACE_ONE, local(1), 0.7, 0.0, "plain sum")
    ),
]
