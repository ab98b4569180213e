"""Sample and aggregate: any function, made private by asking it about blocks of people.

People are put into blocks by a partition that does not look at their data, each person into at most
one. The function answers for every block, and the answers are aggregated by a private mechanism,
one coordinate by one. Replacing one person's row changes the rows of one block, hence one answer in
each coordinate, whatever the function is: so a coordinate's release is as private as its aggregate
is when one of its values is replaced, and a vector's costs the sum of what its coordinates cost.

Nothing has to be proved about the function. What has to be true of it is that its answer for a
block depends on this block alone: not on what it saw before, and on no other data. If it raises, or
its answer has the wrong shape, the block answers NaN, which every aggregate reads as its lower end:
an error message would be an unprotected answer about somebody.

The release is near what the function answers for n/blocks people. That is near its answer for all
of them only if it is stable (an average, a fitted model's coefficients; not a maximum), and the
bias of a small block is not averaged out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, final

import jax
import numpy as np
from jaxtyping import ArrayLike, Float64, Int, PRNGKeyArray, PyTree

from tacit.argument import got, is_whole, keep_pythons, refuse_outside
from tacit.mechanisms.rows.smooth_quantile import CELLS, IntervalGrid
from tacit.noise.exact import laplace, stream


class Aggregate(Protocol):
    """A private summary of one number a block, protecting the replacement of one of them."""

    @property
    def epsilon(self) -> float: ...

    @property
    def delta(self) -> float: ...

    def sample(self, key: PRNGKeyArray, values: ArrayLike) -> float: ...


@final
@dataclass(frozen=True)
class BlockMean:
    """The mean of the blocks' answers, clipped to [`lower`, `upper`], with Laplace noise.

    The answers become whole numbers of 2^-32 of the interval, the sum of which one block moves by
    at most 2^32; to it floor(b L) is added, drawn exactly, L Laplace and b >= 2^32/`epsilon`.

    **Guarantee**: pure `epsilon`-differential privacy when one value is replaced and their number
    is public; every rounding included. The release lies in the interval.

    **Error**: `error(blocks)`, the mean squared distance from the mean of the clipped answers,
    at most; it does not depend on them.

    Edge cases: those of `SmoothSensitivityQuantile`.

    Args:
      epsilon: From 0.001 to 1000.
      lower, upper: Finite.
    """

    epsilon: float
    lower: float
    upper: float

    def __post_init__(self):
        keep_pythons(self, "epsilon", "lower", "upper")
        refuse_outside("epsilon", self.epsilon, 0.001, 1000)
        IntervalGrid(self.lower, self.upper)

    @property
    def delta(self) -> float:
        """Zero: the promise is pure."""
        return 0.0

    def sample(self, key: PRNGKeyArray, values: ArrayLike) -> float:
        """The mean with its noise."""
        interval = IntervalGrid(self.lower, self.upper)
        units = interval.units(values)
        noise = laplace(stream(key), Fraction(CELLS) / Fraction(self.epsilon))
        return interval.value((int(units.sum()) + noise + 0.5) / len(units))

    def error(self, blocks: int) -> float:
        """The mean squared error, at most: 2 (width / (blocks epsilon))², and one cell for the
        rounding of answers."""
        cell = IntervalGrid(self.lower, self.upper).cell
        mean = 1 / math.expm1(self.epsilon / CELLS)
        return (2 * mean * (mean + 1) + 0.25) * (cell / blocks) ** 2 + cell**2


@final
@dataclass(frozen=True)
class SampleAndAggregate:
    """Asks a function about `blocks` disjoint blocks, and releases one aggregate a coordinate.

    **Guarantee**: (`epsilon`, `delta`)-differential privacy, both added up over `aggregates`, when
    one person's row is replaced and their number is public, for any function of a block's rows.

    **Error**: that of each aggregate, about the answers of the blocks.

    | block | effect |
    | --- | --- |
    | the function raises, or answers in another shape | NaN in all coordinates |
    | NaN or infinite answers | as the aggregate says: an end of its interval |
    | people left over, fewer than `blocks` | a random few are in no block |

    Args:
      blocks: At least 1; a median wants 10/epsilon and more.
      aggregates: `SmoothSensitivityQuantile`, `SmoothTrimmedMean` or `BlockMean`, one a
        coordinate.

    Raises:
      ValueError: if there is no block, no aggregate, or there are fewer people than blocks.

    References:
        Nissim, Raskhodnikova and Smith 2007, Section 4.
    """

    blocks: int
    aggregates: tuple[Aggregate, ...]

    def __post_init__(self):
        if not (is_whole(self.blocks) and self.blocks >= 1):
            raise ValueError(f"blocks must be at least 1, got {got(self.blocks)}")
        if not self.aggregates:
            raise ValueError("aggregates must be one for each coordinate, got none")

    @property
    def epsilon(self) -> float:
        return math.fsum(each.epsilon for each in self.aggregates)

    @property
    def delta(self) -> float:
        return math.fsum(each.delta for each in self.aggregates)

    def sample(
        self,
        key: PRNGKeyArray,
        function: Callable[[Any], ArrayLike],
        rows: PyTree[ArrayLike],
    ) -> Float64[np.ndarray, " coordinates"]:
        """One number for each aggregate.

        `rows` is an array with one row a person, or a tree of such arrays; `function` is given the
        same tree with the rows of one block, and answers one number a coordinate.
        """
        for_blocks, *for_noise = jax.random.split(key, 1 + len(self.aggregates))
        arrays = jax.tree.map(np.asarray, rows)
        partition = self.partition(for_blocks, _people(arrays))
        asked = [jax.tree.map(lambda array, of=of: array[of], arrays) for of in partition]
        answers = np.stack([_answer(function, block, len(self.aggregates)) for block in asked])
        drawn = zip(self.aggregates, for_noise, answers.T, strict=True)
        return np.array([each.sample(noise, column) for each, noise, column in drawn])

    def partition(self, key: PRNGKeyArray, people: int) -> Int[np.ndarray, "blocks size"]:
        """Who is in which block: no person twice, all blocks of the same size."""
        size = people // self.blocks
        if not size:
            raise ValueError(f"people must be at least {self.blocks}, got {people}")
        order = np.asarray(jax.random.permutation(key, people))
        return order[: self.blocks * size].reshape(self.blocks, size)


def _people(arrays: PyTree[np.ndarray]) -> int:
    lengths = {len(leaf) for leaf in jax.tree.leaves(arrays)}
    if len(lengths) != 1:
        raise ValueError(f"rows must have the same number of people, got {sorted(lengths)}")
    return lengths.pop()


def _answer(
    function: Callable[[Any], ArrayLike], block: PyTree[np.ndarray], coordinates: int
) -> Float64[np.ndarray, " coordinates"]:
    """The function's answer for one block; whatever goes wrong is no message to anybody."""
    try:
        answer = np.asarray(function(block), np.float64).reshape(-1)
    except Exception:
        return np.full(coordinates, np.nan)
    return answer if len(answer) == coordinates else np.full(coordinates, np.nan)
