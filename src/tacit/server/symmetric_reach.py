"""How far noise on a symmetric sum moves a weighted sum of its numbers: at most so far, but for a
stated chance.

For symmetric noise E and weights W what is asked is a t with P(|<W, E>| > t) <= chance. Nobody has
to know W itself: a matrix A with W W <= A (their difference has no negative eigenvalue) will do.

1. *Gaussian* (`server.symmetric`): with variance v on the diagonal and v/2 off it <W, E> is normal
   of variance v tr(W W) <= v tr(A).
2. *The difference of two Wisharts* (`mechanisms.additive.wishart`): E = (U V' + V U')/(2 rate), U
   and V being d x n standard normals, n = d + 1, so that <W, E> = tr(V'W U)/rate. Given U that is
   normal of variance tr(U'W W U)/rate² <= tr(U'A U)/rate², and a normal number of larger variance
   is beyond t with a larger chance. So <W, E> is beyond t with no larger chance than L is, where L
   is made of the root of A instead. With A's eigenvalues a_k its characteristic function is

       f(s) = product of (1 + s² a_k/rate²)^(-n/2),     of variance n tr(A)/rate².

3. Let L have variance one. By Poisson's summation formula

       (2/pi) (h x/2 + sum over k >= 1 of sin(k h x) f(k h)/k)

   is what |L - 2 pi m/h| <= x for some whole m has for its chance, which is that of |L| <= x and at
   most P(|L| > 2 pi/h - x) more. With 2 pi/h = `PERIOD` and x <= `PERIOD`/2 that is
   2 exp(-t `PERIOD`/2) (1 - t²/n)^(-n/2) at most, for t² <= n/2: below 1e-15 from n = 3 on, as
   t = (3/2)^(1/2) shows for all n. Of at most `ROOT` eigenvalues one is 1/(`ROOT` n) or more, so
   that terms from k on add up to less than (2/(pi n)) (h k)^-n (`ROOT` n)^(n/2): as many are
   summed as make that `CUT`.

Both are rounded to whole steps, by half of one for each number, and |W| (the sum of sizes) is at
most `ROOT` times the root of tr(A), W having so many rows. What samplers are off their laws by
comes off the chance, and so does `CUT` twice.
"""

import math

import numpy as np
from jaxtyping import Float
from scipy import stats

from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.wishart import WishartDifference
from tacit.plan import Identity, Plan
from tacit.server.means import NoisyMean, PlainMean
from tacit.server.symmetric import SymmetricMean

# Rows of W, at most.
ROOT = 3
# Step 3 needs a period whose half is many deviations: at 30 its error is below 1e-15. What is cut
# comes off the chance, of which 1e-7 is little; ten times less takes 10^(1/n) times as many terms.
PERIOD, CUT = 60.0, 1e-7
# Of half a period, which leave a millionth of a deviation; the upper end is what is said.
BISECTIONS = 25

Squares = Float[np.ndarray, "some rows rows"]


def symmetric_reach(
    plan: Plan, squares: Squares, chance: float
) -> Float[np.ndarray, " some"] | None:
    """t for each A, rounded up, in the units of the sum; None if nothing is known of such noise.

    Args:
      plan: for a symmetric sum, of a curator.
      squares: A, of at most three rows and columns each: those where W is not zero.
      chance: above 0 and below 1.
    """
    server, found = plan.server, None
    left = max(chance - server.facts.tv_distance, 0.0)
    deviations = np.sqrt(np.trace(squares, axis1=1, axis2=2))
    match plan.device, server:
        case Identity(), PlainMean():
            return np.zeros(len(squares))
        case Identity(), SymmetricMean(mechanism=Gaussian() as noise):
            found = noise.sigma * stats.norm.isf(left / 2) * deviations
        case Identity(), NoisyMean(mechanism=WishartDifference() as noise):
            found = _of_wisharts(noise, squares, left)
    if found is None:
        return None
    return found * (1 + 1e-9) + ROOT * deviations * server.grid / 2


def _of_wisharts(
    noise: WishartDifference, squares: Squares, chance: float
) -> Float[np.ndarray, " some"]:
    rate, degrees = noise.epsilon / noise.sensitivity, noise.dimension + 1
    values = np.maximum(np.linalg.eigvalsh(squares), 0.0)
    whole = np.sum(values, axis=1, keepdims=True)
    parts = np.divide(values, whole, out=np.full_like(values, 1 / ROOT), where=whole > 0)
    return _unit_reach(parts, degrees, chance) * np.sqrt(degrees * whole[:, 0]) / rate


def _unit_reach(
    parts: Float[np.ndarray, "some rows"], degrees: int, chance: float
) -> Float[np.ndarray, " some"]:
    """Of L of variance one, whose eigenvalues are in these parts."""
    step = 2 * math.pi / PERIOD
    last = math.sqrt(ROOT * degrees) * (2 / (math.pi * degrees * CUT)) ** (1 / degrees)
    places = step * np.arange(1, math.ceil(last / step) + 1)
    powers = np.log1p(places**2 * parts[:, :, None] / degrees).sum(axis=1)
    heights = np.exp(-degrees / 2 * powers) / places
    low, high = np.zeros(len(parts)), np.full(len(parts), PERIOD / 2)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        waves = np.einsum("sk,sk->s", np.sin(middle[:, None] * places), heights)
        within = step * (middle + 2 * waves) / math.pi
        enough = 1 - within + 2 * CUT <= chance
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(high < PERIOD / 2, high, np.inf)
