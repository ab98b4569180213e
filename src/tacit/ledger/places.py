"""Whether a file can be a ledger: of one that cannot SQLite says only that it cannot open it."""

import os
from pathlib import Path

from tacit.ledger.accounts import LedgerError


def refuse_no_place(where: str | Path) -> None:
    """Raises the LedgerError of a path at which there is no ledger, and none can be made."""
    path = Path(where)
    folder = path.parent
    if os.path.isdir(path):
        raise LedgerError(f"a ledger must be a file, and {path} is a folder: name a file in it")
    if not os.path.isdir(folder):
        raise LedgerError(
            f"a ledger must be in a folder that is there, and {folder} is none: make it first"
        )
    if not (os.path.exists(path) or os.access(folder, os.W_OK)):
        raise LedgerError(
            f"a new ledger must be in a folder that can be written to, and {folder} cannot be"
        )
