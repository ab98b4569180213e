"""What a command does when it is refused or stopped: one sentence, and a status that says which.

Status 2 for a refusal, 130 after Ctrl-C, 143 after SIGTERM; anything else is a defect, and shows.
"""

import functools
import sys
from collections.abc import Callable
from typing import Any

import typer

from tacit.cli import voice
from tacit.cli.interruption import Interrupted

# What a refusal is, besides ValueError and OSError, and where: none of it is imported for it.
HOMES = {
    "SQLAlchemyError": "sqlalchemy.exc",
    "EngineError": "tacit.tables.engine",
    "HostError": "tacit.population.hosts",
    "KeptError": "tacit.experiments.kept",
    "LedgerError": "tacit.ledger.accounts",
    "OverBudget": "tacit.ledger.over_budget",
    "CheckpointError": "tacit.population.checkpoint",
    "ReceiptError": "tacit.ledger.receipt",
}


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Refusals become one sentence and exit status 2; interruptions one, and their own status."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except (Exception, Interrupted) as error:
            status = status_of(error)
            if status is None:
                raise
            raise typer.Exit(status) from error

    return run


def status_of(error: BaseException) -> int | None:
    """Says the sentence of a refusal or an interruption: what to exit with; None of a defect."""
    if isinstance(error, Interrupted):
        voice.note(error.left)
        return error.status
    if not isinstance(error, _refusals()):
        return None
    voice.refuse(" ".join(_said(error).split()))
    return 2


def _said(error: BaseException) -> str:
    """What is typed, where Python has other words for it."""
    return str(vars(error).get("in_shell", error))


def _refusals() -> tuple[type[Exception], ...]:
    """Those whose modules anybody has imported: of others there is no error."""
    homes = ((sys.modules.get(home), name) for name, home in HOMES.items())
    there = (vars(home)[name] for home, name in homes if home and name in vars(home))
    return (ValueError, OSError, *there)
