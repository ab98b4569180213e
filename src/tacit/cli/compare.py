"""`tacit compare`: test accuracy against epsilon, for several methods and whom people trust.

Every epsilon is a promise to the public over all that one release shows. What is promised to
others besides, a shuffler or a server, stands under the table. Nothing is written before
everything is done, and then each file in one move. A ledger is charged for nothing unless it has
room for all.
"""

import itertools
import json as written
import os
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from tacit.cli import account_tables, cases, voice
from tacit.cli.cases import Case, ComparisonData
from tacit.cli.compare_picture import draw
from tacit.cli.compared import as_json, promises, table_of, trust_of
from tacit.cli.guard import guarded
from tacit.cli.interruption import Stop, noted
from tacit.cli.room import looked_at, open_accounts, refuse_unaffordable, refuse_unwritable
from tacit.learning.compare import (
    Comparison,
    Trial,
    compare,
    refuse_out_of_range,
    trials,
)
from tacit.ledger import receipt
from tacit.ledger.ledger import Ledger

FILES = ("compare.svg", "compare.json", "receipt.json")

DataOption = Annotated[ComparisonData, typer.Option(help="What to learn from.")]
OutOption = Annotated[Path, typer.Option(help="Folder for the picture, numbers and receipts.")]
DirectoryOption = Annotated[
    Path | None, typer.Option(help="For Adult: folder of adult.data and adult.test.")
]
EpsilonsOption = Annotated[str, typer.Option(help="Promises to the public, with commas between.")]
DeltaOption = Annotated[float, typer.Option(help="Their delta.")]
RepeatsOption = Annotated[int, typer.Option(help="Releases for each point.")]
LedgerOption = Annotated[
    str | None, typer.Option(help="The people's ledger: a file or database URL; else none is kept.")
]
PlainOption = Annotated[
    bool, typer.Option(help="Also without privacy, which a ledger with limits refuses.")
]
SeedOption = Annotated[
    int | None, typer.Option(help="For tests: repeatable, and therefore not private.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")]


commands = typer.Typer(add_completion=False)


@commands.command("compare")
@guarded
def price(
    out: OutOption,
    data: DataOption = ComparisonData.digits,
    directory: DirectoryOption = None,
    epsilons: EpsilonsOption = "0.5,1,2,4,8",
    delta: DeltaOption = 1e-5,
    repeats: RepeatsOption = 3,
    ledger: LedgerOption = None,
    plain: PlainOption = True,
    seed: SeedOption = None,
    json: JsonOption = False,
) -> None:
    """Draws test accuracy against epsilon, for several methods and trust models.

    Each point is so many releases, each with its receipt. All of them together
    promise far less than one: compare on data that is public.
    """
    with noted("stopped before anything was charged") as stop:
        refuse_out_of_range(repeats, seed)
        refuse_unwritable(out, FILES)
        case = cases.of(data, directory, delta)
        methods = [method for method in case.methods if plain or promises(method)]
        planned = trials(case.problem, methods, _numbers(epsilons))
        plans = [trial.asked.plan for trial in planned for _ in range(repeats)]
        if ledger:
            with looked_at(ledger) as looked:
                refuse_unaffordable(looked, case.name, plans, None)
        stop.check()
        # Where files will go, so that a folder nobody may write to is refused before any charge.
        with tempfile.TemporaryDirectory(prefix=".compare-", dir=_standing(out)) as folder:
            part = Path(folder)
            book = Ledger(ledger or part / "ledger.db")
            open_accounts(book, case.name, plans, None)
            found = _played(case, planned, repeats, book, stop, ledger, seed)
            numbers, spent = as_json(case, found, seed), book.spent(case.name)
            draw(part / FILES[0], case, found)
            (part / FILES[1]).write_text(written.dumps(numbers, indent=1) + "\n")
            receipt.write(part / FILES[2], found.receipts)
            stop.check()
            _move(part, out)
    if json:
        voice.data(numbers)
        return
    account_tables.accounts(spent)
    voice.OUT.print(table_of(case, found))
    if not found.private:
        voice.note("this run was seeded: its noise can be replayed, so nothing in it is private")
    voice.note(f"picture, numbers and receipts are in {out}/")


def _move(part: Path, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        os.replace(part / name, out / name)


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(sorted(float(number) for number in text.split(",")))
    except ValueError as error:
        raise ValueError(f"--epsilons must be numbers with commas between, got {text}") from error


def _standing(folder: Path) -> Path:
    """The folder itself, or the nearest above it that there is."""
    return next(path for path in (folder, *folder.absolute().parents) if path.exists())


def _played(
    case: Case,
    planned: Sequence[Trial],
    repeats: int,
    book: Ledger,
    stop: Stop,
    ledger: str | None,
    seed: int | None,
) -> Comparison:
    releases = repeats * len(planned)
    done = itertools.count(1)
    stop.left = _left(0, releases, ledger)
    with voice.progress(releases, stop) as bars:

        def watch(trial: Trial, accuracy: float) -> None:
            bars(trust_of(trial.method), 1, 1, accuracy)
            stop.left = _left(next(done), releases, ledger)
            stop.check()

        return compare(
            planned,
            case.train,
            case.test,
            name=case.name,
            repeats=repeats,
            ledger=book,
            seed=seed,
            watch=watch,
        )


def _left(done: int, of: int, ledger: str | None) -> str:
    """What an interrupted comparison leaves."""
    stopped = f"stopped after {done} of {of} releases; a comparison keeps nothing"
    if ledger is None:
        return f"{stopped}, and no ledger was charged"
    show = f"tacit ledger show {shlex.quote(ledger)}"
    return f"{stopped}, but they and one in progress stay charged: {show}"
