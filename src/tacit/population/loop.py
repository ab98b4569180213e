"""A round, or a block of rounds, as one compiled program.

Every method runs the same round: each person in the cohort is asked, the term is brought into
the question's shape, the device randomises it, the server projects and sums the reports, adds
its noise and tells the learner. What differs are the plan's numbers, and those are traced: a
sweep over epsilon compiles once.

The cohort comes as rows in chunks, so that a cohort larger than memory is a loop over chunks
inside the program; the number of chunks in use is traced too. Sums are exact on a public grid, so
chunks change nothing and one person moves them by no more than the promise says. The un-noised
total never leaves the program.

Where devices do not randomise, a learner may sum a chunk's terms itself (`summing`).
"""

from functools import partial
from typing import Self, cast

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Num, PRNGKeyArray, PyTree

from tacit.contribution import Contribution
from tacit.device.few_numbers import Compressing
from tacit.device.noise_sharing import NoiseSharing
from tacit.in_memory import from_memory
from tacit.noise.fixed import FixedPoint, Tall
from tacit.plan import Comparing, Device, Gather, Plan, Server, Sum
from tacit.population.learner import Learner
from tacit.population.summing import Summing, plus, radii_of, sum_of

# Devices draw their shares of noise from another key than their reports.
SHARES = 1


class Parts(eqx.Module):
    """The numbers of a plan as traced arrays: what the compiled round needs of it.

    `radii` are what a learner's own terms are kept within; None where each is asked for by itself.
    """

    contribution: Contribution
    device: Device
    collected: Contribution
    server: Server
    radii: Float[Array, " parts"] | None

    @classmethod
    def of(cls, plan: Plan) -> Self:
        within = cast(Sum, plan.collect).within
        parts = cls(plan.sums.contribution, plan.device, within, plan.server, radii_of(plan))
        return traced(parts)


def traced(tree: PyTree) -> PyTree:
    """With its numbers as arrays: a program is made for their shapes, and not for them."""
    return jax.tree.map(lambda x: jnp.asarray(x) if eqx.is_array_like(x) else x, tree)


def answer_of(plan: Plan) -> jax.ShapeDtypeStruct:
    """The shape and type of what a learner is told."""

    if isinstance(plan.collect, Gather):
        return jax.ShapeDtypeStruct((plan.collect.numbers,), jnp.float32)

    def step(parts: Parts, key: PRNGKeyArray):
        total = parts.collected.empty(parts.server.grid)
        answer = parts.server.step(parts.server.init(), key, total)[1]
        return lifted(parts, key, answer)

    return eqx.filter_eval_shape(step, Parts.of(plan), jax.random.key(0))


def halts(plan: Plan) -> bool:
    """Whether an answer may end a run before its last round."""
    if isinstance(plan.collect, Gather):
        return False

    def step(parts: Parts, key: PRNGKeyArray):
        total = parts.collected.empty(parts.server.grid)
        return parts.server.step(parts.server.init(), key, total)[2]

    return eqx.filter_eval_shape(step, Parts.of(plan), jax.random.key(0)) is not None


class Cohort(eqx.Module):
    """Whom a round asks: row numbers in chunks, with absent places marked.

    Of a block of rounds every array has an axis for them before its own.
    """

    rows: Int[Array, "chunks chunk"]
    present: Bool[Array, "chunks chunk"]
    used: Int[Array, ""]


class Keys(eqx.Module):
    """A round's keys: the devices' own, the server's, and the one that everybody may know."""

    device: PRNGKeyArray
    server: PRNGKeyArray
    public: PRNGKeyArray


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
    total = _sum_reports(learner, parts, state, data, cohort, keys)
    carry, answer, halted = parts.server.step(carry, keys.server, total)
    del total
    return learner.tell(state, lifted(parts, keys.public, answer)), carry, halted


def play_rounds(
    learner: Learner,
    parts: Parts,
    state: PyTree,
    carry: PyTree,
    data: PyTree,
    cohorts: Cohort,
    keys: Keys,
    many: Int[Array, ""],
) -> tuple[PyTree, PyTree, Bool[Array, ""] | None]:
    """The same after the first `many` of these rounds, or as many as there are before one halts.

    One round needs no loop around it; a block of rounds is played by one program whatever `many`.
    """

    def play(t, state, carry):
        own = jax.tree.map(lambda leaf: leaf[t], (cohorts, keys))
        return play_round(learner, parts, state, carry, data, *own)

    def on(so_far):
        return (so_far[0] < many) & ~so_far[-1]

    def one_more(so_far):
        t, state, carry, _ = so_far
        state, carry, halted = play(t, state, carry)
        return t + 1, state, carry, jnp.asarray(False if halted is None else halted)

    if cohorts.used.shape == (1,):
        return play(0, state, carry)
    start = jnp.int32(0), state, carry, jnp.asarray(False)
    return jax.lax.while_loop(on, one_more, start)[1:]


# One round by itself, compiled: for audits and benches, which play rounds without a grant.
run_round = eqx.filter_jit(play_round)


def _sum_reports(learner, parts, state, data, cohort, keys) -> PyTree[FixedPoint]:
    def add_chunk(index, total):
        rows, present = cohort.rows[index], cohort.present[index]
        people = jax.tree.map(lambda leaf: leaf[rows], data)
        if parts.radii is not None and isinstance(learner, Summing):
            summed = sum_of(partial(learner.terms, state), people, parts.radii, present)
            return plus(parts.contribution, total, summed)
        own = jax.random.fold_in(keys.device, index)
        places = index * len(rows) + jnp.arange(len(rows))
        reports = reports_of(learner, parts, state, people, places, own, keys.public)
        total = parts.collected.add(total, reports, present)
        if isinstance(parts.device, NoiseSharing):
            return parts.device.shared(jax.random.fold_in(own, SHARES), total, present)
        return total

    empty = parts.collected.empty(parts.server.grid)
    compared = parts.server if isinstance(parts.server, Comparing) else None
    start = empty if compared is None else Tall.of(empty)
    if cohort.rows.shape[0] == 1:
        total = add_chunk(0, start)
    else:
        total = jax.lax.fori_loop(0, cohort.used, add_chunk, start)
    return total if compared is None else compared.brought(total)


def reports_of(
    learner: Learner,
    parts: Parts,
    state: PyTree,
    people: PyTree,
    places: Int[Array, " people"],
    key: PRNGKeyArray,
    public: PRNGKeyArray,
) -> PyTree[Num[Array, "people *report"]]:
    """What the devices of these people send, brought into the set they are summed in.

    `places` are their own in the round's cohort.
    """
    device = parts.device
    terms = terms_of(learner, parts.contribution, state, people)
    if not isinstance(device, Compressing):
        return parts.collected.project(device.sample(key, terms))
    terms, known = device.compressed(public, places.astype(jnp.uint32), terms)
    return parts.collected.project(device.opened(device.sample(key, terms), known))


def lifted(parts: Parts, public: PRNGKeyArray, answer: PyTree) -> PyTree:
    """The server's answer, as a learner is told it."""
    return parts.device.lifted(public, answer) if isinstance(parts.device, Compressing) else answer


def terms_of(
    learner: Learner, shape: Contribution, state: PyTree, people: PyTree
) -> PyTree[Num[Array, "people *shape"]]:
    """What these people are asked for, brought into the question's shape."""
    if jax.tree.leaves(people)[0].shape[0] == 1:
        # One person at a time: no batching rule touches a large model's own kernels.
        alone = jax.tree.map(lambda leaf: leaf[0], people)
        terms = learner.ask(state, alone)[None]
    else:
        terms = jax.vmap(lambda person: learner.ask(state, person))(people)
    return from_memory(shape.project, terms)
