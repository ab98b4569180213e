"""Messages as they are taken apart and put together."""

import importlib.util

import pytest

if importlib.util.find_spec("flwr") is None:
    pytest.skip("Flower is not here: make test-flower brings it", allow_module_level=True)

from flwr.supercore.object_store.in_memory_object_store import InMemoryObjectStore

from tacit.live.flower import spoken
from tacit.live.flower.parcel import NotOurs, Parcel, answer, names, opened, order


def ordered(what: bytes = b"order", state: bytes = b"state", node: int = 7) -> Parcel:
    """An order to a device, of an hour's life."""
    return order(what, state, run=3, node=node, at=1.8e9, lives=3600.0)


def test_an_order_is_what_was_sent() -> None:
    """Any bytes come out as they went in, and the head says whose they are and nothing of them."""
    for what, state in ((b"", b""), (b"\x00\xff" * 9, bytes(10**5))):
        sent = ordered(what, state)
        assert opened(sent.tree, sent.parts, 2) == (what, state)
        assert sent.head.metadata.dst_node_id == 7 and sent.head.metadata.message_id == sent.name
        assert len(sent.head.SerializeToString()) < 200


def test_an_answer_is_what_was_sent() -> None:
    """It goes back to where its order came from."""
    sent = answer(b"report", ordered().head)
    assert opened(sent.tree, sent.parts, 1) == (b"report",)
    assert sent.head.metadata.reply_to_message_id == ordered().name
    assert sent.head.metadata.src_node_id == 7


def test_an_answer_lives_as_long_as_its_order() -> None:
    """By the clock of whoever made the order: a device's own may be minutes ahead, or behind."""
    asked, sent = (each.head.metadata for each in (ordered(), answer(b"", ordered().head)))
    assert (sent.created_at, sent.ttl) == (asked.created_at, asked.ttl) == (1.8e9, 3600.0)
    assert (sent.run_id, sent.dst_node_id) == (asked.run_id, asked.src_node_id)


def test_a_state_is_one_part_of_all_messages() -> None:
    """Orders to three devices share the part that holds the state, and no other."""
    state = bytes(10**4)
    sent = [ordered(bytes([node]), state, node) for node in (7, 8, 9)]
    shared = set.intersection(*(set(each.parts) for each in sent))
    assert [len(sent[0].parts[name]) > 10**4 for name in shared] == [True]
    assert len({name for each in sent for name in each.parts}) == 1 + 3


def test_a_message_is_as_few_requests_as_it_can_be() -> None:
    """Each part is one: an order has itself and the state, an answer itself alone, and what Flower
    reads of them, or tells apart two messages by, is less than the head of a request."""
    sent = ordered(b"order", b"state")
    reply = answer(b"report", sent.head)
    assert len(sent.parts) == 2 and len(reply.parts) == 1
    held = sum(len(part) for part in (*sent.parts.values(), *reply.parts.values()))
    assert held - len(b"orderstatereport") < 250


def test_two_messages_that_hold_the_same_have_two_names() -> None:
    """A SuperLink keeps one message of a name: an order that is sent once more is another."""
    first, again = (order(b"order", b"state", 3, 7, at, 9.0) for at in (1.8e9, 1.8e9 + 1.0))
    replies = answer(b"report", first.head), answer(b"report", again.head)
    assert len({each.name for each in (first, again, *replies)}) == 4


def test_two_devices_with_one_order_have_two_messages() -> None:
    """Also of one moment, and whatever they answer: who is asked is in a message's name."""
    first, other = ordered(node=7), ordered(node=8)
    replies = [answer(b"report", each.head).name for each in (first, other)]
    assert len({first.name, other.name, *replies}) == 4
    assert first.head.metadata.created_at == other.head.metadata.created_at


def test_a_superlink_takes_the_parts() -> None:
    """What it keeps is what is named, and begins with words that Flower knows."""
    store = InMemoryObjectStore()
    sent = ordered(b"\x00\xff" * 9, bytes(10**4))
    assert sorted(store.preregister(3, sent.tree)) == sorted(sent.parts)
    for name, part in sent.parts.items():
        store.put(name, part)
    assert store.get_object_tree(sent.name) == sent.tree
    assert {name: store.get(name) for name in sent.parts} == sent.parts


def test_a_part_is_what_its_name_says() -> None:
    """A server that holds another state than the one that was named, or another order, is found
    out."""
    sent, other = ordered(), ordered(state=b"another")
    (name,) = (name for name in sent.parts if b"state" in sent.parts[name])
    (held,) = (part for part in other.parts.values() if b"another" in part)
    own = ordered(b"another")
    for swapped in ({name: held}, {sent.name: own.parts[own.name]}):
        with pytest.raises(NotOurs, match="not the one that was named"):
            opened(sent.tree, {**sent.parts, **swapped}, 2)


@pytest.mark.parametrize(
    "whole",
    [
        b"",
        b"ConfigRecord",
        b"ConfigRecord  5\x00order",
        b"ConfigRecord %s 5\x00order",
        b"ConfigRecord %s 31\x00" + bytes(31),
        b"ConfigRecord %s 6\x00order",
        b"ConfigRecord %s 05\x00order",
        b"RecordDict %s 5\x00order",
        b"ConfigRecord %s,%s 5\x00order",
    ],
)
def test_other_messages_are_told(whole: bytes) -> None:
    """What begins with other words than ours, speaks of other parts or is too short for a digest of
    its head is no message of ours."""
    (state,) = ordered().tree.children
    whole = whole.replace(b"%s", state.object_id.encode())
    name = spoken.get_object_id(whole)
    parts = {state.object_id: ordered().parts[state.object_id], name: whole}
    with pytest.raises(NotOurs, match="a part of it is none of ours"):
        opened(spoken.ObjectTree(object_id=name, children=[state]), parts, 2)


def test_an_order_is_no_answer() -> None:
    """Nor an answer an order: they have not as many parts."""
    sent = ordered()
    reply = answer(b"report", sent.head)
    for each, wanted in ((sent, 1), (reply, 2)):
        with pytest.raises(NotOurs, match="as many parts as one of ours"):
            opened(each.tree, each.parts, wanted)


def test_a_message_of_many_parts_is_refused() -> None:
    """Before one of them is fetched."""
    many = [spoken.ObjectTree(object_id=f"{each:064}") for each in range(2)]
    with pytest.raises(NotOurs, match="more parts than a message of ours"):
        names(spoken.ObjectTree(object_id="f" * 64, children=many))
    assert len(names(ordered().tree)) == 2
