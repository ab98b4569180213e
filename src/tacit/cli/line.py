"""What JAX's own service says between two processes, carried over the connection of `meeting`.

A line is over when the process at its far end is. One that was killed is hung up on by its machine,
at once. A machine that is gone itself hangs up on nobody, and is asked for: where nothing is heard
of it for `LOST` seconds the line is over. It is machines that ask and answer, not the processes: a
slow round, a long compilation or a process that somebody holds are answered for, however long.
"""

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import final

LOOPBACK = "127.0.0.1"
# Seconds between two tries, and bytes carried at once.
TRY, MOST = 0.1, 2**16
# Seconds: without a word, until it is asked for; between two questions. And how many there are.
QUIET, AGAIN, QUESTIONS = 5, 2, 5
LOST = QUIET + AGAIN * QUESTIONS
# The names that systems have for these; words that are under way are waited for as long.
ASKING = {
    "TCP_KEEPIDLE": QUIET,
    "TCP_KEEPALIVE": QUIET,
    "TCP_KEEPINTVL": AGAIN,
    "TCP_KEEPCNT": QUESTIONS,
    "TCP_USER_TIMEOUT": 1000 * LOST,
}


@final
class Line:
    """The connection to another process, over which this one's JAX is carried.

    Args:
      far: the connection.
      near: this process's own side, opened when it is there.
    """

    def __init__(self, far: socket.socket, near: Callable[[], socket.socket]) -> None:
        self._far, self._near = far, near
        self.ended = threading.Event()
        _begin(self._carry)

    def _carry(self) -> None:
        """Both ways; what is over at the far end is kept from the near one."""
        near = self._near()
        _begin(lambda: _carried(near, self._far))
        _carried(self._far, near)
        self.ended.set()


def asked_for(far: socket.socket) -> None:
    """Has this machine ask whether the other one is there, on a connection between two."""
    far.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in ASKING.items():
        if name in vars(socket):
            far.setsockopt(socket.IPPROTO_TCP, vars(socket)[name], value)


def door() -> socket.socket:
    """Listens at a free port, for this machine alone."""
    return socket.create_server((LOOPBACK, 0))


def to_service(port: int) -> socket.socket:
    """A connection to the service at this port, once it listens."""
    while True:
        with suppress(ConnectionRefusedError):
            return socket.create_connection((LOOPBACK, port))
        time.sleep(TRY)


def _begin(work: Callable[[], None]) -> None:
    threading.Thread(target=work, daemon=True).start()


def _carried(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while words := source.recv(MOST):
            sink.sendall(words)
