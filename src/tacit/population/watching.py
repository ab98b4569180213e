"""Who looks at a run while it is played, how often, and who may end it.

A watch is told the rounds done and the public state, and only that: what it makes of them, with
nobody's private data beside, is post-processing, and costs nothing. If it answers true, the run
ends with this round. Rounds that are not played release nothing, so what was promised of all of
them holds of these; the charge stays as it was, because it was made for all before the first.

| watch | is told |
| --- | --- |
| a function | of every round |
| a `Watcher` | of every `every`-th round, and of the last that is played |
| several of these | each of its own; one that answers true ends the run for all |

Between two rounds that somebody is told of a run plays blocks of rounds in one call.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, final, runtime_checkable

import numpy as np
from jaxtyping import PyTree

from tacit.argument import got, is_whole

Watch = Callable[[int, PyTree], Any]


@runtime_checkable
class Watcher(Protocol):
    """A watch that is told of some rounds."""

    @property
    def every(self) -> int:
        """Of which rounds it is told: of the multiples of this number."""
        ...

    def __call__(self, rounds: int, state: PyTree) -> bool | None:
        """What it makes of the state after so many rounds; True ends the run."""
        ...

    def ended(self, rounds: int) -> None:
        """The run is over, after so many rounds: fewer than were planned, if somebody ended it."""
        ...


Watching = Watch | Watcher | Sequence[Watch | Watcher]


@final
class Watches:
    """All who watch a run of so many rounds.

    Raises:
      ValueError: if one of them can be told nothing, or of no multiples of a whole number.
    """

    def __init__(self, watching: Watching | None, last: int) -> None:
        self._last, self._each = last, _each(watching)

    @property
    def closely(self) -> bool:
        """Whether somebody is told of every round."""
        return any(every == 1 for every, _ in self._each)

    def __bool__(self) -> bool:
        return bool(self._each)

    def until(self, done: int) -> int:
        """How many rounds there are from here to the next that somebody is told of."""
        return min([self._last - done, *(every - done % every for every, _ in self._each)])

    def told(self, done: int, state: PyTree, over: bool) -> bool:
        """Tells whoever is to be told; whether the run is over now.

        Args:
          over: whether no more rounds are played anyway.
        """
        due = [watch for every, watch in self._each if over or done % every == 0]
        ends = [_true(watch(done, state)) for watch in due]
        if any(ends) and not over:
            for _, watch in self._each:
                if watch not in due:
                    watch(done, state)
        return over or any(ends)

    def ended(self, done: int) -> None:
        """Tells those who want to know that the run is over."""
        for _, watch in self._each:
            if isinstance(watch, Watcher):
                watch.ended(done)


def refuse_no_watch(watching: Watching | None) -> None:
    """Raises a ValueError as `Watches` does."""
    _each(watching)


def _each(watching: Watching | None) -> list[tuple[int, Watch | Watcher]]:
    """Everyone who watches, and of which rounds' multiples they are told."""
    several = isinstance(watching, Sequence)
    each = () if watching is None else watching if several else (watching,)
    return [(_period(watch), watch) for watch in each]


def _true(answer: Any) -> bool:
    """Whether it is the truth value true, of Python's, NumPy's or JAX's: what else a function
    happens to return ends nothing."""
    one = getattr(answer, "shape", ()) == () and getattr(answer, "dtype", None) == np.bool_
    return answer is True or (one and bool(answer))


def _period(watch: Any) -> int:
    every = watch.every if isinstance(watch, Watcher) else 1
    # A function that makes a watch, `progress_bar`, is told nothing as long as nobody calls it.
    makes = getattr(watch, "__annotations__", {}).get("return") is Watcher
    if not callable(watch) or isinstance(watch, type) or makes:
        raise ValueError(
            "a watch must be a function of rounds and state, or a sequence of such functions, got "
            f"{got(watch)}"
        )
    if not (is_whole(every) and every >= 1):
        raise ValueError(f"every must be a whole number of rounds, at least 1, got {got(every)}")
    return int(every)
