"""Ctrl-C and SIGTERM: noted when they come, acted on between rounds.

Python's own way is to raise where the program happens to be. While JAX waits for a compilation that
abandons the wait, not the compilation: it goes on in a thread of XLA, and the process that now ends
takes the client from under it and dies of a segmentation fault. So a first signal is only noted,
and `Stop.check` raises it where nothing is half done: between rounds, releases and files.

A second signal does not wait. It ends the process on the spot, as a power cut would, and that
corrupts nothing: the ledger is transactional, and checkpoints and receipts are written whole or
not at all.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn, final

SIGNALS = (signal.SIGINT, signal.SIGTERM)
# What a shell reports of a process that died of signal s is this plus s.
DIED = 128


class Interrupted(BaseException):
    """The user, or the machine, asked the command to stop.

    Args:
      status: what to exit with.
      left: what is left of the work, in one sentence.
    """

    def __init__(self, status: int, left: str):
        super().__init__(left)
        self.status, self.left = status, left


@final
class Stop:
    """Whether a signal came.

    Args:
      left: as of `Interrupted`, kept true by whoever does the work.
      heard: said at once when the first signal is noted, where the work may take a while to end.
      cut: said in place of `left` by a second signal, where less is true then.
    """

    def __init__(self, left: str, heard: str | None = None, cut: str | None = None):
        self.left, self._heard, self._cut = left, heard, cut
        self.noted: int | None = None

    def check(self) -> None:
        """Stops here if a signal came.

        Raises:
          Interrupted: it did.
        """
        if self.noted is not None:
            raise Interrupted(DIED + self.noted, self.left)

    def note(self, number: int, frame: FrameType | None) -> None:
        """Handles a signal; the second one does not come back."""
        if self.noted is not None:
            self.end(number, frame)
        self.noted = number
        if self._heard is not None:
            _said(self._heard)

    def end(self, number: int, frame: FrameType | None) -> NoReturn:
        """Handles a signal on the spot."""
        del frame
        on_the_spot(self._cut or self.left, DIED + number)


def on_the_spot(sentence: str, status: int) -> NoReturn:
    """Ends the process, from any thread: what others have locked or half done stays as it is."""
    _said(sentence)
    os._exit(status)


def _said(sentence: str) -> None:
    """From within a signal's handler, which may have interrupted whoever else writes."""
    # The cursor that a progress bar hid is shown again, and its line is left.
    bar = "\x1b[?25h\n" if os.isatty(2) else ""
    os.write(2, f"{bar}tacit: {sentence}\n".encode())


@contextmanager
def noted(left: str) -> Iterator[Stop]:
    """Within, signals are noted; afterwards they do what they did before."""
    with noted_by(Stop(left)) as stop:
        yield stop


@contextmanager
def noted_by(stop: Stop) -> Iterator[Stop]:
    """As `noted`, by a stop that others know of."""
    with _handled(stop.note):
        yield stop


@contextmanager
def ended(left: str) -> Iterator[None]:
    """Within, the first signal ends the process: while nothing is begun, nothing is half done."""
    with _handled(Stop(left).end):
        yield


@contextmanager
def _handled(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    before = {number: signal.signal(number, handler) for number in SIGNALS}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
