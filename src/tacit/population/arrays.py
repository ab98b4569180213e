"""People whose data lies in memory: one row of every array is one person.

`grant` is the only door to the data. It checks everything that can be checked without reading
a value (the plan fits the people, the learner's terms fit the question), and only then charges
the ledger; a refused question costs nothing.
"""

import hashlib
import math
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self, final

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr
from jaxtyping import ArrayLike, Bool, Int, PyTree

from tacit.accounting.ledger import Charge, Ledger
from tacit.accounting.relation import Relation
from tacit.fit import OF_BLOCKS, Fit, LastIterate
from tacit.noise import keys
from tacit.noise.fixed import MOST_AT_ONCE
from tacit.plan import Plan
from tacit.population.grant import Grant, spread
from tacit.population.loop import (
    MOST_IN_A_SUM,
    Learner,
    Parts,
    Summing,
    answer_of,
    summing,
)
from tacit.question import Above, Select
from tacit.record import plain, versions

# Reports held at once, in float32 numbers: 64 MB.
CHUNK_NUMBERS = 2**24
# People's numbers that a learner sums at once: 8 MB, so that a second pass finds them in the cache.
SUMMED_NUMBERS = 2**21


@final
@dataclass(frozen=True, eq=False, repr=False)
class Arrays:
    """A population in memory, known to its ledger by `name`.

    Args:
      data: arrays whose leading axis runs over people.
      name: whose budget this is. Two sets of arrays of the same people share one name.

    Raises:
      ValueError: if there are no people, or the arrays disagree on how many.
    """

    data: PyTree
    name: str

    def __post_init__(self):
        sizes = {np.shape(leaf)[:1] for leaf in jax.tree.leaves(self.data)}
        if len(sizes) != 1 or sizes & {(), (0,)}:
            raise ValueError(
                "a population needs at least one array, all with one row for each person and at "
                "least one person"
            )

    @classmethod
    def from_records(
        cls,
        records: PyTree,
        rows: Int[np.ndarray, "people at_most"],
        present: Bool[np.ndarray, "people at_most"],
        name: str,
    ) -> Self:
        """People who hold several records each: `rows` of `records`, where `present`.

        One person's data is then a pair: their records and which of them are there.
        """
        own = jax.tree.map(lambda leaf: np.asarray(leaf)[rows], records)
        return cls((own, present), name)

    def __repr__(self) -> str:
        return f"Arrays(name={self.name!r})"

    @property
    def people(self) -> int:
        """The true number of people: secret under add/remove, never printed."""
        return np.shape(jax.tree.leaves(self.data)[0])[0]

    def grant(
        self,
        plan: Plan,
        learner: Learner,
        ledger: Ledger,
        *,
        part: str | None = None,
        grant_id: str | None = None,
        at_once: int | None = None,
        seed: int | None = None,
    ) -> Grant:
        """Charges the ledger for everything `plan` will release, all or nothing.

        Args:
          plan: what is to be released.
          learner: who asks; bound to the grant, because the same noise under another learner
            would cancel out.
          ledger: the people's ledger.
          part: the part of the population that these people are, where the ledger has divided it;
            parts are charged side by side.
          grant_id: an idempotency key: asking again with the same one charges nothing and
            continues the same grant.
          at_once: people processed side by side (default: as many as fit in memory); part of
            the grant, because it decides which device key is whose.
          seed: for tests and benchmarks; the receipt then says that nothing is private.

        Raises:
          ValueError: if the plan does not fit these people or the learner.
          OverBudget: if any account would exceed its limit; nothing is charged then.
        """
        self._refuse_other_people(plan)
        most = MOST_IN_A_SUM if summing(plan, learner) else MOST_AT_ONCE
        if summing(plan, learner) and jax.device_count() > most:
            raise ValueError(f"a learner's own sums need at most {most} devices")
        chunk = min(most, self._fitting(plan, learner)) if at_once is None else at_once
        if chunk not in range(1, most + 1):
            raise ValueError(f"at_once must be between 1 and {most}, got {at_once}")
        data = jax.device_put(jax.tree.map(lambda leaf: jnp.array(leaf), self.data), spread())
        fingerprint = _fingerprint(data, learner, plan, chunk)
        name = grant_id or secrets.token_hex(16)
        root = keys.fresh() if seed is None else keys.from_seed(seed)
        charges = [
            Charge(g.observer, g.unit, g.relation, g.event, g.epsilon, g.delta, g.spill, part)
            for g in plan.guarantees
        ]
        recorded = {**plain(plan), "seeded": seed is not None}
        opened = ledger.charge(name, self.name, charges, root, fingerprint, recorded)
        return Grant(name, plan, learner, data, ledger, opened.root_key, chunk, seed is None)

    def _fitting(self, plan: Plan, learner: Learner) -> int:
        """How many people's terms, or their own numbers where those are summed, fit at once."""
        if summing(plan, learner) is None:
            return max(1, CHUNK_NUMBERS // math.prod(plan.sums.contribution.shape))
        own = sum(np.size(leaf) for leaf in jax.tree.leaves(self.data)) // self.people
        return max(1, SUMMED_NUMBERS // max(1, own))

    def _refuse_other_people(self, plan: Plan) -> None:
        # A local report is private whatever the number of people; what the public sees of a
        # cohort is proved for a public number, except under add/remove.
        counted = any(
            g.observer == "public" and g.relation is not Relation.ADD_REMOVE
            for g in plan.guarantees
        )
        if counted and plan.sums.people != self.people:
            raise ValueError(
                "under replace-one and zero-out the number of people is public: this plan is "
                f"for {plan.sums.people} people, {self.name!r} has {self.people}"
            )
        # Sums that are compared must not wrap around, which those that get noise may; and descent
        # on more than twice the people is no contraction.
        question = plan.question
        last = isinstance(question, Fit) and isinstance(question.statistic, LastIterate)
        limited = last or isinstance(question, Select | Above)
        if limited and self.people > 2 * plan.sums.people:
            raise ValueError(
                f"a plan for {plan.sums.people} people is for at most twice as many here: "
                f"{self.name!r} has more, declare them"
            )


def _fingerprint(data: PyTree, learner: Learner, plan: Plan, chunk: int) -> str:
    """A digest of everything a replayed round depends on: all that a grant is bound to.

    That is the data, the learner's numbers and program, the chunk size, the versions of the
    software and the platform. The program is the traced one, so it is the same in every process;
    addresses that JAX prints into it are left out.

    Raises:
      ValueError: if the learner's terms or states do not fit; nothing is charged then.
    """
    person = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape[1:], x.dtype), data)
    init, state = jax.make_jaxpr(learner.init, return_shape=True)()
    ask, term = jax.make_jaxpr(learner.ask, return_shape=True)(state, person)
    shape, answer = plan.sums.contribution.shape, answer_of(plan)
    if term.shape != shape:
        raise ValueError(
            f"the question takes terms of shape {shape}, the learner asks for shape {term.shape}"
        )
    tell, after = jax.make_jaxpr(learner.tell, return_shape=True)(state, answer)
    if jax.tree.structure(after) != jax.tree.structure(state):
        raise ValueError("a learner's tell must return a state of the same structure as init's")
    programs = [init, ask, tell]
    if adder := summing(plan, learner):
        programs.append(_summing(data, adder, plan, chunk))
    where = f"{versions()} {jax.default_backend()} {jax.device_count()} {chunk}"
    digest = hashlib.sha256(where.encode())
    if isinstance(plan.question, Fit) and isinstance(plan.question.statistic, OF_BLOCKS):
        # What a function of the host does cannot be told, so its noise is never drawn again.
        digest.update(keys.fresh())
    for program in programs:
        digest.update(re.sub(r"0x[0-9a-f]+", "", str(program)).encode())
    held = [constant for program in programs for constant in _constants(program)]
    for leaf in jax.tree.leaves((data, learner.init(), held)):
        array = np.ascontiguousarray(leaf)
        digest.update(f"{array.dtype}{array.shape}".encode())
        digest.update(array.data)
    return digest.hexdigest()


def _summing(data: PyTree, learner: Summing, plan: Plan, chunk: int) -> ClosedJaxpr:
    """The program of a learner's own sums.

    Raises:
      ValueError: if such a sum is not of the question's shape.
    """
    people = jax.tree.map(lambda x: jax.ShapeDtypeStruct((chunk, *x.shape[1:]), x.dtype), data)
    present, bound = jax.ShapeDtypeStruct((chunk,), bool), Parts.of(plan).summed
    state = jax.eval_shape(learner.init)
    traced = jax.make_jaxpr(learner.clipped_sum, return_shape=True)
    program, total = traced(state, people, present, bound)
    shape = plan.sums.contribution.answer_shape
    if total.shape != shape:
        raise ValueError(
            f"the question's sums have shape {shape}, the learner's own sum has {total.shape}"
        )
    return program


def _constants(program: ClosedJaxpr | Jaxpr) -> Iterator[ArrayLike]:
    """Arrays a program holds, at any depth: those of an inner `jit` are not the outer one's.

    Raises:
      ValueError: if it calls back to the host, for then it can be anything.
    """
    if isinstance(program, ClosedJaxpr):
        yield from program.consts
        program = program.jaxpr
    for equation in program.eqns:
        if "callback" in equation.primitive.name or equation.primitive.name == "debug_print":
            raise ValueError("a learner must not call back to the host from a compiled round")
        for held in jax.tree.leaves(equation.params, is_leaf=_is_program):
            if _is_program(held):
                yield from _constants(held)


def _is_program(value: Any) -> bool:
    return isinstance(value, ClosedJaxpr | Jaxpr)
