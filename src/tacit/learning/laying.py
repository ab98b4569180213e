"""Where places for people are laid: the more of them, the more people are scattered.

There are K places, and cells of which is known, up to noise, where their middle is, what share of
people they have, and how scattered these are: the sum of their squared distances from it. Every
cell that is held to have people gets a place, and each further one goes to the cell of which
scatter over places is largest. So a cell of one tight cluster keeps its middle, and one of several
is cut.

A cell's only place is its middle. Several lie about it in pairs, on public directions to either
side, all as far: a part `APART` of how far its people are (root mean square). Who is nearest is
then a matter of direction alone, and a pair cuts a cell through its middle.

| cells | places |
| --- | --- |
| none is held to have people | all about the first |
| as many as there are places | their middles |

Nothing here looks at data: cells are released answers.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Float, Int

APART = 0.2
# So that places are told apart where no scatter is above noise.
_LEAST = 1e-12


class Cells(NamedTuple):
    """What is known of people in cells.

    Args:
      middles: where they are.
      shares: of people, in each; above zero where it is held.
      scatter: the sum of squared distances from the middle, over the number of all people.
      held: whether anybody is thought to be there.
    """

    middles: Float[Array, "cells dim"]
    shares: Float[Array, " cells"]
    scatter: Float[Array, " cells"]
    held: Bool[Array, " cells"]


def laid(cells: Cells, directions: Float[Array, "places dim"]) -> Float[Array, "places dim"]:
    """As many places as directions, and no fewer than cells."""
    many = places_of(cells, len(directions))
    cell = jnp.repeat(jnp.arange(len(many)), many, total_repeat_length=len(directions))
    first = (jnp.cumsum(many) - many)[cell]
    own = jnp.arange(len(directions)) - first
    far = jnp.sqrt(cells.scatter / jnp.where(cells.held, cells.shares, 1.0))[cell]
    side = jnp.where(own % 2 == 0, 1.0, -1.0) * jnp.where(many[cell] == 1, 0.0, APART * far)
    return cells.middles[cell] + side[:, None] * directions[first + own // 2]


def places_of(cells: Cells, places: int) -> Int[Array, " cells"]:
    """How many each cell gets."""
    held = cells.held.at[0].set(cells.held[0] | ~jnp.any(cells.held))
    scatter = jnp.where(held, jnp.maximum(cells.scatter, _LEAST), 0.0)

    def further(_: int, many: Int[Array, " cells"]) -> Int[Array, " cells"]:
        return many.at[jnp.argmax(scatter / jnp.maximum(many, 1))].add(1)

    return lax.fori_loop(jnp.sum(held), places, further, held.astype(jnp.int32))


def directions_of(
    sides: tuple[float, ...], rounds: int, places: int
) -> Float[np.ndarray, "rounds places dim"]:
    """Random ones of length one, always the same, longer along the longer sides of a box."""
    drawn = np.random.default_rng(0).normal(size=(rounds, places, len(sides))) * sides
    return drawn / np.linalg.norm(drawn, axis=2, keepdims=True)
