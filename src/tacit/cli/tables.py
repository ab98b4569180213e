"""The tables of the command line: results, plans and curves, at 80 columns.

Names that people chose are folded; numbers, dates and relations are whole, also where that takes
more than the terminal has. Bounds are rounded up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from tacit.accounting.upper import upper, upper_delta
from tacit.cli import voice
from tacit.experiments.kept import written
from tacit.late import LatePart

# A plan's table waits for no session and no database.
if TYPE_CHECKING:
    from tacit import facts
    from tacit.cli.session import Result
    from tacit.cli.simulate import Tried
    from tacit.plan import Plan
else:
    facts = LatePart("tacit.facts")

# Columns of names that people chose, of any length.
CHOSEN = ("unit", "unit or part", "part", "asked")
LEARNED = "numbers", "accuracy", "± s.e.", "noise a round", "public ε, δ"


def results(title: str, rows: Sequence[Result]) -> None:
    """The price of each trust model: promises, accuracy on the test part, time."""
    whose, numbers = ("setting", "kept from", "unit", "relation"), ("ε", "δ", "accuracy", "seconds")
    table = table_of(title, whose, numbers)
    for row in rows:
        promises = row.receipt["guarantees"] or [None]
        for index, promise in enumerate(promises):
            first = index == 0
            ends = (f"{row.accuracy:.1%}", f"{row.seconds:.1f}") if first else ("", "")
            row_of(table, row.name if first else "", *_promise_cells(promise), *ends)
    whole(table)


def plan(name: str, page: str) -> None:
    """What a plan would release, before anything is spent."""
    voice.OUT.print(f"\n{name}", style="bold", markup=False, highlight=False)
    voice.OUT.print(page, markup=False, highlight=False, soft_wrap=True)


def curve(points: Sequence[tuple[str, float, float]]) -> None:
    """Epsilon at several deltas, for each promise that has such a curve."""
    if points:
        voice.OUT.print()
        table = table_of("ε at other deltas", ("kept from",), ("δ", "ε"))
        for observer, delta, epsilon in points:
            row_of(table, observer, f"{delta:g}", upper(epsilon))
        whole(table)


def tried(settings: Sequence[Tried]) -> None:
    """What the plans of the declared people promise, and what a few of them gave."""
    table = table_of("simulated: not private", ("trust",), ("accuracy", "planned ε", "bytes up"))
    for each in settings:
        plan = each.found.plan
        promises = "\n".join(f"{p.observer} {upper(p.epsilon)}" for p in plan.guarantees)
        row_of(table, each.name, f"{each.accuracy:.1%}", promises or "-", f"{plan.upload_bytes:,}")
    whole(table)
    for said in dict.fromkeys(str(each.found) for each in settings):
        voice.note(said)


def gaps(start: float, signal: float, rows: Sequence[dict[str, Any]]) -> None:
    """Of each method and budget, the gap of the loss and how far the weights are off at the end."""
    numbers = "gap", "± s.e.", "predicted", "distance", "E|Z|²"
    table = table_of("after the last round", ("method", "ε"), numbers)
    for row in rows:
        spread, predicted = row["standard error"], row["predicted"]
        row_of(
            table,
            *(row["method"], "∞" if row["epsilon"] is None else written(row["epsilon"])),
            f"{row['gap']:.5f}",
            "-" if spread is None else f"{spread:.5f}",
            "-" if predicted is None else f"{predicted:.5f}",
            f"{row['distance']:.2f}",
            f"{row['second moment']:.4g}",
        )
    row_of(table, "θ = 0", "0", f"{start:.5f}", "-", "-", f"{signal:.2f}", "-")
    whole(table)


def learned(magnitude: float, rows: Sequence[dict[str, Any]]) -> None:
    """Of each way and budget, the accuracy after the last round and what there was to bear."""
    table = table_of("simulated: not private", ("way", "ε₁"), LEARNED)
    for row in rows:
        direction, public, spread = row["direction"], row["public"], row["standard error"]
        row_of(
            table,
            row["way"],
            "∞" if direction is None else written(direction),
            f"{row['numbers']:,}",
            f"{row['accuracy']:.1%}",
            "-" if spread is None else f"{spread:.1%}",
            f"{row['error']:.4g}",
            "-" if public is None else f"{upper(public[0])}, {upper_delta(public[1])}",
        )
    table.caption = f"a report has ε₁ for its direction and {magnitude:g} for its magnitude"
    whole(table)


def answers(title: str, answer: str, rows: Sequence[tuple[str, str, Plan | None]]) -> None:
    """What several trust models need or give: each one's name, its answer, and the plan of it."""
    table = Table(title=title, title_justify="left", box=SIMPLE, caption_justify="left")
    for heading in ("trust", answer, "rmse\nand squared", "noise", "ε against", "upload"):
        if heading:
            table.add_column(heading)
    for name, found, plan in rows:
        cells = () if plan is None else _planned_cells(plan)
        table.add_row(name, *((found,) if answer else ()), *cells)
    table.caption = (
        "rmse: root mean squared error, about the mean of the people asked, at the worst data; "
        "ε: for one person replaced by another"
    )
    voice.OUT.print(table)


def noise(plan: Plan) -> tuple[float, str]:
    """The standard deviation of a plan's noise on one number or report, and where it is added."""
    if noise := plan.server.facts.noise:
        return noise, "the sum"
    return plan.device.facts.worst_error**0.5, "a report"


def _planned_cells(plan: Plan) -> tuple[str, ...]:
    (size, place), squared = noise(plan), facts.stated(plan.error)
    promises = "\n".join(f"{p.observer} {upper(p.epsilon)}" for p in plan.guarantees)
    both = f"{squared**0.5:.3g}\n{squared:.3g}"
    return both, f"{size:.3g}\non {place}", promises, f"{plan.upload_bytes:,} bytes"


def table_of(title: str, whose: Sequence[str], numbers: Sequence[str]) -> Table:
    """Words, then numbers: names that people chose are folded at 80 columns, all else is whole."""
    table = Table(title=Text(title), title_justify="left", box=SIMPLE, padding=0)
    for heading in whose:
        chosen = heading in CHOSEN
        table.add_column(heading, overflow="fold", no_wrap=not chosen)
    for heading in numbers:
        table.add_column(heading, justify="right", overflow="fold", no_wrap=True)
    return table


def row_of(table: Table, *cells: str) -> None:
    """A row of plain text: brackets that somebody wrote are no markup."""
    table.add_row(*map(Text, cells))


def whole(table: Table) -> None:
    """Prints it at least as wide as what may not be folded."""
    columns = [(each.header, *(each.cells if each.no_wrap else ())) for each in table.columns]
    lines = ("\n".join(map(str, cells)).splitlines() for cells in columns)
    widths = [max(map(cell_len, each), default=0) for each in lines]
    voice.OUT.print(table, width=max(voice.OUT.width, sum(widths) + len(widths) + 1), crop=False)


def _promise_cells(promise: dict[str, Any] | None) -> tuple[str, ...]:
    if promise is None:
        return ("nobody", "", "", "∞", "")
    return (
        promise["observer"],
        promise["unit"],
        promise["relation"],
        upper(promise["epsilon"]),
        upper_delta(promise["delta"]),
    )
