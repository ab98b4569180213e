"""No privacy: the same question, answered as it is.

The line every price of privacy is measured against. It promises nothing, so it charges
nothing, and its receipt says so.
"""

from dataclasses import dataclass
from typing import final

from tacit.plan import Identity, Plan
from tacit.question import Mean
from tacit.record import plain
from tacit.trust.servers import PlainMean


@final
@dataclass(frozen=True)
class NonPrivate:
    """The exact mean of the cohort. **Guarantee**: none."""

    def plan(self, question: Mean) -> Plan:
        """The plan that answers `question` without any promise."""
        device, server = Identity(question.contribution), PlainMean(question.cohort)
        return Plan(plain(self), question, device, question.contribution, server, (), 0.0)
