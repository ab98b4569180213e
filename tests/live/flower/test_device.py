"""A device that is asked by a SuperLink which is played."""

import importlib.util
import itertools
import logging
import signal
import threading
import time
from types import SimpleNamespace

import pytest

if importlib.util.find_spec("flwr") is None:
    pytest.skip("Flower is not here: make test-flower brings it", allow_module_level=True)

import httpx
import uvicorn

from flower_echo import Echo, echoed
from processes import begun
from tacit.live.flower import calls, spoken
from tacit.live.flower import device as flower_device
from tacit.live.flower.calls import Ended, Refused
from tacit.live.flower.device import FlowerDevice
from tacit.live.flower.inbox import Inbox
from tacit.live.flower.keys import certified, own_key
from tacit.live.flower.parcel import Parcel, opened, order
from tacit.live.link import SENT_WITHIN

TWO = b"held up", b"next"


class Played:
    """Has these messages for a device, and keeps what it says; it has nothing else."""

    def __init__(self, ending: threading.Event, *parcels: Parcel) -> None:
        self.ending = ending
        self.left = list(parcels)
        self.parts = {name: part for each in parcels for name, part in each.parts.items()}
        self.answered: list[tuple[object, object]] = []
        self.said: list[str] = []

    def PullMessages(self, asked):
        if not self.left:
            self.ending.set()
            return SimpleNamespace(messages_list=[], message_object_trees=[])
        next_ = self.left.pop(0)
        return SimpleNamespace(messages_list=[next_.head], message_object_trees=[next_.tree])

    def PullObject(self, asked):
        part = self.parts.get(asked.object_id)
        there = {"object_found": part is not None, "object_available": part is not None}
        return spoken.PullObjectResponse(**there, object_content=part or b"")

    def ConfirmMessageReceived(self, asked):
        self.said.append("received")

    def PushMessages(self, asked):
        (tree,) = asked.message_object_trees
        self.answered.append((asked.messages_list[0], tree))
        wanted = [each.object_id for each in spoken.iterate_object_tree(tree)]
        return SimpleNamespace(objects_to_push=wanted, session_id="one")

    def PushObject(self, asked):
        self.parts[asked.object_id] = asked.object_content
        return spoken.PushObjectResponse(stored=True)


def ordered(what: bytes) -> Parcel:
    """An order to the device."""
    return order(what, b"state", run=3, node=7, at=1.8e9, lives=1e9)


def played(tmp_path, *parcels: Parcel) -> Played:
    """A server, once the device has had all of these."""
    ending = threading.Event()
    server = Played(ending, *parcels)
    device = FlowerDevice(Echo(), "nowhere:1", tmp_path, own_key(tmp_path / "own.key"))
    orders = Inbox(server, spoken.Node(node_id=7), ending)
    with pytest.raises(Ended):
        device._answered(orders)
    return server


def answers(server: Played) -> list[bytes]:
    """What it was told."""
    trees = [tree for _, tree in server.answered]
    parts = [
        {each.object_id: server.parts[each.object_id] for each in spoken.iterate_object_tree(tree)}
        for tree in trees
    ]
    return [opened(tree, held, 1)[0] for tree, held in zip(trees, parts, strict=True)]


def test_orders_are_answered_in_turn(tmp_path) -> None:
    """Each once, to the message that it came with; nothing but messages and parts is asked for."""
    sent = [ordered(b"one"), ordered(b"two")]
    server = played(tmp_path, *sent)
    assert answers(server) == [echoed(b"one", b"state"), echoed(b"two", b"state")]
    replied = [head.metadata.reply_to_message_id for head, _ in server.answered]
    assert replied == [each.name for each in sent] and server.said == ["received"] * 2


def test_other_messages_are_dropped(tmp_path, caplog: pytest.LogCaptureFixture) -> None:
    """What no server of ours sends is said in the log, and the next order is answered."""
    good, gone = ordered(b"good"), ordered(b"gone")
    many = [spoken.ObjectTree(object_id=f"{each:064}") for each in range(9)]
    large = Parcel(good.head, spoken.ObjectTree(object_id="f" * 64, children=many), {})
    lost = Parcel(gone.head, gone.tree, {})
    with caplog.at_level(logging.WARNING, "tacit.live"):
        assert answers(played(tmp_path, large, lost, good)) == [echoed(b"good", b"state")]
    assert "more parts than a message of ours" in caplog.text and "is gone" in caplog.text


RUN_OUT = "the server did not take an answer: its order had run out there"


@pytest.mark.parametrize("wanted", [[], ["0" * 64]])
def test_an_answer_that_the_server_does_not_take_is_told(tmp_path, caplog, wanted) -> None:
    """A SuperLink asks for no part of an answer whose order it no longer has; one that asks for
    parts of somebody else is given none."""
    ending = threading.Event()
    server = Played(ending, ordered(b"late"), ordered(b"next"))
    whole = server.PushMessages

    def run_out(said):
        server.PushMessages = whole
        return SimpleNamespace(objects_to_push=wanted, session_id="one")

    server.PushMessages = run_out
    device = FlowerDevice(Echo(), "nowhere:1", tmp_path, own_key(tmp_path / "own.key"))
    with caplog.at_level(logging.WARNING, "tacit.live"), pytest.raises(Ended):
        device._answered(Inbox(server, spoken.Node(node_id=7), ending))
    assert answers(server) == [echoed(b"next", b"state")]
    assert [each.getMessage() for each in caplog.records] == [RUN_OUT]


def test_a_part_that_the_server_does_not_take_is_told(tmp_path, caplog) -> None:
    """It may have forgotten that it asked for it, or have it already."""
    ending = threading.Event()
    server = Played(ending, ordered(b"late"))
    server.PushObject = lambda asked: spoken.PushObjectResponse(stored=False)
    device = FlowerDevice(Echo(), "nowhere:1", tmp_path, own_key(tmp_path / "own.key"))
    with caplog.at_level(logging.WARNING, "tacit.live"), pytest.raises(Ended):
        device._answered(Inbox(server, spoken.Node(node_id=7), ending))
    assert [each.getMessage() for each in caplog.records] == [
        "the server did not take an answer: it no longer waited for it"
    ]


@pytest.mark.parametrize("call", ["PushMessages", "PushObject"])
def test_an_answer_that_nobody_takes_in_time_is_dropped(
    call: str, tmp_path, caplog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that plays dead until the cap has room again has no report of the time before."""
    ending = threading.Event()
    server = Played(ending, *map(ordered, TWO))
    whole, now, troubles = getattr(server, call), time.time(), [answered(503)]

    def dead(said):
        monkeypatch.setattr(time, "time", lambda: now + SENT_WITHIN)
        if troubles:
            raise troubles.pop()
        return whole(said)

    setattr(server, call, dead)
    monkeypatch.setattr(calls, "_SOONEST", 0.0)
    device = FlowerDevice(Echo(), "nowhere:1", tmp_path, own_key(tmp_path / "own.key"))
    with caplog.at_level(logging.WARNING, "tacit.live"), pytest.raises(Ended):
        device._answered(Inbox(server, spoken.Node(node_id=7), ending))
    here = [any(echoed(each, b"state") in part for part in server.parts.values()) for each in TWO]
    assert here == [False, True]
    assert [each.getMessage() for each in caplog.records] == [
        "an answer was dropped: nobody took it in time"
    ]


def test_an_answer_to_a_run_that_is_over_is_dropped(tmp_path) -> None:
    """The device goes on."""
    ending = threading.Event()
    server = Played(ending, ordered(b"late"), ordered(b"next"))
    whole = server.PushMessages

    def over(said):
        server.PushMessages = whole
        raise answered(403)

    server.PushMessages = over
    device = FlowerDevice(Echo(), "nowhere:1", tmp_path, own_key(tmp_path / "own.key"))
    with pytest.raises(Ended):
        device._answered(Inbox(server, spoken.Node(node_id=7), ending))
    assert answers(server) == [echoed(b"next", b"state")]


def test_a_device_says_that_it_is_there_and_that_it_leaves(monkeypatch) -> None:
    """Again and again while it is at its work, for twice as long as it may be silent."""
    monkeypatch.setattr(flower_device, "_HEARTBEAT", 0.02)
    monkeypatch.setattr(flower_device, "_BEAT", 0.01)
    twice, said = threading.Semaphore(0), []

    def beat(asked) -> None:
        assert (asked.node.node_id, asked.heartbeat_interval) == (7, pytest.approx(0.02))
        twice.release()

    server = SimpleNamespace(
        ActivateNode=lambda asked: SimpleNamespace(node_id=7),
        SendNodeHeartbeat=beat,
        DeactivateNode=lambda asked: said.append(asked.node_id),
    )
    with flower_device._joined(server, b"public", threading.Event(), 1.0) as node:
        assert node.node_id == 7
        assert all(twice.acquire(timeout=30.0) for _ in range(2))
        assert not said
    assert said == [7]


def test_a_device_at_its_work_keeps_its_connection() -> None:
    """It says that it is there before the SuperLink or its own side lets go of the connection: a
    new one costs almost as many bytes again, and the SuperLink its work. A second is left for
    what it says to get there."""
    kept = uvicorn.Config("app").timeout_keep_alive, httpx.Limits().keepalive_expiry
    assert all(flower_device._BEAT <= each - 1.0 for each in kept)
    assert 3 * flower_device._BEAT < 2 * flower_device._HEARTBEAT


class Knows:
    """A client of Flower's that joins at once, and whose orders are as `pulled` says."""

    def __init__(self, pulled, status: int = 200) -> None:
        self.PullMessages, self.status, self.joins = pulled, status, 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Nothing is open."""

    def ActivateNode(self, asked):
        self.joins += 1
        if self.status != 200:
            raise answered(self.status)
        return SimpleNamespace(node_id=7)

    def DeactivateNode(self, asked):
        """Nothing is kept of it."""


def answered(status: int) -> Exception:
    """What a client raises when a server answers so."""
    asked = spoken.httpx.Request("POST", "https://server")
    response = spoken.httpx.Response(status)
    return spoken.httpx.HTTPStatusError("", request=asked, response=response)


@pytest.fixture
def device(tmp_path, monkeypatch: pytest.MonkeyPatch):
    """Makes a device of a client that is played."""

    def made(client: Knows) -> FlowerDevice:
        monkeypatch.setattr(FlowerDevice, "_client", lambda _: client)
        return FlowerDevice(Echo(), "nowhere:1", tmp_path, own_key(tmp_path / "own.key"))

    return made


def test_a_device_that_joins_again_and_again_hears_its_end(device) -> None:
    """A server that lets it in and then knows nothing of it is not asked without a pause."""
    ending = threading.Event()

    def unknown(asked):
        ending.set()
        raise answered(401 if client.joins < 9 else 503)

    client = Knows(unknown)
    device(client).run(ending)
    assert client.joins == 1


def test_a_device_joins_again(device, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a pause, where a server knows nothing of its connection."""
    ending, pauses = threading.Event(), []
    monkeypatch.setattr(flower_device, "rest", lambda ending, seconds: pauses.append(seconds))

    def unknown(asked):
        if client.joins == 4:
            ending.set()
        raise answered(401 if client.joins < 4 else 503)

    client = Knows(unknown)
    device(client).run(ending)
    assert client.joins == 4 and pauses == [1.0] * 3


@pytest.mark.parametrize("known", [True, False])
def test_a_server_that_was_begun_anew_may_take_long_to_know_a_device(
    device, monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    """It learns keys one after the other. One that never knew it is not waited for."""
    ending, before = threading.Event(), 1 if known else 0
    monkeypatch.setattr(flower_device, "_PATIENCE", 0.01)
    monkeypatch.setattr(flower_device, "_AGAIN", 0.0)
    monkeypatch.setattr(calls, "_pauses", lambda: itertools.repeat(0.02))

    def pulled(asked):
        if client.joins > 1:
            ending.set()
        raise answered(401 if client.joins == 1 else 503)

    client = Knows(pulled)
    join = client.ActivateNode

    def joined(asked):
        client.status = 412 if before <= client.joins < 5 else 200
        return join(asked)

    client.ActivateNode = joined
    if known:
        device(client).run(ending)
        assert client.joins == 6
    else:
        with pytest.raises(Refused, match="does not let this device in"):
            device(client).run(ending)


def test_no_order_is_asked_for_after_the_end(device) -> None:
    """However many there are; the one that is at hand is answered."""
    ending, server = threading.Event(), Played(threading.Event(), *[ordered(b"one")] * 9)
    pulled = server.PullMessages

    def told(asked):
        ending.set()
        return pulled(asked)

    server.PullMessages = told
    inbox = Inbox(server, spoken.Node(node_id=7), ending)
    with pytest.raises(Ended):
        device(Knows(told))._answered(inbox)
    assert answers(server) == [echoed(b"one", b"state")] and len(server.left) == 8


def test_a_server_that_forbids_is_refused(device) -> None:
    """Whether it is asked to let the device in or for its orders; the sentence says which."""

    def forbidden(asked):
        raise answered(403)

    with pytest.raises(Refused, match="does not let this device ask for orders: 403"):
        device(Knows(forbidden)).run(threading.Event())
    with pytest.raises(Refused, match="the server answers 403"):
        device(Knows(forbidden, status=403)).run(threading.Event())


@pytest.mark.parametrize("held", [b"", b"no certificate", b"\xff"])
def test_what_is_no_authority_is_refused(tmp_path, held: bytes) -> None:
    """The sentence names the file; one that is not there is the disk's own error."""
    device = FlowerDevice(Echo(), "nowhere:1", tmp_path / "a.pem", own_key(tmp_path / "own.key"))
    with pytest.raises(FileNotFoundError):
        device.run(threading.Event())
    device.authority.write_bytes(held)
    with pytest.raises(Refused, match=r"a\.pem must hold a certificate in PEM"):
        device.run(threading.Event())


@pytest.mark.parametrize("page", [200, 204])
def test_an_empty_page_takes_no_report(page: int, tmp_path) -> None:
    """A device's own client hears none in it: what it sends is sent once somebody answers."""
    trusted, key = certified(tmp_path, "127.0.0.1").authority, own_key(tmp_path / "own.key")
    shown = spoken.httpx.MockTransport(lambda asked: spoken.httpx.Response(page))
    with FlowerDevice(Echo(), "server:1", trusted, key)._client() as client:
        client._client = spoken.httpx.Client(transport=shown)
        with pytest.raises(spoken.httpx.TransportError, match="no SuperLink"):
            calls.heard(client.PushMessages, spoken.PushMessagesRequest())


SLOW = """
import sys, time
from types import SimpleNamespace
from tacit.live.flower.device import until_told
def run(ending):
    print("begun", flush=True)
    ending.wait()
    print("told", flush=True)
    time.sleep(600)
until_told(SimpleNamespace(run=run))
"""


@pytest.mark.timing
@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("first", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_ends_a_device_at_once(
    tmp_path, first: signal.Signals, second: signal.Signals
) -> None:
    """Whichever they are, while the answer that the first one left it to make is made."""
    process = begun(["-c", SLOW], tmp_path, 1)
    with process:
        assert process.stdout.readline() == "begun\n"
        process.send_signal(first)
        assert process.stdout.readline() == "told\n"
        process.send_signal(second)
        try:
            assert process.wait(60.0) == -second
        finally:
            process.kill()


def test_signals_are_as_they_were_once_a_device_has_ended() -> None:
    """What it raises is raised, and the next Ctrl-C is not swallowed."""

    def run(ending):
        raise Refused("not here")

    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with pytest.raises(Refused, match="not here"):
        flower_device.until_told(SimpleNamespace(run=run))
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
