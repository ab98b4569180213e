"""The local model: each person randomises before anything leaves them.

Nobody has to be trusted. A person's budget is for their whole participation, so it is divided
over the rounds in which they may report; composition of pure budgets is a sum, exactly.
"""

import math
from dataclasses import dataclass
from typing import final

from tacit.accounting import events
from tacit.accounting.accountant import epsilon as certified_epsilon
from tacit.accounting.calibration import even_share
from tacit.accounting.pairs.sampled_gaussian import overflow_delta
from tacit.accounting.relation import Relation
from tacit.argument import got, is_number
from tacit.device.choose import device_for
from tacit.plan import Device, Guarantee, Plan, mean_squared_error
from tacit.promise import Pure, kept, refuse_unless_pure
from tacit.question.sums import Mean, Question, refuse_no_question
from tacit.record import plain
from tacit.server.means import answered, plain_mean


@final
@dataclass(frozen=True)
class Local:
    """epsilon-local privacy of everything one person ever sends.

    **Guarantee**: epsilon-DP against the server, and so against everybody, for one person's data
    replaced by any other; delta is zero, or where a report's sampler is not exact its distance.

    **Error**: the exact worst-case error of the report, divided by the cohort.
    """

    epsilon: float

    def __post_init__(self):
        if not (is_number(self.epsilon) and 0 < self.epsilon < math.inf):
            raise ValueError(f"epsilon must be positive and finite, got {got(self.epsilon)}")

    def plan(self, question: Question) -> Plan:
        """The plan that answers `question` under this promise."""
        refuse_no_question(question)
        sums = question.sums
        device = device_for(sums.contribution, even_share(self.epsilon, sums.times))
        server = answered(question, plain_mean(device, sums))
        promises = tuple(promise(who, device, sums) for who in ("server", "public"))
        error = mean_squared_error(question, device, server)
        return Plan(plain(self), question, device, device.reports, server, promises, error)


def promise(observer: str, device: Device, question: Mean) -> Guarantee:
    """What `device` promises against whoever sees all of one person's reports.

    Raises:
      ValueError: if a report's sampler is so far from its law that delta would not be negligible.
    """
    event = events.repeated(events.local(device.epsilon), question.times)
    epsilon = certified_epsilon(event, 0.0, Relation.REPLACE_ONE).epsilon
    pure, chance = Pure(epsilon, Relation.REPLACE_ONE), question.times * device.distance
    refuse_unless_pure(pure, chance, observer)
    return kept(pure, event, overflow_delta(epsilon, chance), observer)
