"""A round's two sides, apart: what a device computes, and what a server does with what it sent.

`population.loop` plays both in one program. Here a network lies between them: the device's side
ends with the report as it is sent, the server's begins with it. Where reports are opened with the
round's public randomness, the server draws that again; no term has a part in it.
"""

from typing import Self

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Num, PRNGKeyArray, PyTree

from tacit.contribution import Ball, Contribution
from tacit.contribution.vectors import lengths
from tacit.device.few_numbers import Compressing
from tacit.device.noise_sharing import NoiseSharing
from tacit.live.programs import Programs
from tacit.noise import keys
from tacit.noise.fixed import FixedPoint
from tacit.plan import Device
from tacit.population.learner import Learner
from tacit.population.loop import Parts, lifted, terms_of, traced

# How far a report may be from its set: what rounding makes of one that lies on its edge.
_ROUNDING = 1e-4


def sent(
    learner: Learner,
    shape: Contribution,
    device: Device,
    state: PyTree,
    people: PyTree,
    places: Int[Array, " people"],
    key: PRNGKeyArray,
    public: PRNGKeyArray,
) -> PyTree[Num[Array, "people *report"]]:
    """What devices send: their terms, in the question's shape, randomised."""
    terms = terms_of(learner, shape, state, people)
    if isinstance(device, Compressing):
        terms, _ = device.compressed(public, places.astype(jnp.uint32), terms)
    return device.sample(key, terms)


# A device's programs: one for a function and the kind of its randomiser, whatever numbers are
# arrays in them (`traced`, of what is `bare`); a frequency oracle's budget is of its kind.
send = Programs(sent)


def shared(
    learner: Learner,
    shape: Contribution,
    device: NoiseSharing,
    grid: PyTree,
    state: PyTree,
    people: PyTree,
    key: PRNGKeyArray,
) -> PyTree[FixedPoint]:
    """What one device adds to a sum under masks: its term on the grid, and its share of noise."""
    terms, there = terms_of(learner, shape, state, people), jnp.ones(1, jnp.bool_)
    total = shape.add(shape.empty(grid), shape.project(terms), there)
    return device.shared(key, total, there)


# One for a function and a shape, whatever the noise.
share = Programs(shared)


def report_like(
    learner: Learner, shape: Contribution, device: Device, state: PyTree, person: PyTree
) -> PyTree[jax.ShapeDtypeStruct]:
    """The types and shapes of one device's report."""
    people = jax.tree.map(lambda leaf: np.asarray(leaf)[None], person)
    key = keys.jax_key(bytes(keys.KEY_BYTES))
    asked = learner, shape, device, state, people, np.zeros(1, np.uint32), key, key
    made = eqx.filter_eval_shape(sent, *asked)
    return jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype), made)


class ReportSet(eqx.Module):
    """Where every report lies that such a device made.

    Args:
      within: the set.
      bound: of its members; a number beside it, which programs read.
    """

    within: Contribution
    bound: Float[Array, ""]

    @classmethod
    def of(cls, device: Device) -> Self:
        reports = device.facts.report_set
        return traced(cls(reports, jnp.float32(reports.bound)))

    def holds(self, reports: PyTree[Num[Array, "people *report"]]) -> Bool[Array, " people"]:
        """Whose reports lie in it, but for rounding; none that is not finite."""
        if isinstance(self.within, Ball):
            # One reading tells. A copy of all that are brought into it is another two.
            return lengths(reports)[:, 0] <= (1 + _ROUNDING) * self.bound
        each = zip(
            jax.tree.leaves(reports), jax.tree.leaves(self.within.project(reports)), strict=True
        )
        return jnp.stack([self._near(one, own) for one, own in each]).all(axis=0)

    def _near(self, report: Array, within: Array) -> Bool[Array, " people"]:
        apart = jnp.abs(report.astype(jnp.float32) - within.astype(jnp.float32))
        return apart.reshape(len(apart), -1).max(axis=1) <= _ROUNDING * self.bound


def received(
    parts: Parts,
    reported: ReportSet,
    total: PyTree,
    reports: PyTree[Num[Array, "people *report"]],
    places: Int[Array, " people"],
    present: Bool[Array, " people"],
    public: PRNGKeyArray,
) -> tuple[PyTree, Bool[Array, " people"]]:
    """The sum with these reports added, and whose were: those that lie where reports do.

    Args:
      parts: of the plan.
      reported: where they lie.
      total: the sum so far.
      reports: as they were sent.
      places: their devices' own in the round.
      present: which of them are there at all.
      public: the round's public randomness.
    """
    opened = _opened(parts, reports, places, public)
    taken = present & reported.holds(opened)
    return parts.collected.add(total, parts.collected.project(opened), taken), taken


def finished(
    learner: Learner,
    parts: Parts,
    state: PyTree,
    carry: PyTree,
    total: PyTree,
    key: PRNGKeyArray,
    public: PRNGKeyArray,
) -> tuple[PyTree, PyTree, Bool[Array, ""] | None]:
    """The learner's state and the server's carry after a round's sum, and whether it halted."""
    carry, answer, halted = parts.server.step(carry, key, total)
    return learner.tell(state, lifted(parts, public, answer)), carry, halted


def _opened(parts: Parts, reports: PyTree, places: Array, public: PRNGKeyArray) -> PyTree:
    device = parts.device
    if not isinstance(device, Compressing):
        return reports
    nothing = jnp.zeros((len(places), *parts.contribution.shape))
    _, known = device.compressed(public, places.astype(jnp.uint32), nothing)
    return device.opened(reports, known)
