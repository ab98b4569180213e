"""People whose data lies in memory: one row of every array is one person.

`grant` is the only door to the data. It checks everything that can be checked without reading
a value (the plan fits the people, the learner's terms fit the question), and only then charges
the ledger; a refused question costs nothing.
"""

from dataclasses import dataclass
from typing import Any, Self, final

import jax
import numpy as np
from jaxtyping import Bool, Int, PyTree

from tacit.accounting.guarantee import PERSON
from tacit.accounting.relation import Relation
from tacit.argument import got, refuse_no_name
from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.population.charging import granted
from tacit.population.checkpoint import Checkpoint
from tacit.population.columns import held
from tacit.population.grant import Grant
from tacit.population.learner import Learner, refuse_ungrantable
from tacit.population.owners import Group, first_of_each
from tacit.population.staged import Staged

_SECRET = (
    "may have a row, and how many have is secret: ask under add/remove, as Central does; Local, "
    "Shuffled and Federated are for people who are known to take part, and "
    "tacit.simulation.Simulated tries them"
)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Arrays:
    """A population in memory, known to its ledger by `name`.

    Args:
      data: arrays whose leading axis runs over people, or what `columns` makes arrays of: a
        DataFrame, a series, lists of numbers.
      name: whose budget this is. Two sets of arrays of the same people share one name.
      unit: what a row is, where it is no person: a household, a day of a person. Their accounts are
        apart from those of persons, and plans for them are `plan.per(unit)`.
      everybody: whether all whose account it is have a row. Where what somebody holds decides that,
        how many rows there are is secret, and plans under add/remove alone are carried out.

    Raises:
      ValueError: if there are no arrays, they disagree on how many people there are, a column holds
        no numbers, the name is none, or `everybody` is not True or False. That there is nobody is
        no reason: where people come or go it is a secret.
    """

    data: PyTree
    name: str
    unit: str = PERSON
    everybody: bool = True

    def __post_init__(self):
        object.__setattr__(self, "data", held(self.data))
        sizes = {np.shape(leaf)[:1] for leaf in jax.tree.leaves(self.data)}
        if len(sizes) != 1 or () in sizes:
            raise ValueError(
                "a population needs at least one array, all with one row for each person, "
                f"got {_shapes(self.data)}"
            )
        refuse_no_name("name", self.name)
        refuse_no_name("unit", self.unit)
        if not isinstance(self.everybody, bool | np.bool_):
            raise ValueError(f"everybody must be True or False, got {got(self.everybody)}")

    @classmethod
    def from_records(
        cls,
        records: PyTree,
        rows: Int[np.ndarray, "people at_most"],
        present: Bool[np.ndarray, "people at_most"],
        name: str,
    ) -> Self:
        """People who hold several records each: `rows` of `records`, where `present`.

        One person's data is then a `Group`: their records and which of them are there.
        """
        own = jax.tree.map(lambda leaf: np.asarray(leaf)[rows], held(records))
        return cls(Group(own, present), name)

    @classmethod
    def from_owners(cls, records: PyTree, owner: Any, at_most: int, name: str) -> Self:
        """People who hold several records each: `owner` says whose each one is.

        Of a person with more than `at_most` records the first are kept, in the order they are given
        in. Which those are depends on that person's records alone. An owner that is missing is one
        like any other.

        Args:
          records: arrays, or what `columns` makes arrays of, with a row for each record.
          owner: of each record: numbers, text, anything that can be told apart.
          at_most: how many records of one person are kept.
          name: whose budget this is.

        Raises:
          ValueError: if there is not one owner for each record, or `at_most` is no number of them.
        """
        kept = held(records)
        return cls.from_records(kept, *first_of_each(kept, owner, at_most), name)

    def __repr__(self) -> str:
        return f"Arrays(name={self.name!r})"

    @property
    def people(self) -> int:
        """The true number of people: under add/remove secret; printed where it is public alone."""
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
        note: str = "",
        asked: str | None = None,
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
            continues the same grant, until it is finished. It does not begin with "simulation ".
          checkpoint: where to remember progress; without it a dead run starts at round 0, with the
            same noise. What it has of a grant without a name goes on by the name in the refusal.
          at_once: people processed side by side (default: as many as fit in memory, but one of a
            large model on a CPU); part of the grant, because it decides which device key is whose.
          seed: for tests and benchmarks; the receipt then says that nothing is private.
          note: what the ledger keeps beside the question, for people to read.
          asked: the question in words, where more is known of it than what is summed.

        Raises:
          ValueError: if the plan does not fit these people or the learner.
          CheckpointError: if the checkpoint cannot be written, or is not this grant's.
          OverBudget: if any account would exceed its limit.
          Finished: if the grant of this name is finished: `Release.read` has its answer.
          LedgerError: if the grant of this name was opened with something else; it says with what.
          HostError: if another process of this run was refused, or has other data or another plan.
          Nothing is charged in any of these cases.
        """

        def prepared() -> Staged:
            refuse_ungrantable(plan, learner)
            self._refuse_other_units(plan)
            self._refuse_other_people(plan)
            return Staged.of(plan, learner, self.data, at_once)

        named = {"grant_id": grant_id, "part": part, "seed": seed, "note": note, "asked": asked}
        return granted(self.name, prepared, ledger, checkpoint=checkpoint, **named)

    def _refuse_other_units(self, plan: Plan) -> None:
        others = {each.unit for each in plan.guarantees} - {self.unit}
        if others:
            raise ValueError(
                f"a row of {self.name!r} is one {self.unit}, and this plan promises something to "
                f"one {min(others)}: ask with plan.per({self.unit!r})"
            )

    def _refuse_other_people(self, plan: Plan) -> None:
        # A local report is private whatever the number of people; what the public sees of a
        # cohort is proved for a public number, except under add/remove.
        relations = {g.relation for g in plan.guarantees}
        if not self.everybody and relations - {Relation.ADD_REMOVE}:
            raise ValueError(f"not everybody of {self.name!r} {_SECRET}")
        counted = any(
            g.observer == "public" and g.relation is not Relation.ADD_REMOVE
            for g in plan.guarantees
        )
        if counted and plan.sums.people != self.people:
            raise ValueError(
                "under replace-one and zero-out the number of people is public: this plan is "
                f"for {plan.sums.people} people, {self.name!r} has {self.people}; a fold of them "
                "has fewer, and estimators and statistics count them where people= is left out"
            )


def _shapes(data: PyTree) -> str:
    shapes = [str(np.shape(leaf)) for leaf in jax.tree.leaves(data)]
    return f"shape{'s' * (len(shapes) > 1)} {' and '.join(shapes)}" if shapes else "none"
