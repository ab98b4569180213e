"""What a promise allows to be guessed of one person's bit.

The answers change with somebody's bit as if they came or went. Let the rarer value have the chance
p. A guess of it is right where it should be with some probability t, and wrong where it should not
with f; in all it is right with 1 - p + p (t - f (1 - p)/p), and

    t - e^e f <= delta(e),    e = log((1 - p)/p),

the delta of the promise's event at that epsilon: no guess is right with more than
1 - p + p delta(e). Of even bits that is (1 + d)/2, d the total variation between neighbours; for
pure epsilon at most e^epsilon/(1 + e^epsilon), for Gaussian noise of mu at most Phi(mu/2).
"""

import math

from tacit.accounting import accountant
from tacit.plan import Plan


def most_guessed(plan: Plan, rarer: float = 0.5) -> float:
    """The chance that the plan's promise allows a guess; 1 where nothing is promised.

    Args:
      plan: of what is answered.
      rarer: the chance of the rarer value, from 0 to 1/2.
    """
    odds = math.log((1 - rarer) / rarer) if rarer > 0 else math.inf
    if not odds < math.inf:
        return 1.0
    apart = [
        accountant.delta(each.event, odds, each.relation).delta + each.delta_reserved
        for each in plan.guarantees
    ]
    return 1 - rarer + rarer * min([1.0, *apart])
