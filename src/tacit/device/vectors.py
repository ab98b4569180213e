"""What runs on a device for numbers and vectors: a mechanism, fitted to the shape of the term.

A mechanism of `mechanisms` is about [0, maximum], or a ball or cube about zero; a contribution may
lie elsewhere. Moving a term by a public amount, and its report back, changes neither privacy nor
error. What would report infinite numbers, of a shape near float32's end, is not made.
"""

from dataclasses import replace
from typing import Protocol, final

import equinox as eqx
from jaxtyping import Array, Float, PRNGKeyArray

from tacit.contribution import Ball, Contribution, Cube, Interval
from tacit.facts import ReportFacts
from tacit.mechanisms.local.privunit2 import PrivUnit2
from tacit.mechanisms.local.privunit_infinity import PrivUnitInfinity
from tacit.plan import FLOAT_BITS

# Below the largest of float32, and so far that no rounding on the way is infinite.
_LARGEST_REPORT = 1e38


class Randomiser(Protocol):
    """A local mechanism: what one report costs, how wrong and how large it can be."""

    @property
    def epsilon(self) -> float: ...

    @property
    def worst_error(self) -> float: ...

    def error(self, value: float, /) -> float:
        """The mean squared error of a report about this value, or about a vector of this norm."""
        ...

    @property
    def bound(self) -> float: ...

    @property
    def blanket(self) -> float: ...

    def sample(
        self, key: PRNGKeyArray, values: Float[Array, "people *shape"], /
    ) -> Float[Array, "people *shape"]: ...


class VectorRandomiser(Randomiser, Protocol):
    """One of vectors, whose second moment is known by its share along the term."""

    @property
    def largest_second_moment(self) -> float: ...

    @property
    def along(self) -> float: ...


@final
class OnNumber(eqx.Module):
    """A number's distance from its lower bound, randomised, and moved back."""

    lower: float
    scalar: Randomiser

    def __check_init__(self):
        refuse_beyond_floats(abs(self.lower) + self.scalar.bound)

    @property
    def facts(self) -> ReportFacts:
        ends = Interval(self.lower - self.scalar.bound, self.lower + self.scalar.bound)
        return _facts(self.scalar, ends, FLOAT_BITS)

    def sample(self, key: PRNGKeyArray, terms: Float[Array, " people"]) -> Float[Array, " people"]:
        return self.lower + self.scalar.sample(key, terms - self.lower)


@final
class OnBall(eqx.Module):
    """A vector of a ball about zero, randomised; of a typical norm, if one is declared."""

    dim: int = eqx.field(static=True)
    mechanism: VectorRandomiser
    typical: float | None = eqx.field(static=True, default=None)

    def __check_init__(self):
        refuse_beyond_floats(self.mechanism.bound)

    @property
    def facts(self) -> ReportFacts:
        own, typical = self.mechanism, self.typical
        return replace(
            _facts(own, Ball(self.dim, own.bound), FLOAT_BITS * self.dim),
            typical_error=None if typical is None else own.error(typical),
            second_moment=own.largest_second_moment,
            along=own.along,
        )

    def sample(
        self, key: PRNGKeyArray, terms: Float[Array, "people dim"]
    ) -> Float[Array, "people dim"]:
        return self.mechanism.sample(key, terms)


@final
class OnL1Ball(eqx.Module):
    """A vector of an L1 ball about zero, randomised."""

    dim: int = eqx.field(static=True)
    mechanism: Randomiser

    def __check_init__(self):
        refuse_beyond_floats(self.mechanism.bound)

    @property
    def facts(self) -> ReportFacts:
        own = self.mechanism
        return _facts(own, Ball(self.dim, own.bound), FLOAT_BITS * self.dim)

    def sample(
        self, key: PRNGKeyArray, terms: Float[Array, "people dim"]
    ) -> Float[Array, "people dim"]:
        return self.mechanism.sample(key, terms)


@final
class OnSphere(eqx.Module):
    """A direction, randomised; a person without one reports that of the first basis vector."""

    direction: PrivUnit2

    @property
    def facts(self) -> ReportFacts:
        unit = self.direction
        return ReportFacts(
            epsilon=unit.epsilon,
            report_set=Ball(unit.dim, unit.bound),
            worst_error=unit.error,
            report_bits=FLOAT_BITS * unit.dim,
            blanket=unit.blanket,
            second_moment=unit.bound**2,
            along=unit.along,
        )

    def sample(
        self, key: PRNGKeyArray, terms: Float[Array, "people dim"]
    ) -> Float[Array, "people dim"]:
        return self.direction.sample(key, terms)


@final
class OnCube(eqx.Module):
    """A vector of a cube, moved to zero, randomised to few bits a coordinate, and moved back."""

    centre: float
    mechanism: PrivUnitInfinity

    def __check_init__(self):
        refuse_beyond_floats(abs(self.centre) + self.mechanism.largest)

    @property
    def facts(self) -> ReportFacts:
        signs = self.mechanism
        cube = Cube(signs.dim, self.centre - signs.largest, self.centre + signs.largest)
        # A sign for each coordinate taken, and which those are unless they are all.
        bits = signs.taken + (0 if signs.taken == signs.dim else signs.dim)
        each = signs.epsilon, cube, signs.worst_error, bits, signs.blanket
        return ReportFacts(*each, signs.tv_distance)

    def sample(
        self, key: PRNGKeyArray, terms: Float[Array, "people dim"]
    ) -> Float[Array, "people dim"]:
        return self.centre + self.mechanism.sample(key, terms - self.centre)


def refuse_beyond_floats(largest: float) -> None:
    """Raises a ValueError if a report may have a number so large that float32 has none."""
    if not largest <= _LARGEST_REPORT:
        raise ValueError(
            f"a report's numbers must be at most {_LARGEST_REPORT:g}, got up to {largest:g}: ask "
            "about a smaller shape, or with a larger epsilon"
        )


def _facts(mechanism: Randomiser, report_set: Contribution, bits: int) -> ReportFacts:
    """Those of a mechanism whose sampler is exact."""
    own = mechanism.worst_error, bits, mechanism.blanket
    return ReportFacts(mechanism.epsilon, report_set, *own)
