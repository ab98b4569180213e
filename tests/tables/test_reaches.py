"""How far noise moves several sums: each as far as by itself, or a little more."""

import numpy as np
import pytest

import tacit
from tacit.contribution import Tally
from tacit.question.sums import Mean
from tacit.server.reach import noise_reach
from tacit.tables.reaches import BOXES, boxes, reaches

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


@pytest.mark.parametrize("cells, most", [(3, 1.05), (12, 1.4)])
def test_sums_of_one_box_share_the_reach_of_its_corner(cells, most):
    """Of more sums than have reaches of their own, none is moved farther than is said, and none
    much less; of twice the weights each is moved twice as far."""
    weights = np.random.default_rng(0).uniform(-1, 1, (3 * BOXES, cells))
    question = Mean(Tally(cells, 2, 5), tacit.Everyone(), 1, 1000)
    server = tacit.Central(1.0, 0.0).plan(question).server
    found = reaches(server, 0.05, weights)
    alone = np.array([noise_reach(server, 0.05, tuple(row)) for row in weights])

    assert (alone <= found * (1 + 1e-12)).all() and (found < most * alone).all()
    assert reaches(server, 0.05, 2 * weights) == pytest.approx(2 * found)


def test_boxes_hold_every_point_once():
    """As many as there may be, but for points that are alike."""
    points = np.random.default_rng(1).uniform(0, 1, (50, 4))
    for given, many in ((points, 8), (points[:3], 3), (np.ones((9, 2)), 1)):
        made = boxes(given, 8)
        assert sorted(np.concatenate(made).tolist()) == list(range(len(given)))
        assert many == len(made) and all(len(box) for box in made)
