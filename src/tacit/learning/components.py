"""The components of a mixture of normal laws, as released answers tell them."""

from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float


class Components(NamedTuple):
    """Normal laws, each with a share of the people.

    Args:
      weights: the shares, positive; they add up to one.
      means: of the laws.
      roots: lower triangular L, of covariance L L'.
      whites: their inverses.
    """

    weights: Float[Array, " clusters"]
    means: Float[Array, "clusters dim"]
    roots: Float[Array, "clusters dim dim"]
    whites: Float[Array, "clusters dim dim"]

    @classmethod
    def round(
        cls,
        weights: Float[Array, " clusters"],
        means: Float[Array, "clusters dim"],
        deviation: Float[Array, ""],
    ) -> "Components":
        """Of one deviation in every direction."""
        white = jnp.broadcast_to(jnp.eye(means.shape[1]), (*means.shape, means.shape[1]))
        return cls(weights, means, deviation * white, white / deviation)

    def own(self, person: Float[Array, " dim"]) -> Float[Array, "clusters dim"]:
        """The person's place in each component, which is standard normal among those of it."""
        off = person - self.means
        return jnp.einsum("kij,kj->ki", self.whites, off, precision=lax.Precision.HIGHEST)

    def shares(
        self, own: Float[Array, "clusters dim"], sharpness: Float[Array, ""]
    ) -> Float[Array, " clusters"]:
        """How likely the person is of each; sharper than that, nearer to only one."""
        axes = jnp.diagonal(self.roots, axis1=1, axis2=2)
        likely = jnp.log(self.weights) - jnp.sum(jnp.log(axes), axis=1)
        return jax.nn.softmax(sharpness * (likely - jnp.sum(jnp.square(own), axis=1) / 2))


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
