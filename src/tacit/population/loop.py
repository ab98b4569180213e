"""One round as one compiled program.

Every method runs the same round: each person in the cohort is asked, the term is brought into
the question's shape, the device randomises it, the server projects and sums the reports, adds
its noise and tells the learner. What differs are the plan's numbers, and those are traced: a
sweep over epsilon compiles once.

The cohort comes as rows in chunks, so that a cohort larger than memory is a loop over chunks
inside the program; the number of chunks in use is traced too. Sums are exact on a public grid, so
chunks change nothing and one person moves them by no more than the promise says. The un-noised
total never leaves the program.

**Sums of a learner's own.** Where devices do not randomise, a learner may hand over the sum of a
chunk's terms instead of the terms (`clipped_sum`): one matrix product where there were thousands of
vectors. That sum is a float32 number, so it is rounded before it is exact. With terms of norm
at most C, a sum of m products is off by at most g C m, g = (m + 2) u/(1 - (m + 2) u), u = 2^-24 (in
norm; Higham, section 3.1). If one person is replaced, one chunk differs. If one comes or goes, the
cohort is in a secret uniform order: take them out of theirs and put the last one in their place,
and the rest is in a uniform order, too, so two chunks differ. Each is off in both data sets: by
4 g C m in all, 1.01e-3 C for m = 64. So such terms are kept within 1 - 2^-9 of the shape, and what
is left of 2^-9 C is for norms, for cuts to the grid, and for terms whose last digits depend on
their place in a chunk. Where one term is itself a sum over many positions (those of a convolution,
say) g counts these too, and that their roundings do not add up to 2^-9 C is then not proved.
"""

from typing import Protocol, Self, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, Num, PRNGKeyArray, PyTree

from tacit.contribution import Ball, Contribution, Cube, Interval, L1Ball, Product
from tacit.noise.fixed import Fixed, Tall
from tacit.plan import Comparing, Device, Identity, Plan, Server
from tacit.question.rows import Fit

# Of a learner's own sums: people in one, and the part of the bound kept for rounding.
MOST_IN_A_SUM = 64
KEPT_FOR_ROUNDING = 2.0**-9


class Learner(Protocol):
    """Three pure functions; nothing here ever sees an un-noised sum.

    `ask` may depend on the public state and one person's data only: a learner that closes over
    data has left the proof.
    """

    def init(self) -> PyTree:
        """The public state before the first round."""
        ...

    def ask(self, state: PyTree, person: PyTree) -> Num[Array, "*shape"]:
        """One person's term, before it is brought into its shape."""
        ...

    def tell(self, state: PyTree, answer: Num[Array, "*answer"]) -> PyTree:
        """The state after the round's answer."""
        ...


@runtime_checkable
class Summing(Learner, Protocol):
    """A learner that knows a faster way to the sum of a chunk's terms."""

    def clipped_sum(
        self, state: PyTree, people: PyTree, present: Bool[Array, " people"], bound: Contribution
    ) -> Num[Array, "*shape"]:
        """The sum of the terms of those present, each brought into `bound` first."""
        ...


class Parts(eqx.Module):
    """The numbers of a plan as traced arrays: what the compiled round needs of it.

    `summed` is what a learner's own sums are kept within; None where terms are needed one by one.
    """

    contribution: Contribution
    device: Device
    collected: Contribution
    server: Server
    summed: Contribution | None

    @classmethod
    def of(cls, plan: Plan) -> Self:
        shape = plan.sums.contribution
        summed = _shrunk(shape) if _takes_sums(plan) else None
        parts = cls(shape, plan.device, plan.collected, plan.server, summed)
        return jax.tree.map(lambda x: jnp.asarray(x) if eqx.is_array_like(x) else x, parts)


def summing(plan: Plan, learner: Learner) -> Summing | None:
    """The learner, if rounds of this plan ask it for its own sums."""
    return learner if _takes_sums(plan) and isinstance(learner, Summing) else None


def _takes_sums(plan: Plan) -> bool:
    return isinstance(plan.device, Identity) and _sums(plan.sums.contribution)


def _sums(shape: Contribution) -> bool:
    """Whether terms have the size of their differences, so that rounding is small beside both."""
    match shape:
        case Ball() | L1Ball():
            return True
        case Interval(lower=lower, upper=upper):
            return lower <= 0 <= upper
        case Cube(side=side):
            return _sums(side)
        case Product(parts=parts):
            return all(map(_sums, parts))
    return False


def _shrunk(shape: Contribution) -> Contribution:
    keeps = 1 - KEPT_FOR_ROUNDING
    return jax.tree.map(lambda x: x * keeps if eqx.is_array_like(x) else x, shape)


def answer_of(plan: Plan) -> jax.ShapeDtypeStruct:
    """The shape and type of what a learner is told."""

    if isinstance(plan.question, Fit):
        return jax.ShapeDtypeStruct((plan.question.size,), jnp.float32)

    def step(parts: Parts, key: PRNGKeyArray):
        total = parts.collected.empty(parts.server.grid)
        return parts.server.step(parts.server.init(), key, total)[1]

    return eqx.filter_eval_shape(step, Parts.of(plan), jax.random.key(0))


class Cohort(eqx.Module):
    """Whom a round asks: row numbers in chunks, with absent places marked."""

    rows: Int[Array, "chunks chunk"]
    present: Bool[Array, "chunks chunk"]
    used: Int[Array, ""]


class Keys(eqx.Module):
    """A round's two keys: the devices' own, and the server's."""

    device: PRNGKeyArray
    server: PRNGKeyArray


def play_round(
    learner: Learner,
    parts: Parts,
    state: PyTree,
    carry: PyTree,
    data: PyTree,
    cohort: Cohort,
    keys: Keys,
) -> tuple[PyTree, PyTree, Bool[Array, ""] | None]:
    """The learner's state and the server's carry after one more round, and whether it halted."""
    total = _sum_reports(learner, parts, state, data, cohort, keys.device)
    carry, answer, halted = parts.server.step(carry, keys.server, total)
    del total
    return learner.tell(state, answer), carry, halted


# One round by itself, compiled: for audits and benches, which play rounds without a grant.
run_round = eqx.filter_jit(play_round)


def _sum_reports(learner, parts, state, data, cohort, key) -> PyTree[Fixed]:
    def add_chunk(index, total):
        rows, present = cohort.rows[index], cohort.present[index]
        people = jax.tree.map(lambda leaf: leaf[rows], data)
        if parts.summed is not None and isinstance(learner, Summing):
            summed = learner.clipped_sum(state, people, present, parts.summed)
            return _plus(parts.contribution, total, summed)
        reports = reports_of(learner, parts, state, people, jax.random.fold_in(key, index))
        return parts.collected.add(total, reports, present)

    empty = parts.collected.empty(parts.server.grid)
    compared = parts.server if isinstance(parts.server, Comparing) else None
    start = empty if compared is None else Tall.of(empty)
    if cohort.rows.shape[0] == 1:
        total = add_chunk(0, start)
    else:
        total = jax.lax.fori_loop(0, cohort.used, add_chunk, start)
    return total if compared is None else compared.brought(total)


def _plus(shape: Contribution, total: PyTree[Fixed], summed: Array) -> PyTree[Fixed]:
    """An exact sum and a float one, cut to its grid."""
    if not isinstance(shape, Product):
        return total.plus(total.terms(summed))
    each = zip(shape.split(summed[None]), total, strict=True)
    return tuple(_plus(part, own, slices[0]) for (part, slices), own in each)


def reports_of(
    learner: Learner, parts: Parts, state: PyTree, people: PyTree, key: PRNGKeyArray
) -> PyTree[Num[Array, "people *report"]]:
    """What the devices of these people send."""
    if jax.tree.leaves(people)[0].shape[0] == 1:
        # One person at a time: no batching rule touches a large model's own kernels.
        alone = jax.tree.map(lambda leaf: leaf[0], people)
        terms = learner.ask(state, alone)[None]
    else:
        terms = jax.vmap(lambda person: learner.ask(state, person))(people)
    terms = parts.contribution.project(terms)
    return parts.collected.project(parts.device.sample(key, terms))
