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
| a delta or an event together with its epsilon, the digest recomputed | nothing |
| the plan, the versions or `private`, the digest recomputed | nothing |

So a true epsilon for its event and delta is what verifying proves; that this event was the release
it does not prove. A receipt is not a signature.
"""

import hashlib
import json
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
    """Every guarantee of a file, recomputed, and every receipt whose digest does not fit."""

    findings: tuple[Finding, ...]
    altered: tuple[int, ...]

    @property
    def ok(self) -> bool:
        """Whether every digest fits and every claim is what its event costs."""
        return not self.altered and not any(finding.wrong for finding in self.findings)


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
    altered = tuple(at for at, one in enumerate(receipts) if digest(one) != one["digest"])
    findings = [
        _recompute(at, _claim(path, at, guarantee))
        for at, receipt in enumerate(receipts)
        for guarantee in receipt["guarantees"]
    ]
    return Report(tuple(findings), altered)


def _recompute(receipt: int, claim: Claim) -> Finding:
    certified_at = claim.delta - claim.spill
    try:
        first = epsilon(claim.event, certified_at, claim.relation)
        second = cross_check(claim.event, certified_at, claim.relation)
    except ValueError as error:
        raise ReceiptError(
            f"receipt {receipt} claims what no accountant proves: {error}"
        ) from error
    return Finding(receipt, claim, first, second, _wrong(claim, first, second))


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
        numbers = float(data["epsilon"]), float(data["delta"])
        parties = data["observer"], data["unit"], Relation(data["relation"])
        named = data["accountant"], float(data["spill"])
        return Claim(*parties, from_json(data["event"]), *numbers, *named)
    except (TypeError, ValueError) as error:
        raise ReceiptError(
            f"a guarantee of receipt {receipt} of {path} is wrong: {error}"
        ) from error


def _canonical(data: Mapping[str, Any]) -> bytes:
    written = json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return written.encode()
