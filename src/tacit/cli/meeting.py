"""Where the processes of one run meet, before any of them computes: at an address of the first's.

Every other process connects there, says which one it is and how it was started, and is told whether
all came and were started alike. The connection is kept: whatever JAX's own service says to this
process goes over it, and if it ends, the process at its other end did. JAX is not left to connect
by itself, because there a process whose service is gone aborts, with a page of its own words.

| what | after which the run is refused, in every process that came |
| --- | --- |
| the address is no address of the first process's machine, or taken | at once |
| nobody answers there, or somebody does not come | `WAIT` seconds |
| two processes say they are the same one, or were started with other options | at once |
| something else connects, and says nothing that can be understood | never; it is hung up on |
"""

import hashlib
import json
import shlex
import socket
import struct
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, final

from tacit.cli.line import asked_for
from tacit.population.hosts import HostError

# Seconds: to come in, to say who one is, and between two tries to come in.
WAIT, GREETING, TRY = 60.0, 5.0, 0.1
LONGEST = 2**16


@final
@dataclass(frozen=True)
class Team:
    """Who plays.

    Args:
      hosts: how many processes.
      host: which of them this is; 0 decides.
      meet: where they meet, ADDRESS:PORT of the first one's machine; None for one alone.

    Raises:
      ValueError: if that cannot be.
    """

    hosts: int
    host: int
    meet: str | None

    def __post_init__(self):
        if not self.hosts >= 1:
            raise ValueError(f"--hosts must be at least 1, got {self.hosts}")
        if not 0 <= self.host < self.hosts:
            raise ValueError(f"--host must be from 0 to {self.hosts - 1}, got {self.host}")
        if self.several and self.meet is None:
            raise ValueError("several --hosts need --meet, ADDRESS:PORT of process 0's machine")
        if not self.several and self.meet is not None:
            raise ValueError("--meet is for several --hosts, got 1")
        if self.several:
            _ = self.address

    @property
    def several(self) -> bool:
        return self.hosts > 1

    @property
    def first(self) -> bool:
        return self.host == 0

    @property
    def address(self) -> tuple[str, int]:
        """Where they meet."""
        name, _, port = (self.meet or "").rpartition(":")
        if not (name and port.isdecimal() and 0 < int(port) < 2**16):
            raise ValueError(f"--meet must be ADDRESS:PORT, as 10.0.0.5:7777, got {self.meet}")
        return name.removeprefix("[").removesuffix("]"), int(port)

    @property
    def words(self) -> str:
        """The options that say this, as a shell takes them; none of one alone."""
        own = f" --hosts {self.hosts} --host {self.host} --meet {shlex.quote(self.meet or '')}"
        return own if self.several else ""


def met(team: Team, said: Mapping[str, str]) -> list[socket.socket]:
    """Connections to all other processes in the first one, and to the first in every other; they
    end when the machine at the other end is gone.

    Args:
      team: who plays.
      said: what must be the same in all, by name.

    Raises:
      ValueError: if the first cannot listen there.
      HostError: if somebody does not come, or was started otherwise.
    """
    digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in said.items()}
    deadline = time.monotonic() + WAIT
    own = _gathered if team.first else _admitted
    connections = own(team, digests, deadline)
    for each in connections:
        asked_for(each)
    return connections


def _gathered(team: Team, said: dict[str, str], deadline: float) -> list[socket.socket]:
    came: dict[int, socket.socket] = {}
    complaint = ""
    with _listening(team) as entrance:
        while len(came) < team.hosts - 1 and not complaint:
            own, greeting = _greeted(entrance, deadline)
            complaint = _unlike(greeting, said, team, came) if own else _missing(team, came)
            if own:
                came[-1 if complaint else greeting["host"]] = own
    for own in came.values():
        _answer(own, complaint)
    if complaint:
        raise HostError(f"{complaint}; nothing was charged")
    return list(came.values())


def _answer(own: socket.socket, complaint: str) -> None:
    with suppress(OSError):
        _say(own, {"refused": complaint})
    if complaint:
        own.close()


def _admitted(team: Team, said: dict[str, str], deadline: float) -> list[socket.socket]:
    greeting = {"host": team.host, "said": said}
    while (left := deadline - time.monotonic()) > 0:
        with suppress(OSError, ValueError, LookupError, TypeError):
            own = socket.create_connection(team.address, timeout=left)
            with _closed_if_not_kept(own):
                # The first may have come later, and waits as long.
                refused = _answered(own, greeting, left + WAIT)
                if refused:
                    raise HostError(f"{refused}; nothing was charged")
            return [own]
        time.sleep(TRY)
    raise HostError(
        f"process 0 did not answer at {team.meet} within {WAIT:g} seconds; nothing was charged"
    )


def _answered(own: socket.socket, greeting: Mapping[str, Any], wait: float) -> str:
    """Why this process is not admitted; nothing, if it is."""
    own.settimeout(wait)
    _say(own, greeting)
    refused = _heard(own)["refused"]
    own.settimeout(None)
    return refused


def _listening(team: Team) -> socket.socket:
    """Where the first process listens: at this address and no other of its machine."""
    try:
        kind, _, _, _, address = socket.getaddrinfo(*team.address, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=kind)
    except OSError as error:
        raise ValueError(
            f"--meet must be a free port of this machine, got {team.meet}: {error.strerror}"
        ) from error


def _greeted(door: socket.socket, deadline: float) -> tuple[socket.socket | None, dict[str, Any]]:
    """The next connection that says who it is, and what it says; none, if none came in time."""
    while (left := deadline - time.monotonic()) > 0:
        door.settimeout(left)
        with suppress(TimeoutError):
            own, _ = door.accept()
            with suppress(OSError, ValueError, LookupError, TypeError), _closed_if_not_kept(own):
                own.settimeout(GREETING)
                greeting = _heard(own)
                greeting = {"host": int(greeting["host"]), "said": dict(greeting["said"])}
                own.settimeout(None)
                return own, greeting
    return None, {}


@contextmanager
def _closed_if_not_kept(own: socket.socket) -> Iterator[None]:
    try:
        yield
    except BaseException:
        own.close()
        raise


def _missing(team: Team, came: Mapping[int, Any]) -> str:
    some = f"{len(came) + 1} of {team.hosts} processes"
    return f"only {some} came to {team.meet} within {WAIT:g} seconds"


def _unlike(
    greeting: Mapping[str, Any], said: Mapping[str, str], team: Team, came: Mapping[int, Any]
) -> str:
    """Why somebody cannot play along; nothing, if they can."""
    host, told = greeting["host"], greeting["said"]
    different = [name for name in {**said, **told} if said.get(name) != told.get(name)]
    if different:
        return (
            f"process {host} was not started with the {different[0]} of process 0: all options "
            "but --host must be the same everywhere"
        )
    if host in came or not 0 < host < team.hosts:
        return f"two processes were started with --host {host}"
    return ""


def _say(to: socket.socket, message: Mapping[str, Any]) -> None:
    words = json.dumps(message).encode()
    to.sendall(struct.pack(">I", len(words)) + words)


def _heard(own: socket.socket) -> Any:
    """The next message; nothing beyond it is taken."""
    (length,) = struct.unpack(">I", _taken(own, 4))
    if not length <= LONGEST:
        raise ValueError(f"a greeting has at most {LONGEST} bytes, got {length}")
    return json.loads(_taken(own, length))


def _taken(own: socket.socket, count: int) -> bytes:
    taken = b""
    while len(taken) < count:
        more = own.recv(count - len(taken))
        if not more:
            raise ConnectionError("hung up")
        taken += more
    return taken
