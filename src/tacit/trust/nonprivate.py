"""No privacy: the same question, answered as it is.

The line every price of privacy is measured against. It promises nothing, so it charges
nothing, and its receipt says so.
"""

from dataclasses import dataclass
from typing import final

from tacit.plan import Gather, Identity, Plan, Sum
from tacit.question.rows import OfRows
from tacit.question.sums import Question, refuse_no_question
from tacit.record import plain
from tacit.server.exact_rows import exact
from tacit.server.means import plain_mean
from tacit.trust.sums import answered, mean_squared_error


@final
@dataclass(frozen=True)
class NonPrivate:
    """The exact mean of the cohort, the exact statistic of all rows. **Guarantee**: none."""

    def plan(self, question: Question) -> Plan:
        """The plan that answers `question` without any promise."""
        refuse_no_question(question)
        shape = question.sums.contribution
        device = Identity(shape)
        if isinstance(question, OfRows):
            collect = Gather(question.size, question.repeatable)
            server, error = exact(question), None
        else:
            collect, server = (
                Sum(shape),
                answered(question, plain_mean(device, question.sums), device),
            )
            error = mean_squared_error(question, device, server)
        return Plan(plain(self), question, device, collect, server, (), error)
