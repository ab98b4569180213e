"""Grants whose names nobody keeps: closed if they do not finish, for nobody could go on with them.

An open grant holds the root key of its noise, so that a crash can replay it. Where the name is
thrown away with the call that made it, nothing can be replayed, and the key would lie in the ledger
for ever. What was charged stays charged, and a note on whatever ended the call says so. A process
that is killed leaves them open all the same, and so does a ledger that cannot be written then; that
it could not is what is raised.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tacit.ledger.ledger import Ledger, Unknown

_CHARGED = (
    "this was charged before it stopped, and stays charged; its noise is forgotten, so that asking "
    "again is charged anew"
)


@contextmanager
def closed_if_cut_off(ledger: Ledger, grants: int = 1) -> Iterator[list[str]]:
    """Names for so many new grants; whatever ends the block early closes those that were opened."""
    names, charged = [secrets.token_hex(16) for _ in range(grants)], False
    try:
        yield names
    except BaseException as error:
        for name in names:
            with suppress(Unknown):
                ledger.close(name)
                charged = True
        if charged:
            error.add_note(_CHARGED)
        raise
