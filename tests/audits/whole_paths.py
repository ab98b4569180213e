"""What a user runs, as wholes: a grant's runs on neighbouring people, and one number of each end.

Everything from a root key to the public state is the library's own (`runs`): who takes part, keys,
all rounds, the learner. Three of them, each with the worst person among ordinary ones:

* DP-SGD on people drawn by coins. The canary is there or not, and pulls in a direction in which
  nobody else does; the number is how much likelier the final state is with them;
* a federated update, as the server meets it: both reports of one person who is in two rounds of
  four, and is replaced. The number says which side and how long each report was;
* ridge regression on people one of whom is replaced: how far the released moments went their way.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax

import quick_keys
from audits import runs
from audits.row import Row, Sampler
from tacit.accounting import accountant
from tacit.accounting.relation import Relation
from tacit.device.choose import Split, device_for
from tacit.estimators.ridge import Ridge
from tacit.learning.clipping import Flat
from tacit.learning.descent import Descent
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.models.layers import Dense
from tacit.noise import words
from tacit.plan import Plan
from tacit.population.loop import Parts, reports_of
from tacit.question.participation import AtMost, Everyone, Participation, Poisson
from tacit.server.noisy_mean import noisy_mean
from tacit.trust.central import Central
from tacit.trust.federated import Federated

# A large delta, at which so many runs can tell noise from two-thirds of it.
DELTA = 0.05
RUNS, QUICK = 100_000, 6_000
Path = runs.Asked
REPLACE = Relation.REPLACE_ONE


@cache
def _curve(plan: Callable[[], Plan], epsilon: float) -> float:
    """The accountant's delta of what the public sees, and what is stated for the samplers."""
    promise = plan().guarantees[0]
    return accountant.delta(promise.event, epsilon, promise.relation).delta + promise.delta_reserved


# DP-SGD: a canary, or nobody in its place.

RATE, ROUNDS, EXPECTED, BOUND, SGD_EPSILON = 0.5, 2, 6, 1.0, 2.0
COINS = Poisson(RATE)
# A row, a constant and a target far away: a gradient along (1, 0, 1), much longer than the bound.
CANARY = np.array([[1.0, 0.0]], np.float32), np.array([1e3], np.float32)
# Steps go against gradients, which point down where the target is above.
WAY = np.array([1.0, 0.0, 1.0]) / 2**0.5
# Whose gradients are all at right angles to it.
OTHERS = (
    np.array([[-1.0, x] for x in (-2.0, -1.0, 0.5, 1.0, 2.0)], np.float32),
    np.array([1.0, -1.0, 0.5, 0.0, 2.0], np.float32),
)
WITH = tuple(np.concatenate(pair) for pair in zip(CANARY, OTHERS, strict=True))


def _squared(model, person):
    row, target = person
    return jnp.square(model(row)[0] - target) / 2


@cache
def _line() -> Descent:
    return Descent(Dense(2, 1, quick_keys.key(0)), _squared, Flat(BOUND), optax.sgd(1.0))


@cache
def _sgd() -> Plan:
    question = _line().question(COINS, ROUNDS, EXPECTED)
    return Central(SGD_EPSILON, DELTA).plan(question)


def _quieter() -> Plan:
    """The same promise, on two-thirds of the noise."""
    server = _sgd().server
    own = server.mechanism
    quiet = Gaussian(own.sigma * 2 / 3, own.sensitivity, own.step)
    return replace(_sgd(), server=eqx.tree_at(lambda whole: whole.mechanism, server, quiet))


def descent() -> Path:
    return _sgd(), _line(), WITH


def _score(plan, who: Participation, people, key, draws) -> np.ndarray:
    """How much likelier the final state is with the canary: of two rounds, it tells both answers,
    for it has the parameters and their average."""
    opened = runs.granted(plan(), _line(), people)
    staged = opened.staged
    asked = replace(staged.plan, question=replace(staged.plan.question, participation=who))
    staged = replace(staged, cohorts=replace(staged.cohorts, plan=asked))
    final = runs.states(replace(opened, staged=staged), runs.roots_of(key, draws))
    points = staged.rounds.start[0].parameters, final.parameters, final.average
    start, last, mean = (np.asarray(point, np.float64) @ WAY for point in points)
    sums = np.stack([2 * mean - last - start, 2 * (last - mean)]) * RATE * EXPECTED
    ratios = np.exp((sums * BOUND - BOUND**2 / 2) / plan().server.facts.noise ** 2)
    return np.log(1 - RATE + RATE * ratios).sum(axis=0)


def _descent() -> Row:
    def pair(plan, who: Participation = COINS) -> tuple[Sampler, Sampler]:
        one, other = (partial(_score, plan, who, people) for people in (WITH, OTHERS))
        return one, other

    planted = {
        "two-thirds of the noise": pair(_quieter),
        "Poisson claimed, everybody asked": pair(_sgd, Everyone()),
    }
    return Row(
        "whole path",
        "DP-SGD, a canary",
        SGD_EPSILON,
        *pair(_sgd),
        planted,
        DELTA,
        partial(_curve, _sgd),
        RUNS,
        QUICK,
    )


# Federated: what the server receives of a person in two rounds of four.

LOCAL = Split(1.0, 0.5)
# The longest update, and hardly any, the other way.
UPDATE, NONE, PEERS = 1e3, -1e-6, [0.3, -0.2, 0.1]


def _towards(model, person):
    """A linear loss: its gradient is the person's number in all three parameters."""
    return -person * model(jnp.ones(2))[0]


@cache
def _updates() -> Descent:
    return Descent(Dense(2, 1, quick_keys.key(0)), _towards, Flat(BOUND), optax.sgd(1.0))


@cache
def _federated() -> Plan:
    trust = Federated(LOCAL, Central(2.0, DELTA, REPLACE))
    return trust.plan(_updates().question(AtMost(2), 4, 1 + len(PEERS)))


def _louder() -> Plan:
    """The same promises, and devices with twice the budget."""
    loud = device_for(_federated().sums.contribution, Split(2.0, 1.0))
    return replace(_federated(), device=loud)


def _honest() -> Plan:
    """The same, and magnitudes that are never lied about."""
    device = _federated().device
    never = eqx.tree_at(lambda own: own.mechanism.magnitude.lie, device, words.word(0))
    return replace(_federated(), device=never)


@final
class Received(eqx.Module):
    """What the server receives of the first person in a round: zero where they are not in it.

    The round sums its reports and shows none, so they are made once more, from the same key.
    """

    learner: Descent
    parts: Parts

    def __call__(self, state, data, cohort, keys):
        rows, present = cohort.rows[0], cohort.present[0]
        device = jax.random.fold_in(keys.device, 0)
        sent = reports_of(
            self.learner, self.parts, state, data[rows], jnp.arange(len(rows)), device, keys.public
        )
        return jnp.sum(jnp.where((present & (rows == 0))[:, None], sent, 0), axis=0)


def federated() -> Path:
    return _federated(), _updates(), np.array([UPDATE, *PEERS], np.float32)


def _sent(plan, first: float, key, draws) -> np.ndarray:
    """One number for both reports: which side of the update each is on, and how long."""
    people = np.array([first, *PEERS], np.float32)
    opened = runs.granted(plan(), _updates(), people)
    received = Received(_updates(), Parts.of(opened.staged.plan))
    _, sent = runs.played(opened, runs.roots_of(key, draws), received)
    sent = np.asarray(sent, np.float64)
    signs, lengths = np.sign(sent.sum(axis=2)), np.linalg.norm(sent, axis=2)
    asked = lengths.argsort(axis=1)[:, -2:]
    symbols = signs * (1 + np.round(lengths, 2))
    both = np.sort(np.take_along_axis(symbols, asked, axis=1), axis=1)
    return both @ np.array([1e4, 1.0])


def _update() -> Row:
    def pair(plan) -> tuple[Sampler, Sampler]:
        one, other = (partial(_sent, plan, first) for first in (UPDATE, NONE))
        return one, other

    planted = {
        "twice the device's epsilon": pair(_louder),
        "magnitudes not randomised": pair(_honest),
    }
    return Row(
        "whole path",
        "federated, two reports",
        2 * LOCAL.epsilon,
        *pair(_federated),
        planted,
        draws=RUNS,
        quick=QUICK,
    )


# Ridge regression: a row and its target, replaced.

FIT_EPSILON = 4.0
PEOPLE = np.array([[1.0], [0.5], [-0.5], [0.2]])
TARGETS = np.array([1.0, 0.3, 0.0, -0.2])
OPPOSITE = np.array([-1.0, 0.3, 0.0, -0.2])


def estimator() -> Ridge:
    trust = Central(FIT_EPSILON, DELTA, REPLACE)
    return Ridge(trust, bounds=(-1.0, 1.0), target_bounds=(-1.0, 1.0), seed=0, penalty=0.0)


def ridge(targets: np.ndarray = TARGETS) -> Path:
    """What a fit asks its people for, taken where it asks them."""
    return runs.asked_by(lambda: estimator().fit(PEOPLE, targets))


@cache
def _claimed() -> Plan:
    return ridge()[0]


def _products(bug: Callable[[Plan], Plan], targets: np.ndarray, key, draws) -> np.ndarray:
    """How far the mean of features times target went along the first row."""
    plan, *asking = ridge(targets)
    ends = runs.states(runs.granted(bug(plan), *asking), runs.roots_of(key, draws))
    return np.asarray(ends.matrix, np.float64)[:, :-1, -1] @ np.append(PEOPLE[0], 1)


def _none(plan: Plan) -> Plan:
    return plan


def _one_sided(plan: Plan) -> Plan:
    """A replaced person's term is taken to move as far as one that comes or goes."""
    promise = Central(FIT_EPSILON, DELTA, REPLACE)
    server, _ = noisy_mean(promise, plan.question.sums, plan.collect.within, Relation.ADD_REMOVE)
    return replace(plan, server=server)


def _ridge() -> Row:
    """A target at one end of its bounds, or at the other.

    In are the boxes, the terms, the plan and all of the grant. What `fit` does with the state that
    is released is left out: it is a function of that state and of public numbers (tested beside the
    audit). The two terms are 2 sqrt(2) apart, as far as any two people's, and noise is scaled to
    the ball's diameter of 4: no audit could show all of the claim.
    """

    def pair(bug) -> tuple[Sampler, Sampler]:
        one, other = (partial(_products, bug, targets) for targets in (TARGETS, OPPOSITE))
        return one, other

    planted = {"sensitivity of add/remove": pair(_one_sided)}
    return Row(
        "whole path",
        "Ridge, one replaced",
        FIT_EPSILON,
        *pair(_none),
        planted,
        DELTA,
        partial(_curve, _claimed),
        RUNS,
        QUICK,
    )


ROWS = [_descent(), _update(), _ridge()]
