"""A compressed round as a whole: projection, reports, their sum, its noise and the way back.

Devices are hardly random here, so that all of the public promise rests on the server's noise in few
numbers. One person is replaced by one of the opposite vector. Who knows the round's public key can
undo the way back, for all columns of its orthogonal rows are there, and sees how far the sum went
along that person's projected vector.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import cast, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PRNGKeyArray

from audits import runs
from audits.row import Row, Sampler
from tacit.accounting import accountant
from tacit.accounting.relation import Relation
from tacit.contribution import Ball
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.local.projection import RandomProjection
from tacit.plan import Identity, Plan, Sum
from tacit.population.loop import Keys, Parts
from tacit.question.participation import Everyone
from tacit.question.sums import Mean
from tacit.server.noisy_mean import noisy_mean
from tacit.statistics.answers import Answers
from tacit.trust.central import Central
from tacit.trust.federated import Federated

# A large delta, at which so many runs can tell noise from two-thirds of it.
EPSILON, DELTA, LOCAL = 2.0, 0.05, 200.0
DIM, KEPT, PEOPLE = 8, 4, 2
RUNS, QUICK = 100_000, 4_000
VECTOR = np.full(DIM, DIM**-0.5, np.float32)
OTHER = np.array([0.6, *np.zeros(DIM - 2), -0.8], np.float32)


@cache
def _plan() -> Plan:
    """The plan, with rows shared: as it is where the noise is most of the error."""
    trust = Federated(LOCAL, Central(EPSILON, DELTA, Relation.REPLACE_ONE), upload=4 * KEPT)
    question = Mean(Ball(DIM, 1.0), Everyone(), 1, PEOPLE)
    device = SharedRows(RandomProjection(DIM, KEPT), device_for(Ball(KEPT, 1.0), LOCAL), 1.0)
    reports = device.facts.report_set
    server, public = noisy_mean(trust.central, question, reports, Relation.REPLACE_ONE)
    found = trust.plan(question)
    promises = public, *found.guarantees[1:]
    return replace(found, device=device, collect=Sum(reports), server=server, guarantees=promises)


def _rows() -> SharedRows:
    return cast(SharedRows, _plan().device)


def _quieter() -> Plan:
    """The same promise, on two-thirds of the noise."""
    server = _plan().server
    own = server.mechanism
    quiet = Gaussian(own.sigma * 2 / 3, own.sensitivity, own.step)
    return replace(_plan(), server=eqx.tree_at(lambda whole: whole.mechanism, server, quiet))


@final
class _Stretched(eqx.Module):
    """A projection that does not keep a term's length: times N/k, as on the way back."""

    own: SharedRows

    @property
    def facts(self):
        return self.own.facts

    def sample(self, key, terms):
        return self.own.sample(key, terms)

    def compressed(self, public, people, terms):
        short, known = self.own.compressed(public, people, terms)
        return DIM / KEPT * short, known

    def opened(self, reports, known):
        return self.own.opened(reports, known)

    def lifted(self, public, answer):
        return self.own.lifted(public, answer)


def _longer() -> Plan:
    """The same noise, for terms that are longer than promised and are cut nowhere."""
    wide = Ball(KEPT, 9.0)
    bare = eqx.tree_at(lambda own: own.device, _rows(), Identity(wide))
    return replace(_plan(), device=_Stretched(bare), collect=Sum(wide))


@final
class Known(eqx.Module):
    """What the public key tells of a round, and what a published key would tell of its noise."""

    parts: Parts
    published: Callable[[Keys], PRNGKeyArray] = eqx.field(static=True)

    def __call__(self, state, data, cohort, keys):
        own = _rows()
        rows = jax.vmap(lambda row: own.lifted(keys.public, row))(jnp.eye(KEPT))
        first = jnp.zeros(1, jnp.uint32), jnp.asarray(VECTOR)[None]
        along = own.compressed(keys.public, *first)[0][0]
        server, nobody = self.parts.server, self.parts.collected.empty(self.parts.server.grid)
        _, drawn, _ = server.step(server.init(), self.published(keys), nobody)
        return rows, along, drawn


def compressed(first: np.ndarray = VECTOR):
    """What a grant is asked for."""
    return _plan(), Answers(1, shape=(DIM,)), np.stack([first, OTHER])


def _gone(plan, first, published, key, draws) -> np.ndarray:
    """How far the sum went along the person's projected vector; without what a key gives away."""
    _, learner, data = compressed(first)
    opened = runs.granted(plan(), learner, data)
    known = Known(Parts.of(opened.staged.plan), published or _public)
    ends, (rows, along, drawn) = runs.played(opened, runs.roots_of(key, draws), known)
    answers = np.asarray(ends.answer, np.float64).reshape(draws, DIM)
    rows = rows[:, 0].astype(np.float64)
    sums = np.einsum("rkd,rd->rk", rows, answers) / np.sum(rows**2, axis=2)
    return np.sum((sums - (0 if published is None else drawn[:, 0])) * along[:, 0], axis=1)


def _public(keys: Keys) -> PRNGKeyArray:
    return keys.public


def _server(keys: Keys) -> PRNGKeyArray:
    return keys.server


@cache
def _curve(epsilon: float) -> float:
    promise = _plan().guarantees[0]
    return accountant.delta(promise.event, epsilon, promise.relation).delta + promise.delta_reserved


def _compressed() -> Row:
    def pair(plan, published=None) -> tuple[Sampler, Sampler]:
        one, other = (partial(_gone, plan, first, published) for first in (VECTOR, -VECTOR))
        return one, other

    planted = {
        "two-thirds of the noise": pair(_quieter),
        "terms longer than promised": pair(_longer),
        "the noise's key is the published one": pair(_plan, _server),
    }
    return Row(
        "whole path",
        "federated, compressed",
        EPSILON,
        *pair(_plan),
        planted,
        DELTA,
        _curve,
        RUNS,
        QUICK,
    )


ROWS = [_compressed()]
