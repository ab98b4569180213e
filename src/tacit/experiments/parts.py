"""Parts of an experiment, of which none needs another: played several at once, and kept.

A part is played to its end or not at all, and kept as soon as it is there. Where one fails, those
that were not begun are left, and those that play end where they next tell how far they are.
"""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, ThreadPoolExecutor, wait
from typing import Any

from tacit.experiments.kept import Kept

# Told how much of a part is done; what it raises ends the part.
Told = Callable[[int], object]
# What plays a part: a dataclass of what it found.
Part = Callable[[Told], Any]


def play(
    parts: Mapping[str, Part], kept: Kept, told: Callable[[str, int], object], at_once: int
) -> None:
    """Plays what is not kept yet.

    Args:
      parts: all of the experiment, by name.
      kept: where what they found is added.
      told: of a part's name and how much of it is done; what it raises ends all of them.
      at_once: how many.

    Raises:
      whatever a part raises; of several that fail, the first in order.
    """
    left = [(name, part) for name, part in parts.items() if name not in kept.parts]
    over = threading.Event()
    with ThreadPoolExecutor(at_once) as threads:
        running = [threads.submit(_one, *each, kept, told, over) for each in left]
        try:
            wait(running)
        except BaseException:
            over.set()
            raise
    for error in [each.exception() for each in running]:
        if error is not None and not isinstance(error, CancelledError):
            raise error


def _one(
    name: str,
    part: Part,
    kept: Kept,
    told: Callable[[str, int], object],
    over: threading.Event,
) -> None:
    """Plays a part and keeps it, unless another has failed by then."""

    def seen(done: int) -> None:
        if over.is_set():
            raise CancelledError
        told(name, done)

    try:
        seen(0)
        kept.add(name, part(seen))
    except BaseException:
        over.set()
        raise
