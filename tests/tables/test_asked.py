"""How far noise moves several sums: each as far as by itself, or a little more."""

import numpy as np
import pytest

import tacit
from tacit.contribution import Tally
from tacit.question.sums import Mean
from tacit.server.reach import noise_reach
from tacit.tables.asked import reaches

WEIGHTS = np.array([[1, 0, 0, 0], [0.5, -0.5, 0.25, 0], [1, 1, 1, 1], [0, 0, 0, 0.0]])


@pytest.mark.parametrize("delta, most", [(1e-6, 1 + 1e-6), (0.0, 2.0)])
def test_no_sum_is_moved_farther_than_is_said(delta, most):
    """Of Gaussian noise each sum has its own reach; of other noise one that is not below it."""
    question = Mean(Tally(4, 2, 5), tacit.Everyone(), 1, 1000)
    server = tacit.Central(1.0, delta).plan(question).server
    *own, none = reaches(server, 0.05, WEIGHTS)
    each = [noise_reach(server, 0.05, tuple(row[row != 0].tolist())) for row in WEIGHTS[:3]]

    assert 0.0 == none
    assert all(
        (1 - 1e-6) * alone <= found <= most * alone for found, alone in zip(own, each, strict=True)
    )


def test_like_sums_share_the_reach_of_the_farthest():
    """Of more sums than have reaches of their own, none is moved farther than is said."""
    weights = np.random.default_rng(0).uniform(-1, 1, (100, 3))
    question = Mean(Tally(3, 2, 5), tacit.Everyone(), 1, 1000)
    server = tacit.Central(1.0, 0.0).plan(question).server
    found = reaches(server, 0.05, weights)
    alone = np.array([noise_reach(server, 0.05, tuple(row)) for row in weights])

    assert 64 == len(set(found)) and (alone <= found).all() and (found < 1.5 * alone).all()
