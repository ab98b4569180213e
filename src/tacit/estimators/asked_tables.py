"""Tables of classes, asked of people under any trust model: what both naive Bayes classifiers need.

Where people randomise their own reports each is asked about one feature, in a round of its own;
else everybody about all of them at once (`tacit.sq.category_tables`).
"""

import math
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from tacit.estimators.fit_plan import FitPlan
from tacit.estimators.release import Terms
from tacit.estimators.words import CUT_OFF
from tacit.population.release import Release
from tacit.sq.oracle import QueryLearning
from tacit.trust.people import Reported


class AskedTables(NamedTuple):
    """What was released.

    Args:
      tables: of each feature, people in cells, a row for each class.
      noise: the deviation of the noise on one cell, as foreseen; None where it is not known.
      release: what was run.
    """

    tables: list[Float[np.ndarray, "classes cells"]]
    noise: float | None
    release: Release


def asked_tables(
    terms: Terms,
    asked: QueryLearning,
    values: Float[np.ndarray, "people features"],
    labels: Int[np.ndarray, " people"],
    steps: int = 1,
) -> AskedTables:
    """Tables of people, charged to them.

    Args:
      terms: on which people are asked.
      asked: a learner of `tacit.sq.category_tables` or `tacit.sq.moment_tables`, of so many people.
      values: what the learner asks people of: codes, or numbers from 0 to 1.
      labels: the number of each person's class.
      steps: in which the learner sums what its tables have of one.
    """

    def data() -> tuple[np.ndarray, np.ndarray]:
        return values.astype(np.float32), labels.astype(np.float32)

    release = terms.released(asked.plan, asked.run, data)
    tables = [asked.people * own for own in asked.learner.tables(release.state)]
    return AskedTables(tables, cell_noise(asked, steps), release)


def cell_noise(asked: QueryLearning, steps: int = 1) -> float | None:
    """The deviation of one cell's noise, in people; None where it is not known beforehand."""
    if asked.plan.error is None:
        return None
    cells = math.prod(asked.plan.sums.contribution.answer_shape)
    return asked.people * math.sqrt(asked.plan.error / cells) / steps


def tables_foreseen(asked: QueryLearning, population: str | None, steps: int = 1) -> FitPlan:
    """Of tables of classes that are asked for.

    Args:
      asked: what is.
      population: the name of the accounts; None where nobody is charged.
      steps: as of `asked_tables`.
    """
    noise, alone = cell_noise(asked, steps), isinstance(asked.trust, Reported)
    way = "each person is asked about one feature, by lot" if alone else "all features at once"
    unknown = "how many people each class has, and how far features depend on each other"
    said = _noise_in_words(noise, asked.people)
    return FitPlan(asked.plan, population, way, noise, said, unknown)


def _noise_in_words(noise: float | None, people: int) -> str:
    if noise is None:
        return CUT_OFF
    if noise == 0:
        return "there is no noise"
    about = f"noise of about {noise:.3g} people (root mean square) on each number of a table"
    return about + ", so that nothing is learnt" * (noise >= people)


def class_counts(
    tables: list[Float[np.ndarray, "classes cells"]],
) -> Float[np.ndarray, " classes"]:
    """How many people each class has, at least one: the mean of what all tables say of it.

    The sum of k cells has k times the noise's variance of one, so a table counts as 1/k.
    """
    each = np.stack([own.sum(axis=1) for own in tables])
    weights = 1 / np.array([own.shape[1] for own in tables])
    return np.maximum(weights @ each / weights.sum(), 1.0)
