"""A signal that comes while something is made, as who makes it hears of it."""

from collections.abc import Callable
from typing import final

import pytest


def unheard() -> None:
    """No signal comes."""


@final
class Signalled(BaseException):
    """It has come."""


def asks(work: Callable[[Callable[[], object]], object]) -> int:
    """How often `work` asks whether to go on; at the last time of them it is to end."""
    asked: list[None] = []
    work(lambda: asked.append(None))
    left = len(asked)

    def heard() -> None:
        nonlocal left
        left -= 1
        if not left:
            raise Signalled

    with pytest.raises(Signalled):
        work(heard)
    return len(asked)
