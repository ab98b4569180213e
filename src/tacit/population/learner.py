"""A learner: who asks people, and goes on from the answers; the same for every trust model."""

from typing import Any, Protocol, runtime_checkable

from jaxtyping import Array, Num, PyTree

from tacit.argument import got, is_made
from tacit.plan import Plan


@runtime_checkable
class Learner(Protocol):
    """Three pure functions; nothing here ever sees an un-noised sum.

    `ask` may depend on the public state and one person's data only: a learner that closes over
    data has left the proof. One that has a faster way to a chunk's sum is a `Summing`.
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
class KeepingRounds(Protocol):
    """A learner that has room for the answers of so many rounds, as `rounds` said.

    Of more, those without room would be paid for and lost; of fewer, what never came would look
    like answers.
    """

    @property
    def kept_rounds(self) -> int: ...


def refuse_other_rounds(plan: Plan, learner: Learner) -> None:
    """Raises the ValueError of a learner that keeps the answers of more or fewer rounds."""
    asked = plan.sums.rounds
    if isinstance(learner, KeepingRounds) and learner.kept_rounds != asked:
        name = type(learner).__name__
        raise ValueError(
            f"the plan has {asked:,} round{'s' * (asked != 1)}, and {name} keeps the answers of "
            f"{learner.kept_rounds:,}: write {name}(rounds={asked}, ...)"
        )


def refuse_ungrantable(plan: Any, learner: Any) -> None:
    """Raises the ValueError that says what is granted to whom, if this plan or learner is none."""
    if not is_made(plan, Plan):
        raise ValueError(
            "a grant is of a plan, as tacit.Central(1.0, 1e-6).plan(question) makes one, "
            f"got {got(plan)}"
        )
    if not is_made(learner, Learner):
        raise ValueError(
            "a grant needs a learner, which has init, ask and tell, as "
            f"tacit.statistics.Average() has, got {got(learner)}"
        )
