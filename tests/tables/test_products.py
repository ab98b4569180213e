"""Means and covariance of two places, from four sums, and of one, from three."""

import numpy as np
import pytest

from tacit.tables.caps import Caps
from tacit.tables.products import Products, finest, refuse_more_rows

PLACES = np.array([[0.0, 0.1, 0.5, 0.9], [0.3, 0.2, 0.4, 1.0]])


def exactly(part, boxes):
    """No noise."""
    return 0.0


def two(p, q):
    return tuple(float(x.sum()) for x in (p * q, p * (1 - q), (1 - p) * q, (1 - p) * (1 - q)))


def test_without_noise_they_are_those_of_the_places():
    """Exactly, with no distance between limits; of one place with itself, its variance."""
    p, q = PLACES
    both = Products(two(p, q), exactly)
    alone = Products(tuple(float(x.sum()) for x in (p**2, 2 * p * (1 - p), (1 - p) ** 2)), exactly)

    assert (p.mean(),) * 3 == pytest.approx(both.mean)
    assert ((p.mean() + q.mean()) / 2,) * 3 == pytest.approx(both.turned[0])
    assert ((1 + p.mean() - q.mean()) / 2,) * 3 == pytest.approx(both.turned[1])
    assert (np.cov(p, q, ddof=0)[0, 1],) * 3 == pytest.approx(both.covariance)
    assert (p.var(),) * 3 == pytest.approx(alone.covariance)


@pytest.mark.parametrize("sums, least", [((3.0, -9.0, 1.0, 1.0), -0.25), ((3.0, -9.0, 1.0), 0.0)])
def test_of_nothing_but_noise_nothing_is_known(sums, least):
    """A count of zero or below gives all that a covariance, or a variance, can be."""
    assert (0.0, least, 0.25) == Products(sums, exactly).covariance


def test_limits_hold_whatever_noise_within_its_reach_does():
    """Of noise on one sum or another as large as may be, on many places: no miss."""
    rng, far = np.random.default_rng(0), 2.0

    def reach(part, boxes):
        return far * max(abs(own) for corners in boxes for weights in corners for own in weights)

    for _ in range(300):
        p, q = rng.beta(*rng.uniform(0.3, 3, 2), (2, rng.integers(10, 200)))
        exact, which = np.array(two(p, q)), rng.integers(4)
        exact[which] += far * rng.choice([-1, 1])
        _, low, high = Products(tuple(exact.tolist()), reach).covariance
        assert low <= np.cov(p, q, ddof=0)[0, 1] <= high


@pytest.mark.parametrize("turned, noise", [(True, (1, 0, 0, -1)), (False, (0, 1, -1, 0))])
def test_that_both_means_are_off_at_once_is_within_the_limits(turned, noise):
    """By noise that moves no other sum of the proof: the covariance is off by their product alone,
    down if both are off to one side, and up if not."""
    rng = np.random.default_rng(3)

    def reach(part, boxes):
        means = max(sum(map(abs, own)) for corners in boxes for own in corners)
        return 1e-9 if part > 0.5 else means

    for _ in range(100):
        p = rng.random(20)
        q = rng.permutation(1 - p if turned else p)
        true, sums = np.cov(p, q, ddof=0)[0, 1], np.array(two(p, q)) + noise
        released, low, high = Products(tuple(sums.tolist()), reach).covariance
        assert abs(released - true) > 1e-3 and (released < true) == turned
        assert low <= true <= high


def test_levels_are_the_finer_the_fewer_rows_count():
    """As many as fit a cell, and all cells together; from 2^9 to 2^12."""
    each = [finest(Caps(rows, 1, rows), 1) for rows in (1, 4, 5, 64, 1000)]

    assert [4096, 2048, 1831, 512, 512] == each
    assert each[2] ** 2 * 5 <= 2**24 < (each[2] + 1) ** 2 * 5
    assert finest(Caps(64, 64, 1), 55) ** 2 * 64 * 55 < 2**30


def test_a_person_has_as_many_rows_as_fit_a_cell():
    """More are refused in a sentence that says how many."""
    refuse_more_rows("variance", Caps(64, 1, 64))
    with pytest.raises(ValueError, match="a variance is of at most 64 rows"):
        refuse_more_rows("variance", Caps(65, 1, 65))
