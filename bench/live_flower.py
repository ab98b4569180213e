"""Claim: over Flower, a round of tacit's takes no longer than Flower's own round of the same bytes.

Flower's own is a SuperLink, eight SuperNodes and two apps that send a state and answer with as many
bytes as a report has, without TLS; ours has TLS, and real randomised reports of 100,000 numbers
each, eight devices to a process. An echo of as many bytes by the same devices over the same link
says what tacit's own work is. The three take turns, on one machine and its clock, and both
federations are there all the time.

More devices than eight are played where they are asked for. 64 SuperNodes do not fit on a small
machine: each is two processes, and begins a third for every message. So a round of 64 is set
against Flower's own round of sixteen nodes, which takes no longer than one of 64 would. What it
takes over an echo is printed beside: there, the devices' own work is done by the server's cores.

While Flower's own round is timed our devices ask for orders now and then, so a round of it before
they are there is printed as well; of eight nodes too, where sixteen play.

Bytes are those that a proxy passes on between the first eight devices and their SuperLink while a
round of ours lasts: of TLS, HTTP and signatures too. A device says now and then that it is there,
and asks for orders; what that is in as long a time while Flower's own round lasts is printed, and
taken off.
Up, the plan predicts a report's bytes; down, a state of the learner's goes to each device.

Run: python bench/live_flower.py [TURNS [DEVICES]]   (where Flower is: `make test-flower`)
"""

import asyncio
import os
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import tacit
from claims import Claim, at_least, at_most, settle, skipped
from live import DIM, Wide
from tacit import live
from tacit.live import beside

TURNS, NODES, MOST, EACH = 5, 8, 16, 8
SECONDS, PAUSE = 600.0, 0.02
HERE = Path(__file__).parent
APP = HERE / "bare_flower"
LOCAL, PUBLIC = 8.0, tacit.Central(8.0, 1e-6)
STATE, ORDER, ECHO = 4 * DIM, 1_000, b"echo"
COMPILED_ONCE = {
    "JAX_COMPILATION_CACHE_DIR": tempfile.mkdtemp(),
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
}
PLAY = f"import sys; sys.path.insert(0, {str(HERE)!r}); from live_flower import play; play()"


def wide() -> live.Function:
    return live.Function("wide", 1, Wide(), np.zeros(DIM, np.float32))


def plan_of(people: int, rounds: int) -> tacit.Plan:
    question = tacit.Mean(tacit.Ball(DIM, 1.0), tacit.Everyone(), rounds, people)
    return tacit.Federated(LOCAL, PUBLIC).plan(question)


class Both:
    """A device, which answers an echo's order with as many bytes as a report has."""

    # A process of eight has one computing at a time: it compiles once.
    _alone = threading.Lock()

    def __init__(self, path: Path, function: live.Function) -> None:
        ledger = live.OwnLedger(path, live.Cap(1e6, 7.0, 0.1))
        self._client = live.Client(np.full(DIM, 1e-3, np.float32), [function], ledger)

    def answer(self, order: bytes, state: bytes) -> bytes:
        if order.startswith(ECHO):
            return os.urandom(int(order.removeprefix(ECHO).split()[0]))
        with self._alone:
            return self._client.answer(order, state)


def play() -> None:
    """The devices of one process, until it is ended."""
    from tacit.live.flower.device import FlowerDevice
    from tacit.live.flower.keys import own_key

    server, authority, *keys = sys.argv[1:]
    function = wide()
    for key in map(Path, keys):
        answering = Both(key.with_suffix(".db"), function)
        device = FlowerDevice(answering, server, Path(authority), own_key(key))
        threading.Thread(target=device.run, args=(threading.Event(),), daemon=True).start()
    threading.Event().wait()


class Wire:
    """Passes on what goes to a SuperLink and comes from it, and counts its bytes: up, down."""

    def __init__(self, server: str) -> None:
        self._server, self.passed = server.split(":"), [0, 0]
        ready = threading.Event()
        threading.Thread(target=asyncio.run, args=(self._open(ready),), daemon=True).start()
        ready.wait()

    async def _open(self, ready: threading.Event) -> None:
        heard = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{heard.sockets[0].getsockname()[1]}"
        ready.set()
        await heard.serve_forever()

    async def _accept(self, near: asyncio.StreamReader, to_near: asyncio.StreamWriter) -> None:
        far, to_far = await asyncio.open_connection(*self._server)
        await asyncio.gather(self._pass(near, to_far, 0), self._pass(far, to_near, 1))

    async def _pass(self, one: asyncio.StreamReader, other: asyncio.StreamWriter, way: int) -> None:
        try:
            while told := await one.read(2**16):
                self.passed[way] += len(told)
                other.write(told)
                await other.drain()
        except ConnectionError:
            pass
        other.close()


@dataclass
class Turns:
    """Of every round but the first, which compiles: seconds of ours, of an echo, of Flower's own,
    and bytes of a device. It is told of every round of ours, and plays the others there."""

    link: Any
    bare: Path
    wire: Wire
    report: int
    ours: list[float] = field(default_factory=list)
    echo: list[float] = field(default_factory=list)
    flower: list[float] = field(default_factory=list)
    sent: list[np.ndarray] = field(default_factory=list)
    idle: list[np.ndarray] = field(default_factory=list)

    def begin(self) -> None:
        self._passed, self._began = np.array(self.wire.passed), time.perf_counter()

    def __call__(self, done: int, state: Any) -> None:
        took, sent = self._since()
        if done > 1:
            self.ours.append(took)
            self.sent.append(sent)
            self.echo.append(self._echoed())
            self.begin()
            self.flower.append(bare_round(self.bare))
            seconds, sent = self._since()
            self.idle.append(sent * took / seconds)
        self.begin()

    def _since(self) -> tuple[float, np.ndarray]:
        """Seconds, and bytes of a device, up and down."""
        seconds = time.perf_counter() - self._began
        return seconds, (np.array(self.wire.passed) - self._passed) / EACH

    def _echoed(self) -> float:
        wanted, state = ECHO + b"%d " % self.report, os.urandom(STATE)
        # Each is another, as orders are: what is alike goes to the SuperLink once.
        orders = {name: (wanted + name.encode()).ljust(ORDER) for name in self.link.devices}
        began = time.perf_counter()
        answers = dict(self.link.asked(orders, state, SECONDS))
        took = time.perf_counter() - began
        assert len(answers) == len(self.link.devices)
        assert {len(each) for each in answers.values()} == {self.report}
        return took


def played(link: Any, bare: Path, wire: Wire, turns: int) -> Turns:
    """Turns with all devices of this link."""
    people, heard = len(link.devices), []
    plan = plan_of(people, turns + 1)
    found = Turns(link, bare, wire, plan.upload_bytes)
    book = tacit.Ledger(Path(tempfile.mkdtemp()) / "ledger.db")
    book.limit_for("devices", plan)
    devices = tacit.Federation(link, "devices", [wide()], seconds=SECONDS, heard=heard.append)
    grant = devices.grant(plan, Wide(), book)
    found.begin()
    grant.run(watch=found)
    assert [people] * (turns + 1) == [each.reported for each in heard]
    return found


@contextmanager
def ours(folder: Path, people: int) -> Iterator[tuple[Any, tuple[str, ...], Wire]]:
    """A run on a SuperLink with all our devices there, their names, and the first eight's wire."""
    from tacit.live.flower.keys import own_key, public_of
    from tacit.live.flower.server import superlink

    with superlink(folder / "server", free_port()) as server:
        keys = [folder / f"{number}.key" for number in range(people)]
        names = tuple(server.enrol(public_of(own_key(key))) for key in keys)
        wire = Wire(server.address)
        there = [wire.address] + [server.address] * (people // EACH - 1)
        begun = []
        for first, address in zip(range(0, people, EACH), there, strict=True):
            words = address, server.certificates.authority, *keys[first : first + EACH]
            begun.append(beside.begin(PLAY, words, folder / f"{first}.log", COMPILED_ONCE))
        try:
            with server.run() as run:
                yield run, names, wire
        finally:
            beside.end(*begun)


@contextmanager
def flowers(folder: Path, report: int, nodes: int) -> Iterator[Path]:
    """Flower's own federation, whose rounds are asked for in this folder."""
    from tacit.live.flower.spoken import QUIET

    folder.mkdir()
    address = f"127.0.0.1:{free_port()}"
    (folder / "config.toml").write_text(
        f'[superlink]\ndefault = "here"\n[superlink.here]\naddress = "{address}"\ninsecure = true\n'
    )
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    own = {**QUIET, "FLWR_HOME": str(folder), "PATH": path}
    said = f'nodes={nodes} down={STATE + ORDER} up={report} folder="{folder}"'
    begun = []
    try:
        for name, words in _flower_words(address, said, nodes):
            log = folder / f"{len(begun)}.log"
            begun.append(beside.begin(name, words, log, own))
            _wait(address)
        yield folder
    finally:
        beside.end(*reversed(begun))


def _flower_words(address: str, said: str, nodes: int) -> Iterator[tuple[str, Sequence[object]]]:
    host, port = address.split(":")
    at = ["--insecure", "--host", host, "--port"]
    alone = ["--disable-runtime-dependency-installation", "--database", ":flwr-in-memory:"]
    yield _flower("flwr.superlink.cli", "flower_superlink"), [*at, port, *alone]
    for _ in range(nodes):
        node = _flower("flwr.supernode.cli", "flower_supernode")
        yield node, [*at, free_port(), "--superlink", address]
    yield _flower("flwr.cli.app", "app"), ["run", APP, "here", "--run-config", said]


def _flower(module: str, name: str) -> str:
    return f"from {module} import {name}; {name}()"


def _wait(address: str) -> None:
    """Until somebody listens there."""
    host, port = address.split(":")
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        with socket.socket() as tried:
            if tried.connect_ex((host, int(port))) == 0:
                return
        time.sleep(PAUSE)


def bare_round(folder: Path) -> float:
    """Seconds of one more round of Flower's own."""
    turn = len(list(folder.glob("*.asked")))
    took = folder / f"{turn}.took"
    (folder / f"{turn}.asked").touch()
    until = time.monotonic() + SECONDS
    while not took.exists():
        assert time.monotonic() < until, f"Flower's own round did not end: see {folder}"
        time.sleep(PAUSE)
    return float(took.read_text())


def say_alone(folder: Path, nodes: int) -> None:
    """Prints how long a round of Flower's own takes, the second, with no device of ours there."""
    bare_round(folder)
    print(f"Flower's own round of {nodes} nodes, alone: {bare_round(folder):.2f} s")


def free_port() -> int:
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        return tried.getsockname()[1]


def claims(people: int, nodes: int, turns: Turns) -> Iterator[Claim]:
    """Of one number of devices, against as many of Flower's own nodes or fewer."""
    took, whose = np.array(turns.ours), f"of {people} devices"
    kinds = np.median(np.array([turns.ours, turns.echo, turns.flower]), axis=1)
    print(f"a round {whose}: {kinds[0]:.2f} s, an echo {kinds[1]:.2f}, Flower's own {kinds[2]:.2f}")
    over_echo, over_flower = took / np.array(turns.echo), took / np.array(turns.flower)
    spread = f"{over_echo.min():.3g} to {over_echo.max():.3g}"
    print(f"a round {whose}, over an echo by them: {np.median(over_echo):.3g} ({spread})")
    own = f"a round {whose}, over Flower's own of {nodes} nodes"
    yield at_most(own, over_flower.tolist(), 1.1)
    predicted = np.array([turns.report, STATE])
    idle, sent = (np.array(each) / predicted for each in (turns.idle, turns.sent))
    print(f"while idle, of the predicted bytes: {np.median(idle, axis=0).round(3)}")
    counted = whose if people == EACH else f"of the first {EACH} {whose}"
    for way, each in zip(("up", "down"), (sent - idle).T.tolist(), strict=True):
        yield at_most(f"bytes {way} {counted}, over the predicted", each, 1.05)
        yield at_least(f"bytes {way} {counted}, over the predicted", each, 0.95)


def main() -> Iterator[Claim]:
    """Prints three kinds of rounds of eight devices, or of so many times eight."""
    if find_spec("flwr") is None:
        yield skipped("no Flower")
        return
    from tacit.live.flower.link import FlowerLink

    turns = int(sys.argv[1]) if len(sys.argv) > 1 else TURNS
    people = int(sys.argv[2]) if len(sys.argv) > 2 else NODES
    if people < EACH or people % EACH:
        sys.exit(f"DEVICES must be a multiple of {EACH}, for so many share a process: {people}")
    print(", ".join(f"{name} {version(name)}" for name in ("flwr", "jax", "numpy")))
    nodes = min(people, MOST)
    report, folder = plan_of(NODES, 1).upload_bytes, Path(tempfile.mkdtemp())
    if nodes > NODES:
        with flowers(folder / "eight", report, NODES) as bare:
            say_alone(bare, NODES)
    with flowers(folder / "flower", report, nodes) as bare:
        say_alone(bare, nodes)
        with ours(folder, people) as (run, names, wire):
            found = played(FlowerLink(run, names), bare, wire, turns)
            yield from claims(people, nodes, found)


if __name__ == "__main__":
    settle(main())
