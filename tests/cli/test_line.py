"""Lines between processes: what they carry, and what they keep from JAX."""

import socket
import threading

import pytest

from tacit.cli import line as lines
from tacit.cli.line import Line

# Connections are left to the end of their test.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
# In seconds, but for the last, which is in milliseconds.
FIFTEEN_SECONDS = {
    "TCP_KEEPIDLE": 5,
    "TCP_KEEPALIVE": 5,
    "TCP_KEEPINTVL": 2,
    "TCP_KEEPCNT": 5,
    "TCP_USER_TIMEOUT": 15_000,
}


def test_a_line_carries_both_ways_and_outlives_its_far_end():
    """What is near is not told that the far end is over: JAX would abort."""
    far, farther = socket.socketpair()
    near, nearer = socket.socketpair()
    line = Line(far, lambda: near)
    farther.sendall(b"there")
    nearer.sendall(b"and back")
    nearer.settimeout(0.2)

    assert nearer.recv(9) == b"there" and farther.recv(9) == b"and back"
    assert not line.ended.is_set()
    farther.close()
    assert line.ended.wait(10)
    with pytest.raises(TimeoutError):
        nearer.recv(1)


def test_machines_ask_for_one_another_within_twenty_seconds():
    """Both where nothing is said and where words are under way; not the processes, which may be
    held, and not so soon that a wire that is plugged in again is missed."""
    entrance = socket.create_server(("127.0.0.1", 0))
    with entrance, socket.create_connection(entrance.getsockname()) as far:
        lines.asked_for(far)
        kept = far.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        set_to = {
            name: far.getsockopt(socket.IPPROTO_TCP, vars(socket)[name])
            for name in lines.ASKING
            if name in vars(socket)
        }

    assert kept and lines.LOST == 15
    assert set_to == {name: FIFTEEN_SECONDS[name] for name in set_to} != {}


def test_the_service_may_come_later():
    """JAX listens a moment after the lines are laid."""
    with lines.door() as tried:
        port = tried.getsockname()[1]
    late = threading.Timer(0.3, lambda: held.append(socket.create_server(("127.0.0.1", port))))
    held: list[socket.socket] = []
    late.start()
    with lines.to_service(port) as own:
        assert own.getpeername()[1] == port
