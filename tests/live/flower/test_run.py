"""A run, against a SuperLink that is played."""

import importlib.util
from contextlib import suppress
from types import SimpleNamespace

import pytest

if importlib.util.find_spec("flwr") is None:
    pytest.skip("Flower is not here: make test-flower brings it", allow_module_level=True)

from tacit.live.flower import spoken
from tacit.live.flower.parcel import Parcel, answer, names
from tacit.live.flower.run import FlowerRun


class SuperLink:
    """Keeps parts, and hands out the answers it is given, each once, as Flower's does."""

    def __init__(self) -> None:
        self.parts: dict[str, bytes] = {}
        self.put: list[str] = []
        self.confirmed: list[str] = []
        self.answered: list[tuple[object, object]] = []

    def PushMessages(self, asked):
        wanted = {
            part.object_id
            for tree in asked.message_object_trees
            for part in spoken.iterate_object_tree(tree)
        } - set(self.parts)
        taken = [head.metadata.message_id for head in asked.messages_list]
        told = {"message_ids": taken, "objects_to_push": wanted, "session_id": "one"}
        return SimpleNamespace(**told)

    def PushObject(self, asked):
        assert asked.session_id == "one"
        self.put.append(asked.object_id)
        self.parts[asked.object_id] = asked.object_content
        return spoken.PushObjectResponse(stored=True)

    def PullMessages(self, asked):
        wanted = set(asked.message_ids)
        ready = [each for each in self.answered if each[0].metadata.reply_to_message_id in wanted]
        self.answered = [each for each in self.answered if each not in ready]
        heads, trees = ([each[side] for each in ready] for side in (0, 1))
        return SimpleNamespace(messages_list=heads, message_object_trees=trees)

    def PullObject(self, asked):
        part = self.parts.get(asked.object_id)
        there = {"object_found": True, "object_available": part is not None}
        return spoken.PullObjectResponse(**there, object_content=part or b"")

    def ConfirmMessageReceived(self, asked):
        self.confirmed.append(asked.message_object_id)


def sent(run: FlowerRun, devices: int, state: bytes = b"state") -> list[Parcel]:
    """Orders to so many devices, which have gone out."""
    parcels = [run.order(bytes([node]), state, node, 9.0) for node in range(2, 2 + devices)]
    assert run.sent(parcels) == [each.name for each in parcels]
    return parcels


def test_a_state_goes_out_once() -> None:
    """Orders to five devices hand one state over, and a part each; nothing is sent again."""
    server = SuperLink()
    sent(FlowerRun(server, 3), 5, bytes(10**4))
    assert len(server.put) == len(set(server.put)) == 5 + 1
    assert sum(len(part) for part in server.parts.values()) < 10**4 + 5 * 1000


def test_an_order_of_which_a_part_is_not_taken_is_not_sent() -> None:
    """The others are; a part that is none of theirs is not looked for."""
    server = SuperLink()
    run, taken, told = FlowerRun(server, 3), server.PushObject, server.PushMessages
    parcels = [run.order(bytes([node]), b"state", node, 9.0) for node in (2, 3)]

    def asks_for_more(asked):
        answer = told(asked)
        answer.objects_to_push = [*answer.objects_to_push, "0" * 64]
        return answer

    def forgets(asked):
        if asked.object_id == parcels[0].name:
            return spoken.PushObjectResponse(stored=False)
        return taken(asked)

    server.PushObject, server.PushMessages = forgets, asks_for_more
    assert run.sent(parcels) == ["", parcels[1].name]


def test_answers_come_once_and_are_confirmed() -> None:
    """An answer is brought when it is whole, and is then no longer kept there."""
    server = SuperLink()
    run = FlowerRun(server, 3)
    first, second = sent(run, 2)
    reply = answer(b"report", first.head)
    server.parts |= reply.parts
    server.answered = [(reply.head, reply.tree)]
    assert list(run.answers([first.name, second.name])) == [(first.name, b"report")]
    assert server.confirmed == [reply.name]
    assert not list(run.answers([second.name])) and server.confirmed == [reply.name]


def test_nobody_waits_for_half_an_answer() -> None:
    """A device that announces an answer and sends none of it holds nobody up; later it is heard."""
    server = SuperLink()
    run = FlowerRun(server, 3)
    first, second = sent(run, 2)
    late, whole = answer(b"late", first.head), answer(b"whole", second.head)
    server.parts |= whole.parts
    server.answered = [(each.head, each.tree) for each in (late, whole)]
    asked = [first.name, second.name]
    assert list(run.answers(asked)) == [(second.name, b"whole")]
    assert not list(run.answers([first.name]))
    server.parts |= late.parts
    assert list(run.answers([first.name])) == [(first.name, b"late")]


def test_what_is_forgotten_is_not_looked_for() -> None:
    """An answer that was announced and never came whole takes no room after its round."""
    server = SuperLink()
    run = FlowerRun(server, 3)
    first, second = sent(run, 2)
    replies = [answer(b"late", each.head) for each in (first, second)]
    server.answered = [(each.head, each.tree) for each in replies]
    assert not list(run.answers([first.name, second.name]))
    run.forget([first.name, "none of this run"])
    assert list(run.coming) == [second.name]


def test_what_is_lost_and_what_is_no_answer() -> None:
    """A device that went away brings None; one that answers something else brings no bytes."""
    server = SuperLink()
    run = FlowerRun(server, 3)
    first, second = sent(run, 2)
    asked = spoken.message_from_proto(first.head)
    gone = spoken.message_to_proto(spoken.Message(spoken.Error(3, "away"), reply_to=asked))
    odd = run.order(b"no answer", b"", 3, 9.0)
    odd.head.metadata.reply_to_message_id = second.name
    server.parts |= odd.parts
    server.answered = [(gone, spoken.ObjectTree()), (odd.head, odd.tree)]
    assert list(run.answers([first.name, second.name])) == [(first.name, None), (second.name, b"")]


def test_answers_to_what_was_not_asked_are_left() -> None:
    """Somebody's answer to another message, or the word that there is none, is not taken for one of
    these, nor kept for later."""
    server = SuperLink()
    run = FlowerRun(server, 3)
    first, second = sent(run, 2)
    reply = answer(b"report", second.head)
    server.parts |= reply.parts
    server.PullMessages = lambda asked: SimpleNamespace(
        messages_list=[reply.head], message_object_trees=[reply.tree]
    )
    assert not list(run.answers([first.name])) and not run.coming
    asked = spoken.message_from_proto(second.head)
    reply = SimpleNamespace(
        head=spoken.message_to_proto(spoken.Message(spoken.Error(3, ""), reply_to=asked)),
        tree=spoken.ObjectTree(),
    )
    assert not list(run.answers([first.name]))


@pytest.mark.parametrize("call", ["PullMessages", "PullObject", "ConfirmMessageReceived"])
@pytest.mark.parametrize("turn", [0, 1, 2, 3, 5, 7])
def test_a_call_that_fails_takes_no_answer_back(call: str, turn: int) -> None:
    """Each answer comes once, and is confirmed in the end, whichever call is lost on its way."""
    server = SuperLink()
    run = FlowerRun(server, 3)
    parcels = sent(run, 2)
    replies = [answer(each.name.encode(), each.head) for each in parcels]
    gone = run.order(b"one more", b"", 4, 9.0)
    lost = spoken.Message(spoken.Error(3, ""), reply_to=spoken.message_from_proto(gone.head))
    server.answered = [
        *((each.head, each.tree) for each in replies),
        (spoken.message_to_proto(lost), spoken.ObjectTree()),
    ]
    server.parts |= {name: part for each in replies for name, part in each.parts.items()}
    failing(server, call, turn)
    expected = {each.name: each.name.encode() for each in parcels} | {gone.name: None}
    assert looked(run, list(expected)) == expected
    assert sorted(server.confirmed) == sorted(each.name for each in replies)


def test_a_part_that_cannot_be_fetched_starves_nobody() -> None:
    """Others are heard at the next look and confirmed, though it fails each time, and says so."""
    server = SuperLink()
    run = FlowerRun(server, 3)
    first, second = sent(run, 2)
    bad, good = answer(b"bad", first.head), answer(b"good", second.head)
    server.parts |= bad.parts | good.parts
    server.answered = [(each.head, each.tree) for each in (bad, good)]
    whole = server.PullObject

    def slow(asked):
        if asked.object_id in bad.parts:
            raise spoken.httpx.ReadTimeout("too large for the client's seconds")
        return whole(asked)

    server.PullObject = slow
    assert looked(run, [first.name, second.name]) == {second.name: b"good"}
    assert server.confirmed == [good.name]
    with pytest.raises(spoken.httpx.ReadTimeout):
        list(run.answers([first.name]))


def test_each_part_is_fetched_once() -> None:
    """However often the last of them is looked for."""
    server = SuperLink()
    run = FlowerRun(server, 3)
    (parcel,) = sent(run, 1)
    late = answer(b"late", parcel.head)
    (*early, last), fetched, whole = names(late.tree), [], server.PullObject
    server.parts |= {name: late.parts[name] for name in early}
    server.answered = [(late.head, late.tree)]

    def pull(asked):
        fetched.append(asked.object_id)
        return whole(asked)

    server.PullObject = pull
    for _ in range(3):
        assert not list(run.answers([parcel.name]))
    server.parts |= late.parts
    assert list(run.answers([parcel.name])) == [(parcel.name, b"late")]
    assert fetched == [*early, *[last] * 4]


@pytest.mark.parametrize("call", ["GetNodes", "PushMessages", "PullMessages", "PullObject"])
def test_a_page_of_a_proxys_own_is_no_answer(call: str) -> None:
    """Whatever was asked: the SuperLink is away, which a link waits for."""
    server = SuperLink()
    run = FlowerRun(server, 3)
    (parcel,) = sent(run, 1)
    reply = answer(b"report", parcel.head)
    server.answered = [(reply.head, reply.tree)]

    def page(asked):
        raise ValueError("Invalid protobuf response payload") from spoken.DecodeError()

    setattr(server, call, page)
    looks = {"GetNodes": run.nodes, "PushMessages": lambda: run.sent([parcel])}
    with pytest.raises(spoken.httpx.TransportError, match="no SuperLink"):
        list(looks.get(call, lambda: run.answers([parcel.name]))())


def test_an_answer_whose_confirmation_was_not_heard_counts() -> None:
    """The SuperLink has let go of it, and only its word of that was lost."""
    server = SuperLink()
    run = FlowerRun(server, 3)
    (parcel,) = sent(run, 1)
    reply = answer(b"report", parcel.head)
    server.parts |= reply.parts
    server.answered = [(reply.head, reply.tree)]
    confirmed = server.ConfirmMessageReceived

    def unheard(asked):
        confirmed(asked)
        server.parts.clear()
        server.ConfirmMessageReceived = confirmed
        raise spoken.httpx.ReadTimeout("the answer was lost")

    server.ConfirmMessageReceived = unheard
    assert looked(run, [parcel.name]) == {parcel.name: b"report"}


def failing(server: SuperLink, call: str, turn: int) -> None:
    """Its call of this name is lost once, on its way there, after so many that are not."""
    whole, turns = getattr(server, call), []

    def once(asked):
        turns.append(asked)
        if len(turns) == turn + 1:
            raise spoken.httpx.ConnectError("the network is gone")
        return whole(asked)

    setattr(server, call, once)


def looked(run: FlowerRun, asked: list[str]) -> dict[str, bytes | None]:
    """All that three looks bring; nothing comes twice."""
    found: list[tuple[str, bytes | None]] = []
    for _ in range(3):
        with suppress(spoken.httpx.TransportError):
            for each in run.answers([name for name in asked if name not in dict(found)]):
                found.append(each)
    assert len(dict(found)) == len(found)
    return dict(found)
