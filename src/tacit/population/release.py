"""What a finished run hands over: its answer, and everything from which its promises follow.

A finished grant is not run again. Its answer is read from its last checkpoint, whose digest the
ledger holds since the grant was closed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self, final

from jaxtyping import PyTree

from tacit.accounting.relation import Relation
from tacit.accounting.upper import upper, upper_delta
from tacit.argument import got, is_made
from tacit.ledger import receipt
from tacit.ledger.ledger import LedgerOrPath, opened
from tacit.page import folded
from tacit.plan import Guarantee, Plan
from tacit.population.checkpoint import Checkpoint
from tacit.population.learner import Learner
from tacit.population.placement import placed
from tacit.question.words import in_words
from tacit.record import plain, versions

DECLARED = "declared before the data were read, and not counted: there may be fewer, or more"


def recorded(plan: Plan, private: bool) -> dict[str, Any]:
    """A plan as ledgers have it."""
    return {**plain(plan), "seeded": not private}


def in_short(plan: Plan, private: bool) -> str:
    """A plan in two lines: what is asked, and what is promised to whom."""

    def whole(promise: Guarantee) -> str:
        return f"{met(promise)} per {promise.unit} under {promise.relation.value}"

    return f"{in_words(plan.question)}\n{promised(plan, private, whole)}"


def promised(plan: Plan, private: bool, each: Callable[[Guarantee], str]) -> str:
    """A run's promises, each in these words; or why there is none."""
    if not plan.private:
        return "nothing is promised"
    return "; ".join(map(each, plan.guarantees)) if private else "seeded, so not private"


def met(promise: Guarantee) -> str:
    """A promise, without whom it is about."""
    epsilon, delta = upper(promise.epsilon), upper_delta(promise.delta)
    return f"{promise.observer} meets epsilon {epsilon}, delta {delta}"


@final
@dataclass(frozen=True)
class Release:
    """What a finished run hands over: the learner's final state, all of it public."""

    grant: str
    plan: Plan
    state: PyTree
    private: bool

    @classmethod
    def read(
        cls,
        grant: str,
        population: str,
        plan: Plan,
        learner: Learner,
        ledger: LedgerOrPath,
        checkpoint: Checkpoint,
        *,
        seeded: bool = False,
    ) -> Self:
        """What a finished grant released, from its checkpoint; no data, no key, no charge.

        Args:
          grant: its name.
          population: the name of its people.
          plan: its plan.
          learner: says what its states look like.
          ledger: its people's ledger, or its path.
          checkpoint: what it wrote.
          seeded: whether it was run with a seed.

        Raises:
          LedgerError: if there is no such grant, it has another plan, or it is not finished.
          CheckpointError: if the file is not the one that the grant ended with.
          ValueError: if the checkpoint is none.
        """
        if not is_made(checkpoint, Checkpoint):
            raise ValueError(f"checkpoint must be a Checkpoint(path), got {got(checkpoint)}")
        digest = opened(ledger).released(grant, population, recorded(plan, not seeded))
        state = checkpoint.released(grant, placed(learner.init()), digest)
        return cls(grant, plan, state, not seeded and plan.private)

    def __repr__(self) -> str:
        said = f"release of {in_short(self.plan, self.private)}; state: {_kind(self.state)}"
        return folded(said)

    @property
    def answer(self) -> PyTree:
        """The answer of a plain statistic: its mean, or its answers of all rounds in order.

        Raises:
          AttributeError: if a model was learnt; its learner releases it from the state.
        """
        if not hasattr(self.state, "answer"):
            raise AttributeError(
                "only a plain statistic has one answer: what was learnt is "
                "`learner.released(release.state)`"
            )
        return self.state.answer

    def receipt(self) -> dict[str, Any]:
        """Everything from which anybody can recompute every promise of this release.

        Where people come or go, the plan in it says that their number was declared.
        """
        written = {**plain(self.plan), **_of_people(self.plan)}
        return receipt.make(self.plan.guarantees, written, versions(), self.private)


def _of_people(plan: Plan) -> dict[str, str]:
    """What the number of people in a plan is; nothing where it is that of all, and public."""
    secret = any(each.relation is Relation.ADD_REMOVE for each in plan.guarantees)
    return {"people": DECLARED} if secret or not plan.private else {}


def _kind(state: PyTree) -> str:
    """What a state is; its numbers may be many."""
    if hasattr(state, "dtype"):
        return f"{state.dtype} of shape {state.shape}"
    return type(state).__name__
