"""What others' code raises: a sentence of ours alone is left of it."""

import pytest

from tacit.unquoted import unquoted
from told import all_told, alone, errors_in


class OursError(Exception):
    """A refusal."""


def stops() -> int:
    """At somebody's value, twice over."""
    try:
        return int("a secret")
    except ValueError as error:
        raise RuntimeError("another secret") from error


def test_what_is_raised_has_nothing_beside_it():
    """Neither a cause nor what was handled, nor a frame that has it."""
    with pytest.raises(OursError, match="it stopped: RuntimeError") as refused:
        unquoted(stops, OursError, lambda error: f"it stopped: {type(error).__name__}")
    assert alone(refused.value) and "secret" not in all_told(refused.value)


def test_what_has_no_sentence_goes_on_as_it_is():
    """With what it was raised from; and an answer is one."""
    with pytest.raises(RuntimeError) as raised:
        unquoted(stops, OursError, lambda error: None)
    assert 2 == len(list(errors_in(raised.value)))
    assert 3 == unquoted(lambda: 3, OursError, str)


def test_what_a_frame_holds_is_found():
    """So that a test that finds nothing says something."""
    with pytest.raises(OursError) as refused:
        try:
            stops()
        except RuntimeError:
            raise OursError("it stopped") from None
    assert not alone(refused.value) and "a secret" in all_told(refused.value)
