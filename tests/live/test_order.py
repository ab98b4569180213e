"""Orders and answers: their entries are these, of these types, and no others."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tacit
from live.masked.group import plan as masked_plan
from live.phones import RUN
from tacit.live.masked.sharing import Sharing
from tacit.live.message import Message, MessageError
from tacit.live.order import LONGEST_NAME, Reply, RoundOrder, hashed
from tacit.live.reporting import MOST_PARTS
from tacit.noise import keys
from tacit.record import plain

NUMBER = bytes(range(32))
ORDER = RoundOrder(
    NUMBER,
    "phones",
    2,
    5,
    7,
    {"name": "towards", "version": 1, "digest": "ab"},
    {"shape": {"type": "OneHot", "categories": 4}, "budget": 1.0, "upload": None, "way": 0},
    "cd",
    "ef",
)
ENTRIES = Message.read(ORDER.packed()).text
VECTORS = Path(__file__).parent / "messages.json"
SCHEMA = Path(__file__).parents[2] / "docs" / "order.schema.json"
NUMBERS = tacit.Interval(0, 1)
SHAPES = [
    NUMBERS,
    tacit.Grid(0, 1),
    tacit.OneHot(2),
    tacit.Counts(2, 1, 1),
    tacit.Sphere(3),
    tacit.Ball(3, 1.0),
    tacit.L1Ball(3, 1.0),
    tacit.Outer(3, 1.0),
    tacit.Cube(3, 0, 1),
    tacit.Product(NUMBERS, NUMBERS),
]


def test_an_order_is_read_as_it_was_written():
    """All of its entries; its public randomness is a function of its number."""
    assert ORDER == RoundOrder.read(ORDER.packed())
    assert ORDER.public == keys.jax_key(NUMBER)


@pytest.mark.parametrize(
    "change",
    [
        {"order": "ab"},
        {"order": NUMBER.hex().upper()},
        {"order": "z" * 64},
        {"order": 7},
        {"from": 7},
        {"from": ""},
        {"from": "a" * 201},
        {"from": "two\nlines"},
        {"from": "half a letter \ud800"},
        {"round": -1},
        {"round": 0, "rounds": 0},
        {"round": 6},
        {"rounds": 2**32},
        {"round": 2**32, "rounds": 2**32},
        {"round": 10**4000, "rounds": 10**4000},
        {"round": True},
        {"round": 1.0},
        {"place": -1},
        {"place": 2**32},
        {"function": []},
        {"function": {"name": "towards", "version": 1}},
        {"function": {"name": "towards", "version": "1", "digest": "ab"}},
        {"function": {"name": "towards", "version": 1, "digest": "ab", "code": "print()"}},
        {"reporting": None},
        {"code": "print()"},
    ],
    ids=lambda change: str(change)[:40],
)
def test_another_order_is_refused(change):
    """One with an entry of another type or range, or an entry that this version does not know."""
    with pytest.raises(MessageError, match=r"^an order('s number is| has the entries)"):
        RoundOrder.read(Message({**ENTRIES, **change}).packed())


def test_the_largest_order_is_read():
    """The last of as many rounds as there may be, in a name as long as one may be."""
    last = replace(ORDER, sender="a" * 200, round=2**32 - 1, rounds=2**32 - 1)
    assert last == RoundOrder.read(last.packed())


@pytest.mark.parametrize("name", ENTRIES)
def test_an_order_without_one_of_its_entries_is_refused(name):
    """None has a value that stands for it."""
    left = {each: value for each, value in ENTRIES.items() if each != name}
    with pytest.raises(MessageError):
        RoundOrder.read(Message(left).packed())


def test_an_order_with_arrays_is_refused():
    """What goes with it is its state alone."""
    with pytest.raises(MessageError):
        RoundOrder.read(Message(ENTRIES, (np.zeros(1, np.float32),)).packed())


def test_an_answer_is_a_report_or_a_refusal():
    """And never both."""
    report = Reply(NUMBER, (np.ones(3, np.float32),))
    read = Reply.read(report.packed())

    assert NUMBER == read.number and (read.report[0] == 1).all() and read.refused is None
    assert Reply(NUMBER, refused="no") == Reply.read(Reply(NUMBER, refused="no").packed())
    assert "shares" == Reply.read(Reply(NUMBER, stage="shares").packed()).stage
    both = {"order": NUMBER.hex(), "refused": "no"}
    for wrong in (
        Message(both, report.report),
        Message({**both, "refused": 7}),
        Message({**both, "more": 7}),
        Message({"order": NUMBER.hex(), "loss": 0.5}, report.report),
        Message({"order": NUMBER.hex(), "stage": 7}, report.report),
        Message({**both, "stage": "shares"}),
        Message({}),
    ):
        with pytest.raises(MessageError):
            Reply.read(wrong.packed())


def test_a_digest_tells_bytes_apart():
    """Also where they are the same one after the other."""
    assert hashed(b"ab", b"c") != hashed(b"a", b"bc") != hashed(b"abc")


def test_messages_of_this_version_are_as_they_were():
    """Test vectors, for programs that are not this one: bytes, and what they say."""
    written = json.loads(VECTORS.read_text())

    assert written["order"]["bytes"] == ORDER.packed().hex()
    assert written["order"]["text"] == {**ENTRIES, "arrays": []}
    report = Reply(NUMBER, (np.array([1.5, -2.0], np.float32),))
    assert written["report"]["bytes"] == report.packed().hex()
    assert written["refusal"]["bytes"] == Reply(NUMBER, refused="no").packed().hex()
    signed = Reply(NUMBER, (np.arange(4, dtype=np.uint8),), stage="survivors")
    assert written["stage"]["bytes"] == signed.packed().hex()


def test_the_schema_is_of_these_messages():
    """For programs that are not this one: every entry of an order, every shape, and no other."""
    schema = json.loads(SCHEMA.read_text())
    entries = schema["properties"]
    alone, masked = (ways["properties"] for ways in entries["reporting"]["oneOf"])

    assert {*ENTRIES, "arrays"} == entries.keys() == set(schema["required"])
    assert ENTRIES["reporting"].keys() == alone.keys()
    assert Sharing.of(masked_plan(), RUN).text.keys() == masked.keys()
    assert ENTRIES["function"].keys() == entries["function"]["properties"].keys()
    shapes = {name: set(said["properties"]) for name, said in schema["$defs"].items()}
    assert shapes == {type(each).__name__: set(plain(each)) for each in SHAPES}
    assert not any(said["additionalProperties"] for said in [schema, *schema["$defs"].values()])
    assert MOST_PARTS == schema["$defs"]["Product"]["properties"]["parts"]["maxItems"]
    assert {2**32} == {entries[name]["exclusiveMaximum"] for name in ("round", "rounds", "place")}
    assert (1, LONGEST_NAME) == (entries["from"]["minLength"], entries["from"]["maxLength"])
