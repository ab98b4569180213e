"""Compressed rounds as a whole: projection, reports, their sum, its noise and the way back.

Devices are hardly random here, so that all of the public promise rests on the server's noise: in
few numbers where rows are the round's, in all where they are each person's own. One person is
replaced by one of the opposite vector. Who knows the round's public key can undo the way back, for
all columns of its orthogonal rows are there, and sees how far the sum went along that person's
report.
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
from tacit.device.choose import device_for
from tacit.device.own_rows import OwnRows
from tacit.device.shared_rows import SharedRows
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
RUNS, QUICK = 100_000, 8_000
VECTOR = np.full(DIM, DIM**-0.5, np.float32)
OTHER = np.array([0.6, *np.zeros(DIM - 2), -0.8], np.float32)


Rows = SharedRows | OwnRows


@cache
def _plan(kind: type[Rows]) -> Plan:
    """A plan whose rows are of this kind, whichever has the smaller error."""
    trust = Federated(LOCAL, Central(EPSILON, DELTA, Relation.REPLACE_ONE), upload=4 * KEPT)
    question = Mean(Ball(DIM, 1.0), Everyone(), 1, PEOPLE)
    device = kind(RandomProjection(DIM, KEPT), device_for(Ball(KEPT, 1.0), LOCAL), 1.0)
    reports = device.facts.report_set
    server, public = noisy_mean(trust.central, question, reports, Relation.REPLACE_ONE)
    found = trust.plan(question)
    promises = public, *found.guarantees[1:]
    return replace(found, device=device, collect=Sum(reports), server=server, guarantees=promises)


def _with_noise(kind: type[Rows], share: float) -> Plan:
    """The same promise, on so much of the noise."""
    plan = _plan(kind)
    own = plan.server.mechanism
    quiet = Gaussian(own.sigma * share, own.sensitivity, own.step)
    return replace(plan, server=eqx.tree_at(lambda whole: whole.mechanism, plan.server, quiet))


def _short_noise() -> Plan:
    """Noise for reports as they are sent, not for their way to all numbers."""
    own = cast(OwnRows, _plan(OwnRows).device)
    return _with_noise(OwnRows, own.way.most_stretch**-0.5)


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
    plan, wide = _plan(SharedRows), Ball(KEPT, 9.0)
    bare = eqx.tree_at(lambda own: own.device, plan.device, Identity(wide))
    return replace(plan, device=_Stretched(bare), collect=Sum(wide))


@final
class Known(eqx.Module):
    """What the public key tells of a round, and what a published key would tell of its noise."""

    parts: Parts
    kind: type[Rows] = eqx.field(static=True)
    published: Callable[[Keys], PRNGKeyArray] = eqx.field(static=True)

    def __call__(self, state, data, cohort, keys):
        own = cast(Rows, _plan(self.kind).device)
        (numbers,) = own.facts.report_set.answer_shape
        rows = jax.vmap(lambda row: own.lifted(keys.public, row))(jnp.eye(numbers))
        seat = jnp.argmax(cohort.rows.reshape(-1) == 0).astype(jnp.uint32)[None]
        sent, known = own.compressed(keys.public, seat, jnp.asarray(VECTOR)[None])
        along = sent[0] if known is None else jnp.zeros(numbers).at[known[0]].set(sent[0])
        server, nobody = self.parts.server, self.parts.collected.empty(self.parts.server.grid)
        _, drawn, _ = server.step(server.init(), self.published(keys), nobody)
        return rows, along, drawn


def compressed(first: np.ndarray = VECTOR):
    """What a grant is asked for."""
    return _plan(SharedRows), Answers(1, shape=(DIM,)), np.stack([first, OTHER])


def _gone(plan, kind, first, published, key, draws) -> np.ndarray:
    """How far the sum went along the person's report; without what a key gives away."""
    _, learner, data = compressed(first)
    opened = runs.granted(plan(), learner, data)
    known = Known(Parts.of(opened.staged.plan), kind, published or _public)
    ends, (rows, along, drawn) = runs.played(opened, runs.roots_of(key, draws), known)
    answers = np.asarray(ends.answer, np.float64).reshape(draws, DIM)
    rows = rows[:, 0].astype(np.float64)
    sums = np.einsum("rkd,rd->rk", rows, answers) / np.sum(rows**2, axis=2)
    return np.sum((sums - (0 if published is None else drawn[:, 0])) * along[:, 0], axis=1)


def _public(keys: Keys) -> PRNGKeyArray:
    return keys.public


def _server(keys: Keys) -> PRNGKeyArray:
    return keys.server


def _curve(kind: type[Rows]) -> Callable[[float], float]:
    @cache
    def curve(epsilon: float) -> float:
        promise = _plan(kind).guarantees[0]
        found = accountant.delta(promise.event, epsilon, promise.relation).delta
        return found + promise.delta_reserved

    return curve


def _row(name: str, kind: type[Rows], planted: dict[str, tuple]) -> Row:
    def pair(plan, published=None) -> tuple[Sampler, Sampler]:
        one, other = (partial(_gone, plan, kind, first, published) for first in (VECTOR, -VECTOR))
        return one, other

    whole = pair(partial(_plan, kind))
    slips = {what: pair(*slip) for what, slip in planted.items()}
    return Row("whole path", name, EPSILON, *whole, slips, DELTA, _curve(kind), RUNS, QUICK)


ROWS = [
    _row(
        "federated, compressed",
        SharedRows,
        {
            "two-thirds of the noise": (partial(_with_noise, SharedRows, 2 / 3),),
            "terms longer than promised": (_longer,),
            "the noise's key is the published one": (partial(_plan, SharedRows), _server),
        },
    ),
    _row(
        "federated, rows of one's own",
        OwnRows,
        {
            "two-thirds of the noise": (partial(_with_noise, OwnRows, 2 / 3),),
            "noise for few numbers": (_short_noise,),
        },
    ),
]
