"""A few phones that are members of one group, and sums under their masks."""

from typing import Any

import tacit
from live.phones import DIM, FUNCTION, MANY, VECTORS
from tacit import live
from tacit.live.masked.member import Member, SigningKey
from tacit.question.dropouts import DropOuts

CAP = live.Cap(epsilon=1000.0, days=7.0, delta=0.1)
KEYS = [SigningKey(bytes([who]) * 32) for who in range(MANY)]
ROSTER = {f"phone{who}": key.public for who, key in enumerate(KEYS)}


def member(who: int, **more: Any) -> Member:
    return Member(f"phone{who}", KEYS[who], ROSTER, **more)


def phone(path: Any, who: int, cap: live.Cap = CAP, **more: Any) -> live.Client:
    ledger = live.OwnLedger(path / f"{who}.db", cap)
    return live.Client(VECTORS[who], [FUNCTION], ledger, member(who, **more))


def phones(path: Any, **more: Any) -> dict[str, live.Client]:
    return {f"phone{who}": phone(path, who, **more) for who in range(MANY)}


def plan(rounds: int = 2, least: int = 3, epsilon: float = 100.0) -> tacit.Plan:
    """Of four, of whom one may be colluding and one be gone."""
    who = DropOuts(tacit.Everyone(), 0.1, least)
    question = tacit.Mean(tacit.Ball(DIM, 1.0), who, rounds, MANY)
    return tacit.Aggregated(epsilon, 1e-5).plan(question)
