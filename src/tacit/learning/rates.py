"""Lengths of steps that change with the rounds done, in numbers that compile nothing anew.

What a learner's `rate` may be, beside a number. After k rounds the step is the optimiser's own
times `rate(k)`, so an optimiser of rate 1 takes steps of this length.

| schedule | length after k rounds |
| --- | --- |
| `Decay(first, offset, power)` | first (1 + k/offset)^-power |
| `Cosine(first, rounds, last)` | from first to last in half a wave, then last |
| `WarmUp(rounds, then)` | (k + 1)/rounds of `then`, and then all of it |

A power of 1/2 is that of convex risks, 1 that of strongly convex ones: `gain.KalmanGain`'s steps
are `Decay(1/(h (1 + k0)), 1 + k0, 1)`. A warm-up is for optimisers with a memory, which begins
empty. A closure of Optax does as well; its numbers are constants, and another one another program.

All of it is public: a schedule is told the number of rounds done, and nothing of anybody.
"""

from collections.abc import Callable
from typing import Any, cast, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float

from tacit.argument import got, is_number, refuse_not_positive

Rate = Float[Array, ""] | Callable[[ArrayLike], ArrayLike]


def as_rate(rate: Any) -> Rate:
    """A learner's rate with its numbers as arrays: a number, a schedule, or any function of rounds.

    Raises:
      ValueError: if it is none of these.
    """
    if callable(rate) and not isinstance(rate, type):
        numbers, rest = eqx.partition(rate, eqx.is_array_like)
        return eqx.combine(jax.tree.map(jnp.asarray, numbers), rest)
    alone = eqx.is_array_like(rate) and getattr(rate, "shape", ()) == ()
    if not (alone and (is_number(rate) or hasattr(rate, "shape"))):
        raise ValueError(f"a rate must be a number or a schedule of rounds done, got {got(rate)}")
    return jnp.asarray(cast(Array, rate))


def as_number(value: Any) -> Any:
    """A number as an array, so that another one compiles nothing; anything else as it is, for a
    check to refuse."""
    return jnp.asarray(value) if is_number(value) else value


def length(rate: Rate, done: ArrayLike) -> Float[Array, ""]:
    """What the next step is multiplied by, after so many rounds."""
    return jnp.asarray(rate(done) if callable(rate) else rate)


@final
class Decay(eqx.Module):
    """first (1 + k/offset)^-power.

    Args:
      first: the length of the first step.
      offset: in so many rounds 1 + k/offset doubles.
      power: 1/2 and 1 are those of the theorems.

    Raises:
      ValueError: if a number is not positive and finite.
    """

    first: float
    offset: float
    power: float

    def __check_init__(self):
        for name in ("first", "offset", "power"):
            refuse_not_positive(name, getattr(self, name))

    def __call__(self, done: ArrayLike) -> Float[Array, ""]:
        return self.first * (1 + jnp.asarray(done) / self.offset) ** -self.power


@final
class Cosine(eqx.Module):
    """Half a wave from `first` to `last`, which stays.

    Args:
      first: the length of the first step.
      rounds: after so many it is `last`.
      last: at least 0.

    Raises:
      ValueError: if `first` or `rounds` is not positive and finite, or `last` negative or infinite.
    """

    first: float
    rounds: float
    last: float = 0.0

    def __check_init__(self):
        refuse_not_positive("first", self.first)
        refuse_not_positive("rounds", self.rounds)
        if not (is_number(self.last) and 0 <= self.last < float("inf")):
            raise ValueError(f"last must be at least 0 and finite, got {got(self.last)}")

    def __call__(self, done: ArrayLike) -> Float[Array, ""]:
        turned = jnp.pi * jnp.minimum(jnp.asarray(done) / self.rounds, 1.0)
        return self.last + (self.first - self.last) * (1 + jnp.cos(turned)) / 2


@final
class WarmUp(eqx.Module):
    """The first `rounds` steps are 1/rounds, 2/rounds, ..., all of what `then` says.

    Raises:
      ValueError: if `rounds` is not positive and finite, or `then` no rate.
    """

    rounds: float
    then: Rate = eqx.field(converter=as_rate)

    def __check_init__(self):
        refuse_not_positive("rounds", self.rounds)

    def __call__(self, done: ArrayLike) -> Float[Array, ""]:
        begun = jnp.minimum((jnp.asarray(done) + 1.0) / self.rounds, 1.0)
        return begun * length(self.then, done)
