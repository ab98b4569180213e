"""`tacit` with little to train, for tests of how processes end: a moment of its work may send it a
signal, and it may be one of several.

Run: python -m cli.as_one_of_several MOMENT CALL SIGNAL TIMES train ...   (from tests/)

A moment is one of `at_a_moment`, or "never".
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from cli.at_a_moment import prepare
from tacit.accounting.relation import Relation
from tacit.cli import work
from tacit.cli.main import app
from tacit.cli.settings import Job, TrustSetting
from tacit.cli.tasks import Task
from tacit.federated.updates import GradientSteps
from tacit.models.networks import Softmax
from tacit.population.arrays import Arrays
from tacit.question.participation import Everyone
from tacit.trust.central import Central

CENTRAL = Central(1.0, 1e-5, Relation.REPLACE_ONE)
SETTING = TrustSetting("central", CENTRAL, Everyone(), 4, 1.0, GradientSteps(1, 0.1), 1.0, 2)
JOBS = [Job("tuned", SETTING), Job("shared", SETTING)]


def small() -> Task:
    """Twenty people with an image of two by two pixels each."""
    draw = np.random.default_rng(0)
    images = draw.uniform(0, 1, (20, 1, 2, 2)).astype(np.float32)
    labels = draw.integers(0, 3, (20, 1)).astype(np.int32)
    people = Arrays(((images, labels), np.ones((20, 1), bool)), "twenty")
    return Task("small", people, Softmax(4, 3), images[:, 0], labels[:, 0], None)


def small_instead() -> Callable[[dict[str, Any]], tuple[Task, list[Job]]]:
    """`work.task_and_jobs`, but for digits."""
    others = work.task_and_jobs
    return lambda options: (small(), JOBS) if options["data"] == "digits" else others(options)


if __name__ == "__main__":
    moment, *numbers = sys.argv[1:5]
    work.task_and_jobs = small_instead()
    if moment != "never":
        prepare(moment, *map(int, numbers))
    sys.argv[1:5] = []
    app()
