"""Everything the command line says, in one voice.

Results go to standard output; progress, warnings and errors to standard error, so that
`--json` can be piped. An error is one sentence that says what is allowed, and nothing else.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import ROUND_CEILING, Context
from typing import Any, final

from rich.box import SIMPLE
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text

from tacit.cli.interruption import Stop
from tacit.cli.numbers import upper
from tacit.cli.session import Result, Watch
from tacit.ledger.ledger import Charge, Entry, Spent
from tacit.ledger.receipt import Report
from tacit.plan import Plan

# What no receipt can show, however well it verifies.
UNSHOWN = (
    "a receipt is no signature: that it is of this release, whose the data were, who held the key "
    "and who wrote it, it cannot show"
)
OUT = Console()
ERR = Console(stderr=True)
# What the numbers of accounts are, and are not.
BOUNDS = (
    "an account bounds what was made for its observer; what was made for the public everybody sees "
    "besides"
)


def refuse(sentence: str) -> None:
    """One sentence on standard error."""
    ERR.print(f"tacit: {sentence}", style="bold red", markup=False, highlight=False, soft_wrap=True)


def note(sentence: str) -> None:
    """Something the user should know, on standard error."""
    ERR.print(f"tacit: {sentence}", style="yellow", markup=False, highlight=False, soft_wrap=True)


def data(value: Any) -> None:
    """`value` as JSON on standard output."""
    print(json.dumps(value, indent=2))


@final
class _Stopping(ProgressColumn):
    """Says that a signal was noted: a round or a compilation may take a while to end."""

    def __init__(self, stop: Stop):
        super().__init__()
        self._stop = stop

    def render(self, task: Task) -> Text:
        del task
        return Text("" if self._stop.noted is None else "stopping; again to stop at once")


@contextmanager
def progress(jobs: int, stop: Stop) -> Iterator[Watch]:
    """Live bars: one for the session, one for the rounds of the release in progress.

    None where nobody looks: not a line, so that what is said to a file is only what went wrong.
    """
    if not ERR.is_terminal:
        yield lambda name, done, total, accuracy: None
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description:<10}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[shown]}"),
        TimeElapsedColumn(),
        _Stopping(stop),
    )
    with Progress(*columns, console=ERR, transient=True) as bars:
        whole = bars.add_task("releases", total=jobs, shown="")
        rounds = bars.add_task("", total=1, shown="")

        def watch(name: str, done: int, total: int, accuracy: float | None) -> None:
            shown = "" if accuracy is None else f"{accuracy:.1%} right"
            bars.update(rounds, description=name, completed=done, total=total, shown=shown)
            if done == total:
                bars.advance(whole)

        yield watch


def results(title: str, rows: Sequence[Result]) -> None:
    """The price of each trust model: promises, accuracy on the test part, time."""
    whose, numbers = ("setting", "kept from", "unit", "relation"), ("ε", "δ", "accuracy", "seconds")
    table = _table(title, whose, numbers)
    for row in rows:
        promises = row.receipt["guarantees"] or [None]
        for index, promise in enumerate(promises):
            first = index == 0
            ends = (f"{row.accuracy:.1%}", f"{row.seconds:.1f}") if first else ("", "")
            table.add_row(row.name if first else "", *_promise_cells(promise), *ends)
    OUT.print(table)


def plan(name: str, plan: Plan) -> None:
    """What a plan would release, before anything is spent."""
    table = Table(title=name, title_justify="left", show_header=False)
    table.add_row("rounds", str(plan.sums.rounds))
    table.add_row("people", str(plan.sums.people))
    table.add_row("expected cohort", f"{plan.sums.cohort:g}")
    table.add_row("noise on each coordinate of the sum", f"{plan.server.noise:.6g}")
    table.add_row("local ε of one report", upper(plan.device.epsilon))
    table.add_row("predicted squared error of one answer", _error(plan.error))
    table.add_row("each person uploads, per round", f"{plan.upload_bytes:,} bytes")
    for promise in plan.guarantees:
        table.add_row(
            f"kept from {promise.observer} ({promise.relation.value}, one {promise.unit})",
            f"ε = {upper(promise.epsilon)} at δ = {promise.delta:g} ({promise.accountant})",
        )
    OUT.print(table)


def curve(points: Sequence[tuple[str, float, float]]) -> None:
    """Epsilon at several deltas for one promise each."""
    table = _table("ε(δ) of what is published", ("against",), ("δ", "ε"))
    for observer, delta, epsilon in points:
        table.add_row(observer, f"{delta:g}", upper(epsilon))
    OUT.print(table)


def accounts(spent: Sequence[Spent]) -> None:
    """What each account of the ledger holds."""
    whose, numbers = ("kept from", "unit", "relation"), ("ε spent", "δ spent", "ε limit")
    table = _table("spent, by account", whose, numbers)
    for a in spent:
        table.add_row(
            a.observer,
            a.unit,
            a.relation.value,
            upper(a.epsilon),
            _upper_delta(a.delta),
            upper(a.limit_epsilon),
        )
    OUT.print(table)
    note(BOUNDS)


def balances(population: str, spent: Sequence[Spent]) -> None:
    """Every account of a population against its limit, and each part beneath its account."""
    whose, numbers = ("kept from", "unit", "relation", "filter", "part"), ("ε", "of", "δ", "of")
    table = _table(population, whose, numbers)
    for a in spent:
        limits = upper(a.limit_epsilon), f"{a.limit_delta:g}"
        whose = a.observer, a.unit, a.relation.value, type(a.filter).__name__.lower()
        cells = upper(a.epsilon), limits[0], _upper_delta(a.delta), limits[1]
        table.add_row(*whose, "", *cells)
        for part, (epsilon, delta) in a.parts.items():
            cells = upper(epsilon), limits[0], _upper_delta(delta), limits[1]
            table.add_row("", "", "", "", part, *cells)
    OUT.print(table)


def grants(population: str, entries: Sequence[Entry]) -> None:
    """Every grant of a population, oldest first, a row for each promise."""
    whose = "opened", "state", "kept from", "unit", "relation", "part"
    table = _table(f"grants of {population}", whose, ("ε", "δ"))
    for entry in entries:
        start = entry.opened[:10], "closed" if entry.closed else "open"
        for index, c in enumerate(entry.guarantees or (None,)):
            first = start if index == 0 else ("", "")
            table.add_row(*first, *(_charge_cells(c) if c else ("nobody",)))
    OUT.print(table)


def verdict(report: Report) -> None:
    """What verification found: each promise beside two accountants' numbers, and what is wrong."""
    table = Table(title="promises, recomputed", title_justify="left", box=SIMPLE, padding=0)
    for heading in ("receipt", "private", "kept from", "one", "relation", "δ"):
        table.add_column(heading, no_wrap=True)
    for heading in ("ε", "again", "bound"):
        table.add_column(heading, justify="right", no_wrap=True)
    for found in report.findings:
        claim = found.claim
        numbers = claim.epsilon, found.first.epsilon, found.second.epsilon
        table.add_row(
            str(found.receipt),
            "yes" if report.private[found.receipt] else "no",
            claim.observer,
            claim.unit,
            claim.relation.value,
            _upper_delta(claim.delta),
            *map(upper, numbers),
        )
    OUT.print(table)
    for sentence in _refusals(report):
        OUT.print(sentence, markup=False, highlight=False, soft_wrap=True)
    OUT.print("every promise holds" if report.ok else "REFUSED", style="bold")
    OUT.print(UNSHOWN, markup=False, highlight=False, soft_wrap=True)


def verdict_data(report: Report) -> None:
    """The same as JSON."""
    promises = [
        {
            "receipt": found.receipt,
            "private": report.private[found.receipt],
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
        for found in report.findings
    ]
    data({"holds": report.ok, "promises": promises, "refusals": _refusals(report)})


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


def _table(title: str, whose: Sequence[str], numbers: Sequence[str]) -> Table:
    """Words, then numbers; what is too wide for 80 columns is folded, and never cut."""
    table = Table(title=title, title_justify="left", box=SIMPLE, padding=0)
    for heading in whose:
        table.add_column(heading, overflow="fold")
    for heading in numbers:
        table.add_column(heading, justify="right", overflow="fold")
    return table


def _promise_cells(promise: dict[str, Any] | None) -> tuple[str, ...]:
    if promise is None:
        return ("nobody", "", "", "∞", "")
    return (
        promise["observer"],
        promise["unit"],
        promise["relation"],
        upper(promise["epsilon"]),
        f"{promise['delta']:g}",
    )


def _charge_cells(c: Charge) -> tuple[str, ...]:
    whose = c.observer, c.unit, c.relation.value, c.part or ""
    return *whose, upper(c.epsilon), f"{c.delta:g}"


def _upper_delta(value: float) -> str:
    rounded = Context(prec=4, rounding=ROUND_CEILING).create_decimal(repr(value))
    return f"{float(rounded):g}"


def _error(value: float | None) -> str:
    return "depends on the data: reports may be cut" if value is None else f"{value:.6g}"


def answers(title: str, answer: str, rows: Sequence[tuple[str, str, Plan | None]]) -> None:
    """What several trust models need or give: each one's name, its answer, and the plan of it."""
    table = Table(title=title, title_justify="left", box=SIMPLE, caption_justify="left")
    for heading in ("trust", answer, "error\nand squared", "noise", "ε against", "upload"):
        if heading:
            table.add_column(heading)
    for name, found, plan in rows:
        cells = () if plan is None else _planned_cells(plan)
        table.add_row(name, *((found,) if answer else ()), *cells)
    table.caption = (
        "error: root mean squared, about the mean of the people asked, at the worst data; "
        "ε: for one person replaced by another"
    )
    OUT.print(table)


def noise(plan: Plan) -> tuple[float, str]:
    """The standard deviation of a plan's noise on one number or report, and where it is added."""
    if plan.server.noise > 0:
        return plan.server.noise, "the sum"
    return plan.device.worst_error**0.5, "a report"


def _planned_cells(plan: Plan) -> tuple[str, ...]:
    size, place = noise(plan)
    squared = plan.error or 0.0
    promises = "\n".join(f"{p.observer} {upper(p.epsilon)}" for p in plan.guarantees)
    errors = f"{squared**0.5:.3g}\n{squared:.3g}"
    return errors, f"{size:.3g}\non {place}", promises, f"{plan.upload_bytes:,} bytes"
