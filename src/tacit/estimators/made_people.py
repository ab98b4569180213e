"""People made of public numbers alone, on whom a fit's loss is foreseen before anybody is asked.

A linear model of d features, the constant apart. The curvature of the mean loss has eigenvalues

    h_j = `bend` `SPREAD` j^-DECAY / sum_i i^-DECAY,    j = 1 ... d,

for rows in the ball whose second moments about the constant add up to `SPREAD` and decay as those
of tables do; `bend` is the loss's mean curvature. The best weights are alike in all directions,
w_j² = w², and their scores vary by `SCORES`. A fit of n people with a penalty p and noise of
deviation v a coordinate on the mean gradient has, to second order, weights

    (h_j w_j + noise of variance v² + h_j/n) / (h_j + p),

h_j/n being what other people would have given. With g_j = h_j/(h_j + p), the scores it gives are
correlated with the best ones by

    (sum h g w²)² / (sum h w² . sum h (g² w² + (v² + h/n)/(h + p)²)),

squared, and one minus that is the **share lost**. It does not change with the scale of the weights,
which neither ranking nor classes rest on.

Descent of T rounds at rate r is like a penalty of 4/(3 r T): its mean over the later half has gone
three quarters of the way on average, and a direction that it has not finished is shortened like one
that is penalised.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

from tacit.solve.losses import Loss

# Fitted on public tables (bench/defaults.py): one set of numbers for all.
SPREAD, DECAY, SCORES = 0.8, 2.0, 4.0
_MADE = 512

Numbers = Float[np.ndarray, " settings"]


@final
@dataclass(frozen=True)
class MadePeople:
    """So many people of one loss.

    Args:
      people: how many.
      features: how many each has, a constant apart; at least 1.
      bend: the loss's mean curvature, of one score.
    """

    people: int
    features: int
    bend: float

    def lost(self, penalty: Numbers, noise: Numbers | float) -> Numbers:
        """The share lost under these penalties and deviations of noise on the mean gradient."""
        bent = self.bend * moments(self.features)
        # All weights are alike; their scores vary by SCORES.
        square = SCORES / SPREAD
        penalty, noise = penalty[:, None], np.broadcast_to(noise, penalty.shape)[:, None]
        kept = bent / (bent + penalty)
        wrong = (noise**2 + bent / self.people) / (bent + penalty) ** 2
        along = (bent * kept).sum(1) * square
        across = (bent * (kept**2 * square + wrong)).sum(1)
        return 1 - along**2 / (bent.sum() * square * across)


def moments(features: int) -> Float[np.ndarray, " features"]:
    """The eigenvalues of made rows' second moments about the constant, from the largest."""
    decay = np.arange(1.0, features + 1) ** -DECAY
    return SPREAD * decay / decay.sum()


def mean_bend(loss: Loss) -> float:
    """A loss's curvature a score, in the mean over made scores."""
    numbers = np.random.default_rng(0)
    scores = SCORES**0.5 * numbers.normal(size=(_MADE, *loss.outputs))
    if not loss.outputs:
        labels = np.where(scores + numbers.logistic(size=_MADE) > 0, 1.0, -1.0)
        return float(loss.curvature(scores, labels).mean())
    labels = (scores + numbers.gumbel(size=scores.shape)).argmax(axis=1).astype(float)
    bends = loss.curvature(scores, labels)
    return float(np.trace(bends, axis1=1, axis2=2).mean() / loss.outputs[0])
