"""What shapes a mixture's components may have, and what people are asked of them.

A component's shape is a matrix of second moments. A person's share of it is u u' for a vector u of
norm at most one, and these are its numbers, and what is made of their sums:

| asked | numbers | L2 norm | L1 norm, at most | what is read off |
| --- | --- | --- | --- | --- |
| `AllProducts`: u_i², sqrt(2) u_i u_j for i < j | d (d + 1)/2 | the square of u's | `most` | u u' |
| `AxisSquares`: u_i² | d | at most the square of u's | 1 | its diagonal |
| `SquaredLength`: the square of u's norm | 1 | itself | 1 | its trace, on all axes alike |

**L1.** With p and q the squares of u's L2 and L1 norms, products have p + (q - p)/sqrt(2), and q is
at most d p: `most` = 1 + (d - 1)/sqrt(2).

**Who shares a shape.** Where every component has one of its own, a person who is of them by shares
r >= 0 that add up to at most one gives r_k times these numbers of their u_k in the place of k: of
L2 norm at most sqrt(sum r_k²) <= 1. Where all have one (`shared`), they give the sum over k: of L2
norm at most sum r_k <= 1. In L1 both are at most sum r_k times the largest.

The root of two makes lengths those of the matrix (Frobenius): noise of one deviation v on every
number is a matrix that is alike in every basis, and v on its diagonal.
"""

import math
from dataclasses import dataclass
from typing import final

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

Units = Float[Array, "clusters dim"]
Moments = Float[Array, "groups dim dim"]


@final
@dataclass(frozen=True)
class AllProducts:
    """All of a symmetric matrix.

    Args:
      dim: of people.
    """

    dim: int

    @property
    def numbers(self) -> int:
        return self.dim * (self.dim + 1) // 2

    @property
    def most(self) -> float:
        """The largest L1 norm."""
        return 1 + (self.dim - 1) / math.sqrt(2)

    @property
    def loose(self) -> float:
        """The squared length of noise of deviation one that leaves the trace alone."""
        return self.numbers - 1

    @property
    def on_level(self) -> float:
        """The deviation that it puts on a number of the diagonal, on average over these."""
        return 1 / math.sqrt(self.dim)

    def asked(self, units: Units) -> Float[Array, "clusters numbers"]:
        rows, columns = np.triu_indices(self.dim)
        weight = jnp.asarray(np.where(rows == columns, 1.0, math.sqrt(2)), jnp.float32)
        return weight * units[:, rows] * units[:, columns]

    def moments(self, sums: Float[Array, "groups numbers"]) -> Moments:
        rows, columns = np.triu_indices(self.dim)
        half = sums / np.where(rows == columns, 2.0, math.sqrt(2))
        above = jnp.zeros((len(sums), self.dim, self.dim)).at[:, rows, columns].set(half)
        return above + jnp.swapaxes(above, 1, 2)


@final
@dataclass(frozen=True)
class AxisSquares:
    """A diagonal; arguments and members as of `AllProducts`."""

    dim: int

    @property
    def numbers(self) -> int:
        return self.dim

    @property
    def most(self) -> float:
        return 1.0

    @property
    def loose(self) -> float:
        return self.dim - 1

    @property
    def on_level(self) -> float:
        return 1 / math.sqrt(self.dim)

    def asked(self, units: Units) -> Float[Array, "clusters numbers"]:
        return jnp.square(units)

    def moments(self, sums: Float[Array, "groups numbers"]) -> Moments:
        return sums[:, None, :] * jnp.eye(self.dim)


@final
@dataclass(frozen=True)
class SquaredLength:
    """One variance for all axes; arguments and members as of `AllProducts`."""

    dim: int

    @property
    def numbers(self) -> int:
        return 1

    @property
    def most(self) -> float:
        return 1.0

    @property
    def loose(self) -> float:
        return 0.0

    @property
    def on_level(self) -> float:
        return 1 / self.dim

    def asked(self, units: Units) -> Float[Array, "clusters numbers"]:
        return jnp.sum(jnp.square(units), axis=1, keepdims=True)

    def moments(self, sums: Float[Array, "groups numbers"]) -> Moments:
        return sums[:, :, None] / self.dim * jnp.eye(self.dim)


Asked = AllProducts | AxisSquares | SquaredLength


@final
@dataclass(frozen=True)
class Shapes:
    """The shapes of all components of a mixture.

    Args:
      asked: of each person.
      clusters: how many components.
      shared: whether all have one shape.
    """

    asked: Asked
    clusters: int
    shared: bool = False

    @property
    def dim(self) -> int:
        return self.asked.dim

    @property
    def members(self) -> Float[np.ndarray, "groups clusters"]:
        """A one for each component, in the row of its shape."""
        return np.ones((1, self.clusters)) if self.shared else np.eye(self.clusters)

    @property
    def numbers(self) -> int:
        return len(self.members) * self.asked.numbers

    @property
    def groups(self) -> Int[np.ndarray, " clusters"]:
        """Which shape is each component's."""
        return self.members.argmax(axis=0)

    @property
    def firsts(self) -> Int[np.ndarray, " groups"]:
        """The first component of each shape."""
        return self.members.argmax(axis=1)

    def term(
        self, shares: Float[Array, " clusters"], units: Units
    ) -> Float[Array, "groups numbers"]:
        """What a person gives who is of the components by these shares."""
        return jnp.asarray(self.members, jnp.float32) @ (shares[:, None] * self.asked.asked(units))
