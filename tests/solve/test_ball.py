"""The nearest point of a ball."""

import numpy as np
import pytest

from tacit.solve.ball import nearest_within


@pytest.mark.parametrize("shape", [(3,), (2, 4)])
def test_the_nearest_point_is_on_the_way_to_zero(shape):
    """A point of the ball is its own; of one outside none of a thousand in the ball is nearer."""
    host = np.random.default_rng(0)
    far = host.normal(size=shape) + 3
    found, inside = nearest_within(far, 1.5), host.normal(size=(1_000, *shape))
    inside *= 1.5 * host.random(1_000).reshape(-1, *(1 for _ in shape)) / _lengths(inside)

    assert np.linalg.norm(found) == pytest.approx(1.5, rel=1e-15)
    np.testing.assert_allclose(found / far, np.full(shape, 1.5 / np.linalg.norm(far)))
    assert np.linalg.norm(far - found) < _lengths(far - inside).min()
    assert nearest_within(found / 2, 1.5).tolist() == (found / 2).tolist()


def _lengths(points):
    return np.linalg.norm(points.reshape(len(points), -1), axis=1).reshape(
        -1, *(1 for _ in points.shape[1:])
    )


def test_nothing_is_divided_by_zero():
    """Zero is in every ball, one of no size too, to which all else is brought."""
    assert nearest_within(np.zeros(2), 0.0).tolist() == [0.0, 0.0]
    assert nearest_within(np.array([3.0, -4.0]), 0.0).tolist() == [0.0, 0.0]
