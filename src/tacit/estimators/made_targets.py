"""People with made targets, on whom a regression's loss is foreseen before anybody is asked.

Rows are those of `made_people`: their second moments have eigenvalues h_j that add up to `SPREAD`
and decay as those of tables do. Targets are in [-1, 1]; the best weights are alike in all
directions, w_j² = w², and explain a variance of `EXPLAINED`; what they leave is normal, of
deviation `LEFT`. Of Huber's loss of width a only residuals within it bend, so its curvature has
eigenvalues b h_j with the chance b = P(|residual| <= a). A fit with a penalty p and noise of
deviation v a coordinate on the mean gradient has weights

    (b h_j w_j + noise of variance v² + b h_j LEFT²/n) / (b h_j + p),

and the **share lost** of what can be explained is sum h_j (found_j - w_j)² / `EXPLAINED`. Unlike a
classifier's it counts how long the weights are: where noise alone is learnt it exceeds one.
"""

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from tacit.estimators.made_people import SPREAD, Numbers, moments

EXPLAINED, LEFT = 0.08, 0.25


@final
@dataclass(frozen=True)
class MadeTargets:
    """So many people of one loss.

    Args:
      people: how many.
      features: how many each has, a constant apart; at least 1.
      width: of Huber's loss; infinite for squares.
    """

    people: int
    features: int
    width: float

    def lost(self, penalty: Numbers, noise: Numbers | float) -> Numbers:
        """The share lost under these penalties and deviations of noise on the mean gradient."""
        penalty, noise = penalty[:, None], np.broadcast_to(noise, penalty.shape)[:, None]
        spread = moments(self.features)
        bent = math.erf(self.width / (LEFT * math.sqrt(2))) * spread
        short = penalty**2 * EXPLAINED / SPREAD
        wrong = (short + noise**2 + bent * LEFT**2 / self.people) / (bent + penalty) ** 2
        return (spread * wrong).sum(1) / EXPLAINED
