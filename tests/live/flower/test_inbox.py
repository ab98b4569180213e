"""Orders that come in parts, from a SuperLink that is played."""

import importlib.util
import logging
import threading
from types import SimpleNamespace

import pytest

if importlib.util.find_spec("flwr") is None:
    pytest.skip("Flower is not here: make test-flower brings it", allow_module_level=True)

from tacit.live.flower import calls as flower_calls
from tacit.live.flower import inbox as flower_inbox
from tacit.live.flower import spoken
from tacit.live.flower.calls import Ended
from tacit.live.flower.inbox import Inbox
from tacit.live.flower.parcel import NotOurs, Parcel, order

LOOKS = 60
SOONEST, LATEST = flower_inbox._SOONEST, flower_inbox._LATEST


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    for each in ("_SOONEST", "_LATEST"):
        monkeypatch.setattr(flower_inbox, each, 0.0)


class Played:
    """Announces these messages, one a look, and ends the device after many looks."""

    def __init__(self, *parcels: Parcel) -> None:
        self.ending = threading.Event()
        self.left = list(parcels)
        self.parts: dict[str, bytes] = {}
        self.fetched: list[str] = []
        self.looks = 0

    def PullMessages(self, asked):
        self.looks += 1
        if self.looks > LOOKS:
            self.ending.set()
        taken, self.left = self.left[:1], self.left[1:]
        heads, trees = [each.head for each in taken], [each.tree for each in taken]
        return SimpleNamespace(messages_list=heads, message_object_trees=trees)

    def PullObject(self, asked):
        part = self.parts.get(asked.object_id)
        if part is not None:
            self.fetched.append(asked.object_id)
        there = {"object_found": True, "object_available": part is not None}
        return spoken.PullObjectResponse(**there, object_content=part or b"")

    def ConfirmMessageReceived(self, asked):
        """Nothing is asked of it."""


def ordered(what: bytes, lives: float = 1e9) -> Parcel:
    """An order to the device."""
    return order(what, b"state of " + what, run=3, node=7, at=1.8e9, lives=lives)


def heard(server: Played) -> list[bytes]:
    """Which orders the device took until it ended, and what was wrong with others."""
    orders, found = Inbox(server, spoken.Node(node_id=7), server.ending), []
    with pytest.raises(Ended):
        for message in orders.coming():
            try:
                content = orders.opened(message)
            except NotOurs as error:
                content = str(error).encode(), b""
            found += [] if content is None else [content[0]]
    return found


def test_half_an_order_holds_up_no_other() -> None:
    """A server announced it and failed; what it announces then is answered."""
    half, again = ordered(b"half"), ordered(b"again")
    server = Played(half, again)
    server.parts |= again.parts
    assert heard(server) == [b"again"]


def test_an_order_is_answered_once_all_of_it_is_there() -> None:
    """Each part is fetched once, however often it is looked for."""
    late = ordered(b"late")
    names = list(late.parts)
    server = Played(late)
    pulled = server.PullMessages

    def more(asked):
        if server.looks % 5 == 4 and names:
            name = names.pop()
            server.parts[name] = late.parts[name]
        return pulled(asked)

    server.PullMessages = more
    assert heard(server) == [b"late"] and not names
    assert sorted(server.fetched) == sorted(late.parts)


@pytest.mark.parametrize("lives", [0.0, -1.0, float("nan")])
def test_half_an_order_is_given_up_when_its_time_is_over(lives: float) -> None:
    """It is dropped, and no longer looked for."""
    assert heard(Played(ordered(b"half", lives))) == [b"its parts did not come while it lived"]


def test_few_orders_are_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    """The oldest half is dropped for a new one, and the log says so."""
    halves = [ordered(bytes([each])) for each in range(flower_inbox._MOST_COMING + 1)]
    server = Played(*halves)
    for each in halves:
        server.parts |= dict(list(each.parts.items())[:1])
    with caplog.at_level(logging.WARNING, "tacit.live"):
        assert heard(server) == []
    assert caplog.text.count("a message was dropped: more than 4 are on their way") == 1


@pytest.mark.parametrize(("took", "last"), [(0.0, LATEST), (0.5, LATEST), (2.0, 8.0), (9.0, 30.0)])
def test_who_is_told_of_nothing_asks_less_and_less(
    monkeypatch: pytest.MonkeyPatch, took: float, last: float
) -> None:
    """At last as Flower's own nodes do; less often where an answer takes long, for many wait."""
    monkeypatch.setattr(flower_inbox, "_SOONEST", SOONEST)
    monkeypatch.setattr(flower_inbox, "_LATEST", LATEST)
    server, pauses, now = Played(ordered(b"one")), [], iter(took * each for each in range(1000))
    monkeypatch.setattr(flower_inbox, "rest", lambda ending, seconds: pauses.append(seconds))
    monkeypatch.setattr(flower_inbox.time, "monotonic", lambda: next(now))
    server.parts |= server.left[0].parts
    assert heard(server) == [b"one"]
    assert pauses[0] == max(0.05, min(4 * took, 30)) and pauses[-1] == last == max(pauses)
    assert pauses == sorted(pauses) and len(pauses) == LOOKS


def test_a_server_that_was_away_is_not_one_that_answers_slowly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever waited for it an hour asks again as soon as it is back."""
    server, pauses, now = Played(), [], [0.0]
    pulled = server.PullMessages

    def away(asked):
        now[0] += 60.0
        if now[0] < 3_600:
            raise flower_calls.httpx.ConnectError("away")
        now[0] -= 60.0
        return pulled(asked)

    server.PullMessages = away
    monkeypatch.setattr(flower_calls, "rest", lambda ending, seconds: None)
    monkeypatch.setattr(flower_inbox, "rest", lambda ending, seconds: pauses.append(seconds))
    monkeypatch.setattr(flower_inbox.time, "monotonic", lambda: now[0])
    assert heard(server) == [] and set(pauses) == {0.0}
