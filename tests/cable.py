"""A cable between a device and its server that can be cut: what is sent meanwhile comes later."""

import contextlib
import socket
import threading
import time
from typing import Self

from processes import free_port


class Cable:
    """Passes on whatever comes to its own address, and nothing while it is cut."""

    def __init__(self, server: str):
        host, _, port = server.rpartition(":")
        self._server, self._port = (host, int(port)), free_port()
        self._whole_again, self._hung = 0.0, threading.Event()
        self.address = f"127.0.0.1:{self._port}"

    def cut(self, seconds: float) -> None:
        """For so many seconds from now on."""
        self._whole_again = time.monotonic() + seconds

    def __enter__(self) -> Self:
        self._heard = socket.create_server(("127.0.0.1", self._port))
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._hung.set()
        self._heard.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._heard.accept()
                far = socket.create_connection(self._server)
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=self._pass, args=ends, daemon=True).start()

    def _pass(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while (told := one.recv(2**16)) and not self._hung.is_set():
                while time.monotonic() < self._whole_again:
                    time.sleep(0.05)
                other.sendall(told)
        with contextlib.suppress(OSError):
            other.shutdown(socket.SHUT_RDWR)
        one.close()
