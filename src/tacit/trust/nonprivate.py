"""No privacy: the same question, answered as it is.

The line every price of privacy is measured against. It promises nothing, so it charges
nothing, and its receipt says so.
"""

from dataclasses import dataclass
from typing import final

from tacit.plan import Identity, Plan, mean_squared_error
from tacit.question.sums import Question, refuse_no_question
from tacit.record import plain
from tacit.server.means import answered, plain_mean


@final
@dataclass(frozen=True)
class NonPrivate:
    """The exact mean of the cohort. **Guarantee**: none."""

    def plan(self, question: Question) -> Plan:
        """The plan that answers `question` without any promise."""
        refuse_no_question(question)
        shape = question.sums.contribution
        device = Identity(shape)
        server = answered(question, plain_mean(device, question.sums))
        error = mean_squared_error(question, device, server)
        return Plan(plain(self), question, device, shape, server, (), error)
