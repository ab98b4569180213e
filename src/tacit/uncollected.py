"""Imports without a search for garbage.

What an import leaves is never garbage, and the more there is, the longer each search among it:
decision 30 has the numbers. They wait until the import is over, and what is there by then
is put among what is old, which is searched last: frozen and thawed, unless others have frozen more
than Python itself has (375 objects in 3.12), or nothing was imported: what is young stays so, or no
search would ever be due. Of two threads that import at once, the first to end lets searches begin
again.
"""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# Who freezes what a program has loaded has tens of thousands.
_OF_PYTHON = 1_000


@contextmanager
def uncollected() -> Iterator[None]:
    """Meanwhile nothing is searched for; who has switched searches off finds them off."""
    was, there = gc.isenabled(), len(sys.modules)
    gc.disable()
    try:
        yield
    finally:
        if was:
            if len(sys.modules) > there:
                _made_old()
            gc.enable()


def _made_old() -> None:
    """Without a look at any of it."""
    if gc.get_freeze_count() < _OF_PYTHON:
        gc.freeze()
        gc.unfreeze()
