"""What was said is remembered, and no longer than it has to be."""

import pytest

from tacit.models.once import first_time, said_once


def test_a_sentence_is_new_once_within_and_always_outside():
    """And again within the next, also after an error."""
    with pytest.raises(KeyError), said_once():
        assert [first_time("slow") for _ in range(3)] == [True, False, False]
        assert first_time("slower")
        raise KeyError
    assert first_time("slow") and first_time("slow")
    with said_once():
        assert first_time("slow")
