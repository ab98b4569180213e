"""Gradients that are kept in one order and summed in another."""

from typing import Any, final

import equinox as eqx
from jaxtyping import Array, Float, Int

from tacit.models.per_example import Gradients, outer


@final
class Rearranged(eqx.Module):
    """Gradients of the same numbers in another order: of axes, and then of another shape."""

    own: Any
    axes: tuple[int, ...] = eqx.field(static=True)
    shape: tuple[int, ...] = eqx.field(static=True)

    def squared_norms(self) -> Float[Array, " owners"]:
        return self.own.squared_norms()

    def by_person(self, person: Int[Array, " batch"], people: int) -> Gradients:
        return Rearranged(self.own.by_person(person, people), self.axes, self.shape)

    def weighted_sum(self, weights: Float[Array, " owners"]) -> Float[Array, "..."]:
        return self.own.weighted_sum(weights).transpose(self.axes).reshape(self.shape)


def turned(
    inputs: Float[Array, "batch positions fan_in"], slopes: Float[Array, "batch positions fan_out"]
) -> Rearranged:
    """The gradient of a matrix with its outputs first."""
    shape = inputs.shape[2], slopes.shape[2]
    return Rearranged(outer(inputs, slopes, shape), (1, 0), shape[::-1])
