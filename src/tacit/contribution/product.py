"""Several shapes at once: a count with a sum, a histogram with a mean.

A term is the parts' terms one after the other in one flat vector of numbers, and so is the answer.
Each part is summed on a grid of its own and gets noise of its own, so what one part's sensitivity
is says nothing about the others; a public share of the budget belongs to each.
"""

import math
from itertools import accumulate
from typing import Any, final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Bool, Num, PyTree

from tacit.accounting.relation import Relation
from tacit.argument import got, is_number
from tacit.contribution.shape import Contribution, refuse_no_shape
from tacit.noise.fixed import FixedPoint


@final
class Product(eqx.Module):
    """One member of each part, in one flat vector.

    **Guarantee**: after `project` every part's slice is a member of that part.

    Args:
      parts: the shapes, at least two.
      shares: of the budget, one for each part, positive and adding up to one. Left out, they are
        equal for noise on the sums, and of the least error for local reports.

    Raises:
      ValueError: with fewer than two parts, one that is no shape, or shares that are none.
    """

    parts: tuple[Contribution, ...]
    shares: tuple[float, ...] | None = eqx.field(static=True)

    def __init__(self, *parts: Contribution, shares: tuple[float, ...] | None = None):
        if not len(parts) >= 2:
            raise ValueError(f"a product needs at least two parts, got {len(parts)}")
        for part in parts:
            refuse_no_shape("every part of a product", part)
        self.parts = parts
        self.shares = None if shares is None else _checked(shares, len(parts))

    @property
    def noise_shares(self) -> tuple[float, ...]:
        """Of the budget, for noise on the sums."""
        return self.shares or (1 / len(self.parts),) * len(self.parts)

    @property
    def shape(self) -> tuple[int, ...]:
        return (sum(math.prod(part.shape) for part in self.parts),)

    @property
    def answer_shape(self) -> tuple[int, ...]:
        return (sum(math.prod(part.answer_shape) for part in self.parts),)

    @property
    def bound(self) -> float:
        return math.hypot(*(part.bound for part in self.parts))

    @property
    def unit(self) -> float:
        return 0.0

    def project(self, terms: Num[Array, "people numbers"]) -> Num[Array, "people numbers"]:
        members = [part.project(own) for part, own in self.split(terms)]
        return joined(members)

    def empty(self, grid: PyTree) -> tuple[PyTree[FixedPoint], ...]:
        return tuple(part.empty(own) for part, own in zip(self.parts, grid, strict=True))

    def add(
        self,
        total: tuple[PyTree[FixedPoint], ...],
        terms: Num[Array, "people numbers"],
        present: Bool[Array, " people"],
    ) -> tuple[PyTree[FixedPoint], ...]:
        # Projected again: a slice is floats, and a part may hold its members as whole numbers.
        return tuple(
            part.add(own, part.project(slice_), present)
            for own, (part, slice_) in zip(total, self.split(terms), strict=True)
        )

    def sensitivity(self, relation: Relation) -> float:
        return math.hypot(*(part.sensitivity(relation) for part in self.parts))

    def l1_sensitivity(self, relation: Relation) -> float:
        return math.fsum(part.l1_sensitivity(relation) for part in self.parts)

    def split(
        self, terms: Num[Array, "people numbers"]
    ) -> list[tuple[Contribution, Num[Array, "people *shape"]]]:
        """Each part with its own slice of the terms."""
        ends = list(accumulate(math.prod(part.shape) for part in self.parts))
        slices = jnp.split(terms, ends[:-1], axis=1)
        return [
            (part, own.reshape(len(terms), *part.shape))
            for part, own in zip(self.parts, slices, strict=True)
        ]


def _checked(shares: Any, parts: int) -> tuple[float, ...]:
    """One share for each part, as floats."""
    positive = isinstance(shares, tuple | list) and len(shares) == parts
    positive = positive and all(is_number(share) and 0 < share < 1 for share in shares)
    if not (positive and 1 - 1e-9 <= math.fsum(shares) <= 1):
        said = shares if isinstance(shares, tuple | list) else got(shares)
        raise ValueError(
            "a product needs one positive share of the budget for each part, adding up to "
            f"one, got {said} for {parts} parts"
        )
    return tuple(float(share) for share in shares)


def joined(members: list[Num[Array, "people *shape"]]) -> Num[Array, "people numbers"]:
    """One flat vector of float32 numbers for each person."""
    flat = [own.reshape(len(own), -1).astype(jnp.float32) for own in members]
    return jnp.concatenate(flat, axis=1)
