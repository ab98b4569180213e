"""Which features a sparse linear model needs: named one a round, by everybody's votes or scores.

Both ways ask a `Select` in each of s rounds; features named before get no more votes and a score of
zero. Once the support is known, least squares on it is a problem in s dimensions
(`tacit.learning.sufficient_statistics`).

**Votes.** People are dealt into B blocks by their public number. A block computes a lasso of its
own rows and votes for the s features of the largest weights.

1. Whatever a block computes, one changed person changes one block, so one ballot: every feature's
   votes move by one at most. So there is no bound on data and nothing is clipped. (For neighbours
   who add a person the same ballot would count as changed, not as added: that is replace-one, the
   only relation the question takes.)
2. It needs blocks large enough that a lasso finds most of the support, about 2 s ln p people, and
   enough of them: a feature on v ballots is named before p others on none if v e/2 is well above
   ln p, with e the epsilon of one round.

**Correlations.** A person's scores are -+l'(0, y) x_j, both signs of their part in the gradient at
w = 0: how much each feature alone would help. All people count at once, so far fewer are needed: of
ten features out of 10,000, for 1,000 people, all are named at epsilon 4, and by votes none at 16
(`bench/lasso.py`). But the largest correlations are the support only if features are nearly
uncorrelated. Frank-Wolfe asks the same of the residuals.

References:
    Kifer, Smith and Thakurta 2012, "Private convex empirical risk minimization and high-dimensional
        regression" (support by votes of blocks, then regression on it).
    Smith and Thakurta 2013, "Differentially private feature selection via stability arguments, and
        the robustness of the lasso".
    Beck and Teboulle 2009, "A fast iterative shrinkage-thresholding algorithm for linear inverse
        problems" (what a block computes).
    Fan and Lv 2008, "Sure independence screening for ultrahigh dimensional feature space".
"""

import math
from functools import partial
from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Num

from tacit.argument import got, is_whole, refuse_not_counted
from tacit.contribution import Counts, Cube
from tacit.learning.linear_risk import LinearRisk, People, Person, refuse_no_risk
from tacit.learning.terms import BothSigns
from tacit.question.participation import Everyone, Fixed
from tacit.question.sums import Mean, Select

# A block's penalty, as a part of the least that gives no weight to any feature; and its steps.
PENALTY, STEPS = 0.3, 100
NOTHING = -1


class Named(eqx.Module):
    """The public state: the answers so far, then -1; and how many there are."""

    answers: Int[Array, " size"]
    done: Int[Array, ""]

    @classmethod
    def none(cls, size: int) -> "Named":
        return cls(jnp.full(size, NOTHING, jnp.int32), jnp.zeros((), jnp.int32))

    def after(self, answer: Int[Array, ""]) -> "Named":
        return Named(self.answers.at[self.done].set(answer), self.done + 1)


@final
class Votes(eqx.Module):
    """Names the features with the most votes. A "person" of the population is a block's ballot.

    **Guarantee**: the question's own, for one person of a block. The population is
    `Arrays(ballots(...), name)`, under the name of the people who were dealt.

    Args:
      features: p.
      size: s, how many are named, and how many a block votes for.
    """

    features: int = eqx.field(static=True)
    size: int = eqx.field(static=True)

    def __check_init__(self):
        _check_size(self.size, self.features)

    def question(self, blocks: int) -> Select:
        """What is asked: of all blocks, under replace-one."""
        shape = Counts(self.features, self.size, 1)
        return Select(Mean(shape, Fixed(blocks), self.size, blocks))

    def init(self) -> Named:
        return Named.none(self.size)

    def ask(self, state: Named, person: Int[Array, " size"]) -> Float[Array, " features"]:
        """One for each feature on the ballot that is not named yet."""
        gone = jnp.any(person[:, None] == state.answers, axis=1) | (person < 0)
        places = jnp.where(gone, self.features, person)
        return jnp.zeros(self.features).at[places].set(1.0, mode="drop")

    def tell(self, state: Named, answer: Int[Array, ""]) -> Named:
        return state.after(answer)

    def released(self, state: Named) -> Int[np.ndarray, " support"]:
        """The support, in order. It has fewer than s features if one was named twice."""
        return np.unique(np.asarray(state.answers))


@final
class Correlations(eqx.Module):
    """Names the features of the largest correlation with the label. A person is (features, label).

    **Guarantee**: the question's own; terms are in its shape as they are made.

    Args:
      risk: of the loss whose slope at zero stands for the label, and the bound on features; its
        radius is not used.
      size: s, how many are named.
    """

    risk: LinearRisk = eqx.field(static=True)
    size: int = eqx.field(static=True)

    def __check_init__(self):
        refuse_no_risk(self.risk)
        _check_size(self.size, self.risk.dim)

    def question(self, people: int) -> Select:
        """What is asked: candidates j and p + j are feature j with either sign."""
        shape = Cube(2 * self.risk.dim, -self.risk.bound, self.risk.bound)
        return Select(Mean(shape, Everyone(), self.size, people))

    def init(self) -> Named:
        return Named.none(self.size)

    def ask(self, state: Named, person: Person) -> Float[Array, " candidates"]:
        """The person's slope at zero times their features, with both signs."""
        features, label = person
        slope = self.risk.slopes(jnp.zeros(()), label, self.risk.steepest)
        return self._both(state, slope * self.risk.cut(features))

    def terms(self, state: Named, people: People) -> BothSigns:
        """Everybody's, so that their sum is one matrix product."""
        features, labels = people
        rows, scores = self.risk.cut(features), jnp.zeros(len(features))
        return BothSigns(self.risk.gradients(rows, labels, scores), self._unnamed(state))

    def tell(self, state: Named, answer: Int[Array, ""]) -> Named:
        return state.after(answer % self.risk.dim)

    def released(self, state: Named) -> Int[np.ndarray, " support"]:
        """The support, in order. It has fewer than s features if one was named twice."""
        return np.unique(np.asarray(state.answers))

    def _both(self, state: Named, numbers: Float[Array, " dim"]) -> Float[Array, " candidates"]:
        left = jnp.where(self._unnamed(state), numbers, 0.0)
        return jnp.concatenate([-left, left])

    def _unnamed(self, state: Named) -> Bool[Array, " dim"]:
        """Which features have not been named yet."""
        places = jnp.where(state.answers < 0, self.risk.dim, state.answers)
        return jnp.ones(self.risk.dim, bool).at[places].set(False, mode="drop")


def deal(
    features: Num[np.ndarray, "people features"], labels: Num[np.ndarray, " people"], blocks: int
) -> tuple[Float[np.ndarray, "blocks rows features"], Float[np.ndarray, "blocks rows"]]:
    """Person i goes to block i modulo `blocks`. Blocks are filled up with rows of zeros.

    Raises:
      ValueError: if there are not from one to as many blocks as people.
    """
    people = len(features)
    if not (is_whole(blocks) and 1 <= blocks <= people):
        raise ValueError(f"blocks must be between 1 and the {people} people, got {got(blocks)}")
    rows = math.ceil(people / blocks)
    filled = np.zeros((rows * blocks, features.shape[1]), np.float32)
    filled[:people] = features
    padded = np.zeros(rows * blocks, np.float32)
    padded[:people] = labels
    places = np.arange(rows * blocks).reshape(rows, blocks).T
    return filled[places], padded[places]


def ballots(
    features: Float[np.ndarray, "blocks rows features"],
    labels: Float[np.ndarray, "blocks rows"],
    size: int,
) -> Int[np.ndarray, "blocks size"]:
    """Each block's vote: its `size` features of the largest weights; -1 in place of a weight zero.

    **Guarantee**: a ballot depends on the rows of its own block only.
    """
    _check_size(size, features.shape[2])
    return np.stack([_ballot(*own, size) for own in zip(features, labels, strict=True)])


def lasso(
    rows: Float[Array, "rows features"], labels: Float[Array, " rows"]
) -> Float[Array, " features"]:
    """Nearly the minimiser of |rows w - labels|²/2 + penalty |w|_1, by accelerated steps.

    The penalty is a part `PENALTY` of |rows' labels|_inf, from which on the minimiser is zero.
    """
    penalty = PENALTY * jnp.max(jnp.abs(labels @ rows))
    step = 1 / jnp.maximum(jnp.linalg.eigvalsh(rows @ rows.T)[-1], 1e-30)

    def move(_, carry):
        weights, ahead, pace = carry
        free = ahead - step * ((rows @ ahead - labels) @ rows)
        after = free - jnp.clip(free, -step * penalty, step * penalty)
        next_pace = (1 + jnp.sqrt(1 + 4 * pace**2)) / 2
        return after, after + (pace - 1) / next_pace * (after - weights), next_pace

    zeros = jnp.zeros(rows.shape[1])
    return jax.lax.fori_loop(0, STEPS, move, (zeros, zeros, jnp.ones(())))[0]


@partial(jax.jit, static_argnums=2)
def _ballot(rows: Array, labels: Array, size: int) -> Int[Array, " size"]:
    weights = lasso(jnp.nan_to_num(rows), jnp.nan_to_num(labels))
    sizes, places = jax.lax.top_k(jnp.nan_to_num(jnp.abs(weights)), size)
    return jnp.where(sizes > 0, places, NOTHING)


def _check_size(size: Any, features: Any) -> None:
    refuse_not_counted("features", features)
    if not (is_whole(size) and 1 <= size <= features):
        raise ValueError(f"size must be between 1 and the {features} features, got {got(size)}")
