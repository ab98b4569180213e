"""Cells as wholes: a plan's own round on two neighbouring data sets, and one number of its answer.

What is audited is everything between people and the public: terms brought into their shape, the
device's noise, exact sums, the server's noise and the division. The neighbours differ in one
person, in the worst way. For Laplace noise the number is the least of the coordinates in which the
sums are apart, each in units of that distance: past one in all of them, e^epsilon is exact. For
noise that depends on a norm it is how much nearer the answer is to one sum than to the other, and
for normal noise the projection on the difference.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from audits.row import CLOSE, QUICK, Row, Sampler
from tacit.accounting import accountant
from tacit.accounting.relation import Relation
from tacit.contribution import (
    Ball,
    Contribution,
    Counts,
    Cube,
    Grid,
    Interval,
    L1Ball,
    OneHot,
    Outer,
    Product,
    Sphere,
)
from tacit.plan import Plan
from tacit.population.loop import Cohort, Keys, Parts, answer_of, run_round
from tacit.question.participation import Everyone
from tacit.question.sums import Mean, Select
from tacit.statistics.answers import Answers
from tacit.trust.central import Central
from tacit.trust.local import Local

ADD, REPLACE = Relation.ADD_REMOVE, Relation.REPLACE_ONE
# With so large a delta normal noise is the better one, and all of its curve is within sight.
EPSILON, DELTA = 1.0, 0.1
# What pure promises state for their samplers is far below it.
SAMPLERS = 1e-12
AT_ONCE = 1_000

Plans = Callable[[], Plan]
Statistic = Callable[[np.ndarray], np.ndarray]
Number = float | Sequence[float]


@eqx.filter_jit
def _answers(learner, parts, rows, present, keys):
    """The answer to one round of those present, for each key."""
    cohort = Cohort(jnp.arange(len(rows))[None], present[None], jnp.asarray(1, jnp.int32))

    def run(key):
        pair = Keys(*jax.random.split(key), key)
        state = learner.init(), parts.server.init()
        return run_round(learner, parts, *state, rows, cohort, pair)[0][0][0]

    return jax.lax.map(run, keys, batch_size=AT_ONCE)


def _sampler(plan: Plans, rows, present, statistic: Statistic) -> Sampler:
    """One number of each answer; the plan is made when it is needed."""

    def sample(key, draws):
        made = plan()
        keys = jax.random.split(key, draws)
        people = jnp.asarray(rows, jnp.float32), jnp.asarray(present, bool)
        learner = Answers(1, shape=answer_of(made).shape)
        return statistic(np.asarray(_answers(learner, Parts.of(made), *people, keys), np.float64))

    return sample


# Central: neighbours, and what is apart between their sums.


def _member(shape: Contribution, term: Any) -> np.ndarray:
    """What one person adds to the sum, as one flat vector."""
    if isinstance(shape, OneHot):
        return np.eye(shape.categories)[int(term)]
    if isinstance(shape, Product):
        # Every part of those here is one number.
        return np.concatenate([_member(*each) for each in zip(shape.parts, term, strict=True)])
    if isinstance(shape, Outer):
        return np.outer(term, term).ravel().astype(np.float64)
    return np.ravel(term).astype(np.float64)


def _least(base, shift, people: int) -> Statistic:
    """The least coordinate of the sum above `base`, in units of `shift`."""
    apart = shift != 0

    def least(answers):
        above = people * answers.reshape(len(answers), -1) - base
        return np.min(above[:, apart] / shift[apart], axis=1)

    return least


def _nearer(base, shift, people: int, norm: float) -> Statistic:
    """How much nearer the sum is to `base` + `shift` than to `base`."""

    def nearer(answers):
        above = people * answers.reshape(len(answers), -1) - base
        distances = (np.linalg.norm(above - x, norm, axis=1) for x in (0.0, shift))
        return next(distances) - next(distances)

    return nearer


def _along(base, shift, people: int) -> Statistic:
    """The sum above `base`, along `shift`."""

    def along(answers):
        return (people * answers.reshape(len(answers), -1) - base) @ shift / (shift @ shift)

    return along


@cache
def _central(
    shape: str, epsilon: float, delta: float, relation: Relation, half: bool = False
) -> Plan:
    whole, _, smaller = SHAPES[shape]
    bounded = smaller if half and smaller else whole
    return Central(epsilon, delta, relation).plan(Mean(bounded, Everyone(), 1, 3))


def _unclipped(name: str, delta: float, relation: Relation) -> Plan:
    """Noise for half the bound, and terms that are brought into all of it."""
    whole = _central(name, EPSILON, delta, relation)
    half = _central(name, EPSILON, delta, relation, True)
    return replace(half, question=whole.question, collect=whole.collect)


# By name: the shape, two terms as far apart as any (the second the largest), and half of the shape.
SHAPES: Mapping[str, tuple[Contribution, tuple[Number, Number], Contribution | None]] = {
    "interval": (Interval(-1.0, 1.0), (-1.0, 1.0), Interval(-0.5, 0.5)),
    "grid": (Grid(-2, 3, 0.5), (-1.0, 1.5), Grid(-1, 1, 0.5)),
    "one-hot": (OneHot(4), (0, 2), None),
    "counts": (Counts(4, 2, 3), ((3, 0, 3, 0), (0, 3, 0, 3)), Counts(4, 2, 1)),
    "ball": (Ball(3, 3.0**0.5), ((-1, -1, -1), (1, 1, 1)), Ball(3, 0.75**0.5)),
    "l1-ball": (L1Ball(3, 1.0), ((-1, 0, 0), (1, 0, 0)), L1Ball(3, 0.5)),
    "cube": (Cube(3, -1.0, 1.0), ((-1, -1, -1), (1, 1, 1)), Cube(3, -0.5, 0.5)),
    "sphere": (Sphere(2), ((-(0.5**0.5), -(0.5**0.5)), (0.5**0.5, 0.5**0.5)), None),
    "outer": (Outer(2, 1.0), ((1, 0), (0, 1)), Outer(2, 0.5**0.5)),
    "product": (Product(Interval(-1.0, 1.0), OneHot(3)), ((-1, 0), (1, 1)), None),
}
# Whose pure noise is of a norm.
NORMS = {"ball": 2, "sphere": 2, "cube": np.inf}
# A draw of Euclidean noise costs ten times any other.
SLOW = {"ball"}
# With bugs that show little more than is claimed.
NEAR = {"ball", "counts"}


def _pure(name: str) -> Row:
    """One person of three replaced, on noise without a delta."""
    shape, (first, second), half = SHAPES[name]
    rows = [[first, first, last] for last in (first, second)]
    apart = 3 * _member(shape, first), _member(shape, second) - _member(shape, first), 3
    statistic = _nearer(*apart, NORMS[name]) if name in NORMS else _least(*apart)

    def pair(plan: Plans) -> tuple[Sampler, Sampler]:
        one, other = (_sampler(plan, each, [1, 1, 1], statistic) for each in rows)
        return one, other

    planted = {
        "epsilon x 1.5": partial(_central, name, 1.5 * EPSILON, 0.0, REPLACE),
        "sensitivity of add/remove": partial(_central, name, EPSILON, 0.0, ADD),
    }
    if half is not None and name not in SLOW:
        planted["no clip"] = partial(_unclipped, name, 0.0, REPLACE)
    return Row(
        "central",
        f"{name}, pure",
        EPSILON,
        *pair(partial(_central, name, EPSILON, 0.0, REPLACE)),
        planted={bug: pair(plan) for bug, plan in planted.items()},
        delta=SAMPLERS,
        quick=CLOSE if name in NEAR else QUICK,
    )


def _positive(name: str) -> Row:
    """A third person added, on Wisharts: whether what is left without them is positive."""
    shape, (first, second), _ = SHAPES[name]
    rows = [first, second, second]
    base, shift = _member(shape, first), _member(shape, second)
    sound = partial(_central, name, EPSILON, 0.0, ADD)

    def least(answers):
        return np.linalg.eigvalsh(3 * answers - (base + shift).reshape(answers.shape[1:]))[:, 0]

    def pair(plan: Plans, last: Sequence[int] = (1, 1, 0)) -> tuple[Sampler, Sampler]:
        one, other = (_sampler(plan, rows, who, least) for who in ((1, 0, 0), last))
        return one, other

    planted = {
        "epsilon x 1.5": pair(partial(_central, name, 1.5 * EPSILON, 0.0, ADD)),
        "a person twice": pair(sound, (1, 1, 1)),
        "no clip": pair(partial(_unclipped, name, 0.0, ADD)),
    }
    own = pair(sound)
    how = {"planted": planted, "delta": SAMPLERS, "quick": 50_000}
    return Row("central", f"{name}, pure", EPSILON, *own, **how)


def _normal(name: str) -> Row:
    """A third person added, on noise with a delta."""
    shape, (first, second), half = SHAPES[name]
    rows = [first, second, second]
    statistic = _along(_member(shape, first), _member(shape, second), 3)
    sound = partial(_central, name, EPSILON, DELTA, ADD)

    def pair(plan: Plans, last: Sequence[int] = (1, 1, 0)) -> tuple[Sampler, Sampler]:
        one, other = (_sampler(plan, rows, who, statistic) for who in ((1, 0, 0), last))
        return one, other

    planted = {
        "epsilon x 1.5": pair(partial(_central, name, 1.5 * EPSILON, DELTA, ADD)),
        "a person twice": pair(sound, (1, 1, 1)),
    }
    if half is not None:
        planted["no clip"] = pair(partial(_unclipped, name, DELTA, ADD))
    return Row(
        "central",
        f"{name}, with a delta",
        EPSILON,
        *pair(sound),
        planted=planted,
        delta=DELTA,
        curve=cache(partial(_curve, sound)),
    )


def _curve(plan: Plans, epsilon: float) -> float:
    """The accountant's delta, and what is stated for the samplers."""
    (promise,) = plan().guarantees
    return accountant.delta(promise.event, epsilon, promise.relation).delta + promise.delta_reserved


# Local: one person's report alone.


@cache
def _locally(shape: Contribution, epsilon: float) -> Plan:
    return Local(epsilon).plan(Mean(shape, Everyone(), 1, 2))


def _first(answers):
    """A number, or the first of a vector."""
    return answers.reshape(len(answers), -1)[:, 0]


def _either(answers):
    """Which of the first two categories a report speaks for."""
    return answers[:, 0] - answers[:, 1]


def _both(answers):
    """A number's part and a category's, which take few values each."""
    return np.round(answers[:, 0] + 0.01 * (answers[:, 1] - answers[:, 2]), 6)


def _local(name: str, shape: Contribution, first: Number, second: Number, statistic) -> Row:
    sound = partial(_locally, shape, EPSILON)

    def pair(plan: Plans, who: Sequence[int] = (1, 0)) -> tuple[Sampler, Sampler]:
        one, other = (_sampler(plan, [term, term], who, statistic) for term in (first, second))
        return one, other

    planted = {
        "epsilon x 1.5": pair(partial(_locally, shape, 1.5 * EPSILON)),
        "two reports on one budget": pair(sound, (1, 1)),
    }
    return Row("local", f"{name}, a cell", EPSILON, *pair(sound), planted=planted, delta=SAMPLERS)


# Selection: a candidate level with all others, or as far behind as one person can put it.


@cache
def _choosing(shape: Contribution, relation: Relation, epsilon: float) -> Plan:
    return Central(epsilon, 0.0, relation).plan(Select(Mean(shape, Everyone(), 1, 4)))


def _is_first(answers):
    return (answers == 0).astype(np.float64)


def _selected(name: str, shape: Contribution, relation: Relation, one, other, worse) -> Row:
    """`one` and `other` are people and who is present; `worse` is a pair that is no neighbours."""

    def pair(plan: Plans, sets=(one, other)) -> tuple[Sampler, Sampler]:
        first, second = (_sampler(plan, *people, _is_first) for people in sets)
        return first, second

    sound = partial(_choosing, shape, relation, EPSILON)
    bug, sets = worse
    planted = {
        "epsilon x 1.5": pair(partial(_choosing, shape, relation, 1.5 * EPSILON)),
        bug: pair(sound, sets),
    }
    return Row("selection", f"{name}, a cell", EPSILON, *pair(sound), planted=planted)


# Everybody present, and one person in each category, or the first one gone, or moved to the next.
ALL = (1, 1, 1, 1)
LEVEL, GONE, MOVED = ((0, 1, 2, 3), ALL), ((0, 1, 2, 3), (0, 1, 1, 1)), ((1, 1, 2, 3), ALL)
# Two people whose scores cancel, and the same where one has turned over.
AGAINST, FOR = (-1, 1, 1, 1), (1, -1, -1, -1)
EVEN, TURNED = ((AGAINST, FOR), (1, 1)), ((AGAINST, AGAINST), (1, 1))
BOTH = ((FOR, FOR), (1, 1))

ROWS = [
    *(_pure(name) for name in SHAPES if name != "outer"),
    _positive("outer"),
    *map(_normal, SHAPES),
    _local("interval", Interval(-1.0, 1.0), -1.0, 1.0, _first),
    _local("one-hot", OneHot(5), 0, 1, _either),
    _local("ball", Ball(3, 2.0), (2, 0, 0), (-2, 0, 0), _first),
    _local("sphere", Sphere(3), (1, 0, 0), (-1, 0, 0), _first),
    _local("product", Product(Interval(-1.0, 1.0), OneHot(3)), (-1, 0), (1, 1), _both),
    _selected(
        "one-hot",
        OneHot(4),
        ADD,
        LEVEL,
        GONE,
        ("sensitivity of add/remove under replace-one", (LEVEL, MOVED)),
    ),
    _selected(
        "cube",
        Cube(4, -1.0, 1.0),
        REPLACE,
        EVEN,
        TURNED,
        ("a person twice", (BOTH, TURNED)),
    ),
]
