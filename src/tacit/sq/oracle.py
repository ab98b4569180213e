"""The oracle of statistical queries: any people, under any trust model, answer any such learner.

A learner says what one person is asked for in a round (`shape`) and for how many rounds; its
queries are the coordinates of that. Who answers, and when, is the trust model's:

| trust | who answers a round |
| --- | --- |
| `Central`, `NonPrivate`, `WorstWithin` | everybody, in every round |
| `Local`, `Shuffled` | each person in one round alone |
| `Federated` | each person in one, where the public's promise is for that; else everybody |

Noise of a server is for numbers, so under `Federated` counts are a vector, and a category is one
with a one in its place.

Whoever randomises their own report has one budget for all they ever send, so splitting people
between rounds is what costs least: with everybody in all T rounds each report has epsilon/T, and
the people needed grow by T. A curator adds noise to sums of everybody, where T rounds of one number
cost no more than one round of T numbers.

References:
    Kearns 1998, "Efficient noise-tolerant learning from statistical queries".
    Blum, Dwork, McSherry and Nissim 2005, "Practical privacy: the SuLQ framework".
    Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith 2011, "What can we learn privately?".
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, cast, final, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Num, PyTree

from tacit.argument import got, is_made
from tacit.contribution import Ball, Contribution, Counts, OneHot
from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.population.learner import Learner
from tacit.population.release import Release
from tacit.question.participation import AtMost, Everyone, Once, Participation
from tacit.question.sums import Mean, Question
from tacit.statistics.answer import released
from tacit.trust.federated import Federated
from tacit.trust.people import Reported, relation_of


@runtime_checkable
class QueryLearner(Learner, Protocol):
    """A learner, and what it asks."""

    @property
    def shape(self) -> Contribution:
        """What one person is asked for in a round."""
        ...

    @property
    def rounds(self) -> int:
        """How many answers it goes by."""
        ...


class Answering(Protocol):
    """A trust model, or anything that has a plan for a question."""

    def plan(self, question: Question) -> Plan: ...


@final
@dataclass(frozen=True)
class QueryLearning:
    """A learner of statistical queries, put to people: `plan` is known before the data are.

    Args:
      learner: of `tacit.sq`, or any with a `shape` and `rounds`.
      trust: whom people trust; or a `WorstWithin`.
      people: about how many they are; exactly, where that is public.

    Raises:
      ValueError: if the learner is none, or the trust model has no such plan.
    """

    learner: Any
    trust: Any
    people: int

    def __post_init__(self):
        if not is_made(self.learner, QueryLearner):
            raise ValueError(
                "a learner of statistical queries has a shape, rounds, init, ask and tell, got "
                f"{got(self.learner)}"
            )
        _ = self.plan

    @cached_property
    def plan(self) -> Plan:
        """What will be promised, and how wrong an answer is."""
        asked = cast(QueryLearner, self.run)
        who = participation(self.trust)
        question = Mean(asked.shape, who, asked.rounds, self.people)
        return cast(Answering, self.trust).plan(question)

    @property
    def run(self) -> Learner:
        """The learner as these people are asked: of vectors, where only such can be noised."""
        learner = cast(QueryLearner, self.learner)
        as_vectors = isinstance(self.trust, Federated) and isinstance(
            learner.shape, OneHot | Counts
        )
        return OfVectors(learner) if as_vectors else learner

    def of(
        self,
        data: PyTree,
        ledger: LedgerOrPath,
        name: str,
        *,
        seed: int | None = None,
        note: str | None = None,
    ) -> Release:
        """The learner's state after all answers of these people, charged to them.

        Args:
          data: what the learner asks people of: arrays with a row for each person.
          ledger, name, seed, note: as for `tacit.statistics.mean`.
        """
        words = f"statistical queries of {type(self.learner).__name__}"
        return released(self.plan, self.run, data, name, ledger, seed, note, words)


def participation(trust: Any) -> Participation:
    """Who answers in which round."""
    reported = isinstance(trust, Reported | Federated)
    return Once() if reported and relation_of(trust) in AtMost.relations else Everyone()


@final
class OfVectors(eqx.Module):
    """The same learner, asked for counts as a vector, of a category with a one in its place."""

    learner: QueryLearner

    @property
    def shape(self) -> Ball:
        return Ball(self._counted.categories, self._counted.bound)

    @property
    def rounds(self) -> int:
        return self.learner.rounds

    @property
    def _counted(self) -> OneHot | Counts:
        return cast(OneHot | Counts, self.learner.shape)

    def init(self) -> PyTree:
        return self.learner.init()

    def ask(self, state: PyTree, person: PyTree) -> Float[Array, " categories"]:
        own = jnp.asarray(self.learner.ask(state, person))
        if isinstance(self._counted, Counts):
            return self._counted.project(own[None])[0]
        return jax.nn.one_hot(own, self._counted.categories)

    def tell(self, state: PyTree, answer: Num[Array, " categories"]) -> PyTree:
        return self.learner.tell(state, answer)
