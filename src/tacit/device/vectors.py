"""What runs on a device for numbers and vectors: a mechanism, fitted to the shape of the term.

A mechanism of `mechanisms` is about [0, maximum], or a ball or cube about zero; a contribution may
lie elsewhere. Moving a term by a public amount, and its report back, changes neither privacy nor
error.
"""

from typing import Protocol, final

import equinox as eqx
from jaxtyping import Array, Float, PRNGKeyArray

from tacit.contribution import Ball, Cube, Interval
from tacit.mechanisms.local.privunit2 import PrivUnit2
from tacit.mechanisms.local.privunit_infinity import PrivUnitInfinity
from tacit.plan import FLOAT_BITS


class Randomiser(Protocol):
    """A local mechanism: what one report costs, how wrong and how large it can be."""

    @property
    def epsilon(self) -> float: ...

    @property
    def worst_error(self) -> float: ...

    @property
    def bound(self) -> float: ...

    @property
    def blanket(self) -> float: ...

    def sample(
        self, key: PRNGKeyArray, values: Float[Array, "people *shape"], /
    ) -> Float[Array, "people *shape"]: ...


@final
class OnNumber(eqx.Module):
    """A number's distance from its lower bound, randomised, and moved back."""

    lower: float
    scalar: Randomiser

    @property
    def epsilon(self) -> float:
        return self.scalar.epsilon

    @property
    def distance(self) -> float:
        return 0.0

    @property
    def reports(self) -> Interval:
        return Interval(self.lower - self.scalar.bound, self.lower + self.scalar.bound)

    @property
    def worst_error(self) -> float:
        return self.scalar.worst_error

    @property
    def blanket(self) -> float:
        return self.scalar.blanket

    @property
    def report_bits(self) -> int:
        return FLOAT_BITS

    def sample(self, key: PRNGKeyArray, terms: Float[Array, " people"]) -> Float[Array, " people"]:
        return self.lower + self.scalar.sample(key, terms - self.lower)


@final
class OnBall(eqx.Module):
    """A vector of a ball about zero, randomised."""

    dim: int = eqx.field(static=True)
    mechanism: Randomiser

    @property
    def epsilon(self) -> float:
        return self.mechanism.epsilon

    @property
    def distance(self) -> float:
        return 0.0

    @property
    def reports(self) -> Ball:
        return Ball(self.dim, self.mechanism.bound)

    @property
    def worst_error(self) -> float:
        return self.mechanism.worst_error

    @property
    def blanket(self) -> float:
        return self.mechanism.blanket

    @property
    def report_bits(self) -> int:
        return FLOAT_BITS * self.dim

    def sample(
        self, key: PRNGKeyArray, terms: Float[Array, "people dim"]
    ) -> Float[Array, "people dim"]:
        return self.mechanism.sample(key, terms)


@final
class OnSphere(eqx.Module):
    """A direction, randomised; a person without one reports that of the first basis vector."""

    direction: PrivUnit2

    @property
    def epsilon(self) -> float:
        return self.direction.epsilon

    @property
    def distance(self) -> float:
        return 0.0

    @property
    def reports(self) -> Ball:
        return Ball(self.direction.dim, self.direction.bound)

    @property
    def worst_error(self) -> float:
        return self.direction.error

    @property
    def blanket(self) -> float:
        return self.direction.blanket

    @property
    def report_bits(self) -> int:
        return FLOAT_BITS * self.direction.dim

    def sample(
        self, key: PRNGKeyArray, terms: Float[Array, "people dim"]
    ) -> Float[Array, "people dim"]:
        return self.direction.sample(key, terms)


@final
class OnCube(eqx.Module):
    """A vector of a cube, moved to zero, randomised to few bits a coordinate, and moved back."""

    centre: float
    mechanism: PrivUnitInfinity

    @property
    def epsilon(self) -> float:
        return self.mechanism.epsilon

    @property
    def distance(self) -> float:
        return self.mechanism.distance

    @property
    def reports(self) -> Cube:
        largest = self.mechanism.largest
        return Cube(self.mechanism.dim, self.centre - largest, self.centre + largest)

    @property
    def worst_error(self) -> float:
        return self.mechanism.worst_error

    @property
    def blanket(self) -> float:
        return self.mechanism.blanket

    @property
    def report_bits(self) -> int:
        # A sign for each coordinate taken, and which those are unless they are all.
        places = 0 if self.mechanism.taken == self.mechanism.dim else self.mechanism.dim
        return self.mechanism.taken + places

    def sample(
        self, key: PRNGKeyArray, terms: Float[Array, "people dim"]
    ) -> Float[Array, "people dim"]:
        return self.centre + self.mechanism.sample(key, terms - self.centre)
