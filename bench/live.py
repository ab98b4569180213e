"""A live round's server: what it costs to read, check, add up and finish the reports of a round.

Devices here are bytes that were made before: reports of the plan's set, of 100,000 numbers each.
So what is timed is the server's own work, in processor seconds of the second round, which compiles
nothing: 4 GB of reports are read once, and every number is cut to the grid and added. Memory is the
process's largest, which must not follow the number of reports; each number of devices has a process
of its own.

Sums under masks are made by 64 devices that are all here, with as many numbers: processor seconds
of one device and of the server in the second round, over those of as many secrets and masks as
Flower's SecAgg+ makes them: over P-384, and by NumPy's generator, which is no secret one.
"""

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from cryptography.hazmat.primitives.asymmetric import ec

import tacit
from claims import at_most, settle
from tacit import live
from tacit.live.order import Reply, RoundOrder

DIM = 100_000
FEW, MANY = 1_000, 10_000
_APART, GROUP = 16, 64


class Wide(eqx.Module):
    """Moves many numbers towards everybody's."""

    def init(self):
        return jnp.zeros(DIM)

    def ask(self, state, person):
        return person - state

    def tell(self, state, answer):
        return state + answer


class Made:
    """A link whose devices answer at once with reports that were made before."""

    def __init__(self, many: int, bound: float) -> None:
        self.devices = tuple(f"device {number}" for number in range(many))
        numbers = np.random.default_rng(0).normal(size=(_APART, DIM)).astype(np.float32)
        self._reports = numbers * (0.999 * bound / np.linalg.norm(numbers, axis=1)[:, None])
        self.sent = 0

    def asked(
        self, orders: Mapping[str, bytes], state: bytes, seconds: float
    ) -> Iterator[tuple[str, bytes]]:
        del state, seconds
        number = RoundOrder.read(next(iter(orders.values()))).number
        packed = [Reply(number, (report,)).packed() for report in self._reports]
        self.sent = len(packed[0])
        for place, name in enumerate(orders):
            yield name, packed[place % _APART]


def one(many: int) -> tuple[float, float, float]:
    """Processor seconds of a round, megabytes, and bytes sent over those of the plan."""
    question = tacit.Mean(tacit.Ball(DIM, 1.0), tacit.Everyone(), 2, many)
    plan = tacit.Federated(8.0, tacit.Central(8.0, 1e-6)).plan(question)
    wide = live.Function("wide", 1, Wide(), np.zeros(DIM, np.float32))
    link, ended = Made(many, plan.device.facts.report_set.bound), []
    book = tacit.Ledger(Path(tempfile.mkdtemp()) / "ledger.db")
    book.limit_for("devices", plan)
    heard: list[int] = []

    def told(replies: live.Replies) -> None:
        ended.append(time.process_time())
        heard.append(replies.reported)

    tacit.Federation(link, "devices", [wide], heard=told).grant(plan, Wide(), book).run()
    assert [many, many] == heard
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return ended[1] - ended[0], largest, link.sent / plan.upload_bytes


def apart(many: int) -> tuple[float, float, float]:
    """The same in a process of its own."""
    ran = [sys.executable, "-c", f"from live import one; print(*one({many}))"]
    here = Path(__file__).parent
    said = subprocess.run(ran, cwd=here, capture_output=True, text=True, check=True).stdout
    seconds, megabytes, ratio = map(float, said.split())
    return seconds, megabytes, ratio


class Timed:
    """Devices in this process, whose own time is taken."""

    def __init__(self, clients: Mapping[str, live.Client]) -> None:
        self._link, self.devices, self.own, self.bytes = (
            live.Nearby(clients),
            tuple(clients),
            0.0,
            0,
        )

    def asked(
        self, orders: Mapping[str, bytes], state: bytes, seconds: float
    ) -> Iterator[tuple[str, bytes]]:
        answers = self._link.asked(orders, state, seconds)
        while True:
            began = time.process_time()
            answer = next(answers, None)
            self.own += time.process_time() - began
            if answer is None:
                return
            self.bytes += len(answer[1])
            yield answer


def masked() -> tuple[float, float, float]:
    """Processor seconds of one device and of the server in a round, and a device's bytes over those
    of its report."""
    names = [f"device {number}" for number in range(GROUP)]
    keys = {name: live.SigningKey.fresh() for name in names}
    roster = {name: key.public for name, key in keys.items()}
    wide = live.Function("wide", 1, Wide(), np.zeros(DIM, np.float32))
    folder, cap = Path(tempfile.mkdtemp()), live.Cap(10.0, 7.0, 1e-5)
    clients = {
        name: live.Client(
            np.zeros(DIM, np.float32),
            [wide],
            live.OwnLedger(folder / f"{name}.db", cap),
            live.Member(name, keys[name], roster),
        )
        for name in names
    }
    question = tacit.Mean(tacit.Ball(DIM, 1.0), tacit.Everyone(), 2, GROUP)
    plan = tacit.Aggregated(8.0, 1e-6).plan(question)
    book, link = tacit.Ledger(folder / "ledger.db"), Timed(clients)
    book.limit_for("devices", plan)
    marks: list[tuple[float, float, int]] = []

    def told(replies: live.Replies) -> None:
        assert replies.counted
        marks.append((time.process_time(), link.own, link.bytes))

    tacit.Federation(link, "devices", [wide], heard=told).grant(plan, Wide(), book).run()
    whole, own, sent = np.subtract(marks[1], marks[0])
    return own / GROUP, whole - own, sent / GROUP / plan.upload_bytes


def as_flower_does() -> float:
    """Processor seconds of a device's two secrets with each other device, over P-384, and of its
    masks, as NumPy draws them."""
    one, other = (ec.generate_private_key(ec.SECP384R1()) for _ in range(2))
    began = time.process_time()
    for seed in range(GROUP):
        for _ in range(2):
            one.exchange(ec.ECDH(), other.public_key())
        np.random.RandomState(seed).randint(0, 2**32 - 1, DIM, np.int64)
    return time.process_time() - began


def main():
    few, many = apart(FEW), apart(MANY)
    print(f"{MANY:,} reports of {DIM:,} numbers: {many[0]:.2f} processor s, {many[1]:.0f} MB")
    print(f"{FEW:,} reports: {few[0]:.2f} processor s, {few[1]:.0f} MB")
    yield at_most("processor seconds of a round's server", many[0], 5.0)
    yield at_most(f"memory of {MANY:,} reports over that of {FEW:,}", many[1] / few[1], 1.1)
    yield at_most("bytes of a report over the plan's", many[2], 1.05)
    device, server, sent = masked()
    floor = as_flower_does()
    print(f"{GROUP} devices under masks: {device:.3f} processor s each, {server:.3f} the server's;")
    print(f"secrets and masks as Flower's SecAgg+ makes them: {floor:.3f};")
    print(f"a device sends {sent:.3f} of its report's bytes")
    yield at_most("a device under masks, over Flower's secrets and masks", device / floor, 2.0)
    yield at_most("the server, over those of all devices", server / floor / GROUP, 1.0)
    yield at_most("bytes of a device under masks over its report's", sent, 1.05)


if __name__ == "__main__":
    settle(main())
