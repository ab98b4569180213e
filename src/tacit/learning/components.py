"""The components of a mixture of normal laws, as released answers tell them.

**How likely a person is of each is found without rounding**: it is a function of the person alone.
Of narrow components squared distances are in the hundred thousands, and their last digits, which
may depend on who else is in a chunk, would be seen in the shares. So people and means are taken as
multiples of 2^-15 of the half diagonal, and each row of a white as multiples of 2^-14 of a power of
two that is no shorter than it. Products of these are whole numbers, and their sums below 2^31, by
Cauchy and Schwarz; places are multiples of 2^-5 of what comes out, cut where their squares would
not fit in 31 bits. What is left to last digits is the softmax itself.
"""

import math
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int32

# Bits of people and means, of whites, and of places.
_PEOPLE, _WHITES, _PLACES = 15, 14, 5


class Components(NamedTuple):
    """Normal laws, each with a share of the people.

    Args:
      weights: the shares, positive; they add up to one.
      means: of the laws.
      roots: lower triangular L, of covariance L L'.
      whites: their inverses.
      levels: the logarithms of weights over the roots of determinants.
    """

    weights: Float[Array, " clusters"]
    means: Float[Array, "clusters dim"]
    roots: Float[Array, "clusters dim dim"]
    whites: Float[Array, "clusters dim dim"]
    levels: Float[Array, " clusters"]

    @classmethod
    def of(
        cls,
        weights: Float[Array, " clusters"],
        means: Float[Array, "clusters dim"],
        roots: Float[Array, "clusters dim dim"],
        whites: Float[Array, "clusters dim dim"],
    ) -> "Components":
        """With their levels, which so are of the released state and alike for everybody."""
        axes = jnp.diagonal(roots, axis1=1, axis2=2)
        levels = jnp.log(weights) - jnp.sum(jnp.log(axes), axis=1)
        return cls(weights, means, roots, whites, levels)

    @classmethod
    def round(
        cls,
        weights: Float[Array, " clusters"],
        means: Float[Array, "clusters dim"],
        deviation: Float[Array, ""],
    ) -> "Components":
        """Of one deviation in every direction."""
        white = jnp.broadcast_to(jnp.eye(means.shape[1]), (*means.shape, means.shape[1]))
        return cls.of(weights, means, deviation * white, white / deviation)

    def own(self, person: Float[Array, " dim"]) -> Float[Array, "clusters dim"]:
        """The person's place in each component, which is standard normal among those of it.

        Its last digits may depend on who else is asked.
        """
        off = person - self.means
        return jnp.einsum("kij,kj->ki", self.whites, off, precision=lax.Precision.HIGHEST)

    def shares(
        self, person: Float[Array, " dim"], sharpness: Float[Array, ""]
    ) -> Float[Array, " clusters"]:
        """How likely the person is of each; sharper than that, nearer to only one.

        Args:
          person: in the box.
          sharpness: a power of two.
        """
        halves = self._squares(person).astype(jnp.float32) / 2 ** (2 * _PLACES + 1)
        return jax.nn.softmax(sharpness * (self.levels - halves))

    def _squares(self, person: Float[Array, " dim"]) -> Int32[Array, " clusters"]:
        """The squared distance from each, in squared multiples of 2^-`_PLACES`."""
        off = _whole(person, _PEOPLE) - _whole(self.means, _PEOPLE)
        _, longest = jnp.frexp(jnp.max(jnp.abs(self.whites), axis=2))
        power = longest + math.ceil(math.log2(len(person)) / 2)
        rows = _whole(jnp.ldexp(self.whites, -power[:, :, None]), _WHITES)
        along = jnp.sum(rows * off[:, None, :], axis=2).astype(jnp.float32)
        places = jnp.round(jnp.ldexp(along, power - (_PEOPLE + _WHITES - _PLACES)))
        most = 2 ** ((30 - math.ceil(math.log2(len(person)))) // 2)
        return jnp.sum(jnp.square(jnp.clip(places, -most, most).astype(jnp.int32)), axis=1)


def _whole(numbers: Float[Array, " *shape"], bits: int) -> Int32[Array, " *shape"]:
    return jnp.round(numbers * 2.0**bits).astype(jnp.int32)


class MixtureStart(Protocol):
    """Who finds the first components: a learner of `rounds` rounds, of `numbers` numbers each.

    Its terms are in the unit ball, in L1 where a curator's promise is without a delta.
    """

    @property
    def rounds(self) -> int: ...

    @property
    def numbers(self) -> int: ...

    def init(self) -> Any: ...

    def ask(self, state: Any, person: Float[Array, " dim"]) -> Float[Array, " numbers"]: ...

    def tell(self, state: Any, answer: Float[Array, " numbers"]) -> Any: ...

    def components(self, state: Any) -> Components:
        """Those that were found, once all rounds are over."""
        ...
