"""Where a warning points: at the line that called into the library, and not within it.

How many frames are between is not fixed: a learner is traced by an estimator's `fit`, by a grant or
by JAX itself. So frames are looked at from the outermost on.
"""

import sys
from collections.abc import Iterator
from types import FrameType


def called_from() -> int:
    """The `stacklevel` with which its caller's `warnings.warn` points there."""
    own = [_is_own(frame) for frame in _outwards(sys._getframe(1))]
    return len(own) - own[::-1].index(True) + 1


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is_own(frame: FrameType) -> bool:
    return frame.f_globals.get("__name__", "").partition(".")[0] == "tacit"
