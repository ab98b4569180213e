"""The central model: a curator holds the data and adds noise to every sum.

The promise is against everybody but the curator. The noise multiplier is the smallest whose
composed event keeps it, and the event, the sensitivity and the noise come from one place, so
they cannot disagree.
"""

from dataclasses import dataclass
from typing import final

from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation, refuse_no_relation
from tacit.argument import got, is_number, keep_pythons, refuse_not_positive
from tacit.plan import Gather, Identity, Plan, Server, Sum
from tacit.question.keyed import Keyed
from tacit.question.linear import Linear
from tacit.question.rows import OfRows
from tacit.question.running import Running
from tacit.question.sums import Above, Mean, Question, Select, no_question, refuse_no_question
from tacit.question.uneven import Uneven
from tacit.record import plain
from tacit.server.above import alarm
from tacit.server.convolved import convolved_mean, convolves
from tacit.server.correlated import running_mean
from tacit.server.factorised import factorised_mean
from tacit.server.factorised_pure import factorised_pure_mean
from tacit.server.keyed import keyed_mean
from tacit.server.noisy_mean import noisy_mean
from tacit.server.rows import fitted
from tacit.server.select import choice
from tacit.server.uneven import uneven_mean
from tacit.trust.sums import mean_squared_error


@final
@dataclass(frozen=True)
class Central:
    """(epsilon, delta)-privacy of everything the public sees; pure where delta is zero.

    **Guarantee**: (epsilon, delta)-DP against the public, for one person under `relation`, over
    all rounds together; the curator sees the data. With `delta` = 0 the guarantee states the
    distance of the samplers from their laws as its delta: 1e-18 or less a number, and about 1e-13
    a release for vectors of a ball.

    **Error**: the plan's `error`, exact.

    Args:
      epsilon: positive and finite.
      delta: in [0, 1).
      relation: what one person changes; adding or removing them unless told.
    """

    epsilon: float
    delta: float
    relation: Relation = Relation.ADD_REMOVE

    def __post_init__(self):
        keep_pythons(self, "epsilon", "delta")
        refuse_not_positive("epsilon", self.epsilon)
        if not (is_number(self.delta) and 0 <= self.delta < 1):
            raise ValueError(f"delta must be at least 0 and below 1, got {got(self.delta)}")
        refuse_no_relation(self.relation)

    def plan(self, question: Question) -> Plan:
        """The plan that answers `question` under this promise."""
        refuse_no_question(question)
        shape = question.sums.contribution
        device, collect, error = Identity(shape), Sum(shape), None
        match question:
            case Mean():
                server, promise = noisy_mean(self, question, shape, self.relation)
                error = mean_squared_error(question, device, server)
            case Select():
                server, promise = choice(self, question)
            case Above():
                server, promise = alarm(self, question)
            case Running():
                server, promise = running_mean(self, question, shape, self.relation)
                error = mean_squared_error(question, device, server)
            case Uneven():
                server, promise = uneven_mean(self, question, shape, self.relation)
                error = mean_squared_error(question, device, server)
            case Keyed():
                server, promise = keyed_mean(self, question)
            case Linear():
                server, promise = self._linear(question)
                error = server.facts.stated_error / question.sums.cohort**2
            case OfRows():
                server, promise = fitted(self, question)
                collect = Gather(question.size, question.repeatable)
            case _:
                raise no_question(question)
        return Plan(plain(self), question, device, collect, server, (promise,), error)

    def _linear(self, question: Linear) -> tuple[Server, Guarantee]:
        """Answers to a workload."""
        if self.delta == 0:
            return factorised_pure_mean(self, question)
        if convolves(question.workload):
            return convolved_mean(self, question)
        return factorised_mean(self, question)
