"""Which rounds find a covariance best: of public numbers, and as they come out when played."""

import numpy as np
import pytest

from tacit.statistics.ladder import Ladder, ladder_for
from tacit.statistics.shares import ShareNoise

# As of 2,000 people of four numbers at rho 0.5.
NOISE = ShareNoise(1.4 / 2_000, 0.5)


def test_longer_rounds_cost_little_where_people_may_be_a_thousand_times_shorter():
    """Then there are level rounds; where they are known to be white one of everything will do."""
    near = ladder_for(4, 2_000, 1.0, 1.0, NOISE)
    far = ladder_for(4, 2_000, 1.0, 1_000.0, NOISE)

    alone = Ladder(4, 2_000, 1.0, 1.0, NOISE, 0, (1.0,)).error
    assert 0.95 * alone < near.error <= alone
    assert far.levels > 0 and len(far.shares) > 3
    assert 1.0 == pytest.approx(sum(far.shares))
    assert near.error < far.error < 1.1 * near.error


def test_the_one_that_is_taken_is_foreseen_to_be_best():
    """Against one round of everything, and against what noise and people allow."""
    best = ladder_for(4, 2_000, 1.0, 30.0, NOISE)
    alone = Ladder(4, 2_000, 1.0, 30.0, NOISE, 0, (1.0,))
    floor = np.sqrt(4 * 5 / 2_000)

    assert best.is_below(alone.error) and not alone.is_below(best.error)
    assert 10 * best.error < alone.error
    assert floor < best.error < 1.3 * floor


def test_every_shape_of_people_is_found_about_as_well():
    """The error that is said is the worst of them, and the same each time."""
    ladder = ladder_for(4, 2_000, 1.0, 30.0, NOISE)
    shapes = [np.ones(4), np.array([900.0, 900.0, 1.0, 1.0]), np.geomspace(1.0, 900.0, 4)]
    found = [ladder.played(shape) for shape in shapes]

    assert max(found) == ladder.error and min(found) > 0.8 * ladder.error
    assert found == [ladder.played(shape) for shape in shapes]
