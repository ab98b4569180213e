"""People whose data lies in memory: one row of every array is one person.

`grant` is the only door to the data. It checks everything that can be checked without reading
a value (the plan fits the people, the learner's terms fit the question), and only then charges
the ledger; a refused question costs nothing.
"""

import hashlib
import math
import re
import secrets
from dataclasses import dataclass
from typing import Self, final

import jax
import numpy as np
from jaxtyping import Bool, Int, PyTree

from tacit.accounting.ledger import Charge, Ledger
from tacit.accounting.relation import Relation
from tacit.noise import keys
from tacit.plan import Plan
from tacit.population.grant import Grant
from tacit.population.loop import Learner
from tacit.record import plain

# Reports held at once, in float32 numbers: 64 MB.
CHUNK_NUMBERS = 2**24


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
                "a population needs arrays that all have one row a person and at least one "
                f"person, got leading sizes {sorted(sizes)}"
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
        first = jax.eval_shape(lambda: learner.init())
        person = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape[1:], x.dtype), self.data)
        _refuse_other_shape(plan, jax.eval_shape(learner.ask, first, person).shape)
        name = grant_id or secrets.token_hex(16)
        root = keys.fresh() if seed is None else keys.from_seed(seed)
        chunk = at_once or max(1, CHUNK_NUMBERS // math.prod(plan.question.contribution.shape))
        charges = [
            Charge(g.observer, g.unit, g.relation, g.event, g.epsilon, g.delta)
            for g in plan.guarantees
        ]
        fingerprint = _fingerprint(self.data, learner, first, person, chunk)
        opened = ledger.charge(name, self.name, charges, root, fingerprint, plain(plan))
        return Grant(name, plan, learner, self, ledger, opened.root_key, chunk, seed is None)

    def _refuse_other_people(self, plan: Plan) -> None:
        # A local report is private whatever the number of people; what the public sees of a
        # cohort is proved for a public number, except under add/remove.
        counted = any(
            g.observer == "public" and g.relation is not Relation.ADD_REMOVE
            for g in plan.guarantees
        )
        if counted and plan.question.people != self.people:
            raise ValueError(
                "under replace-one and zero-out the number of people is public: this plan is "
                f"for {plan.question.people} people, {self.name!r} has {self.people}"
            )


def _refuse_other_shape(plan: Plan, shape: tuple[int, ...]) -> None:
    if shape != plan.question.contribution.shape:
        raise ValueError(
            f"the question takes terms of shape {plan.question.contribution.shape}, "
            f"the learner asks for shape {shape}"
        )


def _fingerprint(data: PyTree, learner: Learner, state: PyTree, person: PyTree, chunk: int) -> str:
    """A digest of the data, of the learner's numbers and program, and of the chunk size.

    The program is the traced one, so it is the same in every process; addresses that JAX
    prints into it are left out.
    """
    digest = hashlib.sha256(str(chunk).encode())
    answer = jax.eval_shape(learner.ask, state, person)
    programs = (
        jax.make_jaxpr(learner.init)(),
        jax.make_jaxpr(learner.ask)(state, person),
        jax.make_jaxpr(learner.tell)(state, answer),
    )
    for program in programs:
        digest.update(re.sub(r"0x[0-9a-f]+", "", str(program)).encode())
    for leaf in jax.tree.leaves((data, learner.init(), [p.consts for p in programs])):
        array = np.ascontiguousarray(leaf)
        digest.update(f"{array.dtype}{array.shape}".encode())
        digest.update(array.data)
    return digest.hexdigest()
