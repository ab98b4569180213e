"""A plan's rounds with one learner on one population's data: lowered, then compiled, then played.

Two ways to collect, two kinds of round. A `Sum` is one compiled program, and the un-noised total
never leaves it. `Gather` brings the rows to the host, where the server draws its noise, and then
tells the learner.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self, final

import equinox as eqx
import jax
import numpy as np
from jax.sharding import NamedSharding
from jaxtyping import Array, Bool, Int, PyTree

from tacit.noise import keys
from tacit.plan import Gather, Plan, Server, Sum
from tacit.population.cohorts import Cohorts
from tacit.population.kept import Replay
from tacit.population.learner import Learner, refuse_other_rounds
from tacit.population.loop import (
    Cohort,
    Keys,
    Parts,
    answer_of,
    play_rounds,
    terms_of,
    traced,
)
from tacit.population.placement import divided, laid, placed, whole
from tacit.population.program import Program, digest_of, numbers_of
from tacit.population.summing import refuse_other_terms, summing

# Of a state, a carry, a block of cohorts with their keys, and how many of these rounds are played:
# the state and the carry after them, and whether the run ends with the last.
Play = Callable[
    [PyTree, PyTree, Cohort, Keys, Int[np.ndarray, ""]],
    tuple[PyTree, PyTree, Bool[Array, ""] | None],
]


class Rounds(Protocol):
    """What a run plays."""

    @property
    def start(self) -> tuple[PyTree, PyTree]:
        """The learner's state and the server's carry before the first round."""
        ...

    @property
    def learner(self) -> str:
        """A digest of the learner by itself."""
        ...

    @property
    def digest(self) -> str:
        """Of the programs."""
        ...

    @property
    def replay(self) -> Replay:
        """What of a run that died may be played again."""
        ...

    def ready(self, data: PyTree, run: bytes) -> Play:
        """The compiled rounds on this data, of the run that has this number."""
        ...


def rounds_of(plan: Plan, learner: Learner, data: PyTree, cohorts: Cohorts) -> Rounds:
    """The rounds of this plan, of a learner as it is now: it is looked at here, once, and not kept.

    Raises:
      ValueError: if the learner's terms, sums, states or rounds do not fit the question, or it
        calls back to the host.
    """
    refuse_other_rounds(plan, learner)
    numbers, rest = numbers_of(learner)
    own = Own(numbers, rest, placed(learner.init()))
    if adder := summing(plan, learner):
        refuse_other_terms(plan, adder, shapes_of(own.start), shapes_of(data), cohorts.at_once)
    digest = own.digest(plan, data)
    match plan.collect:
        case Sum():
            return SumRounds.of(plan, own, digest, data, cohorts)
        case Gather():
            return RowRounds.of(plan, plan.collect, own, digest, data, cohorts)


@final
@dataclass(frozen=True, eq=False)
class Own:
    """What a learner brings: its arrays, copied, the rest of it, and where it starts."""

    numbers: PyTree
    rest: PyTree
    start: PyTree

    def digest(self, plan: Plan, data: PyTree) -> str:
        """Of what it is by itself: what it asks and tells, its numbers and where it starts.

        Raises:
          ValueError: if its terms or states do not fit the question.
        """
        person = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype), data)
        ask = self._part("ask", person, "one person's arrays")
        tell = self._part("tell", answer_of(plan), "the question's answer")
        _refuse_misfits(plan, ask.returns, shapes_of(self.start), tell.returns)
        return ask.digest + tell.digest + digest_of(self.numbers, self.start)

    def _part(self, name: str, like: PyTree, what: str) -> Program:
        def call(numbers, *given):
            return getattr(eqx.combine(numbers, self.rest), name)(*given)

        try:
            return Program.of(call, *shapes_of((self.numbers, self.start, like)))
        except (TypeError, ValueError) as error:
            # No number of anybody's is known yet: these are shapes.
            shapes = ", ".join(str(leaf.shape) for leaf in jax.tree.leaves(like))
            raise ValueError(
                f"the learner's `{name}` fails on {what}, of shapes {shapes}: {error}"
            ) from error


@final
@dataclass(frozen=True, eq=False)
class SumRounds:
    """Rounds about sums: a block of them is one program."""

    learner: str
    block: Program
    play: Callable = field(repr=False)
    numbers: PyTree = field(repr=False)
    rest: PyTree = field(repr=False)
    start: tuple[PyTree, PyTree] = field(repr=False)

    replay = Replay.ANY

    @classmethod
    def of(cls, plan: Plan, own: Own, learner: str, data: PyTree, cohorts: Cohorts) -> Self:
        parts, others = numbers_of(Parts.of(plan))
        numbers, rest = (own.numbers, parts), (own.rest, others)
        start = own.start, placed(plan.server.init())

        def play(numbers, *asked):
            return play_rounds(*eqx.combine(numbers, rest), *asked)

        like = *shapes_of((numbers, *start, data)), *_asked_like(cohorts)
        return cls(learner, Program.of(play, *like), play, numbers, rest, start)

    def renumbered(self, plan: Plan, learner: Learner) -> Self | None:
        """These rounds with other numbers, where this plan and learner differ in no more.

        For experiments: nothing is lowered, so nobody has seen what this learner does.
        """
        numbers, rest = numbers_of((learner, Parts.of(plan)))
        start = placed(learner.init()), placed(plan.server.init())
        alike = _equal(rest, self.rest) and _kinds((numbers, start)) == _kinds(
            (self.numbers, self.start)
        )
        return replace(self, numbers=numbers, start=start) if alike else None

    @property
    def digest(self) -> str:
        return self.block.digest

    def ready(self, data: PyTree, run: bytes) -> Play:
        del run
        play = self.block.compiled()
        return lambda state, carry, *asked: play(self.numbers, state, carry, data, *asked)


@final
@dataclass(frozen=True, eq=False)
class RowRounds:
    """One round about all rows: programs on both sides of a mechanism of the host."""

    learner: str
    rows: Program
    tell: Program
    server: Server
    replay: Replay
    numbers: PyTree = field(repr=False)
    start: tuple[PyTree, PyTree] = field(repr=False)

    @classmethod
    def of(
        cls, plan: Plan, rows: Gather, own: Own, learner: str, data: PyTree, cohorts: Cohorts
    ) -> Self:
        shape, others = numbers_of(traced(plan.sums.contribution))
        numbers, start = (own.numbers, shape), (own.start, placed(plan.server.init()))

        def gathered(numbers, state, people):
            learner, shape = eqx.combine(numbers, (own.rest, others))
            return terms_of(learner, shape, state, people)

        def tell(numbers, state, answer):
            return eqx.combine(numbers[0], own.rest).tell(state, answer)

        like = shapes_of((numbers, own.start))
        people = jax.tree.map(
            lambda leaf: _like((cohorts.chunk, *leaf.shape[1:]), leaf.dtype, whole()), data
        )
        first = Program.of(gathered, *like, people)
        replay = Replay.ANY if rows.repeatable else Replay.NONE
        last = Program.of(tell, *like, shapes_of(answer_of(plan)))
        return cls(learner, first, last, plan.server, replay, numbers, start)

    @property
    def digest(self) -> str:
        return self.rows.digest + self.tell.digest

    def ready(self, data: PyTree, run: bytes) -> Play:
        del run
        rows, tell = self.rows.compiled(), self.tell.compiled()

        def play(state, carry, cohort, keys, many):
            del many
            ask = functools.partial(rows, self.numbers, state)
            terms = _gathered(ask, self.rows.returns, data, cohort)
            carry, answer, _ = self.server.step(carry, keys.server[0], terms)
            return tell(self.numbers, state, placed(answer)), carry, None

        return play


def _gathered(ask: Callable, like: PyTree, data: PyTree, cohort: Cohort) -> np.ndarray:
    """The terms of all who are present, asked for chunk by chunk."""
    present = np.asarray(cohort.present)[0]
    terms, many = np.empty((present.sum(), *like.shape[1:]), like.dtype), 0
    for rows, there in zip(np.asarray(cohort.rows)[0], present, strict=True):
        made = np.asarray(ask(_asked(data, rows)))[there]
        many += len(made)
        terms[many - len(made) : many] = made
    return terms


def _asked(data: PyTree, rows: np.ndarray) -> PyTree:
    """The rows of these people, brought to the devices."""
    return laid(jax.tree.map(lambda leaf: leaf[rows], data), whole())


def _asked_like(cohorts: Cohorts) -> tuple[Cohort, Keys, Any]:
    """What a block is called with, beside what is there before it."""
    places = cohorts.block, cohorts.chunks, cohorts.chunk
    rows, present = (_like(places, kind, divided()) for kind in (np.int32, np.bool_))
    used = _like(places[:1], np.int32, whole())
    each = shapes_of(keys.jax_keys([bytes(keys.KEY_BYTES)] * cohorts.block, cohorts.block))
    return Cohort(rows, present, used), Keys(each, each, each), _like((), np.int32, whole())


def shapes_of(tree: PyTree) -> PyTree:
    """Of arrays that lie whole on every device."""
    return jax.tree.map(lambda leaf: _like(leaf.shape, leaf.dtype, whole()), tree)


def _like(shape: tuple[int, ...], kind: Any, place: NamedSharding) -> Any:
    """Stands for an array of this shape where a program is made."""
    return jax.ShapeDtypeStruct(shape, kind, sharding=place)


def _refuse_misfits(plan: Plan, term: PyTree, before: PyTree, after: PyTree) -> None:
    shape = plan.sums.contribution.shape
    if term.shape != shape:
        raise ValueError(
            f"the question takes terms of shape {shape}, the learner asks for shape {term.shape}"
        )
    if _kinds(after) != _kinds(before):
        raise ValueError(
            "a learner's tell must return a state of the same structure, shapes and types as init's"
        )


def _kinds(tree: PyTree) -> tuple:
    leaves, structure = jax.tree.flatten(tree)
    return structure, [(leaf.shape, leaf.dtype) for leaf in leaves]


def _equal(one: PyTree, other: PyTree) -> bool:
    """Of what is no array: by what it is, or by its own word."""
    (leaves, structure), (others, like) = jax.tree.flatten(one), jax.tree.flatten(other)
    if structure != like:
        return False
    pairs = zip(leaves, others, strict=True)
    return all(a is b or (type(a) is type(b) and bool(a == b)) for a, b in pairs)
