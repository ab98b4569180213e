"""A device that answers with its order and a digest of the state, to test what carries them."""

import hashlib
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from processes import begun, free_port
from tacit.live.flower.keys import own_key, public_of
from tacit.live.flower.link import FlowerLink
from tacit.live.flower.server import SuperLink, superlink


class Echo:
    """Says what came."""

    def answer(self, order: bytes, state: bytes) -> bytes:
        return echoed(order, state)


def echoed(order: bytes, state: bytes) -> bytes:
    """The answer to expect."""
    return order + hashlib.sha256(state).digest()


@dataclass
class Town:
    """A SuperLink, and devices in processes of their own, by name."""

    folder: Path
    server: SuperLink
    devices: dict[str, subprocess.Popen] = field(default_factory=dict)
    keys: dict[str, Path] = field(default_factory=dict)

    def enrol(self, number: int) -> str:
        """Lets a device with a key of its own in; it is not begun."""
        key = self.folder / f"{number}.key"
        name = self.server.enrol(public_of(own_key(key)))
        self.keys[name] = key
        return name

    def begin(self, name: str) -> None:
        """A process for the device of this name."""
        where = self.server.address, self.server.certificates.authority, self.keys[name]
        self.devices[name] = begun([__file__, *where], self.folder, 1)

    def all(self, number: int) -> tuple[str, ...]:
        """So many devices, begun."""
        names = tuple(self.enrol(each) for each in range(number))
        for name in names:
            self.begin(name)
        return names


@contextmanager
def town(folder: Path, port: int | None = None) -> Iterator[Town]:
    """Gone with all its processes when it is left."""
    with superlink(folder / "server", port or free_port()) as server:
        made = Town(folder, server)
        try:
            yield made
        finally:
            for device in made.devices.values():
                device.kill()
                device.communicate()


def rounds(link: FlowerLink, count: int, state: bytes, seconds: float) -> list[Mapping[str, bytes]]:
    """What came in each round, once every answer was found to be right."""
    found = []
    for turn in range(count):
        orders = {name: f"{turn} {name}".encode() for name in link.devices}
        answers = list(link.asked(orders, state, seconds))
        assert len(dict(answers)) == len(answers)
        for name, answer in answers:
            assert answer == echoed(orders[name], state)
        found.append(dict(answers))
    return found


def running(device) -> tuple[threading.Event, threading.Thread]:
    """A device in a thread of this process, and what ends it."""
    ending = threading.Event()
    thread = threading.Thread(target=device.run, args=(ending,), daemon=True)
    thread.start()
    return ending, thread


if __name__ == "__main__":
    from tacit.live.flower.device import FlowerDevice, until_told

    server, authority, key = sys.argv[1:]
    until_told(FlowerDevice(Echo(), server, Path(authority), own_key(Path(key))))
