"""Receipts: what was promised, written so that anyone can recompute it.

A receipt carries every number its promises depend on, in the open: the events, the epsilons and
deltas claimed, the plan and the versions. Whoever holds it recomputes each epsilon from its event
with both accountants: a claim below what the event costs is false, and one above it was altered. A
SHA-256 digest over the receipt's canonical JSON (sorted keys, no spaces, floats by `repr`) holds
every field.

| what was changed | what notices |
| --- | --- |
| anything, the digest left as it was | the digest |
| an epsilon alone (beyond a millionth), the digest recomputed | the recomputation |
| a delta or an event's number alone, the digest recomputed | the recomputation, if epsilon moves |
| anything of a promise, not the plan beside it, the digest recomputed | the comparison with it |
| a promise and the plan's copy, not the trust's numbers, the digest recomputed | the same |
| promises, the plan's copies and its trust alike, or the plan left out | nothing, if they add up |
| the versions, `private`, the rest of the plan, the digest recomputed | nothing |

A plan records its trust model and every promise it makes. Each promise of a receipt must be one of
its plan's, word for word, and the public's must be no weaker than the trust's (epsilon) and
be under its relation, at its delta. A plan that records neither is compared with nothing.

A receipt **holds** if every promise does and something was promised and kept: it has a promise, its
noise came from no seed. One that promises nothing, and a file without receipts, hold nothing.

A true epsilon for its event and delta is what verifying proves. That this event was the release,
that its noise was drawn by these rules and its key kept secret and erased, whose data they were,
and who wrote the file, no receipt can show. It is not a signature.
"""

import hashlib
import json
import math
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dp_accounting import DpEvent

from tacit.accounting.accountant import Account, agree, cross_check, epsilon
from tacit.accounting.event_json import from_json, to_json
from tacit.accounting.relation import Relation

_FORMAT = "tacit receipts 1"
_FIELDS = {"guarantees", "plan", "versions", "private", "digest"}
_CLAIM_FIELDS = {"observer", "unit", "relation", "event", "epsilon", "delta", "accountant", "spill"}
_RELATIVE = 1e-6
_ABSOLUTE = 1e-9


class ReceiptError(Exception):
    """A file that is not a whole file of receipts."""


@dataclass(frozen=True)
class Claim:
    """One guarantee as claimed: what `observer` learns about one `unit`, and who computed it.

    Args:
        spill: the part of `delta` set aside for cohorts cut at their capacity; `epsilon` is
            certified at `delta - spill`.

    Raises:
        ValueError: spill is not in [0, delta].
    """

    observer: str
    unit: str
    relation: Relation
    event: DpEvent
    epsilon: float
    delta: float
    accountant: str
    spill: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.spill <= self.delta:
            raise ValueError(f"spill must be in [0, delta = {self.delta}], got {self.spill}")


@dataclass(frozen=True)
class Finding:
    """One guarantee recomputed: the claim, the two accounts, and what is wrong ("" if nothing)."""

    receipt: int
    claim: Claim
    first: Account
    second: Account
    wrong: str


@dataclass(frozen=True)
class Report:
    """Every guarantee of a file, recomputed, and what is wrong with whole receipts.

    Args:
        findings: one for each guarantee.
        private: of each receipt, whether its noise came from no seed.
        altered: receipts whose digest does not fit.
        seeded: receipts that promise something and were seeded.
        empty: receipts that promise nothing.
    """

    findings: tuple[Finding, ...]
    private: tuple[bool, ...]
    altered: tuple[int, ...]
    seeded: tuple[int, ...]
    empty: tuple[int, ...]

    @property
    def sound(self) -> bool:
        """Whether every digest fits and every claim is what its event costs and its plan says."""
        return not self.altered and not any(finding.wrong for finding in self.findings)

    @property
    def ok(self) -> bool:
        """Whether there is a receipt, and every one holds: it promises something, and kept it."""
        return self.sound and bool(self.private) and not self.seeded and not self.empty


def make(
    guarantees: Sequence[Claim], plan: Mapping[str, Any], versions: Mapping[str, str], private: bool
) -> dict[str, Any]:
    """A receipt with its digest.

    Args:
        plan: any JSON data.
        private: False when the randomness came from a seed, so that nothing was protected.

    Raises:
        ValueError: the plan holds NaN, an infinity, or something JSON cannot write.
    """
    body = {
        "guarantees": [_claim_json(claim) for claim in guarantees],
        "plan": dict(plan),
        "versions": dict(versions),
        "private": private,
    }
    return {**body, "digest": digest(body)}


def digest(receipt: Mapping[str, Any]) -> str:
    """The SHA-256 of the receipt's canonical JSON, its own digest left out."""
    body = {name: value for name, value in receipt.items() if name != "digest"}
    return hashlib.sha256(_canonical(body)).hexdigest()


def write(path: str | Path, receipts: Sequence[Mapping[str, Any]]) -> None:
    """Write all receipts, or leave the old file as it was.

    Raises:
        ReceiptError: the file cannot be written.
    """
    path = Path(path)
    content = _canonical({"format": _FORMAT, "receipts": list(receipts)}) + b"\n"
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise ReceiptError(f"{path} cannot be written: {error.strerror}") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except OSError as error:
        os.unlink(name)
        raise ReceiptError(f"{path} cannot be written: {error.strerror}") from error


def read(path: str | Path) -> list[dict[str, Any]]:
    """The receipts of a file.

    Raises:
        ReceiptError: the file cannot be read, or is not a whole file of receipts.
    """
    try:
        data = json.loads(Path(path).read_bytes())
    except OSError as error:
        raise ReceiptError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ReceiptError(f"{path} is not JSON, or is cut short: {error}") from error
    if not isinstance(data, dict) or set(data) != {"format", "receipts"}:
        raise ReceiptError(f"{path} is not a file of receipts")
    if data["format"] != _FORMAT or not isinstance(data["receipts"], list):
        raise ReceiptError(f"{path} has the format {data['format']!r}, not {_FORMAT!r}")
    for at, receipt in enumerate(data["receipts"]):
        if not isinstance(receipt, dict) or set(receipt) != _FIELDS:
            raise ReceiptError(f"receipt {at} of {path} lacks a field or has an unknown one")
    return data["receipts"]


def verify(path: str | Path) -> Report:
    """Recompute every promise of a file with two accountants, and every digest.

    Raises:
        ReceiptError: the file cannot be read, or a guarantee in it is not one.
    """
    receipts = read(path)
    findings = [
        _recompute(at, _claim(path, at, guarantee), receipt)
        for at, receipt in enumerate(receipts)
        for guarantee in receipt["guarantees"]
    ]
    each = list(enumerate(receipts))
    return Report(
        tuple(findings),
        tuple(one["private"] is True for one in receipts),
        altered=tuple(at for at, one in each if digest(one) != one["digest"]),
        seeded=tuple(at for at, one in each if one["guarantees"] and one["private"] is not True),
        empty=tuple(at for at, one in each if not one["guarantees"]),
    )


def _recompute(at: int, claim: Claim, receipt: Mapping[str, Any]) -> Finding:
    certified_at = claim.delta - claim.spill
    try:
        first = epsilon(claim.event, certified_at, claim.relation)
        second = cross_check(claim.event, certified_at, claim.relation)
    except ValueError as error:
        raise ReceiptError(f"receipt {at} claims what no accountant proves: {error}") from error
    wrong = _wrong(claim, first, second) or _unlike_the_plan(claim, receipt)
    return Finding(at, claim, first, second, wrong)


def _wrong(claim: Claim, first: Account, second: Account) -> str:
    if not claim.epsilon >= first.epsilon * (1 - _ABSOLUTE):
        return f"the claimed epsilon {claim.epsilon} is below what the event costs"
    if not claim.epsilon <= first.epsilon * (1 + _RELATIVE) + _ABSOLUTE:
        return f"the claimed epsilon {claim.epsilon} is not the event's"
    if claim.accountant != first.accountant:
        return f"the claimed accountant {claim.accountant!r} is not {first.accountant!r}"
    if not agree(first, second):
        return "the second accountant does not agree with the first"
    return ""


def _unlike_the_plan(claim: Claim, receipt: Mapping[str, Any]) -> str:
    """In what the claim differs from the plan beside it, as far as that records promises."""
    plan, made = receipt["plan"], receipt["guarantees"]
    try:
        planned, trust = plan.get("guarantees"), plan.get("trust", {})
        if planned is not None and {"type": "Guarantee", **_claim_json(claim)} not in planned:
            return "the plan beside it does not make this promise"
        if planned is not None and [{"type": "Guarantee", **one} for one in made] != planned:
            return "the promises are not those of the plan beside them, each once and in order"
        whole = trust.get("central", trust)
        return _weaker(claim, whole) if claim.observer == "public" else ""
    except (AttributeError, TypeError):
        return "the plan beside it is none"


def _weaker(claim: Claim, trust: Mapping[str, Any]) -> str:
    """In what a promise to the public is not the trust's, as far as the trust says."""
    if trust.get("relation", claim.relation.value) != claim.relation.value:
        return f"the trust is under {trust['relation']}, the promise under {claim.relation.value}"
    if not claim.epsilon <= trust.get("epsilon", math.inf) * (1 + _ABSOLUTE):
        return f"the trust's epsilon is {trust['epsilon']}, the promise's {claim.epsilon}"
    # A mechanism may be pure though it was allowed a delta.
    delta = trust.get("delta", claim.delta)
    if not claim.delta <= max(delta, claim.spill):
        return f"the trust's delta is {delta}, the promise's {claim.delta}"
    return ""


def _claim_json(claim: Claim) -> dict[str, Any]:
    return {
        "observer": claim.observer,
        "unit": claim.unit,
        "relation": claim.relation.value,
        "event": to_json(claim.event),
        "epsilon": float(claim.epsilon),
        "delta": float(claim.delta),
        "accountant": claim.accountant,
        "spill": float(claim.spill),
    }


def _claim(path: str | Path, receipt: int, data: Any) -> Claim:
    if not isinstance(data, dict) or set(data) != _CLAIM_FIELDS:
        raise ReceiptError(f"a guarantee of receipt {receipt} of {path} is not complete")
    try:
        parties = data["observer"], data["unit"], Relation(data["relation"])
        numbers = _number(data["epsilon"]), _number(data["delta"])
        named = data["accountant"], _number(data["spill"])
        return Claim(*parties, from_json(data["event"]), *numbers, *named)
    except (TypeError, ValueError) as error:
        raise ReceiptError(
            f"a guarantee of receipt {receipt} of {path} is wrong: {error}"
        ) from error


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"a promise is made of numbers, got {value!r}")
    return float(value)


def _canonical(data: Mapping[str, Any]) -> bytes:
    written = json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return written.encode()
