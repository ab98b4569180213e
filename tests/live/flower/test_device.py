"""A device that is asked by a SuperLink which is played."""

import importlib.util
import logging
import threading
from types import SimpleNamespace

import pytest

if importlib.util.find_spec("flwr") is None:
    pytest.skip("Flower is not here: make test-flower brings it", allow_module_level=True)

from flower_echo import Echo, echoed
from tacit.live.flower import device as flower_device
from tacit.live.flower import spoken
from tacit.live.flower.calls import Ended
from tacit.live.flower.device import FlowerDevice
from tacit.live.flower.inbox import Inbox
from tacit.live.flower.keys import own_key
from tacit.live.flower.parcel import Parcel, opened, order


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
    return [opened(tree, held, ("answer",))[0] for tree, held in zip(trees, parts, strict=True)]


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


def test_an_answer_to_a_run_that_is_over_is_dropped(tmp_path) -> None:
    """The device goes on."""
    ending = threading.Event()
    server = Played(ending, ordered(b"late"), ordered(b"next"))
    asked = spoken.httpx.Request("POST", "https://server")
    whole = server.PushMessages

    def over(said):
        server.PushMessages = whole
        response = spoken.httpx.Response(403)
        raise spoken.httpx.HTTPStatusError("", request=asked, response=response)

    server.PushMessages = over
    device = FlowerDevice(Echo(), "nowhere:1", tmp_path, own_key(tmp_path / "own.key"))
    with pytest.raises(Ended):
        device._answered(Inbox(server, spoken.Node(node_id=7), ending))
    assert answers(server) == [echoed(b"next", b"state")]


def test_a_device_says_that_it_is_there_and_that_it_leaves(monkeypatch) -> None:
    """Again and again while it is at its work, for twice as long as it may be silent."""
    monkeypatch.setattr(flower_device, "_HEARTBEAT", 0.02)
    twice, said = threading.Semaphore(0), []

    def beat(asked) -> None:
        assert (asked.node.node_id, asked.heartbeat_interval) == (7, pytest.approx(0.02))
        twice.release()

    server = SimpleNamespace(
        ActivateNode=lambda asked: SimpleNamespace(node_id=7),
        SendNodeHeartbeat=beat,
        DeactivateNode=lambda asked: said.append(asked.node_id),
    )
    with flower_device._joined(server, b"public", threading.Event()) as node:
        assert node.node_id == 7
        assert all(twice.acquire(timeout=30.0) for _ in range(2))
        assert not said
    assert said == [7]
