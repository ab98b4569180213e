"""Everything the command line says, in one voice.

Results go to standard output; progress, warnings and errors to standard error, so that
`--json` can be piped. An error is one sentence that says what is allowed, and nothing else.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table

from tacit.accounting.ledger import Spent
from tacit.accounting.receipt import Report
from tacit.cli.numbers import upper
from tacit.cli.session import Result, Watch
from tacit.plan import Plan

OUT = Console()
ERR = Console(stderr=True)


def refuse(sentence: str) -> None:
    """One sentence on standard error."""
    ERR.print(f"tacit: {sentence}", style="bold red", markup=False, highlight=False, soft_wrap=True)


def note(sentence: str) -> None:
    """Something the user should know, on standard error."""
    ERR.print(f"tacit: {sentence}", style="yellow", markup=False, highlight=False, soft_wrap=True)


def data(value: Any) -> None:
    """`value` as JSON on standard output."""
    print(json.dumps(value, indent=2))


@contextmanager
def progress(jobs: int) -> Iterator[Watch]:
    """Live bars: one for the session, one for the rounds of the release in progress."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description:<10}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[shown]}"),
        TimeElapsedColumn(),
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
    table = Table(title=title, title_justify="left", box=SIMPLE)
    for heading in ("setting", "kept from", "unit", "relation"):
        table.add_column(heading)
    for heading in ("ε", "δ", "accuracy", "seconds"):
        table.add_column(heading, justify="right")
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
    table.add_row("rounds", str(plan.question.rounds))
    table.add_row("people", str(plan.question.people))
    table.add_row("expected cohort", f"{plan.question.cohort:g}")
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
    table = Table(title="ε(δ) of what is published", title_justify="left")
    table.add_column("against")
    table.add_column("δ", justify="right")
    table.add_column("ε", justify="right")
    for observer, delta, epsilon in points:
        table.add_row(observer, f"{delta:g}", upper(epsilon))
    OUT.print(table)


def accounts(spent: Sequence[Spent]) -> None:
    """What each account of the ledger holds."""
    table = Table(title="spent, by account", title_justify="left", box=SIMPLE)
    for heading in ("kept from", "unit", "relation", "ε spent", "δ spent", "ε limit"):
        table.add_column(heading)
    for a in spent:
        table.add_row(
            a.observer,
            a.unit,
            a.relation.value,
            upper(a.epsilon),
            f"{a.delta:.3g}",
            upper(a.limit_epsilon),
        )
    OUT.print(table)


def verdict(report: Report) -> None:
    """What verification found: each promise beside two accountants' numbers."""
    table = Table(title="promises, recomputed", title_justify="left", box=SIMPLE)
    for heading in ("receipt", "kept from", "δ", "ε claimed", "ε recomputed", "second bound", ""):
        table.add_column(heading)
    for found in report.findings:
        table.add_row(
            str(found.receipt),
            found.claim.observer,
            f"{found.claim.delta:g}",
            upper(found.claim.epsilon),
            f"{upper(found.first.epsilon)} ({found.first.accountant})",
            f"{upper(found.second.epsilon)} ({found.second.accountant})",
            found.wrong or "holds",
        )
    OUT.print(table)
    for receipt in report.altered:
        OUT.print(f"receipt {receipt} was altered: its digest does not fit", markup=False)
    OUT.print("every promise holds" if report.ok else "REFUSED", style="bold")


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


def _error(value: float | None) -> str:
    return "depends on the data: reports may be cut" if value is None else f"{value:.6g}"
