"""Linear problems for tests of the solver."""

import math

import numpy as np

from tacit.solve.objective import Objective
from tacit.solve.regularisers import L2


def data(people, dimension, kind: type = np.float64):
    """Rows of norm about 1, and signs that depend on them."""
    numbers = np.random.default_rng(0)
    rows = (numbers.normal(size=(people, dimension)) / math.sqrt(dimension)).astype(kind)
    chance = 1 / (1 + np.exp(-4 * rows @ np.ones(dimension)))
    return rows, np.where(numbers.random(people) < chance, 1.0, -1.0)


def objective(loss, people, dimension, ridge=1e-3):
    """An objective whose bound no row exceeds."""
    return Objective(loss, L2(ridge), 4.0, people, dimension)
