"""What JAX's own service says between two processes, carried over the connection of `meeting`."""

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import final

LOOPBACK = "127.0.0.1"
# Seconds between two tries, and bytes carried at once.
TRY, MOST = 0.1, 2**16


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
