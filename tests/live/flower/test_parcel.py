"""Messages as they are taken apart and put together."""

import importlib.util

import pytest

if importlib.util.find_spec("flwr") is None:
    pytest.skip("Flower is not here: make test-flower brings it", allow_module_level=True)

from tacit.live.flower import spoken
from tacit.live.flower.parcel import Mail, NotOurs, Parcel, answer, names, opened, order

WANTED = "order", "state"


def ordered(what: bytes = b"order", state: bytes = b"state", node: int = 7) -> Parcel:
    """An order to a device, of an hour's life."""
    return order(what, state, run=3, node=node, at=1.8e9, lives=3600.0)


def test_an_order_is_what_was_sent() -> None:
    """Any bytes come out as they went in, and the head says whose they are and nothing of them."""
    for what, state in ((b"", b""), (b"\x00\xff" * 9, bytes(10**5))):
        sent = ordered(what, state)
        assert opened(sent.tree, sent.parts, WANTED) == (what, state)
        assert sent.head.metadata.dst_node_id == 7 and sent.head.metadata.message_id == sent.name
        assert len(sent.head.SerializeToString()) < 200


def test_an_answer_is_what_was_sent() -> None:
    """It goes back to where its order came from."""
    sent = answer(b"report", ordered().head)
    assert opened(sent.tree, sent.parts, ("answer",)) == (b"report",)
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
    assert len({name for each in sent for name in each.parts}) == 1 + 3 * 3


def test_a_part_is_what_its_name_says() -> None:
    """A server that holds another state than the one that was named is found out."""
    sent, other = ordered(), ordered(state=b"another")
    (name,) = (name for name in sent.parts if b"state" in sent.parts[name][-9:])
    (held,) = (part for part in other.parts.values() if b"another" in part)
    with pytest.raises(NotOurs, match="not the one that was named"):
        opened(sent.tree, {**sent.parts, name: held}, WANTED)


@pytest.mark.parametrize(
    "content",
    [
        spoken.RecordDict({"order": spoken.ConfigRecord({"bytes": b""})}),
        spoken.RecordDict({"order": spoken.ConfigRecord({}), "state": spoken.ConfigRecord({})}),
        spoken.RecordDict(
            {name: spoken.ConfigRecord({"bytes": "words"}) for name in ("order", "state")}
        ),
    ],
)
def test_other_messages_are_told(content: object) -> None:
    """A record that is missing, empty or of words is no message of ours."""
    metadata = spoken.Metadata(3, "", 1, 7, "", "", 1.8e9, 9.0, "train")
    sent = spoken.make_message(metadata, content)
    parts = {name: part.deflate() for name, part in spoken.get_all_nested_objects(sent).items()}
    with pytest.raises(NotOurs):
        opened(spoken.get_object_tree(sent), parts, WANTED)


def test_a_message_of_many_parts_is_refused() -> None:
    """Before one of them is fetched."""
    many = [spoken.ObjectTree(object_id=f"{each:064}") for each in range(4)]
    with pytest.raises(NotOurs, match="more parts than a message of ours"):
        names(spoken.ObjectTree(object_id="f" * 64, children=many))
    assert len(names(ordered().tree)) == 4


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
