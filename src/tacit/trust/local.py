"""The local model: each person randomises before anything leaves them.

Nobody has to be trusted. A person's budget is for their whole participation, so it is divided
over the rounds in which they may report; composition of pure budgets is a sum, exactly.
"""

from dataclasses import dataclass
from typing import final

from tacit.accounting import events
from tacit.accounting.calibration import even_share
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation
from tacit.accounting.reserve import pure
from tacit.argument import keep_pythons, refuse_not_positive
from tacit.device.choose import devices_for
from tacit.device.upload import refuse_no_upload
from tacit.device.workload import OnWorkload, fits
from tacit.plan import Device, Plan, Sum
from tacit.question.linear import Linear
from tacit.question.sums import Mean, Question, refuse_no_question
from tacit.record import plain
from tacit.server.means import plain_mean
from tacit.trust.sums import (
    answered,
    mean_squared_error,
    refuse_curated,
    refuse_uneven,
    refuse_worst,
)


@final
@dataclass(frozen=True)
class Local:
    """epsilon-local privacy of everything one person ever sends.

    **Guarantee**: epsilon-DP against the server, and so against everybody, for one person's data
    replaced by any other; delta is zero, or where a report's sampler is not exact its distance.

    **Error**: the exact worst-case error of the report, divided by the cohort.

    Args:
      epsilon: of everything one person ever sends.
      upload: how many bytes a report of a vector may have (`device.upload`); None for any number.
    """

    epsilon: float
    upload: int | None = None

    def __post_init__(self):
        keep_pythons(self, "epsilon", "upload")
        refuse_not_positive("epsilon", self.epsilon)
        refuse_no_upload(self.upload)

    def plan(self, question: Question) -> Plan:
        """The plan that answers `question` under this promise."""
        refuse_no_question(question)
        refuse_curated(question)
        refuse_worst(question)
        refuse_uneven(question)
        sums = question.sums
        budget = even_share(self.epsilon, sums.times)
        device = self._device(question, budget)
        server = answered(question, plain_mean(device, sums), device)
        promises = tuple(promise(who, device, sums) for who in ("server", "public"))
        error = mean_squared_error(question, device, server)
        return Plan(
            plain(self), question, device, Sum(device.facts.report_set), server, promises, error
        )

    def _device(self, question: Question, budget: float) -> Device:
        sums = question.sums
        if isinstance(question, Linear) and fits(question.workload):
            return OnWorkload.of(question.workload, budget)
        ways = devices_for(sums.contribution, budget, self.upload)
        return min(ways, key=lambda each: each.facts.compared_at(sums.cohort))


def promise(observer: str, device: Device, question: Mean) -> Guarantee:
    """What `device` promises against whoever sees all of one person's reports.

    Raises:
      ValueError: if a report's sampler is so far from its law that delta would not be negligible.
    """
    event = events.repeated(events.local(device.facts.epsilon), question.times)
    return pure(event, Relation.REPLACE_ONE, question.times * device.facts.tv_distance, observer)
