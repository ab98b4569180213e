"""`tacit verify`: every promise of a receipt, recomputed with two accountants."""

from pathlib import Path
from typing import Annotated

import typer

from tacit.cli import verdict
from tacit.cli.guard import guarded
from tacit.ledger import receipt

commands = typer.Typer(add_completion=False)


@commands.command()
@guarded
def verify(
    path: Annotated[Path, typer.Argument(help="A receipt.json.")],
    json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> None:
    """Recomputes every promise of a receipt with two accountants.

    Exits with status 1 if one does not hold, is of a seeded run, or nothing is
    promised.
    """
    found = receipt.verify(path)
    if json:
        verdict.as_json(found)
    else:
        verdict.shown(found)
    if not found.ok:
        raise typer.Exit(1)
