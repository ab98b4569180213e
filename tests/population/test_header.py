"""A header is read as it was written, and every word of it is under the tag."""

import hashlib
import hmac
import json
from dataclasses import replace

import numpy as np
import pytest

from tacit.population.header import Header, veiled

HEADER = Header("g", 3, "before", "veil", "tag")
LEAVES = [np.arange(3.0), np.ones((2, 1), np.int32)]


@pytest.mark.parametrize("header", [HEADER, replace(HEADER, before=None)])
def test_a_header_is_read_as_it_was_written(header):
    """The first of a run, too."""
    assert header == Header.read(header.text)


@pytest.mark.parametrize("name", ["grant", "rounds", "seal", "before"])
def test_every_entry_is_needed(name):
    """What lacks one is no header."""
    said = json.loads(HEADER.text)
    del said[name]
    with pytest.raises(KeyError):
        Header.read(json.dumps(said))


def test_a_file_of_before_there_were_veils_is_read():
    """Its tag is of grant, round and numbers, and its pads have their name."""
    old = Header.read('{"grant": "g", "rounds": 3, "seal": "tag"}')
    digest = hmac.new(b"key", b"g 3", hashlib.sha256)
    for leaf in LEAVES:
        digest.update(f"{leaf.dtype}{leaf.shape}".encode() + leaf.tobytes())

    assert Header("g", 3, None, "g 3", "tag") == old
    assert digest.hexdigest() == old.tagged(b"key", LEAVES)


def test_a_tag_is_of_every_word_and_number():
    """And of the types and shapes; the digest is keyed by the tag."""
    tags = {
        HEADER.tagged(b"key", LEAVES),
        HEADER.tagged(b"another", LEAVES),
        HEADER.tagged(b"key", LEAVES[:1]),
        HEADER.tagged(b"key", [LEAVES[0] + 1, LEAVES[1]]),
        HEADER.tagged(b"key", [LEAVES[0], LEAVES[1].T]),
        HEADER.tagged(b"key", [LEAVES[0], LEAVES[1].view(np.float32)]),
        *(
            replace(HEADER, **change).tagged(b"key", LEAVES)
            for change in ({"grant": "h"}, {"rounds": 4}, {"before": None}, {"veil": ""})
        ),
    }

    assert 10 == len(tags)
    assert HEADER.digest(LEAVES) != replace(HEADER, tag="another").digest(LEAVES)


def test_what_is_veiled_twice_is_as_it_was():
    """Under the same seal and name; under another of either it is something else."""
    shown = veiled(LEAVES, b"seal", "veil")

    assert all(map(np.array_equal, LEAVES, veiled(shown, b"seal", "veil")))
    for other in (veiled(LEAVES, b"seal", "another"), veiled(LEAVES, b"other", "veil")):
        assert not any(map(np.array_equal, shown, other))
