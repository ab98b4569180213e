"""A plan's rounds with one learner on one population's data: lowered, then compiled, then played.

Two kinds of question, two kinds of round. One about sums is one compiled program, and the un-noised
total never leaves it. One about all rows at once (`Fit`) brings them to the host, where its
mechanism draws its noise, and then tells the learner.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, cast, final

import equinox as eqx
import jax
import numpy as np
from jax.sharding import NamedSharding
from jaxtyping import Array, Bool, PyTree

from tacit.noise import keys
from tacit.plan import Plan, Server
from tacit.population.cohorts import Cohorts
from tacit.population.loop import (
    Cohort,
    Keys,
    Learner,
    Parts,
    Summing,
    answer_of,
    play_round,
    reports_of,
    summing,
)
from tacit.population.placement import divided, placed, whole
from tacit.population.program import Program, digest_of, numbers_of
from tacit.question.rows import OF_BLOCKS, Fit

# Of a state, a carry and a cohort with its keys: the state and the carry after it, and whether the
# run ends with it.
Play = Callable[[PyTree, PyTree, Cohort, Keys], tuple[PyTree, PyTree, Bool[Array, ""] | None]]


class Rounds(Protocol):
    """What a grant plays."""

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
    def repeatable(self) -> bool:
        """Whether a run that died may be played again: not if a function of the host is asked,
        for what that does cannot be told."""
        ...

    def ready(self, data: PyTree) -> Play:
        """The compiled rounds on this data."""
        ...


def rounds_of(plan: Plan, learner: Learner, data: PyTree, cohorts: Cohorts) -> Rounds:
    """The rounds of this plan, of a learner as it is now: it is looked at here, once, and not kept.

    Raises:
      ValueError: if the learner's terms, sums or states do not fit the question, or it calls back
        to the host.
    """
    numbers, rest = numbers_of(learner)
    own = Own(numbers, rest, placed(learner.init()))
    if adder := summing(plan, learner):
        _refuse_other_sums(plan, adder, _shapes(own.start), _shapes(data), cohorts.at_once)
    kind = RowRounds if isinstance(plan.question, Fit) else SumRounds
    return kind.of(plan, own, own.digest(plan, data), data, cohorts)


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
        ask, tell = self._part("ask", person), self._part("tell", answer_of(plan))
        _refuse_misfits(plan, ask.returns, _shapes(self.start), tell.returns)
        return ask.digest + tell.digest + digest_of(self.numbers, self.start)

    def _part(self, name: str, like: PyTree) -> Program:
        def call(numbers, *given):
            return getattr(eqx.combine(numbers, self.rest), name)(*given)

        return Program.of(call, *_shapes((self.numbers, self.start, like)))


@final
@dataclass(frozen=True, eq=False)
class SumRounds:
    """Rounds about sums, each one program."""

    learner: str
    round: Program
    numbers: PyTree = field(repr=False)
    start: tuple[PyTree, PyTree] = field(repr=False)

    repeatable = True

    @classmethod
    def of(cls, plan: Plan, own: Own, learner: str, data: PyTree, cohorts: Cohorts) -> Self:
        parts, others = numbers_of(Parts.of(plan))
        numbers, start = (own.numbers, parts), (own.start, placed(plan.server.init()))

        def play(numbers, *asked):
            learner, parts = eqx.combine(numbers, (own.rest, others))
            return play_round(learner, parts, *asked)

        like = *_shapes((numbers, *start, data)), _cohort_like(cohorts), _keys_like()
        return cls(learner, Program.of(play, *like), numbers, start)

    @property
    def digest(self) -> str:
        return self.round.digest

    def ready(self, data: PyTree) -> Play:
        play = self.round.compiled()
        return lambda state, carry, *asked: play(self.numbers, state, carry, data, *asked)


@final
@dataclass(frozen=True, eq=False)
class RowRounds:
    """One round about all rows: programs on both sides of a mechanism of the host."""

    learner: str
    rows: Program
    tell: Program
    server: Server
    repeatable: bool
    numbers: PyTree = field(repr=False)
    start: tuple[PyTree, PyTree] = field(repr=False)

    @classmethod
    def of(cls, plan: Plan, own: Own, learner: str, data: PyTree, cohorts: Cohorts) -> Self:
        parts, others = numbers_of(_on_device(plan))
        numbers, start = (own.numbers, parts), (own.start, placed(plan.server.init()))

        def rows(numbers, state, data, asked, key):
            learner, parts = eqx.combine(numbers, (own.rest, others))
            people = jax.tree.map(lambda leaf: leaf[asked], data)
            return reports_of(learner, parts, state, people, key)

        def tell(numbers, state, answer):
            return eqx.combine(numbers[0], own.rest).tell(state, answer)

        like = _shapes((numbers, own.start))
        asked = _like((cohorts.chunk,), np.int32, whole())
        first = Program.of(rows, *like, _shapes(data), asked, _keys_like().device)
        last = Program.of(tell, *like, _shapes(answer_of(plan)))
        repeatable = not isinstance(cast(Fit, plan.question).statistic, OF_BLOCKS)
        return cls(learner, first, last, plan.server, repeatable, numbers, start)

    @property
    def digest(self) -> str:
        return self.rows.digest + self.tell.digest

    def ready(self, data: PyTree) -> Play:
        rows, tell = self.rows.compiled(), self.tell.compiled()

        def play(state, carry, cohort, keys):
            chunks = [
                np.asarray(rows(self.numbers, state, data, placed(asked), keys.device))[present]
                for asked, present in zip(cohort.rows, np.asarray(cohort.present), strict=True)
            ]
            carry, answer, _ = self.server.step(carry, keys.server, np.concatenate(chunks))
            del chunks
            return tell(self.numbers, state, placed(answer)), carry, None

        return play


def _on_device(plan: Plan) -> Parts:
    """Without the server, and without what a learner's own sums are kept within."""
    parts = Parts.of(plan)
    return eqx.tree_at(
        lambda own: (own.server, own.summed), parts, (None, None), is_leaf=lambda own: own is None
    )


def _keys_like() -> Keys:
    key = _shapes(keys.jax_key(bytes(32)))
    return Keys(key, key)


def _cohort_like(cohorts: Cohorts) -> Cohort:
    places = cohorts.chunks, cohorts.chunk
    rows, present = (_like(places, kind, divided()) for kind in (np.int32, np.bool_))
    return Cohort(rows, present, _like((), np.int32, whole()))


def _shapes(tree: PyTree) -> PyTree:
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


def _refuse_other_sums(
    plan: Plan, learner: Summing, state: PyTree, data: PyTree, chunk: int
) -> None:
    people = jax.tree.map(lambda x: jax.ShapeDtypeStruct((chunk, *x.shape[1:]), x.dtype), data)
    present, bound = jax.ShapeDtypeStruct((chunk,), np.bool_), Parts.of(plan).summed
    total = eqx.filter_eval_shape(learner.clipped_sum, state, people, present, bound)
    shape = plan.sums.contribution.answer_shape
    if total.shape != shape:
        raise ValueError(
            f"the question's sums have shape {shape}, the learner's own sum has {total.shape}"
        )
