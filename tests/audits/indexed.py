"""A round of indices as a whole: what a server receives of one person who is replaced.

The server knows the round's public key, so all of a person's candidates and places, and ranks the
candidate it is told by how near it is to the projection of one vector. The person holds that vector
or its opposite. The number is the rank, and beside it whether the report is the one that the
published key would have drawn for that vector.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import cast, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PRNGKeyArray

from audits import runs
from audits.row import Row, Sampler
from tacit.contribution import Ball
from tacit.device.indexed import Indexed, OnCandidates
from tacit.device.own_rows import OwnRows
from tacit.mechanisms.local import points
from tacit.mechanisms.local.compressed import KClosest
from tacit.mechanisms.local.projection import RandomProjection
from tacit.noise import words
from tacit.plan import Plan, Sum
from tacit.population.loop import Keys, Parts, terms_of
from tacit.question.participation import Everyone
from tacit.question.sums import Mean
from tacit.server.means import plain_mean
from tacit.statistics.answers import Answers
from tacit.trust.local import Local

EPSILON = 1.5
DIM, KEPT, CANDIDATES, CLOSEST = 8, 4, 8, 2
RUNS, QUICK = 100_000, 5_000
VECTOR = np.full(DIM, DIM**-0.5, np.float32)
OTHER = np.array([0.6, *np.zeros(DIM - 2), -0.8], np.float32)


@cache
def _plan() -> Plan:
    """A local plan, with few candidates."""
    trust, question = Local(EPSILON, upload=2), Mean(Ball(DIM, 1.0), Everyone(), 1, 2)
    direction = KClosest.with_closest(KEPT, EPSILON, CANDIDATES, CLOSEST)
    near = OnCandidates(Ball(KEPT, 1.0), direction)
    device = Indexed(OwnRows(RandomProjection(DIM, KEPT), near, 1.0), near)
    server = plain_mean(device, question)
    reports = device.facts.report_set
    return replace(trust.plan(question), device=device, collect=Sum(reports), server=server)


def _near() -> OnCandidates:
    return cast(Indexed, _plan().device).near


def _with_near(near: object) -> Plan:
    return replace(_plan(), device=eqx.tree_at(lambda own: own.near, _plan().device, near))


def _fewer() -> Plan:
    """Ranks are far two-thirds as often."""
    rare = words.word(words.integer(_near().direction.miss) * 2 // 3)
    return _with_near(eqx.tree_at(lambda own: own.direction.miss, _near(), rare))


def _wider() -> Plan:
    """The chances of two candidates of eight, for one."""
    return _with_near(eqx.tree_at(lambda own: own.direction.closest, _near(), 1))


@final
class _OtherWay(eqx.Module):
    """Sides that are never lied about: the opposite is reported where a rank is far."""

    own: OnCandidates

    def sample(self, key, terms):
        found = self.own.sample(key, terms)
        heights = jnp.sum(self.vectors(terms[1], terms[2], found) * terms[0], axis=1)
        return jnp.where(heights < 0, points.opposite(found), found)

    def vectors(self, public, people, reports):
        return self.own.vectors(public, people, reports)


def indexed(first: np.ndarray = VECTOR):
    """What a grant is asked for."""
    return _plan(), Answers(1, shape=(DIM,)), np.stack([first, OTHER])


@final
class Told(eqx.Module):
    """The rank of the index that the first person sends, and what the published key would draw."""

    parts: Parts
    drawn_from: Callable[[Keys], PRNGKeyArray] = eqx.field(static=True)

    def __call__(self, state, data, cohort, keys) -> tuple[Array, Array]:
        device = cast(Indexed, self.parts.device)
        rows = cohort.rows[0]
        seats = jnp.arange(len(rows), dtype=jnp.uint32)
        learner = Answers(1, shape=(DIM,))
        terms = terms_of(learner, self.parts.contribution, state, data[rows])
        near, _ = device.compressed(keys.public, seats, terms)
        sent = device.sample(jax.random.fold_in(self.drawn_from(keys), 0), near)
        # What the server makes of it, from the public key alone.
        whose = jnp.argmax(rows == 0)
        watched = jnp.broadcast_to(jnp.asarray(VECTOR), terms.shape)
        guess, _ = device.compressed(keys.public, seats, watched)
        guessed = device.sample(jax.random.fold_in(keys.public, 0), guess)
        every = jnp.arange(CANDIDATES, dtype=jnp.int32)
        person = jnp.full(CANDIDATES, seats[whose])
        heights = device.near.vectors(guess[1], person, every) @ guess[0][whose]
        rank = jnp.sum(heights > heights[sent[whose]])
        return rank, sent[whose] == guessed[whose]


def _device(keys: Keys) -> PRNGKeyArray:
    return keys.device


def _public(keys: Keys) -> PRNGKeyArray:
    return keys.public


@cache
def _opened(side: float) -> runs.Opened:
    _, learner, data = indexed(side * VECTOR)
    return runs.granted(_plan(), learner, data)


def _told(plan, drawn_from, side, key, draws) -> np.ndarray:
    seen = Told(Parts.of(plan()), drawn_from)
    _, (ranks, same) = runs.played(_opened(side), runs.roots_of(key, draws), seen)
    return ranks[:, 0] + CANDIDATES * same[:, 0].astype(np.float64)


def _pair(plan: Callable[[], Plan], drawn_from=_device) -> tuple[Sampler, Sampler]:
    one, other = (partial(_told, plan, drawn_from, side) for side in (1.0, -1.0))
    return one, other


ROWS = [
    Row(
        "whole path",
        "local, an index",
        EPSILON,
        *_pair(_plan),
        {
            "misses x 2/3": _pair(_fewer),
            "half of the cap with the chances of all of it": _pair(_wider),
            "sides are never lied about": _pair(lambda: _with_near(_OtherWay(_near()))),
            "ranks are drawn from the published key": _pair(_plan, _public),
        },
        draws=RUNS,
        quick=QUICK,
    ),
]
