"""Who is told to be a member: whoever scores above all but a few of the others.

Others are drawn as members are, and were never counted. Of m of them the k-th largest score is the
threshold. One more like them is above it with chance k/(m + 1) before any score is seen: of m + 1
people who are alike every rank is as likely. With the others at hand that chance is a draw from the
beta law of k and m + 1 - k, or less where scores are equal; of few others it may be far from
k/(m + 1), and all members are told by the same threshold. So what a promise allows is taken at its
upper limit: at k/(m + 1) itself, a file of thirty people refuted a true promise too often.
"""

import math
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from tacit.attacks.breach import BreachRate
from tacit.statistics.chance_limits import upper_limit

# Of 95% limits, each side.
LIMIT = 0.025


class ToldMembers(NamedTuple):
    """The members that are told, and others who are taken for them.

    Args:
      found: of all members.
      others: the chance that one more of the others is taken for a member.
      most: its upper limit, with these others at hand.
    """

    found: BreachRate
    others: float
    most: float


def told_members(
    members: Float[np.ndarray, " members"], others: Float[np.ndarray, " others"], rate: float
) -> ToldMembers:
    """By the score that such a share of the others reaches, or their largest where that is nobody.

    Args:
      members: their scores.
      others: at least one.
      rate: of false alarms, in (0, 1/2].
    """
    many = len(others)
    rank = max(1, math.floor(rate * (many + 1) + 1e-9))
    threshold = np.partition(others, many - rank)[many - rank]
    found = BreachRate(int(np.count_nonzero(members > threshold)), len(members))
    return ToldMembers(found, rank / (many + 1), float(upper_limit(rank - 1, many, LIMIT)))
