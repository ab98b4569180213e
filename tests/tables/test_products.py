"""Means and covariance of two places, from four sums, and of one, from three."""

import numpy as np
import pytest

from tacit.tables.caps import Caps
from tacit.tables.products import Products, refuse_more_rows

PLACES = np.array([[0.0, 0.1, 0.5, 0.9], [0.3, 0.2, 0.4, 1.0]])


def exactly(part, weights):
    """No noise."""
    return 0.0


def two(p, q):
    return tuple(float(x.sum()) for x in (p * q, p * (1 - q), (1 - p) * q, (1 - p) * (1 - q)))


def test_without_noise_they_are_those_of_the_places():
    """Exactly, with no distance between limits; of one place with itself, its variance."""
    p, q = PLACES
    both = Products(two(p, q), exactly)
    alone = Products(tuple(float(x.sum()) for x in (p**2, 2 * p * (1 - p), (1 - p) ** 2)), exactly)

    assert (p.mean(),) * 3 == pytest.approx(both.means[0])
    assert (q.mean(),) * 3 == pytest.approx(both.means[1])
    assert (np.cov(p, q, ddof=0)[0, 1],) * 3 == pytest.approx(both.covariance)
    assert (p.var(),) * 3 == pytest.approx(alone.covariance)


@pytest.mark.parametrize("sums, least", [((3.0, -9.0, 1.0, 1.0), -0.25), ((3.0, -9.0, 1.0), 0.0)])
def test_of_nothing_but_noise_nothing_is_known(sums, least):
    """A count of zero or below gives all that a covariance, or a variance, can be."""
    assert (0.0, least, 0.25) == Products(sums, exactly).covariance


def test_limits_hold_whatever_noise_within_its_reach_does():
    """Of noise on one sum or another as large as may be, on many places: no miss."""
    rng, far = np.random.default_rng(0), 2.0

    def reach(part, weights):
        return far * max(weights)

    for _ in range(300):
        p, q = rng.beta(*rng.uniform(0.3, 3, 2), (2, rng.integers(10, 200)))
        exact, which = np.array(two(p, q)), rng.integers(4)
        exact[which] += far * rng.choice([-1, 1])
        _, low, high = Products(tuple(exact.tolist()), reach).covariance
        assert low <= np.cov(p, q, ddof=0)[0, 1] <= high


def test_a_person_has_as_many_rows_as_fit_a_cell():
    """More are refused in a sentence that says how many."""
    refuse_more_rows("variance", Caps(64, 1, 64))
    with pytest.raises(ValueError, match="a variance is of at most 64 rows"):
        refuse_more_rows("variance", Caps(65, 1, 65))
