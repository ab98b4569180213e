"""What `tacit verify` says: every promise beside two accountants' numbers, and what is wrong."""

from typing import Any

from tacit.accounting.upper import upper, upper_delta
from tacit.cli import voice
from tacit.cli.tables import row_of, table_of, whole
from tacit.ledger.receipt import Finding, Report

# What no receipt can show, however well it verifies.
UNSHOWN = (
    "a receipt is no signature: that it is of this release, whose the data were, who held the key "
    "and who wrote it, it cannot show"
)
LEGEND = (
    "again is ε recomputed; bound is a looser one, of another accountant's own steps:\n"
    "were it below again, one of the two would be wrong"
)
NUMBERS = ("δ", "ε", "again", "bound")


def shown(report: Report) -> None:
    """What verification found: each promise beside two accountants' numbers, and what is wrong."""
    whose, numbers = ("receipt", "private", "kept from", "unit", "relation"), NUMBERS
    table = table_of("promises, recomputed", whose, numbers)
    for found in report.findings:
        claim = found.claim
        numbers = claim.epsilon, found.first.epsilon, found.second.epsilon
        private = "yes" if report.private[found.receipt] else "no"
        whose = str(found.receipt), private, claim.observer, claim.unit, claim.relation.value
        row_of(table, *whose, upper_delta(claim.delta), *map(upper, numbers))
    whole(table)
    voice.OUT.print(LEGEND, markup=False, highlight=False, soft_wrap=True)
    for sentence in _refusals(report):
        voice.result(sentence)
    voice.result("every promise holds" if report.ok else "REFUSED", "bold")
    voice.result(UNSHOWN)


def as_json(report: Report) -> None:
    """The same as JSON."""
    promises = [_plain(found, report.private[found.receipt]) for found in report.findings]
    voice.data({"holds": report.ok, "promises": promises, "refusals": _refusals(report)})


def _plain(found: Finding, private: bool) -> dict[str, Any]:
    """Of one promise, what was claimed and what was found."""
    return {
        "receipt": found.receipt,
        "private": private,
        "observer": found.claim.observer,
        "unit": found.claim.unit,
        "relation": found.claim.relation.value,
        "delta": found.claim.delta,
        "epsilon": found.claim.epsilon,
        "again": found.first.epsilon,
        "accountant": found.first.accountant,
        "bound": found.second.epsilon,
        "second_accountant": found.second.accountant,
        "wrong": found.wrong,
    }


def _refusals(report: Report) -> list[str]:
    """What is wrong with promises and with whole receipts, a sentence each."""
    none = [] if report.private else ["the file has no receipts"]
    return [
        *none,
        *(
            f"receipt {found.receipt}, kept from {found.claim.observer}: {found.wrong}"
            for found in report.findings
            if found.wrong
        ),
        *(f"receipt {at} was altered: its digest does not fit" for at in report.altered),
        *(f"receipt {at} is of a seeded run: nothing in it is private" for at in report.seeded),
        *(f"receipt {at} promises nothing to anybody" for at in report.empty),
    ]
