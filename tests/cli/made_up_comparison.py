"""A comparison that was made up: two trust models at two epsilons, and a line without privacy."""

import numpy as np

import tacit
from tacit.cli.cases import Case
from tacit.learning.classifiers import InRounds, PerturbedMinimum, Problem, Steps
from tacit.learning.compare import Comparison, Method, Point

WAY = InRounds(Steps(clip=1.0, rate=1.0, average_from=1), tacit.Everyone(), 2)
NOTHING = Method("descent", tacit.NonPrivate(), WAY)
CENTRAL = Method("perturbation", tacit.Central(1.0, 1e-5), PerturbedMinimum(0.01))
SHUFFLED = Method("descent", tacit.Shuffled(1.0, 1e-5), WAY)
ROWS = np.zeros((4, 1), np.float32), np.array([0, 1, 1, 1], np.int32)
CASE = Case("points", Problem(4, 1, 1.0, 2), (NOTHING, CENTRAL, SHUFFLED), ROWS, ROWS)


def point(method: Method, epsilon: float, *accuracies: float, **others: float) -> Point:
    """Of as many releases, which promise this to the public and that to others."""
    kept = {} if method is NOTHING else {"public": epsilon, **others}
    guarantees = [{"observer": observer, "epsilon": each} for observer, each in kept.items()]
    receipts = tuple({"private": True, "guarantees": guarantees} for _ in accuracies)
    return Point(method, epsilon, accuracies, receipts)


FOUND = Comparison(
    (
        point(NOTHING, np.inf, 0.95, 0.97),
        point(CENTRAL, 1.0, 0.8, 0.9),
        point(CENTRAL, 0.5, 0.7, 0.7),
        point(SHUFFLED, 1.0, 0.6, 0.7, server=1.0, shuffler=4.0),
        point(SHUFFLED, 0.5, 0.5, 0.6, server=0.5, shuffler=3.0),
    )
)
