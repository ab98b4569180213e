"""Parts that are fetched and handed over, from a SuperLink that is played."""

import importlib.util
from types import SimpleNamespace

import pytest

if importlib.util.find_spec("flwr") is None:
    pytest.skip("Flower is not here: make test-flower brings it", allow_module_level=True)

from tacit.live.flower import spoken
from tacit.live.flower.mail import Announced, Mail, announced
from tacit.live.flower.parcel import NotOurs, names, order


def test_parts_on_their_way() -> None:
    """One that is not there yet is none, and one that never was is refused."""
    found = iter([(True, False, b""), (True, True, b"part"), (False, False, b"")])

    class Client:
        def PullObject(self, asked):
            there, here, part = next(found)
            return spoken.PullObjectResponse(
                object_found=there, object_available=here, object_content=part
            )

    mail = Mail(Client(), spoken.Node(node_id=7), lambda call, asked: call(asked))
    assert mail.part(3, "name") is None
    assert mail.part(3, "name") == b"part"
    with pytest.raises(NotOurs, match="is gone"):
        mail.part(3, "name")


@pytest.mark.parametrize("stored", [True, False])
def test_whether_a_part_is_taken(stored: bool) -> None:
    """A SuperLink says so of each."""
    told = spoken.PushObjectResponse(stored=stored)
    client = SimpleNamespace(PushObject=lambda asked: told)
    mail = Mail(client, spoken.Node(node_id=7), lambda call, asked: call(asked))
    assert mail.put(3, "session", "name", b"part") is stored


def test_what_is_announced_has_a_head_and_a_tree() -> None:
    """A message is called as its parts are; one without the other comes from no SuperLink."""
    sent = order(b"order", b"state", run=3, node=7, at=1.8e9, lives=9.0)
    told = {"messages_list": [sent.head], "message_object_trees": [sent.tree]}
    assert [each.name for each in announced(SimpleNamespace(**told))] == [sent.name]
    for which in told:
        with pytest.raises(spoken.httpx.TransportError, match="is no SuperLink"):
            announced(SimpleNamespace(**{**told, which: []}))


def test_each_part_is_fetched_once() -> None:
    """However often the last of them is looked for."""
    sent = order(b"order", b"state", run=3, node=7, at=1.8e9, lives=9.0)
    early, late = names(sent.tree)
    here, fetched = {early: sent.parts[early]}, []

    def pull(asked):
        fetched.append(asked.object_id)
        part = here.get(asked.object_id)
        there = {"object_found": True, "object_available": part is not None}
        return spoken.PullObjectResponse(**there, object_content=part or b"")

    client, message = SimpleNamespace(PullObject=pull), Announced(sent.head, sent.tree)
    mail = Mail(client, spoken.Node(node_id=7), lambda call, asked: call(asked))
    assert not mail.fetched(3, message) and not mail.fetched(3, message)
    here[late] = sent.parts[late]
    assert mail.fetched(3, message) and message.opened(2) == (b"order", b"state")
    assert fetched == [early, late, late, late]
