"""Reports of few numbers about terms of many: what goes before a device's report, and after it.

Both ways there are (`shared_rows`, `own_rows`) turn a term, keep some of its numbers with its norm,
and have a device of fewer dimensions report these. Whatever the public key, what is kept is a term
of a ball of the same radius, so a report promises what that device does.
"""

from dataclasses import dataclass
from typing import Any, Protocol, final, runtime_checkable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Num, PRNGKeyArray, PyTree, UInt32

from tacit.facts import ReportFacts
from tacit.mechanisms.local import cap
from tacit.mechanisms.local.projection import RandomProjection

# Numbers of people's terms that are turned side by side.
_BLOCK = 2**19


@runtime_checkable
class Compressing(Protocol):
    """What a device of few numbers has besides a device's own, with public randomness of the round.

    A round calls `compressed`, `sample` and `opened` for some people, and `lifted` for its answer.
    """

    def compressed(
        self,
        public: PRNGKeyArray,
        people: UInt32[Array, " people"],
        terms: Num[Array, "people dim"],
    ) -> tuple[PyTree, Any]:
        """What `sample` reports about, and what `opened` needs to know of it.

        Args:
          public: the round's, known to all.
          people: numbers that nobody shares with another of the round.
          terms: of these people.
        """
        ...

    def opened(
        self, reports: Num[Array, "people *report"], known: Any
    ) -> PyTree[Num[Array, "..."]]:
        """The reports as the sum takes them."""
        ...

    def lifted(
        self, public: PRNGKeyArray, answer: Float[Array, " numbers"]
    ) -> Float[Array, " dim"]:
        """An answer as a learner is told it."""
        ...


def turned(
    way: RandomProjection,
    signs: Float[Array, " padded"],
    rows: UInt32[Array, "people kept"],
    terms: Num[Array, "people dim"],
) -> Float[Array, "people kept"]:
    """The kept numbers of each term, as long as it was.

    | term | becomes |
    | --- | --- |
    | zero, NaN or infinite somewhere, a norm beyond float32 | zero |
    | shorter than sqrt(dim) 1e-15 | its own norm along the first basis vector's projection |
    | one whose projection vanishes | its own norm along the first of `kept` basis vectors |
    """

    def one(each) -> Float[Array, " kept"]:
        own, term = each
        length = jnp.linalg.norm(term.astype(jnp.float32))
        along = cap.axis(way.forth(cap.axis(term), signs, own))
        return jnp.where(jnp.isfinite(length), length, 0.0) * along

    return jax.lax.map(one, (rows, terms), batch_size=_BLOCK // way.padded or None)


@final
@dataclass(frozen=True)
class Returned:
    """The errors of a device's reports when they have come back to all numbers.

    A report's second moment is at most its error and the term's squared norm, and `returned` of it
    comes back. Of the squared norm, `less` times goes with the mean.

    Args:
      way: there and back.
      own: what is known of the device.
      less: how much of a term's squared norm is no error.
    """

    way: RandomProjection
    own: ReportFacts
    less: float

    def worst(self, radius: float) -> float:
        """Over terms of norm `radius` at most: of all second moments the largest, or of errors."""
        back, own = self.way.returned(self.own.along), self.own
        known = own.worst_error * back + radius**2 * (back - self.less)
        return known if own.second_moment is None else min(known, own.second_moment * back)

    def at(self, norm: float | None) -> float | None:
        """At terms of this norm, the device's typical one; None without it."""
        if norm is None or self.own.typical_error is None:
            return None
        back = self.way.returned(self.own.along)
        return self.own.typical_error * back + norm**2 * (back - self.less)
