"""What accounting needs to know of one kind of release.

A kind is the dominating pair of one simple event, in six questions. Whoever answers them is
accounted, alone and in any mixture; `kinds` is the table of those who do.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from tacit.accounting.loss.pld import Directions
from tacit.accounting.relation import Relation

Orders = Float[np.ndarray, " orders"]
# Cells of a standard deviation: a split moves a loss by at most an eighth of a cell's square in the
# mean, which is a 32,768th of its variance.
FINENESS = 64
# What one composition's arithmetic may hold at once, whatever it is made of: half a small machine's
# gibibyte. A cell of losses holds up to 540 bytes while they are made, or 832 if both its signs are
# on the grid; a cell of a window up to 80 while it is transformed and read.
MOST_BYTES = 2**29
MOST_CELLS = MOST_BYTES // 2**10
MOST_WINDOW = MOST_BYTES // 2**7
NARROWEST = 1e-14


@dataclass(frozen=True)
class Kind:
    """One row: what a simple event's privacy is, under the relations it is proved for.

    Args:
      name: what a refusal calls it.
      relations: those under which the pair is proved.
      spread: the standard deviation of one release's loss.
      losses: the losses of the pair, for an event, an interval and a tail that may be cut off.
      renyi: upper bounds on the Renyi divergences of both directions, at the given orders.
      pure: the epsilon at delta = 0; infinite if there is none.
      reach: a loss that one release hardly ever exceeds; it bounds how fine a grid can be.
    """

    name: str
    relations: frozenset[Relation]
    spread: Callable[[Any], float]
    losses: Callable[[Any, float, float], Directions]
    renyi: Callable[[Any, Orders], Orders]
    pure: Callable[[Any], float]
    reach: Callable[[Any], float]

    def finest(self, event: Any) -> float:
        """The grid for one event alone: fine beside its loss, and of bounded size."""
        return max(self.spread(event) / FINENESS, self.reach(event) / MOST_CELLS, NARROWEST)
