"""Messages: what is written is read, and nothing else is."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from tacit.live.message import LONGEST_LINE, Message, MessageError, one_line

ARRAYS = (
    np.arange(6, dtype=np.float32).reshape(2, 3),
    np.array([True, False]),
    np.array(7, np.uint32),
    np.zeros((0, 4), np.int8),
)
WHOLE = Message({"a": 1, "b": [None, "ü", 0.1]}, ARRAYS)


def test_what_is_packed_is_read():
    """Text and arrays, of every type, with no axis, several, and none of anything."""
    text, arrays = Message.read(WHOLE.packed())

    assert WHOLE.text == text
    for one, other in zip(ARRAYS, arrays, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape) and (one == other).all()


def test_the_same_message_is_the_same_bytes():
    """Whatever the order of its entries: a digest of it is one."""
    assert Message({"b": 1, "a": 2}).packed() == Message({"a": 2, "b": 1}).packed()


def with_text(text: bytes, rest: bytes = b"") -> bytes:
    return b"tacit\x02" + len(text).to_bytes(4, "little") + text + rest


@pytest.mark.parametrize(
    "packed, why",
    [
        (b"", "no message of tacit"),
        (b"tacit", "no message of tacit"),
        (b"\x80\x04cbuiltins\neval", "no message of tacit"),
        (b"tacit\x03" + bytes(4), "version 2 .* version 3"),
        (b"tacit\x02" + (2**31).to_bytes(4, "little"), "as long as it says"),
        (with_text(b'{"arrays":[],"x":"' + b"x" * 2**20 + b'"}'), "at most 1 MiB"),
        (with_text(b'{"arrays":[],"x":1,"x":2}'), "each entry once"),
        (with_text(b'{"arrays":[],"x":{"y":1,"y":1}}'), "each entry once"),
        (with_text(b"{"), "JSON"),
        (with_text(b"\xff"), "JSON"),
        (with_text(b"[" * 100_000), "JSON"),
        (with_text(b'{"arrays":[],"x":' + b"9" * 5000 + b"}"), "JSON"),
        (with_text(b"[]"), "one JSON object"),
        (with_text(b"{}"), "which arrays"),
        (with_text(b'{"arrays":[],"x":NaN}'), "finite"),
        (with_text(b'{"arrays":[],"x":1e999}'), "finite"),
        (with_text(b'{"arrays":[' + b'["bool",[0]],' * 75_000 + b"0]}"), "at most 4,096 arrays"),
        (with_text(b'{"arrays":[' + b'["bool",[0]],' * 4096 + b"0]}"), "at most 4,096 arrays"),
        (with_text(b'{"arrays":[["object",[1]]]}', bytes(8)), "arrays are of float32"),
        (with_text(b'{"arrays":[["float32",[-1]]]}'), "arrays are of float32"),
        (with_text(b'{"arrays":[["float32",[true]]]}', bytes(4)), "arrays are of float32"),
        (with_text(b'{"arrays":[["float32",[0,1' + b"0" * 30 + b"]]]}"), "arrays are of float32"),
        (with_text(b'{"arrays":[["float32",[1]]]}', bytes(3)), "as long as its text says"),
        (with_text(b'{"arrays":[["float32",[1]]]}', bytes(5)), "as long as its text says"),
        (
            with_text(b'{"arrays":[["float32",[1099511627776,1048576]]]}'),
            "arrays are of float32",
        ),
    ],
)
def test_other_bytes_are_refused_in_a_sentence(packed, why):
    """Before an array is made of them, however large they say that it is."""
    with pytest.raises(MessageError, match=why):
        Message.read(packed)


@given(some.binary(max_size=60), some.integers(0, 200), some.integers(0, 255))
def test_no_bytes_at_all_raise_anything_else(start, place, value):
    """Neither any bytes, nor a message with one byte changed."""
    changed = bytearray(WHOLE.packed())
    changed[place % len(changed)] = value
    for packed in (start, bytes(changed), WHOLE.packed()[:place]):
        try:
            Message.read(packed)
        except MessageError as error:
            assert "\n" not in str(error)


def test_a_text_may_be_a_mebibyte_long():
    """To the byte."""
    head, tail = b'{"arrays":[],"x":"', b'"}'
    longest = head + b"x" * (2**20 - len(head) - len(tail)) + tail

    assert 2**20 == len(longest) and ["x"] == list(Message.read(with_text(longest)).text)


def test_a_message_may_have_thousands_of_arrays():
    """As many as it says, and no more are packed."""
    empty = np.zeros(0, np.float32)
    assert 4096 == len(Message.read(Message({}, (empty,) * 4096).packed()).arrays)
    with pytest.raises(ValueError, match="at most 4,096 arrays, got 4,097"):
        Message({}, (empty,) * 4097).packed()


def test_other_arrays_are_not_packed():
    """A type that no reader takes, or text that JSON does not have."""
    with pytest.raises(ValueError, match="arrays are of float32"):
        Message({}, (np.zeros(3),)).packed()
    with pytest.raises(ValueError):
        Message({"x": float("nan")}).packed()


def test_a_message_of_this_version_stays_as_it_is():
    """Byte for byte, as another program would write it by the docstring."""
    text = json.dumps({"a": 1, "arrays": [["float32", [2]]]}, separators=(",", ":")).encode()
    numbers = np.array([1.0, -2.0], "<f4")

    assert Message({"a": 1}, (numbers,)).packed() == with_text(text, numbers.tobytes())


def test_words_of_the_other_side_are_one_printable_line():
    """Without newlines, colours or letters that turn a line around, and cut."""
    assert "evil'?INFO: agreed?[31m?ü" == one_line("evil'\nINFO: agreed\x1b[31m\u202eü")
    assert "x" * LONGEST_LINE == one_line("x" * 500_000)
