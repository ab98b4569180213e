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
        except Exception as error:
            if not isinstance(error, _refusals()):
                raise
            voice.refuse(" ".join(str(error).split()))
            raise typer.Exit(2) from error
        except Interrupted as stopped:
            voice.note(stopped.left)
            raise typer.Exit(stopped.status) from stopped

    return run


def _refusals() -> tuple[type[Exception], ...]:
    """What a refusal is; imported when there is one, since help waits for no database."""
    from sqlalchemy.exc import SQLAlchemyError

    from tacit.data.dataset import DataError
    from tacit.ledger.ledger import LedgerError, OverBudget
    from tacit.ledger.receipt import ReceiptError
    from tacit.population.checkpoint import CheckpointError

    own = DataError, LedgerError, OverBudget, CheckpointError, ReceiptError
    return (ValueError, OSError, SQLAlchemyError, *own)
