"""The central model: a curator holds the data and adds noise to every sum.

The promise is against everybody but the curator. The noise multiplier is the smallest whose
composed event keeps it, and the event, the sensitivity and the noise come from one place, so
they cannot disagree.
"""

import math
from dataclasses import dataclass
from typing import final

from tacit.accounting import calibration, events
from tacit.accounting.accountant import epsilon as certified_epsilon
from tacit.accounting.pairs.sampled_gaussian import overflow_delta
from tacit.accounting.relation import Relation
from tacit.contribution import Contribution
from tacit.mechanisms.gaussian import Gaussian
from tacit.noise.fixed import step_for
from tacit.plan import Guarantee, Identity, Plan, mean_squared_error
from tacit.question import Mean
from tacit.record import plain
from tacit.trust.servers import NoisyMean

# Relative float32 rounding between a term's projection and its noise.
ROUNDING = 1e-6


@final
@dataclass(frozen=True)
class Central:
    """(epsilon, delta)-privacy of everything the public sees.

    **Guarantee**: (epsilon, delta)-DP against the public, for one person under `relation`, over
    all rounds together; the curator sees the data.

    **Error**: every coordinate of a round's sum carries N(0, sigma^2) noise, with sigma the
    calibrated multiplier times the sensitivity of the contribution.
    """

    epsilon: float
    delta: float
    relation: Relation = Relation.ADD_REMOVE

    def __post_init__(self):
        if not 0 < self.epsilon < math.inf:
            raise ValueError(f"epsilon must be positive and finite, got {self.epsilon}")
        if not 0 < self.delta < 1:
            raise ValueError(f"delta must lie strictly between 0 and 1, got {self.delta}")

    def plan(self, question: Mean) -> Plan:
        """The plan that answers `question` under this promise."""
        device = Identity(question.contribution)
        sensitivity = question.contribution.sensitivity(self.relation)
        server, promise = self.noisy_mean(question, question.contribution, sensitivity)
        error = mean_squared_error(question, device, server)
        return Plan(plain(self), question, device, question.contribution, server, (promise,), error)

    def noisy_mean(
        self, question: Mean, reports: Contribution, sensitivity: float
    ) -> tuple[NoisyMean, Guarantee]:
        """The server part for sums of `reports`, and what it promises the public.

        The noise is scaled to a little more than the sensitivity: float32 projection can leave a
        norm above its bound by a relative 5e-7, sigma loses 6e-8 when traced, and cutting terms to
        the grid can part two of them by one more step.
        """
        spill = overflow_delta(self.epsilon, question.overflow())
        if not spill < self.delta:
            raise ValueError(f"delta must exceed {spill:.3g}, the cost of overflowing cohorts")
        multiplier = calibration.noise_multiplier(
            lambda z: question.event(events.gaussian(z), self.relation),
            self.epsilon,
            self.delta - spill,
            self.relation,
        )
        event = question.event(events.gaussian(multiplier), self.relation)
        account = certified_epsilon(event, self.delta - spill, self.relation)
        moved = (1 + ROUNDING) * sensitivity + step_for(reports.bound, question.capacity, 0.0)
        gaussian = Gaussian(sigma=multiplier * moved, sensitivity=moved)
        promise = Guarantee(
            "public",
            self.relation,
            event,
            account.epsilon,
            self.delta,
            account.accountant,
            spill=spill,
        )
        return NoisyMean(gaussian, question.cohort), promise
