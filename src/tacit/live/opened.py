"""A device's ledger as it is opened: a new one is told from one that was emptied.

A file that holds nothing would be a ledger whose cap is whole again. So one that is there, and has
no tables, is refused, unless a mark beside it says that it is being made. The mark, `PATH.new`, is
there before the file is, and is taken away when its tables are on the disk. Whoever died in between
left it there, and is gone on from; of two who make one ledger at once the second finds the first's.

A file that was taken away cannot be told from one that never was.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sql

from tacit.ledger.accounts import LedgerError
from tacit.ledger.database import Database
from tacit.live.kept_reports import made


def opened(path: str | Path) -> Database:
    """The ledger in this file, with its table; made where there is none.

    Raises:
      LedgerError: if the file is empty, or cannot be used.
    """
    database = Database(path)
    with _marked(database) as mark, database.writing() as connection:
        # Whoever makes it holds the lock, or has yet to take it: so this is not halfway.
        if not (sql.inspect(connection).get_table_names() or mark is None or mark.exists()):
            raise LedgerError(
                f"the ledger {database.name} is empty, so what was spent is lost: delete the file "
                "if it is really new, for a device that has sent nothing yet"
            )
        made(connection)
    return database


@contextmanager
def _marked(database: Database) -> Iterator[Path | None]:
    """The mark, put there if the file is not, and taken away if nothing is raised; None of what is
    no file."""
    if "://" in database.name:
        yield None
        return
    path = Path(database.name)
    mark = path.with_name(f"{path.name}.new")
    try:
        if not path.exists():
            mark.touch()
        yield mark
        mark.unlink(missing_ok=True)
    except OSError as error:
        said = f"the ledger {database.name} cannot be made: {error.strerror or error}"
        raise LedgerError(said) from error
