"""A concept that was learnt: a rule anybody may read and use."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Float, Int64

from tacit.pac.examples import named, read
from tacit.pac.rules import in_words, labels_of
from tacit.page import folded
from tacit.plan import Plan
from tacit.population.release import Release, met, promised
from tacit.question.concepts import Concept


@final
@dataclass(frozen=True, eq=False, repr=False)
class LearntConcept:
    """One concept of a public class. All of it is public.

    Args:
      concept: the class it is of.
      names: of the columns, in their order.
      numbers: what tells it (`tacit.question.concepts`); None where nothing was said, which only a
        `Parity` may.
      release: what was run: `plan`, `receipt()`.
    """

    concept: Concept
    names: tuple[str, ...]
    numbers: Float[np.ndarray, " numbers"] | None
    release: Release

    @property
    def plan(self) -> Plan:
        """What was promised before the data were read."""
        return self.release.plan

    def receipt(self) -> dict[str, Any]:
        """Everything from which anybody can recompute every promise."""
        return self.release.receipt()

    def predict(self, bits: Any) -> Int64[np.ndarray, " people"]:
        """The label that it gives to each row: of a DataFrame by its columns' names.

        Raises:
          ValueError: if there is no concept, or rows have not its columns, or not as many.
        """
        if self.numbers is None:
            raise ValueError("nothing was learnt, so there is nothing to predict with")
        rows = named(bits, self.names)
        return labels_of(self.concept, self.numbers, read(rows, self.concept)[1])

    def __repr__(self) -> str:
        said = "nothing: no rule was found"
        if self.numbers is not None:
            said = in_words(self.concept, self.numbers, self.names)
        return folded(said, promised(self.plan, self.release.private, met))
