"""A clipping bound that follows a quantile of the norms, paid for by a share of one release.

A fixed bound has to be guessed before anything is known about gradients or updates, and they shrink
as training goes on. Here the bound C is public state. Besides the clipped vector, each person says
in one bit whether theirs was within C; if more than the wanted fraction were, C is too large. With
b the noisy fraction of norms within C and q the wanted one,

    C <- C exp(-pace (b - q)),

so C moves by factors, finds its scale from anywhere, and rests where b = q: at the q-quantile of
the norms.

**One question.** A person's term is `(clip(v, C) / C, ±1/2)`: a vector of the unit ball and a
number of [-1/2, 1/2], whatever C is. So the shape, the noise and the promise stay the same in all
rounds, there is one charge for both, and following the quantile spends a public share of it
(`Product`). Centred bits move the sum by 1/2 and not by 1. The answer is multiplied by C
afterwards, as C is public.

**Guarantee**: the plan's, for vectors and bounds together. C is a function of the bits' answers
alone. With Gaussian noise of multiplier z for both, the bits by themselves are a release of
multiplier `z / sqrt(share)`, and the vectors one of `z / sqrt(1 - share)`: inverse squares of
multipliers add up to 1/z², so what C shows beyond its share would be missing from the noise of the
vectors. With pure noise of epsilon a round the bits are `share epsilon`-private.

**Error**: with Gaussian noise of multiplier z the noise of a mean vector grows by a factor of
`1/sqrt(1 - share)`, and that of b has deviation `z / (2 sqrt(share) cohort)`; Poisson cohorts add
`1 / (2 sqrt(cohort))` of their own at most (deviations add as squares).

References:
    Andrew, Thakkar, McMahan, Ramaswamy. Differentially private learning with adaptive clipping.
        NeurIPS 2021, Algorithm 1.
"""

from typing import final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from tacit.argument import got, is_number, refuse_no_share, single
from tacit.contribution import Ball, Interval, Product
from tacit.learning.clipping import LARGEST, SMALLEST
from tacit.learning.rates import as_number

Bound = Float[Array, ""]


@final
class QuantileBound(eqx.Module):
    """How a clipping bound starts, what it follows, and what that costs.

    | a vector of norm | its term |
    | --- | --- |
    | at most C | the vector over C, and 1/2 |
    | more than C | its direction, and -1/2 |
    | that is not finite | that of a vector of zeros |

    Args:
      start: the first round's bound.
      quantile: the fraction of vectors to leave as they are, in (0, 1).
      pace: a round changes the bound by a factor of e^pace at most, noise aside; in (0, 1].
      share: of the budget, for the bits, in (0, 1).

    Raises:
      ValueError: if a number is outside its range.
    """

    start: Bound = eqx.field(converter=as_number, default=0.1)
    quantile: Float[Array, ""] = eqx.field(converter=as_number, default=0.5)
    pace: Float[Array, ""] = eqx.field(converter=as_number, default=0.2)
    share: float = eqx.field(static=True, default=0.01)

    def __check_init__(self):
        start, pace = single(self.start), single(self.pace)
        if not (is_number(start) and SMALLEST <= start <= LARGEST):
            raise ValueError(
                f"a bound must start between {SMALLEST:g} and {LARGEST:g}, got {got(start)}"
            )
        refuse_no_share("quantile", single(self.quantile))
        if not (is_number(pace) and 0 < pace <= 1):
            raise ValueError(f"pace must be above 0 and at most 1, got {got(pace)}")
        refuse_no_share("share", self.share)

    def shape(self, dim: int) -> Product:
        """What is asked for, of vectors of so many numbers."""
        shares = (1 - self.share, self.share)
        return Product(Ball(dim, 1.0), Interval(-0.5, 0.5), shares=shares)

    def term(self, vector: Float[Array, " dim"], bound: Bound) -> Float[Array, " numbers"]:
        """A person's vector and bit."""
        squared = jnp.sum(jnp.square(vector))
        vector = jnp.where(jnp.isfinite(squared), vector, 0)
        norm = jnp.sqrt(jnp.where(jnp.isfinite(squared), squared, 0))
        return jnp.append(vector / jnp.maximum(norm, bound), within(norm, bound))

    def told(
        self, bound: Bound, answer: Float[Array, " numbers"]
    ) -> tuple[Float[Array, " dim"], Bound]:
        """The mean vector in its own units, and the bound of the next round."""
        return bound * answer[:-1], self.followed(bound, answer[-1] + 0.5)

    def followed(self, bound: Bound, fraction: Float[Array, ""]) -> Bound:
        """The next bound, after one that this fraction of the norms, noise included, kept to.

        Noise may carry it anywhere, so it is kept to the bounds that clipping can keep.
        """
        moved = bound * jnp.exp(-self.pace * (fraction - self.quantile))
        return jnp.clip(moved, SMALLEST, LARGEST)


def within(norms: Float[Array, "*people"], bound: Bound) -> Float[Array, "*people"]:
    """The bits: whether norms keep to the bound."""
    return jnp.where(norms <= bound, 0.5, -0.5)
