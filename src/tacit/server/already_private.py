"""Answers that follow from means which are private already: so are they.

Local reports are private when they arrive, and nobody trusts the server; so it compares the means
themselves, and adds nothing.
"""

from dataclasses import replace
from typing import final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray, PyTree

from tacit.facts import NoiseFacts
from tacit.noise.fixed import FixedPoint
from tacit.plan import Server
from tacit.question.workloads import Workload


@final
class Largest(eqx.Module):
    """The number of the candidate with the highest mean, of means that are private already."""

    means: Server

    @property
    def grid(self) -> PyTree:
        return self.means.grid

    @property
    def facts(self) -> NoiseFacts:
        return self.means.facts

    def init(self) -> PyTree:
        return self.means.init()

    def step(
        self, carry: PyTree, key: PRNGKeyArray, total: PyTree[FixedPoint]
    ) -> tuple[PyTree, Int32[Array, ""], None]:
        carry, means, _ = self.means.step(carry, key, total)
        return carry, jnp.argmax(means).astype(jnp.int32), None


@final
class Reached(eqx.Module):
    """Whether a private mean reaches the threshold, until so many did."""

    means: Server
    threshold: float
    positives: int

    @property
    def grid(self) -> PyTree:
        return self.means.grid

    @property
    def facts(self) -> NoiseFacts:
        return self.means.facts

    def init(self) -> tuple[PyTree, Int32[Array, ""]]:
        return self.means.init(), jnp.zeros((), jnp.int32)

    def step(
        self, carry: tuple[PyTree, Int32[Array, ""]], key: PRNGKeyArray, total: PyTree[FixedPoint]
    ) -> tuple[PyTree, Float[Array, ""], Bool[Array, ""]]:
        own, reached = carry
        own, mean, _ = self.means.step(own, key, total)
        above = (mean >= self.threshold) & (reached < self.positives)
        reached = reached + above
        return (own, reached), above.astype(jnp.float32), reached >= self.positives


@final
class Queried(eqx.Module):
    """A workload's answers, of a histogram or other reports that are private already.

    Args:
      means: the server of these.
      workload: the queries.
      basis: from what `means` answers to the workload's basis; it follows from the device.
      known: what a plan says of an error that no number tells.
    """

    means: Server
    workload: Workload = eqx.field(static=True)
    basis: Float[Array | np.ndarray, "basis cells"] = eqx.field(metadata={"recorded": False})
    known: str | None = eqx.field(static=True, default=None)

    @property
    def grid(self) -> PyTree:
        return self.means.grid

    @property
    def facts(self) -> NoiseFacts:
        return replace(self.means.facts, queries=self.workload.queries, known=self.known)

    def init(self) -> PyTree:
        return self.means.init()

    def step(
        self, carry: PyTree, key: PRNGKeyArray, total: PyTree[FixedPoint]
    ) -> tuple[PyTree, Float[Array, " queries"], None]:
        carry, means, _ = self.means.step(carry, key, total)
        return carry, self._answers(means), None

    def _answers(self, means: Float[Array, " cells"]) -> Float[Array, " queries"]:
        basis = jnp.asarray(self.basis, jnp.float32)
        return self.workload.answers(jnp.dot(basis, means, precision="highest"))
