"""What is said once, though what it is about is traced several times: a warning a release."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_said: ContextVar[set[str] | None] = ContextVar("said", default=None)


@contextmanager
def said_once() -> Iterator[None]:
    """Within, no sentence is new twice."""
    before = _said.set(set())
    try:
        yield
    finally:
        _said.reset(before)


def first_time(sentence: str) -> bool:
    """Whether this was not said yet; outside of `said_once` nothing is remembered."""
    said = _said.get()
    if said is None:
        return True
    new = sentence not in said
    said.add(sentence)
    return new
