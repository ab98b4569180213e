"""Points of a sphere and their opposites, in families: many for few Gaussians, each by itself.

In many dimensions d a family is of n = gcd(d, 8) points, the dimension of the real, complex,
quaternion or octonion numbers. Left multiplication by their units e_1 .. e_n, with R^d taken as d/n
of these numbers, is a signed permutation each, and e_1 x .. e_n x are orthonormal for every unit x
(Hurwitz). With v uniform on the sphere and P a signed permutation of the round's, uniform too, the
points are P^T e_s v. Each is uniform. Along a unit u they have the heights

    t_s = <v, x_s>,   x_s = e_s^T P u orthonormal,

n coordinates of v, and v's rest is uniform beside them. In fewer than `_MANY` dimensions the t_s
would be far from independent, and a family is of one point. Let f depend on u through all |t|.

1. *Means.* Of P^T e_s v, what is beside t_s u lies along v's rest and other t_r, whose signs are
   random given all |t|. So E[sign(t_s) f P^T e_s v] is along u, for every P.
2. *Second moments.* Beside u, E[f P^T e_s v v^T e_s^T P] is equal in all directions. For it is a
   sum over r of E[f t_r²] xx^T, x = P^T e_s e_r^T P u, and of E[f] times the rest's, which is I
   less such. Where r is not s, e_s e_r^T is a skew signed permutation, and P pairs u's coordinates
   at random: x_i = +-u_j with x_j = -+u_i. So E[xx^T] = (I - uu^T)/(d-1), and P tells nothing of t.
3. *The highest.* Of m independent points, |t| is among the k largest if its tail mass is under the
   k-th smallest of the m - 1 others', which is Beta(k, m-k). |t| above h has the partial mean 2G
   = 2 (1 - h²)^((d-1)/2) / ((d-1) B(1/2, (d-1)/2)), so the k have m/k E[2G] at the h whose tail
   mass is that Beta variable. As a function of its normal quantile the integrand is smooth and
   falls like a Gaussian: the trapezoidal rule is exact to rounding.
4. *Families.* Their t_s² are of a Dirichlet law, and families independent, so the |t| of all are
   negatively associated (Joag-Dev and Proschan 1983), and the mean of a submodular function, such
   as the sum of the k largest, is no smaller than that (Christofides and Vaggelatou 2004). It is no
   larger than k times the mean of |t| in the two caps of mass k/m, since the sum of the k largest
   is at most k c + sum of (|t| - c)+ at every c. The same is true of squares.

References:
    Joag-Dev and Proschan 1983, "Negative association of random variables".
    Christofides and Vaggelatou 2004, "A connection between supermodular ordering and
    positive/negative association".
"""

import math

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int32, PRNGKeyArray, UInt32
from scipy.special import betaincinv, betaln, ndtr

# Dimensions from which on families are of several points.
_MANY = 128
# There are no others.
_OCTONIONS = 8
# Numbers in a block of points, as for PrivUnit2.
_BLOCK = 2**19
# Of step 3: beyond nine deviations a normal has 2e-19, and finer steps move a mean by 4e-15.
_NODES = np.linspace(-9.0, 9.0, 181)
_WEIGHTS = np.exp(-0.5 * _NODES**2) / np.exp(-0.5 * _NODES**2).sum()

Turn = tuple[Int32[Array, " dim"], Float[Array, " dim"]]


def members(dim: int) -> int:
    """n: how many points a family has."""
    return math.gcd(dim, _OCTONIONS) if dim >= _MANY else 1


def turn(public: PRNGKeyArray, dim: int) -> Turn:
    """P: which coordinate comes to each place, and with which sign."""
    for_order, for_flips = jax.random.split(public)
    flips = jax.random.bernoulli(for_flips, shape=(dim,))
    return jax.random.permutation(for_order, dim), jnp.where(flips, 1.0, -1.0)


def heights(
    own: PRNGKeyArray, turn: Turn, unit: Float[Array, " dim"], families: int
) -> Float[Array, " points"]:
    """<y, u> for each point y of so many families.

    Args:
      own: Public, of one person in one round.
      turn: P.
      unit: u.
      families: How many.
    """
    along = _along(turn, unit)

    def family(index: UInt32[Array, ""]) -> Float[Array, " members"]:
        return jnp.matmul(along, _drawn(own, index, unit.size), precision="highest")

    block = min(max(1, _BLOCK // unit.size), families)
    which = jnp.arange(families, dtype=jnp.uint32)
    return jax.lax.map(family, which, batch_size=block).reshape(-1)


def ranked(heights: Float[Array, " points"], rank: UInt32[Array, ""]) -> Int32[Array, ""]:
    """The number of this rank by height among points and opposites: 2i of point i, then 2i + 1.

    For any heights at all, every number has one rank.
    """
    half = heights.size
    order = jnp.argsort(jnp.abs(heights), descending=True)
    low = rank >= half
    point = order[jnp.where(low, 2 * half - 1 - rank, rank)]
    return 2 * point.astype(jnp.int32) + ((heights[point] < 0) ^ low)


def opposite(numbers: Int32[Array, " n"]) -> Int32[Array, " n"]:
    """Those of the opposites of these points."""
    return numbers ^ 1


def one(own: PRNGKeyArray, turn: Turn, number: UInt32[Array, ""]) -> Float[Array, " dim"]:
    """The point or opposite of this number."""
    order, flips = turn
    many, index = members(order.size), number // 2
    which = jnp.arange(many, dtype=jnp.uint32) ^ (index % many)
    numbers = _drawn(own, index // many, order.size).reshape(many, -1)
    product = jnp.asarray(signs(many))[index % many, which][:, None] * numbers[which]
    point = jnp.zeros(order.size).at[order].set(product.reshape(-1) * flips)
    return jnp.where(number % 2 == 1, -point, point)


def signs(many: int) -> Float[np.ndarray, "{many} {many}"]:
    """Those of e_s e_r = +-e_(s xor r), doubled as Cayley and Dickson do."""
    found = np.ones((1, 1), np.float32)
    while len(found) < many:
        conjugate = np.where(np.arange(len(found)) == 0, 1, -1).astype(np.float32)
        found = np.block([[found, found.T], [found * conjugate, -found.T * conjugate]])
    return found


def mean_of_highest(dim: int, closest: int, points: int) -> float:
    """The mean of the `closest` largest |t| of so many independent points: step 3."""
    others = points - closest
    mass = betaincinv(closest, others, ndtr(_NODES)) if others else np.ones_like(_NODES)
    return 2 * points / closest * float(_WEIGHTS @ _partial(dim, mass))


def caps(dim: int, mass: float) -> tuple[float, float]:
    """The lowest height of a cap that has, with its opposite, this mass; and the mean of |t|.

    Of step 4: no points have a larger one.
    """
    square = float(betaincinv(0.5 * (dim - 1), 0.5, mass))
    return math.sqrt(1 - square), 2 / mass * float(_partial(dim, mass))


def _partial(dim: int, mass: Float[np.ndarray, " masses"] | float) -> Float[np.ndarray, " masses"]:
    """G at the height that |t| exceeds with this probability."""
    half = 0.5 * (dim - 1)
    square = np.asarray(betaincinv(half, 0.5, mass))
    return square**half / ((dim - 1) * math.exp(betaln(0.5, half)))


def _along(turn: Turn, unit: Float[Array, " dim"]) -> Float[Array, "members dim"]:
    """x_s for each s."""
    order, flips = turn
    many = members(unit.size)
    numbers = (unit[order] * flips).reshape(many, -1)
    which = np.arange(many)[:, None] ^ np.arange(many)
    return (jnp.asarray(signs(many))[:, :, None] * numbers[which]).reshape(many, -1)


def _drawn(own: PRNGKeyArray, family: UInt32[Array, ""], dim: int) -> Float[Array, " {dim}"]:
    """v."""
    gaussian = jax.random.normal(jax.random.fold_in(own, family), (dim,))
    return gaussian / jnp.sqrt(jnp.sum(gaussian * gaussian))
