"""A learner: who asks people, and goes on from the answers; the same for every trust model."""

from typing import Protocol, runtime_checkable

from jaxtyping import Array, Num, PyTree


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
