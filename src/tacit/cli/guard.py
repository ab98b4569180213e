"""What a command does when it is refused or stopped: one sentence, and a status that says which.

Status 2 for a refusal, 130 after Ctrl-C, 143 after SIGTERM; anything else is a defect, and shows.
"""

import functools
from collections.abc import Callable
from typing import Any

import typer

from tacit.cli import voice
from tacit.cli.interruption import Interrupted


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
    from tacit.ledger.ledger import OverBudget

    return error.in_shell if isinstance(error, OverBudget) else str(error)


def _refusals() -> tuple[type[Exception], ...]:
    """What a refusal is; imported when there is one, since help waits for no database."""
    from sqlalchemy.exc import SQLAlchemyError

    from tacit.data.dataset import DataError
    from tacit.experiments.kept import KeptError
    from tacit.ledger.ledger import LedgerError, OverBudget
    from tacit.ledger.receipt import ReceiptError
    from tacit.population.checkpoint import CheckpointError
    from tacit.population.hosts import HostError
    from tacit.tables.engine import EngineError

    of_data = DataError, EngineError, HostError
    kept = KeptError, LedgerError, OverBudget, CheckpointError, ReceiptError
    return (ValueError, OSError, SQLAlchemyError, *of_data, *kept)
