"""A header is read as it was written, and every word of it is under the tag."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest

from tacit.population.header import Header, veiled

HEADER = Header("g", 3, "before", "veil", "seal")
LEAVES = [np.arange(3.0), np.ones((2, 1), np.int32)]


@pytest.mark.parametrize("header", [HEADER, replace(HEADER, before=None)])
def test_a_header_is_read_as_it_was_written(header):
    """What is missing, or no header, is refused."""
    assert header == Header.read(json.dumps(asdict(header)))


@pytest.mark.parametrize("name", asdict(HEADER))
def test_every_entry_is_needed(name):
    """One of an earlier format has fewer."""
    said = asdict(HEADER)
    del said[name]
    with pytest.raises(KeyError):
        Header.read(json.dumps(said))


def test_a_tag_is_of_every_word_and_number():
    """And of the types and shapes; the seal, which is a tag, is in the digest."""
    tags = {
        HEADER.tag(b"key", LEAVES),
        HEADER.tag(b"another", LEAVES),
        HEADER.tag(b"key", LEAVES[:1]),
        HEADER.tag(b"key", [LEAVES[0] + 1, LEAVES[1]]),
        HEADER.tag(b"key", [LEAVES[0], LEAVES[1].T]),
        HEADER.tag(b"key", [LEAVES[0], LEAVES[1].view(np.float32)]),
        *(
            replace(HEADER, **change).tag(b"key", LEAVES)
            for change in ({"grant": "h"}, {"rounds": 4}, {"before": None}, {"veil": ""})
        ),
    }

    assert 10 == len(tags)
    assert HEADER.digest(LEAVES) != replace(HEADER, seal="another").digest(LEAVES)


def test_what_is_veiled_twice_is_as_it_was():
    """Under the same seal and name; under another of either it is something else."""
    shown = veiled(LEAVES, b"seal", "veil")

    assert all(map(np.array_equal, LEAVES, veiled(shown, b"seal", "veil")))
    for other in (veiled(LEAVES, b"seal", "another"), veiled(LEAVES, b"other", "veil")):
        assert not any(map(np.array_equal, shown, other))
