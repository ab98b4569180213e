"""Two machines with a wire between them that can be cut, where the system lends namespaces.

A machine is a network namespace with a name of its own, and the name is an address, which gloo can
look up. None of it needs more rights than the user has, and all of it ends with two processes.
"""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import final

FIRST, SECOND = "10.9.0.1", "10.9.0.2"


@final
class Wire:
    """The wire between the machines of two processes."""

    def __init__(self, first: int, second: int) -> None:
        self._pids = first, second

    def on(self, machine: int) -> list[str]:
        """What is written before a command, to have it run on this machine."""
        return [
            "nsenter",
            "-t",
            str(self._pids[machine]),
            "-U",
            "-n",
            "-u",
            "--preserve-credentials",
        ]

    def cut(self) -> None:
        """From now on nothing gets through, and nobody is told."""
        self.said(1, "ip link set wire down")

    def said(self, machine: int, words: str) -> None:
        subprocess.run([*self.on(machine), *words.split()], check=True, capture_output=True)


@contextmanager
def laid() -> Iterator[Wire | None]:
    """A wire; none, where the system lends none."""
    held: list[subprocess.Popen] = []
    try:
        yield _laid(held) if all(map(shutil.which, ("ip", "unshare", "nsenter"))) else None
    finally:
        for each in held:
            each.kill()
            each.communicate()


def _laid(held: list[subprocess.Popen]) -> Wire | None:
    try:
        held.append(_begun("unshare -r -n -u"))
        within = f"nsenter -t {held[0].pid} -U --preserve-credentials unshare -n -u"
        held.append(_begun(within))
        wire = Wire(held[0].pid, held[1].pid)
        wire.said(0, f"ip link add wire type veth peer name wire netns {held[1].pid}")
        for machine, address in enumerate((FIRST, SECOND)):
            wire.said(machine, f"hostname {address}")
            wire.said(machine, f"ip addr add {address}/24 dev wire")
            wire.said(machine, "ip link set lo up")
            wire.said(machine, "ip link set wire up")
    except (subprocess.CalledProcessError, OSError):
        return None
    return wire


def _begun(machine: str) -> subprocess.Popen:
    """A process that is there, on a machine of its own, once it says so."""
    words = [*machine.split(), "sh", "-c", "echo there; exec sleep 3600"]
    begun = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if begun.stdout is None or not begun.stdout.readline():
        begun.communicate()
        raise PermissionError("namespaces are not lent here")
    return begun
