"""Processes that ask for one grant, and die before anybody has the answer, if they are to."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import forks
import tacit
from tacit import tables
from tacit.ledger import LedgerError

DIED, REFUSED = 3, 4
TRUST = tacit.Central(1.0, 0.0)


def played(asking: Callable[[], tables.Ask], into: Path, dies: bool, ready: Any = None) -> None:
    """Asks for grant "once" and runs it; what it saw of the answer is saved.

    Args:
      asking: makes the question, in this process.
      into: the file that is saved.
      dies: whether the process ends then.
      ready: waited for between the charge and the answer.
    """

    def watch(done: int, state: Any) -> None:
        np.save(into, state.answer[0])
        if dies:
            os._exit(DIED)

    try:
        grant = asking().grant(TRUST, grant_id="once")
        if ready is not None:
            ready.wait()
        grant.run(watch=watch)
    except LedgerError:
        os._exit(REFUSED)


def ends_of(*each: tuple) -> list[int | None]:
    """How processes end that each play this, all at once."""
    started = [forks.context().Process(target=played, args=own) for own in each]
    for process in started:
        process.start()
    for process in started:
        process.join()
    return [process.exitcode for process in started]
