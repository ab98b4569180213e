"""`tacit synthesize`: rows like those of a file, of one private release.

A row of the file is a person's. `--plan` reads nothing of the file and spends nothing. Otherwise it
is known before the charge that the people's account has room and that the files can be written.
"""

import math
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tacit.cli import room, voice
from tacit.cli.answer_files import refuse_no_places
from tacit.cli.declared_columns import declared_columns, told_apart
from tacit.cli.guard import guarded
from tacit.cli.interruption import noted
from tacit.cli.payment import OnceOption, Payment
from tacit.cli.weak import noted_if_weak
from tacit.ledger import receipt as receipts
from tacit.plan import Plan
from tacit.population.release import met
from tacit.queries.domain import Domain
from tacit.queries.domain_file import read_domain
from tacit.synthesis import FromPairs, FromRounds, FromSmall, FromTree, Synthesizer, Synthetic
from tacit.synthesis.method import RowMethod
from tacit.synthesis.synthetic import MOST_ROWS
from tacit.tables.files import bare_name
from tacit.trust.central import Central
from tacit.whole_file import replacing


class RowsBy(StrEnum):
    """How rows are made."""

    PAIRS = "pairs"
    TREE = "tree"
    ROUNDS = "rounds"
    SMALL = "small"


NOTHING_YET = "stopped before anything was charged"

FileArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="A Parquet, CSV, TSV or JSON file: a row a person.")
]
DomainOption = Annotated[
    Path, typer.Option(help="A JSON file: what each column may hold, written without looking.")
]
EpsilonOption = Annotated[float, typer.Option(help="The promise.")]
DeltaOption = Annotated[float, typer.Option(help="Its delta.")]
PeopleOption = Annotated[int, typer.Option(help="About how many people there are.")]
OutOption = Annotated[Path | None, typer.Option(help="Write the rows here, as CSV.")]
RowsOption = Annotated[int | None, typer.Option(help="How many.", show_default="--people")]
LedgerOption = Annotated[
    str | None, typer.Option(help="The people's ledger: a file or database URL.")
]
NameOption = Annotated[
    str | None, typer.Option(help="Whose accounts.", show_default="the file's name")
]
MethodOption = Annotated[
    RowsBy,
    typer.Option(help="How: all pairs, a tree of pairs, taught in rounds, or for tiny tables."),
]
RoundsOption = Annotated[
    int | None, typer.Option(help="Of --method rounds.", show_default=f"{FromRounds().rounds}")
]
SmallRowsOption = Annotated[
    int | None, typer.Option(help="Of --method small: rows of the databases chosen from.")
]
PlanOption = Annotated[bool, typer.Option("--plan", help="Only the promise: spends nothing.")]
LimitOption = Annotated[float, typer.Option(help="Epsilon of these people's account, for ever.")]
LimitDeltaOption = Annotated[
    float | None, typer.Option(help="Delta beside --limit.", show_default=f"{room.LIMIT_DELTA:g}")
]
ReceiptOption = Annotated[Path | None, typer.Option(help="Write what `tacit verify` checks.")]
SeedOption = Annotated[
    int | None, typer.Option(help="For tests: repeatable, and therefore not private.")
]

commands = typer.Typer(add_completion=False)


@commands.command()
@guarded
def synthesize(
    file: FileArgument,
    domain: DomainOption,
    epsilon: EpsilonOption,
    delta: DeltaOption,
    people: PeopleOption,
    out: OutOption = None,
    rows: RowsOption = None,
    ledger: LedgerOption = None,
    name: NameOption = None,
    method: MethodOption = RowsBy.PAIRS,
    rounds: RoundsOption = None,
    small_rows: SmallRowsOption = None,
    plan: PlanOption = False,
    limit: LimitOption = math.inf,
    limit_delta: LimitDeltaOption = None,
    receipt: ReceiptOption = None,
    once: OnceOption = None,
    seed: SeedOption = None,
) -> None:
    """Makes rows like those of a file, which has a row for each person.

    tacit synthesize adult.csv --domain domain.json --epsilon 1 --delta 1e-9
    --people 48000 --ledger people.db --out synthetic.csv

    The domain says of each column its values, or the ends of bins, or how many
    whole numbers from 0 there are; null is no value. Of "age" listed as
    [0, 18, 65] nobody is counted who is 17: their bins are "ends".

    {"sex": ["F", "M", null], "age": {"ends": [0, 18, 65, 120]}, "kind": 16}
    """
    whose, trust = name or bare_name(file), Central(epsilon, delta)
    payment = Payment(ledger, room.limit_of(limit, limit_delta), once)
    with noted(NOTHING_YET) as stop:
        how = _method(method, rounds, small_rows)
        asked = Synthesizer(_declared(domain), noted_if_weak(trust, people), people, how)
        if plan:
            voice.OUT.print(str(asked.plan), markup=False, highlight=False, soft_wrap=True)
            return
        many = _writable(people if rows is None else rows, out, receipt, (file, ledger, domain))
        table = declared_columns(file, Domain.of(asked.domain))
        payment.begin(whose, lambda less: _at(asked, less), trust, stop)
        with payment.held() as book:
            made = asked.fit(table, ledger=book, name=whose, seed=seed)
            _write(made, many, out, receipt, seed)
    _said(made, many, out)


def _declared(path: Path) -> Domain:
    """The domain of a file; what may be meant otherwise is noted."""
    domain = read_domain(path)
    for each in told_apart(domain):
        voice.note(each)
    return domain


def _at(asked: Synthesizer, trust: Central) -> Plan:
    """The plan of the same rows under this trust."""
    return asked.plan if trust == asked.trust else replace(asked, trust=trust).plan


def _method(method: RowsBy, rounds: int | None, small_rows: int | None) -> RowMethod:
    """The method of this name.

    Raises:
      ValueError: if a number is given that is another method's, or its own is missing.
    """
    for option, given, whose in (
        ("rounds", rounds, RowsBy.ROUNDS),
        ("small-rows", small_rows, RowsBy.SMALL),
    ):
        if given is not None and method is not whose:
            raise ValueError(f"--{option} is a number of --method {whose}, got --method {method}")
    if method is RowsBy.ROUNDS:
        return FromRounds() if rounds is None else FromRounds(rounds)
    if method is RowsBy.SMALL:
        if small_rows is None:
            raise ValueError("--method small needs --small-rows, e.g. --small-rows 8, got none")
        return FromSmall(small_rows)
    return FromTree() if method is RowsBy.TREE else FromPairs()


def _write(
    made: Synthetic, rows: int, out: Path | None, receipt: Path | None, seed: int | None
) -> None:
    with replacing(out or Path()) as written:
        written.write(made.sample(rows, seed=seed).to_csv(index=False).encode())
    if receipt is not None:
        receipts.write(receipt, [made.receipt()])


def _writable(
    rows: int, out: Path | None, receipt: Path | None, others: tuple[Path | str | None, ...]
) -> int:
    """How many rows, which can be made and which there is a place for.

    Raises:
      ValueError: if they cannot, or there is none.
    """
    if out is None:
        raise ValueError("--out is where the rows go, e.g. --out synthetic.csv, got none")
    if not 1 <= rows <= MOST_ROWS:
        raise ValueError(f"--rows must be at least 1 and at most {MOST_ROWS:,}, got {rows}")
    refuse_no_places({"out": out, "receipt": receipt}, others)
    return rows


def _said(made: Synthetic, rows: int, out: Path | None) -> None:
    promise = met(made.plan.guarantees[0]) if made.release.private else "seeded, so not private"
    said = f"{rows:,} rows in {out}; {promise}", made.law.counted
    voice.OUT.print("\n".join(filter(None, said)), markup=False, highlight=False, soft_wrap=True)
