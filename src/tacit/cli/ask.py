"""`tacit ask`: private statistics of the rows of a file, by group, each with its interval.

The rows stay in the file, and the engine adds them up. `--plan` reads nothing of them but what
columns there are, of what types, and spends nothing. Otherwise it is known before the first charge
that the people's account has room, and that files can be written; numbers are printed before any
file is.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any

import typer

from tacit.accounting.guarantee import Guarantee
from tacit.cli import account_tables, estimates, room, voice
from tacit.cli.aggregates import taking_aggregates
from tacit.cli.answer_files import AnswerFiles
from tacit.cli.asking import ROWS, AskOptions, needed
from tacit.cli.guard import guarded
from tacit.cli.interruption import Stop, noted
from tacit.cli.payment import OnceOption, Payment
from tacit.cli.weak import noted_if_weak
from tacit.ledger.ledger import Ledger
from tacit.page import WIDTH
from tacit.tables.answered import TableAnswer
from tacit.tables.ask import Ask
from tacit.tables.engine import rows_of
from tacit.tables.files import bare_name, no_column
from tacit.tables.open_keys import UndeclaredKeys
from tacit.tables.planned import TablePlan
from tacit.tables.table import Table
from tacit.trust.central import Central

NOTHING_YET = "stopped before anything was charged"
# Of a plan alone: never opened.
NO_LEDGER = Path()
_WHOSE = "the column that says whose each row is"

FileArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="A Parquet, CSV, TSV or JSON file: a row a record.")
]
PersonOption = Annotated[
    list[str] | None,
    typer.Option(help="Needed: the column that says whose each row is (repeat: together)."),
]
UnitOption = Annotated[str | None, typer.Option(help="What it tells apart, if not a person.")]
EpsilonOption = Annotated[
    float | None, typer.Option(help="Needed: the promise, for all that is asked.")
]
DeltaOption = Annotated[
    float, typer.Option(help="Its delta; of a few numbers 0 has less noise: see --plan.")
]
LedgerOption = Annotated[
    str | None, typer.Option(help="The people's ledger: a file or database URL.")
]
NameOption = Annotated[
    str | None, typer.Option(help="Whose accounts.", show_default="the file's name")
]
ByOption = Annotated[
    list[str] | None,
    typer.Option(help="""Groups: COLUMN=VALUES, 'ward=A,"D, east"', or bins (repeat: crossed)."""),
]
WhereOption = Annotated[
    list[str] | None, typer.Option(help="Rows that count: a condition in SQL (repeat: all).")
]
SqlOption = Annotated[str | None, typer.Option(help="All of it as one SELECT, instead.")]
BoundsOption = Annotated[
    list[str] | None, typer.Option(help="For --sql, of what is summed: COLUMN:LOW:HIGH.")
]
RowsOption = Annotated[
    int | None, typer.Option(help="Rows of one person that count.", show_default=f"{ROWS}")
]
GroupsOption = Annotated[int | None, typer.Option(help="In how many groups at most.")]
EachOption = Annotated[int | None, typer.Option(help="In each group at most.")]
ConfidenceOption = Annotated[float, typer.Option(help="Of each interval.")]
PlanOption = Annotated[
    bool, typer.Option("--plan", help="Only promise and widths: spends nothing.")
]
LimitOption = Annotated[
    float, typer.Option(help="Epsilon of these people's account, for ever.", show_default=False)
]
LimitDeltaOption = Annotated[
    float | None, typer.Option(help="Delta beside --limit.", show_default=f"{room.LIMIT_DELTA:g}")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
CsvOption = Annotated[Path | None, typer.Option(help="Write the numbers, too.")]
PictureOption = Annotated[Path | None, typer.Option(help="Draw them, as .png or .svg.")]
ReceiptOption = Annotated[Path | None, typer.Option(help="Write what `tacit verify` checks.")]
SeedOption = Annotated[
    int | None, typer.Option(help="For tests: repeatable, and therefore not private.")
]

commands = typer.Typer(add_completion=False)


@commands.command()
@guarded
@taking_aggregates
def ask(
    file: FileArgument,
    person: PersonOption = None,
    epsilon: EpsilonOption = None,
    delta: DeltaOption = 1e-6,
    ledger: LedgerOption = None,
    name: NameOption = None,
    unit: UnitOption = None,
    by: ByOption = None,
    where: WhereOption = None,
    sql: SqlOption = None,
    bounds: BoundsOption = None,
    rows_per_person: RowsOption = None,
    groups_per_person: GroupsOption = None,
    rows_per_group: EachOption = None,
    confidence: ConfidenceOption = 0.95,
    plan: PlanOption = False,
    limit: LimitOption = math.inf,
    limit_delta: LimitDeltaOption = None,
    json: JsonOption = False,
    csv: CsvOption = None,
    picture: PictureOption = None,
    receipt: ReceiptOption = None,
    once: OnceOption = None,
    seed: SeedOption = None,
    **aggregates: Any,
) -> None:
    """Answers questions about the rows of a file, by group, with noise and intervals.

    tacit ask visits.parquet --person patient --by ward=A,B,C --count
    --mean days:0:30 --epsilon 1 --ledger patients.db

    With --plan first: what it would promise, and how wide intervals would be.
    """
    asking = AskOptions(by, where, aggregates, sql, bounds)
    files = AnswerFiles(csv, picture, receipt)
    payment = Payment(ledger, room.limit_of(limit, limit_delta), once)
    caps = _caps(rows_per_person, groups_per_person, rows_per_group)
    trust = noted_if_weak(Central(needed("--epsilon", "the promise", "1", epsilon), delta))
    with noted(NOTHING_YET) as stop:
        table = _table(file, person, name, ledger, unit)
        question = asking.of(table, **caps, confidence=confidence)
        planned = question.plan(trust)
        if plan:
            _show_plan(planned, json)
            return
        _begin(file, question, trust, files, payment, stop)
        with payment.held() as book:
            _finish(planned, _paid_from(book, question).run(trust, seed=seed), table, files, json)


def _table(
    file: Path,
    person: Sequence[str] | None,
    name: str | None,
    ledger: str | None,
    unit: str | None,
) -> Table:
    """The table of the file.

    Raises:
      ValueError: if it has no such columns, or none is said; which it has may be somebody's values.
    """
    said = needed("--person", _WHOSE, "patient", person or None)
    rows = rows_of(file)
    for each in said:
        if each not in rows.columns:
            raise ValueError(
                f"--person is {_WHOSE}, and {no_column(each)}; where each row is another person, "
                "the file needs a column that numbers them"
            )
    whose = said[0] if len(said) == 1 else said
    return Table(rows, whose, name or bare_name(file), ledger or NO_LEDGER, unit=unit)


def _begin(
    file: Path, question: Ask, trust: Central, files: AnswerFiles, payment: Payment, stop: Stop
) -> None:
    """Sees to it that files can be written, and that there is room."""
    keys = question.keys
    groups = 0 if isinstance(keys, UndeclaredKeys) else keys.groups
    files.refuse_unwritable(groups, (file, payment.where))
    payment.begin(question.table.name, lambda other: question.plan(other).plan, trust, stop)


def _paid_from(book: Ledger, question: Ask) -> Ask:
    return replace(question, table=replace(question.table, ledger=book))


def _caps(rows: int | None, groups: int | None, each: int | None) -> dict[str, int | None]:
    enough = rows is not None or (groups is not None and each is not None)
    return {
        "rows_per_person": rows if enough else ROWS,
        "groups_per_person": groups,
        "rows_per_group": each,
    }


def _show_plan(planned: TablePlan, json: bool) -> None:
    if json:
        voice.data({**_promises(planned), "widths": dict(planned.widths)})
    else:
        voice.OUT.print(str(planned), markup=False, highlight=False, soft_wrap=True)


def _finish(
    planned: TablePlan, answer: TableAnswer, table: Table, files: AnswerFiles, json: bool
) -> None:
    """Prints an answer, and then writes it."""
    if json:
        own = {"private": answer.release.private, "remarks": answer.remarks}
        voice.data({**_promises(planned), **own, "groups": estimates.plain(answer)})
    else:
        _show(answer, table)
    written = files.write(answer)
    if written:
        voice.note(f"the answer is in {', '.join(map(str, written))} as well")


def _show(answer: TableAnswer, table: Table) -> None:
    estimates.shown(answer)
    voice.OUT.print(fill(answer.said, WIDTH), markup=False, highlight=False, soft_wrap=True)
    voice.OUT.print()
    account_tables.accounts(Ledger(str(table.ledger)).spent(table.name))


def _promises(planned: TablePlan) -> dict[str, Any]:
    return {
        "confidence": planned.confidence,
        "counted": planned.kept,
        "missing": planned.missing,
        "keys": planned.keys,
        "promises": [_promise(each) for each in planned.guarantees],
    }


def _promise(made: Guarantee) -> dict[str, Any]:
    return {
        "observer": made.observer,
        "unit": made.unit,
        "relation": made.relation.value,
        "epsilon": made.epsilon,
        "delta": made.delta,
    }
