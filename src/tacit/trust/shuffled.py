"""The shuffled model: local reports, mixed before anybody analyses them.

A report hides among the others once nobody can tell whose it is. Two bounds say how well:

* A question of one round gives everybody the same epsilon0-local randomiser, so each report is in
  part drawn from a law that depends on nobody: the privacy blanket, exactly.
* In a question of many rounds the randomiser may depend on all earlier answers. With all n people
  in one secret, uniformly random order the whole transcript is still far more private than epsilon0
  (Feldman, McMillan, Talwar 2021, Theorem 3.1, evaluated exactly on their clone pair). That theorem
  is about a sequence, so where each person reports once all n people hide one another, not only
  those of one round.
"""

import math
from dataclasses import dataclass
from typing import final

from dp_accounting import DpEvent

from tacit.accounting import calibration, events
from tacit.accounting.accountant import epsilon as certified_epsilon
from tacit.accounting.pairs.blanket import binary_response
from tacit.accounting.relation import Relation
from tacit.participation import AtMost
from tacit.plan import Guarantee, Plan, mean_squared_error
from tacit.question import Mean
from tacit.record import plain
from tacit.trust.devices import device_for
from tacit.trust.local import promise
from tacit.trust.servers import PlainMean


@final
@dataclass(frozen=True)
class Shuffled:
    """(epsilon, delta)-privacy of the shuffled reports, and the local privacy underneath.

    **Guarantee**: (epsilon, delta)-DP against the server that gets the shuffled reports, and so
    against the public, for one person replaced by another, if the shuffler is honest and all n
    people report; against the shuffler itself, the epsilon0-local privacy found for that target,
    once for each pass.

    **Error**: that of the local model at epsilon0.

    References: Balle, Bell, Gascon, Nissim, "The privacy blanket of the shuffle model" (CRYPTO
    2019); Feldman, McMillan, Talwar, "Hiding among the clones" (FOCS 2021), Theorem 3.1. The
    stronger bounds of their later work are not used: they hold for some randomisers only.
    """

    epsilon: float
    delta: float

    def __post_init__(self):
        if not 0 < self.epsilon < math.inf:
            raise ValueError(f"epsilon must be positive and finite, got {self.epsilon}")
        if not 0 < self.delta < 1:
            raise ValueError(f"delta must lie strictly between 0 and 1, got {self.delta}")

    def plan(self, question: Mean) -> Plan:
        """The plan that answers `question` under this promise."""
        if not isinstance(question.participation, AtMost):
            raise ValueError(
                "shuffling hides people who report in a secret order: participation must be "
                f"Once or AtMost, got {type(question.participation).__name__}"
            )

        def shuffled(local: float) -> DpEvent:
            return question.event(_pass(local, question), Relation.REPLACE_ONE)

        local = calibration.local_epsilon(shuffled, self.epsilon, self.delta)
        device = device_for(question.contribution, local)
        event = shuffled(local)
        account = certified_epsilon(event, self.delta, Relation.REPLACE_ONE)
        hidden = tuple(
            Guarantee(
                who, Relation.REPLACE_ONE, event, account.epsilon, self.delta, account.accountant
            )
            for who in ("public", "server")
        )
        server = PlainMean(question.cohort)
        return Plan(
            plain(self),
            question,
            device,
            device.reports,
            server,
            (*hidden, promise("shuffler", device, question)),
            mean_squared_error(question, device, server),
        )


def _pass(local: float, question: Mean) -> DpEvent:
    """One shuffled pass over all people, under the better bound that holds for the question."""
    if question.rounds == 1:
        return events.blanket(local, binary_response(local), question.people)
    return events.shuffled(local, question.people)
