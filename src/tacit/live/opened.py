"""A device's ledger as it is opened: a new one is told from one that was emptied.

A file that holds nothing would be a ledger whose cap is whole again. So one that is there, and has
not the table of a device's ledger, is refused, whatever lies beside it. A new one is put in its
place whole: whoever dies while it is made has made none, and of two who make one at once the second
finds the first's.

A file that was taken away cannot be told from one that never was.
"""

import os
from contextlib import suppress
from pathlib import Path

import sqlalchemy as sql

from tacit.ledger.accounts import LedgerError
from tacit.ledger.database import Database
from tacit.live.kept_reports import REPORTS, made
from tacit.whole_file import replacing


def opened(path: str | Path) -> Database:
    """The ledger in this file, with its table; made where there is none.

    Raises:
      LedgerError: if the file is empty or another's, or cannot be used.
    """
    database = Database(path)
    is_file = "://" not in database.name
    if is_file:
        _make(Path(database.name))
    with database.writing() as connection:
        if is_file and not sql.inspect(connection).has_table(REPORTS.name):
            raise LedgerError(
                f"the ledger {database.name} is empty, so what was spent is lost: delete the file "
                "if it is really new, for a device that has sent nothing yet"
            )
        made(connection)
    return database


def _make(path: Path) -> None:
    """A new ledger in this file, if there is none."""
    if path.exists():
        return
    try:
        with suppress(FileExistsError), replacing(path) as file:
            # Whoever is here is alone; another may have been here before.
            if path.exists():
                raise FileExistsError
            os.fchmod(file.fileno(), 0o600)
            file.write(_new())
    except OSError as error:
        said = f"the ledger {path} cannot be made: {error.strerror or error}"
        raise LedgerError(said) from error


def _new() -> bytes:
    """The file of a ledger that nothing is in."""
    engine = sql.create_engine("sqlite://")
    try:
        with engine.connect() as connection:
            made(connection)
            connection.commit()
            driver = connection.connection.driver_connection
            assert driver is not None
            return driver.serialize()
    finally:
        engine.dispose()
