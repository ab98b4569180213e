"""People whose data lies in memory: one row of every array is one person.

`grant` is the only door to the data. It checks everything that can be checked without reading
a value (the plan fits the people, the learner's terms fit the question), and only then charges
the ledger; a refused question costs nothing.
"""

import math
import os
import secrets
from dataclasses import dataclass
from typing import Self, final

import jax
import numpy as np
from jaxtyping import Bool, Int, PyTree

from tacit.accounting.relation import Relation
from tacit.argument import refuse_no_name
from tacit.ledger.ledger import LedgerOrPath, opened
from tacit.noise import keys
from tacit.noise.fixed import MOST_AT_ONCE
from tacit.plan import Plan
from tacit.population.checkpoint import Checkpoint
from tacit.population.cohorts import Cohorts
from tacit.population.grant import Grant, OneKey
from tacit.population.loop import MOST_IN_A_SUM, Learner, summing
from tacit.population.placement import placed
from tacit.population.program import digest_of
from tacit.population.release import recorded
from tacit.population.rounds import Rounds, rounds_of
from tacit.record import versions

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
      ValueError: if there are no people, the arrays disagree on how many, or the name is none.
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
        refuse_no_name("name", self.name)

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
        ledger: LedgerOrPath,
        *,
        part: str | None = None,
        grant_id: str | None = None,
        checkpoint: Checkpoint | None = None,
        at_once: int | None = None,
        seed: int | None = None,
    ) -> Grant:
        """Charges the ledger for everything `plan` will release, all or nothing.

        Args:
          plan: what is to be released.
          learner: who asks, as it is now; bound to the grant, because the same noise under another
            learner would cancel out.
          ledger: the people's ledger, or its path.
          part: the part of the population that these people are, where the ledger has divided it;
            parts are charged side by side.
          grant_id: an idempotency key: asking again with the same one charges nothing and
            continues the same grant, until it is finished.
          checkpoint: where to remember progress; without it a dead run starts at round 0, with the
            same noise.
          at_once: people processed side by side (default: as many as fit in memory); part of
            the grant, because it decides which device key is whose.
          seed: for tests and benchmarks; the receipt then says that nothing is private.

        Raises:
          ValueError: if the plan does not fit these people or the learner.
          CheckpointError: if the checkpoint cannot be written, or is of another grant.
          OverBudget: if any account would exceed its limit.
          Finished: if the grant of this name is finished: `Release.read` has its answer.
          LedgerError: if the grant of this name was opened with something else; it says with what.
          Nothing is charged in any of these cases.
        """
        self._refuse_other_people(plan)
        book = opened(ledger)
        if grant_id is not None:
            refuse_no_name("grant_id", grant_id)
        chunk = self._at_once(plan, learner, at_once)
        data, name = placed(self.data), grant_id or secrets.token_hex(16)
        cohorts = Cohorts(plan, self.people, chunk, summing(plan, learner) is not None)
        rounds = rounds_of(plan, learner, data, cohorts)
        if checkpoint is not None:
            checkpoint.refuse_unusable(name, *rounds.start)
        root = keys.fresh() if seed is None else keys.from_seed(seed)
        charges, written = plan.charges(part), recorded(plan, private=seed is None)
        bound = _bound(data, rounds, chunk)
        charged = book.charge(name, self.name, charges, root, bound, written)
        return Grant(
            name,
            plan,
            rounds,
            cohorts,
            data,
            book,
            private=seed is None,
            checkpoint=checkpoint,
            key=OneKey(charged.root_key),
        )

    def _at_once(self, plan: Plan, learner: Learner, asked: int | None) -> int:
        """How many people are processed side by side: as asked, or as many as fit."""
        summed = summing(plan, learner) is not None
        most = MOST_IN_A_SUM if summed else MOST_AT_ONCE
        if summed and jax.device_count() > most:
            raise ValueError(f"a learner's own sums need at most {most} devices")
        chunk = min(most, self._fitting(plan, learner)) if asked is None else asked
        if chunk not in range(1, most + 1):
            raise ValueError(f"at_once must be between 1 and {most}, got {asked}")
        return chunk

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


def _bound(data: PyTree, rounds: Rounds, chunk: int) -> dict[str, str]:
    """What a replayed round depends on but its plan, by the name it is refused by, causes first.

    A function of blocks is nobody's second time: until the run erases the key, a name of its own
    keeps it from being opened again.
    """
    bound = {
        "data": digest_of(data),
        "learner": rounds.learner,
        "at_once": str(chunk),
        "versions": str(versions()),
        "platform": f"{jax.default_backend()} {jax.device_count()} {os.environ.get('XLA_FLAGS')}",
        "program": rounds.digest,
    }
    return bound if rounds.repeatable else {**bound, "function of blocks": secrets.token_hex()}
