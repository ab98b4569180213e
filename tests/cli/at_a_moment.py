"""The command line in a process of its own, which gets signals at one moment of its work.

A moment is an event, so it is the same however fast the machine is: a call of one function, by its
number, or a compilation in progress, which another thread sees.

Run: python -m cli.at_a_moment MOMENT CALL SIGNAL TIMES train ...   (from tests/)
"""

import functools
import importlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable

from cli import ready
from tacit.cli.main import app

# What is called at a moment, by module, class if there is one, and function.
MOMENTS = {
    "planning": ("tacit.cli.settings", "TrustSetting", "plan"),
    "charge": ("tacit.ledger.ledger", "Ledger", "charge"),
    "look": ("tacit.cli.tasks", "Task", "accuracy"),
    "checkpoint": ("tacit.population.checkpoint", "Checkpoint", "save"),
    "close": ("tacit.ledger.ledger", "Ledger", "close"),
    "between": ("tacit.cli.session", "Session", "_save"),
    "receipt": ("tacit.ledger.receipt", None, "write"),
    "report": ("tacit.cli.report", None, "write"),
    "told": ("tacit.population.hosts", None, "number"),
    "answer": ("tacit.cli.ask", None, "_finish"),
    "rows": ("tacit.cli.synthesize", None, "_write"),
    "scored": ("tacit.learning.classifiers", "Problem", "accuracy"),
}
COMPILING = "backend_compile_and_load"


def stopped(
    moment: str,
    call: int,
    number: int,
    *args: object,
    times: int = 1,
    runs: str = "cli.at_a_moment",
) -> subprocess.CompletedProcess[str]:
    """A process that was sent `number` so often when the moment came, after its end."""
    return ready.ran(runs, moment, call, int(number), times, *args)


def _when_called(moment: str, call: int, then: Callable[[], None]) -> None:
    """Has something done when the function is called for the `call`-th time, before it runs."""
    module, owner, name = MOMENTS[moment]
    place = importlib.import_module(module)
    place = place if owner is None else getattr(place, owner)
    function, calls = getattr(place, name), []

    @functools.wraps(function)
    def counted(*args, **kwargs):
        calls.append(None)
        if len(calls) == call:
            then()
        return function(*args, **kwargs)

    setattr(place, name, counted)


def _in_a_compilation(then: Callable[[], None]) -> None:
    """Has something done, by another thread, in the next compilation of this one."""
    main = threading.get_ident()

    def compiling() -> bool:
        frame = sys._current_frames()[main]
        while frame is not None and frame.f_code.co_name != COMPILING:
            frame = frame.f_back
        return frame is not None

    def watch() -> None:
        while not compiling():
            time.sleep(0.001)
        then()

    threading.Thread(target=watch, daemon=True).start()


def prepare(moment: str, call: int, number: int, times: int) -> None:
    """A compilation is one of the `call`-th release."""

    def send() -> None:
        for _ in range(times):
            os.kill(os.getpid(), number)

    if moment == "compilation":
        _when_called("charge", call, lambda: _in_a_compilation(send))
    else:
        _when_called(moment, call, send)


if __name__ == "__main__":
    moment, *numbers = sys.argv[1:5]
    prepare(moment, *map(int, numbers))
    sys.argv[1:5] = []
    app()
