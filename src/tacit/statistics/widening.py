"""Bounds that are widened, one side after the other, until hardly anybody is outside.

Places are public, and known before the data: zero, and a first step doubled again and again. Of
everybody it is asked whether they are beyond a place, on the upper side first; at the first place
beyond which so few are that a noisy count says so, that side ends, and the lower one begins. This
is the sparse vector technique: an `Above` of two positives, whatever the number of places, so what
is paid does not grow with how far people are (Durfee 2023 asks it of one quantile).

Asked is the sum of minus one for whoever is outside, and whether it reaches minus `allowed`. One
who comes or goes moves all such sums the same way, and it does not matter how many people there
are, nor how many have no number: these are outside of nothing.
"""

from typing import NamedTuple, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

# A first step of a cent reaches beyond 10^17, and one of a nanosecond 500 years.
DOUBLINGS = 64
# From zero on, by the first step.
PLACES = DOUBLINGS + 2


class Widened(NamedTuple):
    """The place of either side so far, and which side is asked about: upper, lower or none."""

    upper: Int[Array, ""]
    lower: Int[Array, ""]
    side: Int[Array, ""]


@final
class Widening(eqx.Module):
    """Asks whether each person is outside; a person is the first place they are not beyond.

    That is a whole number from zero, or one below it for numbers below zero (`placed`).
    """

    def init(self) -> Widened:
        zero = jnp.zeros((), jnp.int32)
        return Widened(zero, zero, zero)

    def ask(self, state: Widened, person: Float[Array, ""]) -> Float[Array, ""]:
        """Minus one if the person is outside on this side; a NaN is not."""
        above, below = person > state.upper, person < -state.lower
        outside = jnp.where(state.side == 0, above, (state.side == 1) & below)
        return -outside.astype(jnp.float32)

    def tell(self, state: Widened, answer: Float[Array, ""]) -> Widened:
        """Ends this side if few are outside or no place is left, and moves it on if not."""
        upper, lower, side = state
        few = answer > 0
        on = jnp.where(side == 0, upper, lower)
        wider = jnp.where(few, on, jnp.minimum(on + 1, PLACES - 1))
        ends: Bool[Array, ""] = few | (on == PLACES - 1)
        return Widened(
            jnp.where(side == 0, wider, upper),
            jnp.where(side == 1, wider, lower),
            jnp.minimum(side + ends, 2),
        )


def places(step: float) -> Float[np.ndarray, " places"]:
    """Zero, the first step, and its doublings."""
    return np.append(0.0, step * 2.0 ** np.arange(DOUBLINGS + 1))


def placed(numbers: Float[np.ndarray, " people"], step: float) -> Float[np.ndarray, " people"]:
    """Of each number the first place it is not beyond, with its sign; a NaN stays."""
    first = np.searchsorted(places(step), np.abs(numbers), side="left")
    return np.where(np.isnan(numbers), np.nan, np.sign(numbers) * first).astype(np.float32)
