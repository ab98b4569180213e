"""Whole fits of classifiers of rules and of counts: one person is replaced, or is not there.

What an estimator asks its people for is taken where it asks them, after its tests, codes, bounds
and labels. Of rules, that one of a class is drawn, and the number is the label that it gives to the
person in question. Of counts, that all tables have noise, and the number is how far they went from
one person's own to the other's: as noise is Gaussian, all that tells them apart. (Moments are held
in a ball, to which a person replaced by another is not as far as two of its points may be; so there
somebody comes or goes.)
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any

import equinox as eqx
import numpy as np

from audits import runs
from audits.row import Row, Sampler
from audits.whole_paths import DELTA, QUICK, RUNS
from tacit.accounting import accountant
from tacit.accounting.relation import Relation
from tacit.estimators import CategoricalNB, DecisionTreeClassifier, GaussianNB, RuleListClassifier
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.noise.host_words import HeldKey
from tacit.pac.rules import labels_of
from tacit.plan import Plan
from tacit.trust.central import Central

EPSILON = 2.0
REPLACE = Relation.REPLACE_ONE
# A rule is drawn on the host, one after the other.
DRAWN, QUICKLY = 20_000, 3_000
DECLARED = {"bounds": (0.0, 1.0), "classes": [0, 1]}
CURATOR, PURE = Central(EPSILON, DELTA, REPLACE), Central(EPSILON, 0.0, REPLACE)
COMING = Central(EPSILON, DELTA)
# One who is like the person in question, and has the other label.
LIKE = np.array([[0.2], [0.8]]), np.array([0, 0])
ONE, OTHER = (np.array([1.0]), 1), (np.array([0.9]), 0)
# Far beyond either end of the bounds.
APART = (np.array([9.0, 9.0]), 1), (np.array([-9.0, -9.0]), 0)
PEOPLE = np.array([[0.2, 0.3], [0.7, 0.1], [0.4, 0.8]]), np.array([0, 1, 1])

THERE = APART[0], None

Person = tuple[np.ndarray, int]
Slip = Callable[[Plan], Plan]


def _with(
    people: tuple[np.ndarray, np.ndarray], person: Person | None
) -> tuple[np.ndarray, np.ndarray]:
    if person is None:
        return people
    return np.append(people[0], [person[0]], axis=0), np.append(people[1], person[1])


def _none(plan: Plan) -> Plan:
    return plan


# Rules.


def _as_if_added(plan: Plan) -> Plan:
    """The factor 1/2 is dropped: one person changed is charged as one who comes."""
    server: Any = plan.server
    return replace(plan, server=replace(server, mechanism=replace(server.mechanism, moved=1)))


def _declared(rows: np.ndarray) -> tuple[float, float]:
    del rows
    return DECLARED["bounds"]


def _their_own(rows: np.ndarray) -> tuple[float, float]:
    return float(rows.min()), float(rows.max())


def _label(estimator, slip: Slip, bounds, person: Person, key, draws: int) -> np.ndarray:
    """The label of who is at the upper end, and beside it where a rule cuts, as it is told too."""
    rows, labels = _with(LIKE, person)
    own = estimator.set_params(bounds=bounds(rows))
    plan, _, data = runs.asked_by(lambda: own.fit(rows, labels))
    mechanism, concept = slip(plan).server.mechanism, plan.question.statistic
    told = np.stack([mechanism.sample(HeldKey(each), data) for each in runs.roots_of(key, draws)])
    highest = np.ones((1, concept.dim), bool)
    return np.concatenate([labels_of(concept, each, highest) for each in told]) + sum(bounds(rows))


def _rule(name: str, estimator) -> Row:
    def pair(slip: Slip, bounds=_declared) -> tuple[Sampler, Sampler]:
        one, other = (partial(_label, estimator, slip, bounds, each) for each in (ONE, OTHER))
        return one, other

    planted = {
        "the factor 1/2 dropped": pair(_as_if_added),
        "cuts of people's own": pair(_none, _their_own),
    }
    sizes = {"draws": DRAWN, "quick": QUICKLY}
    return Row("whole path", f"{name}, a person", EPSILON, *pair(_none), planted, **sizes)


# Counts.


def _times(factor: float, plan: Plan) -> Plan:
    """The same promise, on so many times the noise."""
    server: Any = plan.server
    own = server.mechanism
    quiet = Gaussian(own.sigma * factor, own.sensitivity, own.step)
    return replace(plan, server=eqx.tree_at(lambda whole: whole.mechanism, server, quiet))


def _asked(estimator, person: Person | None) -> runs.Asked:
    return runs.asked_by(lambda: estimator.fit(*_with(PEOPLE, person)))


def _term(estimator, person: Person | None) -> np.ndarray | float:
    """What somebody is counted as, who may be nobody."""
    if person is None:
        return 0.0
    _, learner, (values, labels) = _asked(estimator, person)
    return np.asarray(learner.ask(learner.init(), (values[-1], labels[-1])), np.float64)


def _went(estimator, neighbours, slip: Slip, place: int, key, draws: int) -> np.ndarray:
    plan, learner, data = _asked(estimator, neighbours[place])
    way = np.subtract(*(_term(estimator, each) for each in neighbours))
    ends = runs.states(runs.granted(slip(plan), learner, data), runs.roots_of(key, draws))
    return np.asarray(ends.shares, np.float64).reshape(draws, -1) @ way


@cache
def _curve(estimator, epsilon: float) -> float:
    promise = _asked(estimator, APART[0])[0].guarantees[0]
    return accountant.delta(promise.event, epsilon, promise.relation).delta + promise.delta_reserved


def _counts(name: str, estimator, neighbours=APART) -> Row:
    def pair(slip: Slip) -> tuple[Sampler, Sampler]:
        one, other = (partial(_went, estimator, neighbours, slip, place) for place in (0, 1))
        return one, other

    planted = {
        "two-thirds of the noise": pair(partial(_times, 2 / 3)),
        "the noise of one feature": pair(partial(_times, 2**-0.5)),
    }
    curve = partial(_curve, estimator)
    claim = EPSILON, *pair(_none), planted, DELTA, curve, RUNS, QUICK
    return Row("whole path", f"{name}, a person", *claim)


CUT = {"people": 3, "cuts": 1, **DECLARED}
ROWS = [
    _rule("a tree", DecisionTreeClassifier(PURE, max_depth=1, **CUT)),
    _rule("a rule list", RuleListClassifier(PURE, length=1, **CUT)),
    _counts("naive Bayes of bins", CategoricalNB(CURATOR, people=4, cuts=1, **DECLARED)),
    _counts("naive Bayes of numbers", GaussianNB(COMING, people=4, **DECLARED), THERE),
]
