"""Sums of a learner's own: one matrix product where there were thousands of vectors.

Where devices do not randomise, a learner may hand over a chunk's terms as two things
(`MeasuredTerms`): how long each is, and the sum of them under weights that it is given. The round
weighs them by the question's shape, here and once; a learner clips nothing for the promise's sake.

**Rounding.** Such a sum is a float32 number, so it is rounded before it is exact.

1. With terms of norm at most C, a sum of m products is off by at most g C m in norm,
   g = (m + 2) u/(1 - (m + 2) u), u = 2^-24 (Higham, section 3.1).
2. If one person is replaced, one chunk differs. If one comes or goes, the cohort is in a secret
   uniform order: take them out of theirs and put the last one in their place, and the rest is in a
   uniform order, too, so two chunks differ.
3. Each of two is off in both data sets: by 4 g C m in all, 1.01e-3 C for m = `MOST_IN_A_SUM`.
4. Each of the two is cut to the grid, too. The server's noise allows for one step a coordinate; the
   other is taken off the bound.
5. So such terms are kept within 1 - 2^-9 of the shape, less that step. What is left of 2^-9 C is
   for norms, and for terms whose last digits depend on their place in a chunk.

**Few at a time.** What is kept of people (`FactoredTerms`) may be many times what a processor's
cache holds, and room that is mapped anew at every call. So a chunk's terms are made and added up a
few people at a time there: m additions still lead to each sum, in another order, as step 1 has it.

**Measured and added are the same numbers** (`in_memory`): what a term holds is read from memory by
its norms and by the sum. What a learner computes within `norms` and within `weighted_sum` is not.

Where one term is itself a sum over many positions (those of a convolution, say) g counts these too,
and that their roundings do not add up to 2^-9 C is then not proved.
"""

import math
from collections.abc import Callable
from typing import Protocol, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Num, PyTree

from tacit.contribution import Contribution, Product
from tacit.contribution.norms import parts_of, radius_of, shrinking, unit_norm_of
from tacit.in_memory import from_memory
from tacit.models.few_at_a_time import in_parts
from tacit.noise.fixed import FixedPoint
from tacit.plan import Identity, Plan, Sum
from tacit.population.learner import Learner

# People in one sum, and the part of the bound kept for its rounding.
MOST_IN_A_SUM = 64
KEPT_FOR_ROUNDING = 2.0**-9
# Below the largest float32 number by more than what is summed in between.
LARGEST_SUM = 2.0**120
# What is kept of people whose terms are made together: a megabyte, or half of their sum, which is
# read and written for each part.
CACHED_NUMBERS, SUMS_OF_FACTORS, LEAST_TOGETHER = 2**18, 2, 8


@runtime_checkable
class MeasuredTerms(Protocol):
    """The terms of a chunk's people, which need not be formed to be measured and added up."""

    @property
    def kinds(self) -> tuple[type[Contribution], ...]:
        """The shapes whose norms are stated, one for each part of a term."""
        ...

    @property
    def norms(self) -> Float[Array, "people parts"]:
        """How long each part of each term is at most, as `contribution.norms` measures it."""
        ...

    def weighted_sum(self, weights: Float[Array, "people parts"]) -> Num[Array, "*shape"]:
        """The sum of all terms, each part times its weight.

        One of weight zero adds nothing, whatever its numbers are.
        """
        ...


@runtime_checkable
class FactoredTerms(MeasuredTerms, Protocol):
    """Such terms of which more is kept than is added up."""

    @property
    def numbers_kept(self) -> int:
        """How many numbers are kept of all these people."""
        ...


@runtime_checkable
class Summing(Learner, Protocol):
    """A learner that knows a faster way to the sum of a chunk's terms."""

    def terms(self, state: PyTree, people: PyTree) -> MeasuredTerms:
        """What `ask` says of each of these people."""
        ...


def summing(plan: Plan, learner: Learner) -> Summing | None:
    """The learner, if rounds of this plan ask it for its own sums."""
    return learner if radii_of(plan) is not None and isinstance(learner, Summing) else None


def radii_of(plan: Plan) -> Float[Array, " parts"] | None:
    """What the parts of a learner's own terms are kept within; None where it is asked for none."""
    if not (isinstance(plan.collect, Sum) and isinstance(plan.device, Identity)):
        return None
    parts = parts_of(plan.sums.contribution)
    grids = plan.server.grid if len(parts) > 1 else (plan.server.grid,)
    radii = [_kept(part, float(grid)) for part, grid in zip(parts, grids, strict=True)]
    return None if None in radii else jnp.asarray(radii)


def _kept(part: Contribution, step: float) -> float | None:
    """The bound on such terms of one part; None if they cannot be added up in float32."""
    radius = radius_of(part)
    if radius is None or not radius * MOST_IN_A_SUM < LARGEST_SUM:
        return None
    kept = radius * (1 - KEPT_FOR_ROUNDING) - step * unit_norm_of(part)
    return kept if kept > radius / 2 else None


def sum_within(
    terms: MeasuredTerms, radii: Float[Array, " parts"], present: Bool[Array, " people"]
) -> Num[Array, "*shape"]:
    """The sum of the terms of those present, each brought within these radii first."""
    weights = from_memory(
        lambda terms, *whose: shrinking(terms.norms, *whose), terms, radii, present
    )
    return from_memory(lambda terms, weights: terms.weighted_sum(weights), terms, weights)


def sum_of(
    ask: Callable[[PyTree], MeasuredTerms],
    people: PyTree,
    radii: Float[Array, " parts"],
    present: Bool[Array, " people"],
) -> Num[Array, "*shape"]:
    """The same for what `ask` says of these people, a few at a time where that is faster."""
    terms = ask(people)
    whole = sum_within(terms, radii, present)
    together = _together(terms, whole.size, len(present))
    if together == len(present):
        return whole

    def add(total: Array, few: tuple[PyTree, Array]) -> tuple[Array, None]:
        own, there = few
        return total + sum_within(ask(own), radii, there), None

    parts = jax.tree.map(lambda leaf: in_parts(leaf, together), (people, present))
    return jax.lax.scan(add, jnp.zeros_like(whole), parts)[0]


def _together(terms: MeasuredTerms, size: int, people: int) -> int:
    """As many as a cache holds, or whose factors weigh as much as half their sum, up to a power of
    two. On one CPU: elsewhere all work side by side.
    """
    alone = jax.default_backend() == "cpu" and jax.device_count() == 1
    if not (alone and isinstance(terms, FactoredTerms)):
        return people
    fitting = max(CACHED_NUMBERS, size / SUMS_OF_FACTORS) * people / max(1, terms.numbers_kept)
    return min(people, 2 ** math.ceil(math.log2(max(LEAST_TOGETHER, fitting))))


def plus(shape: Contribution, total: PyTree[FixedPoint], summed: Array) -> PyTree[FixedPoint]:
    """An exact sum and a float one, cut to its grid."""
    if not isinstance(shape, Product):
        return total.plus(total.terms(summed))
    each = zip(shape.split(summed[None]), total, strict=True)
    return tuple(plus(part, own, slices[0]) for (part, slices), own in each)


def _stated(
    learner: Summing, state: PyTree, people: PyTree
) -> tuple[jax.ShapeDtypeStruct, list[type[Contribution]]]:
    """What the learner's sum of these people would be like, and what its terms are measured as."""
    kinds = []

    def total(state, people):
        terms = learner.terms(state, people)
        kinds[:] = terms.kinds
        return terms.weighted_sum(jnp.ones(terms.norms.shape))

    return eqx.filter_eval_shape(total, state, people), kinds


def refuse_other_terms(
    plan: Plan, learner: Summing, state: PyTree, data: PyTree, chunk: int
) -> None:
    """Raises a ValueError if a learner's terms are not measured, or not added up, as the question
    asks."""
    people = jax.tree.map(lambda x: jax.ShapeDtypeStruct((chunk, *x.shape[1:]), x.dtype), data)
    like, kinds = _stated(learner, state, people)
    shape = plan.sums.contribution
    asked = [type(part) for part in parts_of(shape)]
    if asked != kinds:
        raise ValueError(
            f"this learner's terms are of a {_named(kinds)}, got {_named(asked)}: ask what its "
            "`question` asks"
        )
    if like.shape != shape.answer_shape:
        raise ValueError(
            f"the question's sums have shape {shape.answer_shape}, the learner's own sum has "
            f"{like.shape}"
        )


def _named(kinds: list[type]) -> str:
    names = ", ".join(kind.__name__ for kind in kinds)
    return names if len(kinds) == 1 else f"Product of {names}"
