"""An oracle that is as wrong as it may be: every answer is off by the whole tolerance.

A theorem about a learner of statistical queries says what it learns from any answers within a
tolerance of the truth. `WorstWithin` gives such answers, and lets whoever wants to break the
theorem say to which side each is moved; so every such theorem is a test, and one that can fail.

It keeps no promise whatever: it is exact answers and a public function of them.

| `worse` | moves |
| --- | --- |
| `up`, `down` | every answer to the same side |
| `nearer` | every answer towards zero, and beyond it if it is nearer than the tolerance |
| `further` | every answer away from zero |
| a function of yours | as it says: of a round's exact answers, the side of each |
"""

from dataclasses import dataclass
from typing import final

import jax.numpy as jnp

from tacit.argument import got, refuse_not_positive
from tacit.plan import Identity, Plan, Sum
from tacit.question.sums import Question, refuse_no_question
from tacit.record import plain
from tacit.server.means import plain_mean
from tacit.server.moved import Answers, MovedMean, Side


def up(answers: Answers) -> Answers:
    """All too large."""
    return jnp.ones_like(answers)


def down(answers: Answers) -> Answers:
    """All too small."""
    return -jnp.ones_like(answers)


def nearer(answers: Answers) -> Answers:
    """All moved towards zero."""
    return jnp.where(answers > 0, -1.0, 1.0)


def further(answers: Answers) -> Answers:
    """All moved away from zero."""
    return -nearer(answers)


@final
@dataclass(frozen=True)
class WorstWithin:
    """Answers means within a tolerance, on the side that is worse. **Guarantee**: none.

    Args:
      tolerance: positive.
      worse: of a round's exact answers, the side of each: a number from -1 to 1, of which more is
        cut off.

    Raises:
      ValueError: if an argument is not of its kind.
    """

    tolerance: float
    worse: Side

    def __post_init__(self):
        refuse_not_positive("tolerance", self.tolerance)
        if not callable(self.worse):
            raise ValueError(f"worse must be a function of the answers, got {got(self.worse)}")

    def plan(self, question: Question) -> Plan:
        """The plan that answers means so."""
        refuse_no_question(question)
        if not question.of_means:
            raise ValueError(f"statistical queries are of a Mean, got {type(question).__name__}")
        shape = question.sums.contribution
        device = Identity(shape)
        server = MovedMean(plain_mean(device, question.sums), self.tolerance, self.worse)
        trust = {"type": "WorstWithin", "tolerance": plain(self.tolerance)}
        return Plan(trust, question, device, Sum(shape), server, (), None)
