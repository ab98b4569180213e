"""A bar of the rounds done, for `Grant.run(watch=...)`.

It knows the public number of rounds and nothing of the answers. It draws on one line where somebody
looks, and stays silent in a file or a pipe.
"""

import sys
from typing import TextIO

from jaxtyping import PyTree

from tacit.plan import Plan
from tacit.population.run import Watch

_CELLS = 40


def progress_bar(plan: Plan, to: TextIO | None = None) -> Watch:
    """A watch that draws how many of the plan's rounds are done.

    | rounds | what is drawn |
    | --- | --- |
    | another per cent of them done | the line, anew |
    | the last one done | the whole line, and its end |
    | `to` is no terminal | nothing |

    Args:
      plan: what is run.
      to: where to draw; standard error unless told.
    """
    stream = sys.stderr if to is None else to
    last, drawn = plan.sums.rounds, -1

    def watch(rounds: int, state: PyTree) -> None:
        nonlocal drawn
        del state
        percent = 100 * rounds // last
        if percent != drawn and stream.isatty():
            drawn, filled = percent, _CELLS * rounds // last
            bar = "█" * filled + "░" * (_CELLS - filled)
            end = "\n" if rounds == last else ""
            stream.write(f"\r{bar} {rounds:,} of {last:,} rounds{end}")
            stream.flush()

    return watch
