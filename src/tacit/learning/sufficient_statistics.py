"""Linear regression from one question: everybody's squares and products at once.

A person with features x and label y is z = (x/R, y/B), both parts shortened to norm one. Their term
is the matrix z z', packed: its upper triangle, with what is off the diagonal times sqrt(2). Packing
keeps inner products, so a term has norm |z|² <= 2 and one ball holds all of them; the units of x
and y do not matter. In the mean M of all terms, least squares is A^-1 b, with A and b the blocks of
x x' and x y.

**Noise.** Independent normals of deviation s on the packed numbers are a random symmetric matrix E,
the same in every basis. Its largest eigenvalue is at most s sqrt(2p) in the mean, in p dimensions:
E (u'Eu - v'Ev)² = s² |uu' - vv'|² <= 2 s² |u - v|², no more than for sqrt(2) s <g, u> with g of p
normals (Sudakov and Fernique). As it is an s-Lipschitz function of normals, Gaussian concentration
on both sides gives

    |E| <= `spectral_bound` = s (sqrt(2p) + sqrt(2 log(2/(1 - confidence))))

with that confidence. Call it r; it also bounds the blocks of E in A and in b.

**Ridge** (AdaSSP). Everything is a function of the noisy M, so nothing more is spent. Let m be the
least eigenvalue of the noisy A, or 0 if it is negative: negative eigenvalues become 0, as no data
has such. By Weyl the true one is at least m - r, and with

    ridge = max(0, r - max(0, m - r))

the matrix that is inverted has no eigenvalue below r, so the noise is never multiplied by more than
1/r; where the data fix all directions well (m >= 2r) there is no ridge and so no bias from it.

**Error.** If the true A has no eigenvalue below a >= 3r, then m >= 2r, and from
(A + E_A)(w - w*) = E_b - E_A w* with that confidence

    |w - w*| <= r (1 + |w*|)/(a - r),

w* being least squares on the shortened data, both in the units of z. Wang proves a rate without the
premise on A, optimal up to logarithms; there three releases share the budget, here is only one.

References:
    Wang 2018, "Revisiting differentially private linear regression: optimal and adaptive prediction
        & estimation in unbounded domain", Algorithm 2 (AdaSSP).
    Vershynin 2018, "High-dimensional probability", chapter 7 (Sudakov and Fernique).
"""

import math
from typing import Any, TypeVar, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Num

from tacit.argument import (
    counted,
    refuse_negative,
    refuse_no_share,
    refuse_not_counted,
    refuse_not_positive,
)
from tacit.contribution import Ball
from tacit.contribution.packing import packed, unpacked
from tacit.learning.terms import Squares
from tacit.question.participation import Participation
from tacit.question.sums import Mean

# A number, or one that is traced.
_Number = TypeVar("_Number", float, Array)

# That noise is no larger than a ridge is made for.
CONFIDENCE = 0.95
# Eigenvalues of a float32 answer below this part of the largest are its rounding.
_ROUNDING = 1e-6


class Moments(eqx.Module):
    """The mean of the answers, as a matrix, and how many they are."""

    matrix: Float[Array, "size size"]
    rounds: Int[Array, ""]


@final
class SufficientStatistics(eqx.Module):
    """Asks for all second moments of features and label, and solves for the coefficients.

    **Guarantee**: the question's own. Terms have norm at most 2, the radius of the question's ball,
    so the clip changes nothing; `tell` and `coefficients` see nothing but its answers.

    | person | counts as |
    | --- | --- |
    | features longer than `bound` | themselves, shortened to it |
    | a label beyond `label_bound` | the nearer of +-`label_bound` |
    | a feature or label NaN or infinite | nobody: the term is zero |

    There is no intercept but a constant feature. Noise is in proportion to the bounds: those that
    few people exceed are better than those that nobody does.

    Args:
      features: how many numbers a person has beside the label.
      bound: of the features' L2 norm.
      label_bound: of the label's size.

    Raises:
      ValueError: if a number is out of its range.
    """

    features: int = eqx.field(static=True, converter=counted)
    bound: float
    label_bound: float

    def __check_init__(self):
        refuse_not_counted("features", self.features)
        for name, value in (("bound", self.bound), ("label_bound", self.label_bound)):
            refuse_not_positive(name, value)

    def question(self, participation: Participation, rounds: int, people: int) -> Mean:
        """What this asks of `people` people: one round of everyone, or each person in one."""
        size = self.features + 1
        return Mean(Ball(size * (size + 1) // 2, 2.0), participation, rounds, people)

    def init(self) -> Moments:
        size = self.features + 1
        return Moments(jnp.zeros((size, size)), jnp.zeros((), jnp.int32))

    def ask(self, state: Moments, person: tuple[Array, Array]) -> Float[Array, " packed"]:
        del state
        own = self._scaled(*(jnp.asarray(leaf)[None] for leaf in person))[0]
        return packed(jnp.outer(own, own))

    def terms(self, state: Moments, people: Any) -> Squares:
        """Everybody's, so that their sum is one matrix product."""
        del state
        scaled = self._scaled(*people)
        return Squares(scaled, jnp.ones(len(scaled)))

    def tell(self, state: Moments, answer: Float[Array, " packed"]) -> Moments:
        rounds = state.rounds + 1
        step = (unpacked(answer) - state.matrix) / rounds
        return Moments(state.matrix + step, rounds)

    def ridge(self, state: Moments, noise: float, confidence: float = CONFIDENCE) -> float:
        """What is added to the eigenvalues of the noisy A, in the units of z.

        Args:
          state: after all rounds.
          noise: deviation of each number of one answer: the plan's `server.facts.noise` over the
            question's `cohort`.
          confidence: that the noise is as small as supposed.

        Raises:
          ValueError: if the noise is negative or the confidence not in (0, 1).
        """
        return self._ridge(self._spectrum(state)[0], state, noise, confidence)

    def coefficients(
        self, state: Moments, noise: float, confidence: float = CONFIDENCE
    ) -> Float[np.ndarray, " features"]:
        """The regression's coefficients, in the data's own units; arguments as for `ridge`.

        Without noise and ridge they are the shortest least squares.
        """
        values, vectors = self._spectrum(state)
        raised = np.maximum(values, 0) + self._ridge(values, state, noise, confidence)
        usable = raised > _ROUNDING * max(raised[-1], _ROUNDING)
        inverse = np.where(usable, 1 / np.where(usable, raised, 1), 0)
        products = np.asarray(state.matrix, np.float64)[:-1, -1]
        return self.label_bound / self.bound * (vectors @ (inverse * (vectors.T @ products)))

    def _scaled(
        self, features: Num[Array, "people features"], labels: Num[Array, " people"]
    ) -> Float[Array, "people size"]:
        rows = Ball(self.features, self.bound).project(features) / self.bound
        labels = labels / self.label_bound
        # After the division: with a bound that float32 does not know, zero over zero is no number.
        usable = jnp.isfinite(features).all(axis=1) & jnp.isfinite(labels)
        clipped = jnp.clip(labels, -1, 1)[:, None]
        return jnp.where(usable[:, None], jnp.concatenate([rows, clipped], axis=1), 0)

    def _spectrum(self, state: Moments) -> tuple[np.ndarray, np.ndarray]:
        return np.linalg.eigh(np.asarray(state.matrix, np.float64)[:-1, :-1])

    def _ridge(self, values: np.ndarray, state: Moments, noise: float, confidence: float) -> float:
        refuse_negative("noise", noise)
        averaged = noise / math.sqrt(max(int(state.rounds), 1))
        reach = spectral_bound(averaged, self.features + 1, confidence)
        return max(0.0, reach - max(0.0, float(values[0]) - reach))


def spectral_bound(noise: _Number, size: int, confidence: float = CONFIDENCE) -> _Number:
    """What the norm of the noise in a packed matrix exceeds with chance 1 - `confidence` at most.

    Args:
      noise: the deviation of each packed number, if they are normal.
      size: of the matrix.
      confidence: in (0, 1).
    """
    refuse_no_share("confidence", confidence)
    return noise * (math.sqrt(2 * size) + math.sqrt(2 * math.log(2 / (1 - confidence))))
