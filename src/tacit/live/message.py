"""What crosses a network: a JSON text and arrays, as bytes; never anything that is executed.

    b"tacit" | version, 1 byte | length of the text, 4 bytes | text, UTF-8 | the arrays' bytes

All numbers are little-endian. The text is an object with sorted keys; its entry `arrays` lists the
type and shape of every array, and the arrays' bytes follow each other in that order, with nothing
between or after them. Whoever reads a message checks all of it before an array is made: bytes that
are no message are refused in a sentence, and nothing of their own choosing is ever built from them.

| what may be there | |
| --- | --- |
| types of numbers | float32, int8, int32, uint8, uint32, bool |
| axes of an array | at most 8 |
| arrays | at most 4,096 |
| length of the text | at most 1 MiB |
| values in the text | JSON's own; NaN and infinities are refused |
| entries of an object | each once |
"""

import json
import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Self, final

import numpy as np

# Of this form; bytes of another are refused.
VERSION = 2
# Letters of what another end says that are shown: two lines of a terminal or three.
LONGEST_LINE = 200
_MAGIC = b"tacit"
# Of what the table above allows.
_LONGEST_TEXT = 2**20
# A choice, not measured: the weights of a convolution over space have five.
_MOST_AXES = 8
# Empty ones cost no bytes, and time all the same.
_MOST_ARRAYS = 4096
_MOST_NUMBERS = 2**31
_KINDS = {
    kind: np.dtype(code)
    for kind, code in {
        "float32": "<f4",
        "int8": "|i1",
        "int32": "<i4",
        "uint8": "|u1",
        "uint32": "<u4",
        "bool": "|b1",
    }.items()
}


class MessageError(ValueError):
    """Bytes that are no message of this version."""


# Of arrays, types and shapes.
Kinds = list[tuple[str, tuple[int, ...]]]


@final
class Message(NamedTuple):
    """A text of public values, and arrays.

    Args:
      text: as JSON has it.
      arrays: of the types above.
    """

    text: dict[str, Any]
    arrays: tuple[np.ndarray, ...] = ()

    def packed(self) -> bytes:
        """As bytes; the same for the same message.

        Raises:
          ValueError: if a value is none of JSON's, an array of another type, or one too many.
        """
        if not len(self.arrays) <= _MOST_ARRAYS:
            raise ValueError(
                f"a message has at most {_MOST_ARRAYS:,} arrays, got {len(self.arrays):,}"
            )
        arrays = [np.ascontiguousarray(each, _kind(each)) for each in self.arrays]
        laid = [[each.dtype.name, list(np.shape(each))] for each in self.arrays]
        whole = {**self.text, "arrays": laid}
        text = json.dumps(whole, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()
        head = _MAGIC + bytes([VERSION]) + len(text).to_bytes(4, "little")
        return b"".join([head, text, *(each.tobytes() for each in arrays)])

    @classmethod
    def read(cls, packed: bytes) -> Self:
        """What `packed` made these bytes of.

        Raises:
          MessageError: if it made no such bytes.
        """
        text, rest = _text(packed)
        laid = text.pop("arrays", None)
        if not isinstance(laid, list):
            raise MessageError("a message says which arrays follow its text")
        if not len(laid) <= _MOST_ARRAYS:
            raise MessageError(f"a message has at most {_MOST_ARRAYS:,} arrays")
        return cls(text, _arrays(laid, rest))


def one_line(said: str) -> str:
    """The other side's own words, or a sentence with some in it, as they can be printed: one line
    of printable letters, and no long one."""
    return "".join(letter if letter.isprintable() else "?" for letter in said[:LONGEST_LINE])


def _text(packed: bytes) -> tuple[dict[str, Any], memoryview]:
    start = len(_MAGIC) + 5
    if not (packed[: len(_MAGIC)] == _MAGIC and len(packed) >= start):
        raise MessageError("these bytes are no message of tacit's")
    if packed[len(_MAGIC)] != VERSION:
        raise MessageError(
            f"this side speaks version {VERSION} of messages, and this is one of version "
            f"{packed[len(_MAGIC)]}: install the same tacit on both"
        )
    length = int.from_bytes(packed[start - 4 : start], "little")
    if not length <= min(_LONGEST_TEXT, len(packed) - start):
        raise MessageError("a message's text is as long as it says, and at most 1 MiB")
    return _object(packed[start : start + length]), memoryview(packed)[start + length :]


def _object(text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(text.decode(), **_STRICTLY)
    except MessageError:
        raise
    except (ValueError, RecursionError):
        raise MessageError("a message's text is JSON in UTF-8") from None
    if not isinstance(found, dict):
        raise MessageError("a message's text is one JSON object")
    return found


def _finite(said: str) -> float:
    number = float(said)
    if not math.isfinite(number):
        raise MessageError("a message's numbers are finite")
    return number


def _once(entries: list[tuple[str, Any]]) -> dict[str, Any]:
    whole = dict(entries)
    if len(whole) != len(entries):
        raise MessageError("a message's text names each entry once")
    return whole


_STRICTLY: dict[str, Any] = {
    "parse_constant": _finite,
    "parse_float": _finite,
    "object_pairs_hook": _once,
}


def _arrays(laid: list[Any], rest: memoryview) -> tuple[np.ndarray, ...]:
    kinds = [_laid(each) for each in laid]
    sizes = [kind.itemsize * math.prod(shape) for kind, shape in kinds]
    if sum(sizes) != len(rest):
        raise MessageError("a message's arrays are as long as its text says, and nothing follows")
    made, start = [], 0
    for (kind, shape), size in zip(kinds, sizes, strict=True):
        made.append(np.frombuffer(rest[start : start + size], kind).reshape(shape))
        start += size
    return tuple(made)


def _laid(said: Any) -> tuple[np.dtype, tuple[int, ...]]:
    match said:
        case [str(kind), list(shape)] if kind in _KINDS and len(shape) <= _MOST_AXES:
            whole = all(type(side) is int and side >= 0 for side in shape)
            # With empty axes too: no array has more numbers in its other ones.
            if whole and math.prod(max(side, 1) for side in shape) <= _MOST_NUMBERS:
                return _KINDS[kind], tuple(shape)
    raise MessageError(f"a message's arrays are of {', '.join(_KINDS)}, with at most 8 axes")


def _kind(array: np.ndarray) -> np.dtype:
    name = np.asarray(array).dtype.name
    if name not in _KINDS:
        raise ValueError(f"a message's arrays are of {', '.join(_KINDS)}, got {name}")
    return _KINDS[name]


def kinds_of(arrays: Sequence[Any]) -> Kinds:
    """The type and shape of each, to be compared."""
    return [(np.dtype(each.dtype).name, tuple(each.shape)) for each in arrays]
