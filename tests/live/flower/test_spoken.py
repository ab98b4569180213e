"""Real devices in processes of their own, a real SuperLink, and what happens to both."""

import importlib.util
import signal
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

if importlib.util.find_spec("flwr") is None:
    pytest.skip("Flower is not here: make test-flower brings it", allow_module_level=True)

from flwr.supercore.date import now
from flwr.supernode import node_auth_http_interceptor

from cable import Cable
from flower_echo import Echo, Town, rounds, running, town
from live import phones
from processes import free_port
from tacit import live
from tacit.live.flower import device as flower_device
from tacit.live.flower import spoken
from tacit.live.flower.calls import Refused
from tacit.live.flower.device import FlowerDevice
from tacit.live.flower.keys import certified, own_key, public_of
from tacit.live.flower.link import FlowerLink
from tacit.live.flower.run import FlowerRun
from tacit.live.flower.server import superlink

pytestmark = [pytest.mark.timing, pytest.mark.filterwarnings("default")]

# Seconds that no round takes, and seconds that a round without a device is given.
LONG, SHORT = 120.0, 8.0
STATE = bytes(range(256)) * 40


@pytest.fixture
def three(tmp_path: Path) -> Iterator[tuple[Town, FlowerRun, tuple[str, ...]]]:
    with town(tmp_path) as place:
        names = place.all(3)
        with place.server.run() as run:
            yield place, run, names


@pytest.mark.parametrize("found", [None, "1.40.0", "1.42.0", "1.41.0.post1"])
def test_another_version_is_refused(found: str | None) -> None:
    """One sentence says which version is here, which is spoken, and how it is had."""
    with pytest.raises(ImportError, match=r"speak to version 1\.41\.0 alone: pip install"):
        spoken.refuse_another(found)
    spoken.refuse_another(spoken.installed())


def test_rounds(three: tuple[Town, FlowerRun, tuple[str, ...]]) -> None:
    """Three rounds with three devices bring nine answers; each device leaves when it is told."""
    place, run, names = three
    link = FlowerLink(run, names)
    assert [set(each) for each in rounds(link, 3, STATE, LONG)] == [set(names)] * 3
    for device in place.devices.values():
        device.send_signal(signal.SIGTERM)
    for device in place.devices.values():
        _, said = device.communicate()
        assert device.returncode == 0, said
    assert not run.nodes()


def test_a_device_is_killed(three: tuple[Town, FlowerRun, tuple[str, ...]]) -> None:
    """Rounds go on without it; and it is asked in the round in which it is back."""
    place, run, names = three
    link, lost = FlowerLink(run, names), names[1]
    rounds(link, 1, STATE, LONG)
    place.devices[lost].kill()
    place.devices[lost].communicate()
    (without,) = rounds(link, 1, STATE, SHORT)
    assert set(without) == set(names) - {lost}
    place.begin(lost)
    assert [set(each) for each in rounds(link, 1, STATE, LONG)] == [set(names)]


def test_who_is_not_enrolled_is_not_asked(three: tuple[Town, FlowerRun, tuple[str, ...]]) -> None:
    """Somebody may have got on to the network: the link neither asks nor hears them."""
    _, run, names = three
    link = FlowerLink(run, names[:2])
    assert [set(each) for each in rounds(link, 2, STATE, LONG)] == [set(names[:2])] * 2
    with pytest.raises(ValueError, match="only devices that are enrolled are asked"):
        next(link.asked({names[2]: b"an order"}, STATE, LONG))


def test_the_superlink_is_gone_and_back(tmp_path: Path) -> None:
    """Devices wait for it, join it again as who they were, and answer another run."""
    port = free_port()
    with town(tmp_path, port) as place:
        names = place.all(2)
        with place.server.run() as run:
            rounds(FlowerLink(run, names), 1, STATE, LONG)
            place.server.process.kill()
            place.server.process.wait()
            assert rounds(FlowerLink(run, names), 1, STATE, 1.0) == [{}]
        with superlink(tmp_path / "server", port) as again:
            assert {again.enrol(public_of(own_key(key))) for key in place.keys.values()} == {*names}
            with again.run() as run:
                (found,) = rounds(FlowerLink(run, names), 1, STATE, LONG)
        assert set(found) == set(names)


def test_a_plan_trains_over_the_network(tmp_path: Path) -> None:
    """A grant of a federation over Flower: everybody reports in every round, and devices charge."""
    plan = phones.both(rounds=3)
    heard: list[live.Replies] = []
    with town(tmp_path) as place, place.server.run() as run:
        clients = {place.enrol(who): phones.phone(tmp_path, who) for who in range(phones.MANY)}
        trusted = place.server.certificates.authority
        ends = [
            running(FlowerDevice(client, place.server.address, trusted, own_key(place.keys[name])))
            for name, client in clients.items()
        ]
        link = FlowerLink(run, tuple(clients))
        people = live.Federation(
            link, phones.NAME, [phones.FUNCTION], seconds=LONG, heard=heard.append
        )
        release = people.grant(plan, phones.Towards(), phones.ledger(tmp_path)).run()
        for ending, thread in ends:
            ending.set()
            thread.join()
    assert [each.reported for each in heard] == [phones.MANY] * 3
    assert [client.ledger.spent()[0] for client in clients.values()] == pytest.approx([24.0] * 4)
    assert np.linalg.norm(release.state - phones.VECTORS.mean(0)) < 1.0


@pytest.mark.parametrize("hours", [-1, 1])
def test_clocks_an_hour_apart(hours: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server believes no signature of another hour, and the device says why."""
    later = now() + timedelta(hours=hours)
    monkeypatch.setattr(node_auth_http_interceptor, "now", lambda: later)
    with town(tmp_path) as place:
        place.enrol(0)
        trusted, key = place.server.certificates.authority, own_key(tmp_path / "0.key")
        device = FlowerDevice(Echo(), place.server.address, trusted, key)
        with pytest.raises(Refused, match="its clock is more than five minutes off"):
            device.run(threading.Event())


def test_a_network_that_drops_everything_for_twenty_seconds(tmp_path: Path) -> None:
    """The device's answer of the round arrives once packets do; no other device waits for it."""
    with town(tmp_path) as place, Cable(place.server.address) as cable, place.server.run() as run:
        far, near = place.enrol(0), place.enrol(1)
        place.begin(near)
        trusted, key = place.server.certificates.authority, own_key(place.keys[far])
        ending, thread = running(FlowerDevice(Echo(), cable.address, trusted, key))
        link = FlowerLink(run, (far, near))
        assert [set(each) for each in rounds(link, 1, STATE, LONG)] == [{far, near}]
        began = time.monotonic()
        cable.cut(seconds=20.0)
        assert [set(each) for each in rounds(link, 1, STATE, 10.0)] == [{near}]
        assert [set(each) for each in rounds(link, 1, STATE, LONG)] == [{far, near}]
        assert time.monotonic() - began > 20.0
        ending.set()
        thread.join()


def test_a_stranger_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that nobody registered is not let in, and the sentence says what to do."""
    monkeypatch.setattr(flower_device, "_PATIENCE", 1.0)
    with town(tmp_path) as place:
        trusted = place.server.certificates.authority
        device = FlowerDevice(Echo(), place.server.address, trusted, own_key(tmp_path / "own.key"))
        with pytest.raises(Refused, match="register its public key there first"):
            device.run(threading.Event())


def test_another_authority_is_refused(tmp_path: Path) -> None:
    """A server that another authority vouches for hears nothing from a device, enrolled or not."""
    with town(tmp_path) as place:
        place.enrol(0)
        other = certified(tmp_path, "127.0.0.1").authority
        key = own_key(tmp_path / "0.key")
        with pytest.raises(Refused, match="not vouched for by the authority"):
            FlowerDevice(Echo(), place.server.address, other, key).run(threading.Event())
