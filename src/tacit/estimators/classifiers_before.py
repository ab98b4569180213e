"""What a classifier's fit would promise, and how wrong it would be, before there are rows.

A classifier's tests, codes and tables follow from what is declared: bounds, classes, thresholds and
categories, all of them public. So its plan is the one that a fit would charge for.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tacit.argument import got, is_whole
from tacit.estimators.declared import Box, box_before, classes_of
from tacit.estimators.fit_plan import FitPlan, told
from tacit.estimators.trusts import declared_trust
from tacit.sq.oracle import QueryLearning
from tacit.trust.people import Trust

# Of whom a rule is nearly the best: so surely are no more labelled right by another.
BETA = 0.05


class BeforeRows(NamedTuple):
    """What is known of rows and labels that nobody has seen."""

    trust: Trust
    people: int
    box: Box
    names: Sequence[str] | None
    classes: np.ndarray


def before_rows(
    asking: Any, features: int | Sequence[str], people: int | None, allowed: tuple[type, ...]
) -> BeforeRows:
    """What an estimator was told of its rows.

    Args:
      asking: the estimator.
      features: how many columns, or their names.
      people: how many there are, if the estimator was not told.
      allowed: the trust models that it knows.

    Raises:
      ValueError: if bounds, classes, people or trust were not declared, or are not of their kind.
    """
    trust = declared_trust(asking.trust, allowed)
    many, names = _columns(features)
    many, own = told(many, people, asking.people, trust)
    if asking.classes is None:
        raise ValueError("classes must be declared before there are labels, e.g. classes=[0, 1]")
    classes = classes_of(asking.classes, np.empty(0), trust)
    return BeforeRows(trust, own, box_before(asking.bounds, many), names, classes)


def _columns(features: Any) -> tuple[Any, Sequence[str] | None]:
    if is_whole(features):
        return features, None
    if isinstance(features, str) or not isinstance(features, Sequence):
        raise ValueError(
            f"features must be how many columns there are, or their names, got {got(features)}"
        )
    names = list(features)
    if not (all(isinstance(each, str) for each in names) and len(set(names)) == len(names) > 0):
        raise ValueError(f"features must be a number, or different names, got {got(features)}")
    return len(names), names


def rule_foreseen(plan: Any, tests: int, short: float, population: str) -> FitPlan:
    """Of a rule that is chosen among all of its class.

    Args:
      plan: of the choice.
      tests: of which rules are made.
      short: of all people, how many more another rule labels right, at most.
      population: the name of the accounts.
    """
    nothing = ", so that nothing is learnt" * (short >= 1)
    error = (
        f"({short:.2g}, {BETA:g})-useful: {1 - BETA:.0%} of times no rule of the class labels more "
        f"than {short:.2%} of these people right whom this one does not{nothing}"
    )
    way = f"one choice among all rules of {tests:,} test{'s' * (tests != 1)}"
    return FitPlan(
        plan, population, way, short, error, "how many people the best rule labels right"
    )


def tables_foreseen(asked: QueryLearning, noise: float, in_turn: bool, population: str) -> FitPlan:
    """Of tables of classes that are asked for.

    Args:
      asked: what is.
      noise: on each number of a table, in people.
      in_turn: whether each person is asked about one feature alone.
      population: the name of the accounts.
    """
    error = f"noise of about {noise:.3g} people (root mean square) on each number of a table"
    nothing = ", so that nothing is learnt" * (noise >= asked.people)
    way = "each person is asked about one feature, by lot" if in_turn else "all features at once"
    unknown = "how many people each class has, and how far features depend on each other"
    said = error + nothing if noise else "there is no noise, or none that is known before"
    return FitPlan(asked.plan, population, way, noise, said, unknown)
