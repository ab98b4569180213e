"""The aggregated model: nobody sees a report, and the devices themselves add the noise to its sum.

Reports are added up under masks that cancel (secure aggregation), so that the server learns a
round's sum alone. Noise must be in the sum by then, and every device adds a share of it. Whoever
sees the sums gets the promise of a curator, the server too, and there is no curator.

**Who is counted on.**

1. Some of those who are asked in a round do not answer. A round in which fewer do than the least
   cohort is not added up, so every sum has the shares of as many in it.
2. Some may pool what they know with the server: their own terms, and their shares of the noise.
   They are ceil(`colluding` x largest cohort) at most.
3. What is left of the noise is that of the honest who answer, and these alone are counted:

       honest = least cohort - ceil(`colluding` x largest cohort).

   Everybody else's share makes an answer louder, and no promise better (`server.aggregated_mean`).

| participation | least cohort |
| --- | --- |
| `Everyone` | all people |
| `Once`, `AtMost`, `Cyclic` | the smallest of a pass |
| `DropOuts(asked, rate, least)` of these, or of `Available` | `least` |
| `Poisson`, `Fixed` | refused: the server sees who takes part, so no sampling hides anybody |

For the reason last named neighbours are those with as many people in them: replace-one or zero-out.

**Assumed**, of whoever runs the network: that masks are as secret as random ones, that devices
which are not colluding add their shares, and that a round's sum is made once.
"""

import math
from dataclasses import dataclass, replace
from typing import final

from tacit.accounting.relation import Relation, refuse_no_relation
from tacit.argument import got, is_number, keep_pythons, refuse_not_positive
from tacit.plan import Plan, Sum
from tacit.question.dropouts import DropOuts, whom_asks
from tacit.question.participation import AtMost, Available, Cyclic, Everyone, Participation
from tacit.question.sums import Mean, Question, refuse_no_question
from tacit.record import plain
from tacit.server.aggregated_mean import aggregated_mean
from tacit.trust.sums import (
    answered,
    mean_squared_error,
    refuse_curated,
    refuse_uneven,
    refuse_worst,
)

SEEN = Everyone | AtMost | Cyclic | Available


@final
@dataclass(frozen=True)
class Aggregated:
    """(epsilon, delta)-privacy of every sum, which is all that anybody sees.

    **Guarantee**: (epsilon, delta)-DP against the server, and so against the public, for one person
    under `relation`, over all rounds together; if sums are made under masks, and no more than a
    share of `colluding` of those asked in a round tell what they know. Nothing is amplified: the
    server sees who takes part.

    **Error**: the plan's `error`, exact: a curator's noise, and as many times its variance as there
    are people to one that is counted on.

    Args:
      epsilon: positive and finite.
      delta: strictly between 0 and 1.
      relation: what one person changes; replaced by another unless told, or zeroed.
      colluding: the share of people asked in a round who may tell the server what they know; at
        least 0 and below 1.

    References:
        Kairouz, Liu and Steinke 2021, "The distributed discrete Gaussian mechanism for federated
        learning with secure aggregation". Bonawitz et al. 2017, "Practical secure aggregation for
        privacy-preserving machine learning".
    """

    epsilon: float
    delta: float
    relation: Relation = Relation.REPLACE_ONE
    colluding: float = 0.1

    def __post_init__(self):
        keep_pythons(self, "epsilon", "delta", "colluding")
        refuse_not_positive("epsilon", self.epsilon)
        if not (is_number(self.delta) and 0 < self.delta < 1):
            raise ValueError(f"delta must lie strictly between 0 and 1, got {got(self.delta)}")
        refuse_no_relation(self.relation)
        if self.relation not in (Relation.REPLACE_ONE, Relation.ZERO_OUT):
            raise ValueError(
                "whoever adds masked reports up sees who takes part: relation must be "
                f"tacit.Relation.REPLACE_ONE or ZERO_OUT, got {self.relation.value}"
            )
        if not (is_number(self.colluding) and 0 <= self.colluding < 1):
            raise ValueError(
                f"colluding must be a share from 0 to below 1, got {got(self.colluding)}"
            )

    def plan(self, question: Question) -> Plan:
        """The plan that answers `question` under this promise."""
        refuse_no_question(question)
        refuse_curated(question)
        refuse_worst(question)
        refuse_uneven(question)
        device, means, public = aggregated_mean(self, question.sums, self._honest(question.sums))
        server = answered(question, means, device)
        return Plan(
            plain(self),
            question,
            device,
            Sum(question.sums.contribution),
            server,
            (public, replace(public, observer="server")),
            mean_squared_error(question, device, server),
        )

    def colluders(self, sums: Mean) -> int:
        """How many of those who are asked in a round may tell what they know: step 2."""
        return math.ceil(self.colluding * sums.capacity)

    def _honest(self, sums: Mean) -> int:
        """How many of a round's reports are of people who keep their shares secret: step 3."""
        told = self.colluders(sums)
        honest = least_cohort(sums) - told
        if not honest >= 1:
            raise ValueError(
                f"of a least cohort of {honest + told:,} nobody is left to count on if {told:,} of "
                f"{sums.capacity:,} are colluding: declare fewer, or larger cohorts"
            )
        return honest


def least_cohort(sums: Mean) -> int:
    """How many report in every round that is added up: step 1."""
    _refuse_hidden(whom_asks(sums.participation))
    match sums.participation:
        case DropOuts(least=least) if least > 0:
            return least
        case DropOuts() | Available():
            raise ValueError(
                "noise is that of those who answer: declare how many do at least, "
                "DropOuts(asked, rate, least)"
            )
        case AtMost() | Cyclic():
            return sums.people // (sums.rounds // sums.times)
    return sums.people


def _refuse_hidden(who: Participation) -> None:
    """Raises a ValueError for cohorts whose promise is that nobody sees them."""
    if not isinstance(who, SEEN):
        raise ValueError(
            "whoever adds masked reports up sees who takes part, so drawing them hides nobody: "
            "participation must be Everyone, Once, AtMost, Cyclic or Available, got "
            f"{type(who).__name__}"
        )
