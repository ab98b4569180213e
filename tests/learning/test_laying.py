"""Places: where scatter is, each cell's own middle first, apart on public directions."""

import jax.numpy as jnp
import numpy as np

from tacit.learning.laying import APART, Cells, directions_of, laid, places_of

DIRECTIONS = jnp.asarray(directions_of((0.6, 0.8), 1, 8)[0], jnp.float32)


def cells(scatter, held=(True, True, True), shares=(0.5, 0.3, 0.2)) -> Cells:
    middles = np.array([[0.1, 0.0], [-0.4, 0.2], [0.3, 0.5]])
    given = [jnp.asarray(each, jnp.float32) for each in (middles, shares, scatter)]
    return Cells(*given, jnp.asarray(held))


def test_places_are_where_people_are_scattered():
    """One for every cell that is held; each further one where scatter over places is largest."""
    assert [1, 1, 6] == places_of(cells([0.01, 0.01, 1.0]), 8).tolist()
    assert [4, 2, 2] == places_of(cells([0.4, 0.2, 0.2]), 8).tolist()
    assert [3, 0, 5] == places_of(cells([0.3, 9.0, 0.5], (True, False, True)), 8).tolist()
    assert 8 == places_of(cells([0.0, 0.0, 0.0]), 8).sum()


def test_where_nobody_is_thought_to_be_all_places_are_about_the_first():
    """As many as ever, and finite."""
    nobody = cells([0.1, 0.2, 0.3], (False,) * 3, (-1.0, 0.0, 0.0))
    found = laid(nobody, DIRECTIONS)

    assert [8, 0, 0] == places_of(nobody, 8).tolist()
    far = np.linalg.norm(found - nobody.middles[0], axis=1)
    np.testing.assert_allclose(far, APART * 0.1**0.5, rtol=1e-5)


def test_a_cell_of_one_place_keeps_its_middle_and_pairs_lie_on_both_sides():
    """As far as a part of how far the cell's people are."""
    own = cells([0.01, 0.01, 1.0])
    found = np.asarray(laid(own, DIRECTIONS))
    off = found[2:] - own.middles[2]

    np.testing.assert_array_equal(found[:2], own.middles[:2])
    np.testing.assert_allclose(np.linalg.norm(off, axis=1), APART * 5**0.5, rtol=1e-5)
    np.testing.assert_allclose(off[::2], -off[1::2], atol=1e-6)
    assert 6 == len(np.unique(off.round(4), axis=0))


def test_directions_are_the_same_for_everybody():
    """Of length one, other ones in each round, longer along the longer side."""
    found = directions_of((0.1, 0.99), 2, 500)

    np.testing.assert_array_equal(found, directions_of((0.1, 0.99), 2, 500))
    np.testing.assert_allclose(np.linalg.norm(found, axis=2), 1.0)
    assert (found[0] != found[1]).all()
    assert np.abs(found[..., 1]).mean() > 4 * np.abs(found[..., 0]).mean()
