"""What crosses in a round under masks: read as it was written, and refused otherwise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from tacit.live.masked.pairs import RoundKey
from tacit.live.masked.shamir import SHARE_BYTES
from tacit.live.masked.stages import SEALED_BYTES, Advert, Revealed, Stage, survivors
from tacit.live.message import Message, MessageError

NUMBER = b"n" * 32
KEY = RoundKey(b"k" * 32).public
ADVERT = Advert(KEY, KEY, b"c" * 32, b"d" * 64)
STAGES = [
    Stage(NUMBER, "peers", {3: tuple(ADVERT), 1: tuple(ADVERT)}, {3: "one", 1: "other"}),
    Stage(NUMBER, "shares", {0: (b"s" * 82,), 2: (b"t" * 82,)}, {}),
    Stage(NUMBER, "survivors", {0: (), 7: ()}, {}),
    Stage(NUMBER, "signatures", {5: (b"s" * 64,)}, {}),
]


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_a_stage_is_read_as_it_was_written(stage):
    """Parts in their order, with their names."""
    read = Stage.read(*Message.read(stage.packed()))

    assert (read.number, read.name) == (NUMBER, stage.name)
    assert list(read.parts.items()) == list(stage.parts.items()) and read.names == stage.names


def with_(text=None, arrays=None):
    whole = Message.read(STAGES[1].packed())
    return {**whole.text, **(text or {})}, whole.arrays if arrays is None else arrays


@pytest.mark.parametrize(
    "said, why",
    [
        (with_({"stage": "all"}), "a stage is one of"),
        (with_({"more": 1}), "a stage is one of"),
        (with_({"names": ["one", "other"]}), "a stage is one of"),
        (with_({"order": "zz"}), "an order's number is 64"),
        (with_(arrays=()), "of which devices"),
        (with_(arrays=(np.zeros(2, np.int32), np.zeros((2, 82), np.uint8))), "of which devices"),
        (with_(arrays=(np.arange(2, dtype="u4"), np.zeros((2, 81), np.uint8))), "of the bytes"),
        (with_(arrays=(np.zeros(2, "u4"), np.zeros((2, 82), np.uint8))), "in a stage once"),
        (with_(arrays=(np.arange(2, dtype="u4"),)), "of the bytes"),
        (with_(arrays=(np.arange(2**16 + 1, dtype="u4"),)), "65,536 devices at most"),
    ],
)
def test_other_stages_are_refused(said, why):
    """In a sentence."""
    with pytest.raises(MessageError, match=why):
        Stage.read(*said)


@pytest.mark.parametrize("names", [["one"], ["one", "one"], ["one", 2], "on", None])
def test_peers_have_a_name_each(names):
    """And each another one."""
    text, arrays = Message.read(STAGES[0].packed())
    with pytest.raises(MessageError, match="a stage is one of"):
        Stage.read({**text, "names": names}, arrays)


@given(some.integers(0, 10**6), some.integers(0, 255))
def test_no_change_of_a_byte_raises_anything_else(place, value):
    """In any of the stages."""
    for stage in STAGES:
        changed = bytearray(stage.packed())
        changed[place % len(changed)] = value
        try:
            Stage.read(*Message.read(bytes(changed)))
        except MessageError as error:
            assert "\n" not in str(error)


def test_an_advert_is_read_from_its_arrays():
    """Of their lengths, and no others."""
    assert ADVERT == Advert.read(ADVERT.arrays)
    with pytest.raises(MessageError, match="of the bytes"):
        Advert.read(ADVERT.arrays[:3])


@pytest.mark.parametrize("which", ["sealing", "masking"])
def test_an_advert_with_a_key_of_low_order_is_none(which):
    """Either of the two: whoever sent it is left out before anybody else sees it."""
    wrong = ADVERT._replace(**{which: bytes(32)})
    with pytest.raises(MessageError, match="a point of the curve"):
        Advert.read(wrong.arrays)


def test_what_is_signed_is_of_one_order_place_and_list():
    """All of it changes the words."""
    said = {
        ADVERT.signed(NUMBER, "ab" * 32, 1),
        ADVERT.signed(NUMBER, "ab" * 32, 2),
        ADVERT.signed(NUMBER, "cd" * 32, 1),
        ADVERT.signed(b"m" * 32, "ab" * 32, 1),
        ADVERT._replace(masking=b"x" * 32).signed(NUMBER, "ab" * 32, 1),
        survivors(NUMBER, "ab" * 32, ["a", "b"]),
        survivors(NUMBER, "ab" * 32, ["ab"]),
        survivors(NUMBER, "cd" * 32, ["a", "b"]),
    }

    assert 8 == len(said)
    assert survivors(NUMBER, "ab" * 32, ["b", "a"]) in said


def test_shares_that_are_not_there_are_told_from_those_that_are():
    """A row of zeros beside each."""
    revealed = Revealed.of([b"a" * 33, None])

    assert [b"a" * 33, None] == revealed.known and [] == Revealed.of([]).known


def test_a_peer_more_is_so_many_bytes_more():
    """116 that a device sends, and 322 and a name that it receives, as the documents say: a sealed
    share, and later a share and whether it is one; keys, a sealed share, a place, a signature."""
    sent = SEALED_BYTES + SHARE_BYTES + 1
    parts = {"peers": tuple(ADVERT), "shares": (bytes(SEALED_BYTES),), "survivors": ()}
    parts["signatures"] = (bytes(64),)
    came = 0
    for name, own in parts.items():
        two, three = (
            Message.read(Stage(NUMBER, name, dict.fromkeys(range(many), own), {}).packed()).arrays
            for many in (2, 3)
        )
        came += sum(each.nbytes for each in three) - sum(each.nbytes for each in two)

    assert (116, 322) == (sent, came)
