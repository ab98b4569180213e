"""A bar of the rounds done, for `Grant.run(watch=...)`.

It knows the public number of rounds, the promises of the plan and the clock, and nothing of the
answers; what else it is to show (a loss on public data, say) it is handed as text. It draws on one
line where somebody looks, and stays silent in a file or a pipe.

| on the line | what it is |
| --- | --- |
| 120 of 400 rounds | played and planned |
| 0:42 left | at the pace since the bar was first drawn |
| ε 0.61 of 2 | the plan's promise to the public: at most so far (`population.so_far`), in all |
| loss 0.412 | what `said` says |

Of a simulation, which promises nothing, it says that instead of any ε (`of_simulation`).
"""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TextIO, final

from jaxtyping import PyTree

from tacit.accounting.guarantee import Guarantee
from tacit.plan import Plan
from tacit.population.so_far import told_so_far
from tacit.population.watching import Watch, Watcher, Watching

# Cells of a bar, how often it is drawn, and how often an epsilon is computed anew.
_CELLS, _LOOKS, _BUDGETS = 40, 100, 20
_NOT_PRIVATE = "a simulation, not private"


def progress_bar(
    plan: Plan, to: TextIO | None = None, said: Callable[[], str] = lambda: ""
) -> Watcher:
    """A watch that draws how many of the plan's rounds are done, and what they cost.

    | rounds | what is drawn |
    | --- | --- |
    | another per cent of them done | the line, anew |
    | the last one done, or the run ended before it | the line, and its end |
    | `to` is no terminal | nothing |

    Args:
      plan: what is run.
      to: where to draw; standard error unless told.
      said: what else stands on the line: the `said` of a `tacit.learning.evaluation.Evaluation`.
    """
    return _Bar(plan, sys.stderr if to is None else to, said)


def of_simulation(watching: Watching | None) -> Watching | None:
    """Who watches a simulation of what they would watch: a bar among them says that it is one."""
    if isinstance(watching, Sequence):
        return [_simulated(each) for each in watching]
    return None if watching is None else _simulated(watching)


def _simulated(watch: Watch | Watcher) -> Watch | Watcher:
    return watch.of_simulation() if isinstance(watch, _Bar) else watch


@final
class _Bar:
    """The line, and what of it need not be found again."""

    def __init__(self, plan: Plan, to: TextIO, said: Callable[[], str]) -> None:
        self._plan, self._to, self._said = plan, to, said
        self._began: tuple[int, float] | None = None
        self._width, self._budget = 0, (-1, "")

    def of_simulation(self) -> "_Bar":
        """One that says so, and nothing of what the plan would promise or cost."""
        unpromised = replace(self._plan, guarantees=())
        words = (lambda: _NOT_PRIVATE), self._said
        return _Bar(unpromised, self._to, lambda: " · ".join(filter(None, (w() for w in words))))

    @property
    def every(self) -> int:
        return max(1, self._plan.sums.rounds // _LOOKS)

    def __call__(self, rounds: int, state: PyTree) -> None:
        del state
        last = self._plan.sums.rounds
        if not self._to.isatty() or not (rounds % self.every == 0 or rounds == last):
            return
        filled = _CELLS * rounds // last
        bar = "█" * filled + "░" * (_CELLS - filled)
        known = (self._left(rounds), self._spent(rounds), self._said())
        line = " · ".join([f"{bar} {rounds:,} of {last:,} rounds", *filter(None, known)])
        self._to.write(f"\r{line.ljust(self._width)}")
        self._width = len(line)
        self._to.flush()

    def ended(self, rounds: int) -> None:
        del rounds
        if self._to.isatty():
            self._to.write("\n")
            self._to.flush()

    def _left(self, rounds: int) -> str:
        """How long the rest takes, once a round has been timed."""
        now, last = time.monotonic(), self._plan.sums.rounds
        self._began = self._began or (rounds, now)
        first, began = self._began
        if first == rounds or rounds == last:
            return ""
        seconds = round((now - began) / (rounds - first) * (last - rounds))
        hours, minutes = seconds // 3600, seconds // 60 % 60
        clock = f"{hours}:{minutes:02}" if hours else f"{minutes}"
        return f"{clock}:{seconds % 60:02} left"

    def _spent(self, rounds: int) -> str:
        """What the public's promise has cost, at the end of the twentieth that is being played."""
        promise, last = _public(self._plan), self._plan.sums.rounds
        part = -(-rounds * _BUDGETS // last)
        if promise is None:
            return ""
        if part != self._budget[0]:
            done = -(-part * last // _BUDGETS)
            self._budget = part, told_so_far(promise, self._plan.sums, done)
        return self._budget[1]


def _public(plan: Plan) -> Guarantee | None:
    """What is promised of everything that is released, if anything is."""
    return next((own for own in plan.guarantees if own.observer == "public"), None)
