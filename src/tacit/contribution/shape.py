"""What one person may contribute to a sum: the shapes.

Every question tacit asks is a sum of one bounded term per person, so privacy starts with the
bound. A shape says three things about the terms it admits: how any value is brought into it
(`project`), how its members are summed (`empty`, `add`), and how far the sum can move when one
person changes (`sensitivity`, in L2; `l1_sensitivity`). Those are the only numbers noise is ever
scaled to, and they depend on what "one person changes" means: with the terms in a ball of radius
C, adding or removing a person moves the sum by at most C, replacing one person by another by at
most 2C.

A term and what it adds to the sum need not look alike: a category is one number, and adds one to
one of k counts. `shape` is the term's, `answer_shape` the sum's.

Projection is also where bad input ends. A NaN or an infinity becomes the member nearest to
zero, or of a `Sphere`, whose members are all as near, zero itself, which adds nothing; so one
broken device changes its own term and nothing else.
"""

from typing import Any, Protocol, runtime_checkable

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Num, PyTree

from tacit.accounting.relation import Relation
from tacit.argument import got, is_made, is_number
from tacit.in_memory import from_memory
from tacit.noise.fixed import FixedPoint


@runtime_checkable
class Contribution(Protocol):
    """A bounded set of terms. Its numbers are public; the terms are arguments."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The array shape of one term."""
        ...

    @property
    def answer_shape(self) -> tuple[int, ...]:
        """The array shape of the sum."""
        ...

    @property
    def bound(self) -> float:
        """The largest L2 norm of what one member adds to the sum."""
        ...

    @property
    def unit(self) -> float:
        """What all members are whole multiples of; zero if any number may be one."""
        ...

    def project(
        self, terms: PyTree[Num[Array, "people *shape"]]
    ) -> PyTree[Num[Array, "people *shape"]]:
        """Brings every term into the set; members stay as they are."""
        ...

    def empty(self, grid: PyTree) -> PyTree[FixedPoint]:
        """The sum of nobody, in whole steps of `grid`."""
        ...

    def add(
        self,
        total: PyTree[FixedPoint],
        terms: PyTree[Num[Array, "people *shape"]],
        present: Bool[Array, " people"],
    ) -> PyTree[FixedPoint]:
        """`total` and the members of those present, exactly, on the total's own grid."""
        ...

    def sensitivity(self, relation: Relation) -> float:
        """The largest L2 distance between the sums of two neighbouring data sets."""
        ...

    def l1_sensitivity(self, relation: Relation) -> float:
        """The largest L1 distance between the sums of two neighbouring data sets."""
        ...


@runtime_checkable
class Scored(Contribution, Protocol):
    """A contribution of one score for each of `candidates` candidates."""

    @property
    def candidates(self) -> int:
        """How many sums are compared."""
        ...

    def spread(self, relation: Relation) -> float:
        """How much further one sum can move than another, between neighbouring data sets.

        Choosing the largest of several sums depends on their differences only, so this is what
        selection is scaled to: less than twice the largest move where all move the same way.
        """
        ...


def refuse_no_shape(what: str, given: Any) -> None:
    """Raises the ValueError that names the shapes, if this is none."""
    if not is_made(given, Contribution):
        raise ValueError(
            f"{what} must be an Interval, Grid, OneHot, Counts, Ball, L1Ball, Sphere, Cube, "
            f"Outer or Product, got {got(given)}"
        )


def is_length(value: Any) -> bool:
    """Whether it is a number, or an array of JAX's that may stand for one, traced or not."""
    return isinstance(value, Array) or is_number(value)


def added(
    total: FixedPoint, terms: Float[Array, "people *shape"], present: Bool[Array, " people"]
) -> FixedPoint:
    """`total` and the terms of those present, each cut towards zero to the total's grid."""

    def summed(terms: Array) -> FixedPoint:
        mask = present.reshape((-1,) + (1,) * (terms.ndim - 1))
        return total.terms(jnp.where(mask, terms, 0.0)).sum()

    # The limbs of a number must come from one number.
    return total.plus(from_memory(summed, terms))
