"""The command line's ledgers: `tacit ledger create`, `show`, `history` and `export`.

Only `create` writes to a ledger. What is exported is what one needs to recompute every account
(events, epsilons, deltas, times, limits and filters), and never a key or a fingerprint.
"""

import math
from enum import StrEnum
from json import dumps
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.accounting.relation import Relation
from tacit.cli import account_tables, room, voice
from tacit.cli.guard import guarded
from tacit.ledger import filter_json
from tacit.ledger.filters import Basic, Filter, Renyi
from tacit.ledger.ledger import Entry, Ledger, LedgerError, Spent
from tacit.ledger.places import refuse_no_place

FORMAT = "tacit ledger export 2"
WITHOUT_DELTA = (
    "with a delta of 0 it has room only for what is exactly pure, as reports of the local model "
    "are: a pure release by a trusted server takes a little delta for its sampler"
)


class FilterRule(StrEnum):
    basic = "basic"
    renyi = "renyi"


FileArgument = Annotated[str, typer.Argument(metavar="FILE", help="A file or database URL.")]
PopulationOption = Annotated[str, typer.Option(help="Whose accounts.")]
RelationOption = Annotated[Relation, typer.Option(help="Which data sets are neighbours.")]
FilterOption = Annotated[FilterRule, typer.Option(help="How charges are added up.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


commands = typer.Typer(
    name="ledger",
    help="The people's accounts: what they have been promised, and what is left.",
    no_args_is_help=True,
    add_completion=False,
)


@commands.command()
@guarded
def create(
    file: FileArgument,
    population: PopulationOption,
    relation: RelationOption,
    epsilon: Annotated[float, typer.Option(help="The account's limit, for ever.")],
    delta: Annotated[
        float, typer.Option(help="Its limit; 0 has no room even for what most samplers take.")
    ],
    observer: Annotated[str, typer.Option(help="Against whom.")] = "public",
    unit: Annotated[str, typer.Option(help="Whose data neighbours differ in.")] = "person",
    filter: FilterOption = FilterRule.basic,
) -> None:
    """Opens an account, and the ledger if there is none; an account keeps its limit for ever."""
    chosen: Filter = Basic()
    if filter is FilterRule.renyi:
        chosen = Renyi.fitting(epsilon, delta)
    book = Ledger(file)
    with room.said_otherwise():
        book.limit(population, observer, relation, epsilon, delta, unit, chosen)
    voice.note(f"{population} has an account in {file}")
    if delta == 0:
        voice.note(WITHOUT_DELTA)


@commands.command()
@guarded
def show(
    file: FileArgument,
    population: Annotated[str | None, typer.Option(help="Only these people's accounts.")] = None,
    json: JsonOption = False,
) -> None:
    """What every account has spent, what is left, and what was asked."""
    book = _opened(file)
    names = book.populations() if population is None else [_known(book, population)]
    spent = {name: book.spent(name) for name in names}
    if json:
        voice.data({name: [_account(a) for a in accounts] for name, accounts in spent.items()})
        return
    for name, accounts in spent.items():
        account_tables.balances(name, accounts)
        account_tables.asked(book.history(name))
    account_tables.of_several(*spent.values())


@commands.command()
@guarded
def history(file: FileArgument, population: PopulationOption, json: JsonOption = False) -> None:
    """Every grant of a population, oldest first."""
    book = _opened(file)
    entries = book.history(_known(book, population))
    if json:
        voice.data([_entry(entry) for entry in entries])
    else:
        account_tables.grants(population, entries)


@commands.command()
@guarded
def export(
    file: FileArgument,
    population: PopulationOption,
    out: Annotated[Path, typer.Argument(metavar="OUT.json", help="The file to write.")],
) -> None:
    """Writes a population's limits and charges, from which every account can be recomputed."""
    book = _opened(file)
    accounts = book.spent(_known(book, population))
    division = book.partition(population)
    whole = {
        "format": FORMAT,
        "population": population,
        "partition": None
        if division is None
        else {"name": division.name, "parts": division.parts, "fixed_by": division.fixed_by},
        "accounts": [_account(account) for account in accounts],
        "grants": [_entry(entry) for entry in book.history(population)],
    }
    out.write_text(dumps(whole, indent=2, allow_nan=False) + "\n")
    voice.note(f"{len(whole['grants'])} grants of {population} are in {out}")


def _opened(file: str) -> Ledger:
    """The ledger that is there; looking for one never makes it."""
    if "://" not in file and not Path(file).is_file():
        refuse_no_place(file)
        raise LedgerError(f"there is no ledger at {file}; make one with `tacit ledger create`")
    return Ledger(file)


def _known(book: Ledger, population: str) -> str:
    known = book.populations()
    if population not in known:
        raise LedgerError(
            f"--population must be one of {', '.join(known) or 'none'}, got {population}"
        )
    return population


def _account(account: Spent) -> dict[str, Any]:
    return {
        "observer": account.observer,
        "unit": account.unit,
        "relation": account.relation.value,
        "epsilon": _finite(account.epsilon),
        "delta": account.delta,
        "limit_epsilon": _finite(account.limit_epsilon),
        "limit_delta": account.limit_delta,
        "room": _finite(account.room),
        "filter": filter_json.to_json(account.filter),
        "parts": {
            part: {"epsilon": _finite(epsilon), "delta": delta}
            for part, (epsilon, delta) in account.parts.items()
        },
    }


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "grant_id": entry.grant_id,
        "opened": entry.opened,
        "closed": entry.closed,
        "asked": entry.asked,
        "note": entry.note,
        "plan": entry.plan,
        "charges": [{**c.guarantee.to_json(), "part": c.part} for c in entry.charges],
    }


def _finite(number: float) -> float | None:
    """JSON has no infinity: null is no limit, or no bound."""
    return number if math.isfinite(number) else None
