"""Reconstruction under Gaussian noise: a bound on how often it succeeds, over people and noise.

`reconstruction.after` bounds the chance of a breach after *every* report, and needs pure privacy.
Gaussian noise has no such bound: a rare draw may show anything. Its chance over people and noise
together is bounded still.

**Setting.** Somebody's data X come from a prior under which the best fixed guess succeeds with
probability p at most. An onlooker sees Z = g(X) + N(0, sigma² I), with |g(X) - c| <= r for a public
c, and guesses v(Z). Let mu = r/sigma, and G(q) = Phi(Phi^-1(q) + mu).

**Proof.**

1. Let A(x) be the z whose guess succeeds for x, and Q = N(c, sigma² I), which depends on nobody. By
   Neyman and Pearson's lemma an event of probability q under Q has probability at most G(q) under a
   Gaussian whose mean is r away.
2. G rises, and is concave: it is one minus a trade-off function. So by Jensen's inequality

       P[success] <= E G(Q(A(X))) <= G(E Q(A(X))) = G(E_{z ~ Q} P[v(z) succeeds for X]) <= G(p):

   under Q what is seen is independent of X, and every guess is then a fixed one.
3. Two points at distance 2r with probability 1/2 each attain it: the likelier side is right with
   chance Phi(mu).

The distance is that from the centre, not that of two people, which may be twice as large: a vector
clipped to length C has r = C.

References:
    Balle, Cherubin, Hayes (2022), "Reconstructing training data with informed adversaries";
    Hayes, Mahloujifar, Balle (2023), "Bounding training data reconstruction in DP-SGD", Theorem 2.
    Dong, Roth, Su (2022), "Gaussian differential privacy", for G.
"""

import math

from scipy.special import log_ndtr, ndtri_exp

from tacit.argument import got, is_number, refuse_not_positive


def after_gaussian(log_prior: float, radius: float, sigma: float) -> float:
    """The largest chance of a breach, over people and noise, of a Gaussian with this deviation.

    Args:
      log_prior: a prior's `log_breach`.
      radius: how far any person's vector is from a public point in L2: the clipping norm.
      sigma: the standard deviation of the noise on each number.
    """
    if not (is_number(log_prior) and log_prior <= 0):
        raise ValueError(f"log_prior must be at most zero, got {got(log_prior)}")
    refuse_not_positive("radius", radius)
    refuse_not_positive("sigma", sigma)
    if math.isinf(log_prior):
        return 0.0
    # The smallest number there is, where the exact one is smaller: a chance is not impossible.
    return math.exp(log_ndtr(ndtri_exp(log_prior) + radius / sigma)) or math.ulp(0.0)
