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
| a promise and the plan's copy, weaker than the trust's numbers, the digest recomputed | the same |
| a promise and the plan's copy, to another event, noise on sums of one shape | the plan's noise |
| the same, of another observer, or of a choice, a stream or a fit | nothing, if they add up |
| promises, the plan's copies, its noise and trust alike, or the plan left out | the same |
| the versions, `private`, the rest of the plan, the digest recomputed | nothing |

What a promise is compared with in the plan beside it, `tacit.ledger.beside` says.

A receipt **holds** if every promise does and something was promised and kept: it has a promise, its
noise came from no seed. One that promises nothing, and a file without receipts, hold nothing.

A true epsilon for its event and delta is what verifying proves. That this event was the release,
that its noise was drawn by these rules and its key kept secret and erased, whose data they were,
and who wrote the file, no receipt can show. It is not a signature.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.accounting.accountant import Certified, agree, cross_check, epsilon
from tacit.accounting.guarantee import Guarantee
from tacit.argument import got
from tacit.ledger.beside import unlike_the_plan
from tacit.whole_file import replacing

_FORMAT = "tacit receipts 2"
# Reserves were once called spills.
_BEFORE = "tacit receipts 1"
_FIELDS = {
    "guarantees": (list, "a list of promises"),
    "plan": (dict, "an object"),
    "versions": (dict, "an object"),
    "private": (bool, "true or false"),
    "digest": (str, "text"),
}
# What files of SQLite begin with, as ledgers do.
_DATABASE = b"SQLite format 3\0"
# How far a claimed epsilon may be from the one found here. A larger one is true all the same: the
# first number, a choice, tells it from another event's. A smaller one is what other versions of
# libraries round to, and claims less by the second part of itself at most: of an epsilon of ten
# e^epsilon is a hundred-millionth larger than claimed.
_RELATIVE = 1e-6
_ABSOLUTE = 1e-9


class ReceiptError(Exception):
    """A file that is not a whole file of receipts."""


@dataclass(frozen=True)
class Finding:
    """One guarantee as claimed, as two accountants find it, and what is wrong ("" if nothing)."""

    receipt: int
    claim: Guarantee
    first: Certified
    second: Certified
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
    guarantees: Sequence[Guarantee],
    plan: Mapping[str, Any],
    versions: Mapping[str, str],
    private: bool,
) -> dict[str, Any]:
    """A receipt with its digest.

    Args:
      plan: any JSON data.
      private: False if nothing was promised, or a seed made the key and nothing was protected.

    Raises:
      ValueError: the plan holds NaN, an infinity, or something JSON cannot write.
    """
    body = {
        "guarantees": [guarantee.to_json() for guarantee in guarantees],
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
        with replacing(path) as file:
            file.write(content)
    except OSError as error:
        raise ReceiptError(f"{path} cannot be written: {error.strerror}") from error


def read(path: str | Path) -> list[dict[str, Any]]:
    """The receipts of a file.

    Raises:
      ReceiptError: the file cannot be read, or is not a whole file of receipts.
    """
    return _read(path)[1]


def verify(path: str | Path) -> Report:
    """Recompute every promise of a file with two accountants, and every digest.

    Raises:
      ReceiptError: the file cannot be read, or a guarantee in it is not one.
    """
    written_by, receipts = _read(path)
    findings = [
        _recompute(f"receipt {at} of {path}", at, written, receipt, written_by)
        for at, receipt in enumerate(receipts)
        for written in receipt["guarantees"]
    ]
    each = list(enumerate(receipts))
    return Report(
        tuple(findings),
        tuple(one["private"] is True for one in receipts),
        altered=tuple(at for at, one in each if digest(one) != one["digest"]),
        seeded=tuple(at for at, one in each if one["guarantees"] and one["private"] is not True),
        empty=tuple(at for at, one in each if not one["guarantees"]),
    )


def _read(path: str | Path) -> tuple[str, list[dict[str, Any]]]:
    """The format of a file, and its receipts."""
    content = _content(path)
    try:
        data = json.loads(content, parse_constant=_refused, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise ReceiptError(f"{path} {_no_json(content, error)}") from error
    whole = isinstance(data, dict) and set(data) == {"format", "receipts"}
    if not (whole and isinstance(data["receipts"], list)):
        raise ReceiptError(f"{path} is not a file of receipts")
    if data["format"] not in (_FORMAT, _BEFORE):
        raise ReceiptError(f"{path} has the format {data['format']!r}, not {_FORMAT!r}")
    for at, receipt in enumerate(data["receipts"]):
        _refuse_no_receipt(f"receipt {at} of {path}", receipt)
    return data["format"], data["receipts"]


def _content(path: str | Path) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ReceiptError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ReceiptError(f"{path} is no name of a file: {error}") from error


def _no_json(content: bytes, error: Exception) -> str:
    if content.startswith(_DATABASE):
        return (
            "is a database and no receipt, which must be a JSON file as a run of tacit writes it: "
            "a ledger is shown by `tacit ledger show`"
        )
    if isinstance(error, UnicodeDecodeError):
        return "is no receipt, which must be a JSON file as a run of tacit writes it"
    return f"is not JSON, or is cut short: {error}"


def _refuse_no_receipt(which: str, receipt: Any) -> None:
    if not isinstance(receipt, dict) or set(receipt) != set(_FIELDS):
        raise ReceiptError(f"{which} lacks a field or has an unknown one")
    for name, (kind, called) in _FIELDS.items():
        if not isinstance(receipt[name], kind):
            raise ReceiptError(f"{name} of {which} must be {called}, got {got(receipt[name])}")


def _refused(constant: str) -> float:
    raise ValueError(f"{constant} is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refused(text)


def _recompute(
    which: str, at: int, written: Any, receipt: Mapping[str, Any], written_by: str
) -> Finding:
    claim = _claim(which, _renamed(written) if written_by == _BEFORE else written)
    try:
        first = epsilon(claim.event, claim.delta_of_event, claim.relation)
        second = cross_check(claim.event, claim.delta_of_event, claim.relation)
    except (ValueError, ArithmeticError, RecursionError, MemoryError) as error:
        raise ReceiptError(f"{which} claims what no accountant proves: {error}") from error
    wrong = _wrong(claim, first, second) or unlike_the_plan(claim, written, receipt)
    return Finding(at, claim, first, second, wrong)


def _wrong(claim: Guarantee, first: Certified, second: Certified) -> str:
    if not claim.epsilon >= first.epsilon * (1 - _ABSOLUTE):
        return f"the claimed epsilon {claim.epsilon} is below what the event costs"
    if not claim.epsilon <= first.epsilon * (1 + _RELATIVE) + _ABSOLUTE:
        return f"the claimed epsilon {claim.epsilon} is not the event's"
    if claim.accountant != first.accountant:
        return f"the claimed accountant {claim.accountant!r} is not {first.accountant!r}"
    if not agree(first, second):
        return "the second accountant does not agree with the first"
    return ""


def _claim(which: str, written: Any) -> Guarantee:
    try:
        return Guarantee.from_json(written)
    except (TypeError, ValueError, RecursionError) as error:
        raise ReceiptError(f"a guarantee of {which} is wrong: {error}") from error


def _renamed(written: Any) -> Any:
    """A promise of the format before, under the names of this one."""
    if not (isinstance(written, dict) and "spill" in written and "delta_reserved" not in written):
        return written
    return {"delta_reserved" if name == "spill" else name: written[name] for name in written}


def _canonical(data: Mapping[str, Any]) -> bytes:
    written = json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return written.encode()
