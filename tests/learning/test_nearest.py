"""The nearest centre: exact, and of the person alone."""

import jax
import numpy as np

from tacit.learning.nearest import FINE, nearest_of


def test_who_is_nearest_is_found_without_rounding():
    """In 300 dimensions: as by whole numbers of 64 bits, and whoever else is in the chunk."""
    host = np.random.default_rng(3)
    box = host.uniform(-1, 1, (80, 300)) / np.sqrt(300)
    people, centres = box[:64].astype(np.float32), box[64:].astype(np.float32)
    people[:8] = (centres[:8] + centres[1:9]) / 2
    found = np.asarray(jax.jit(nearest_of)(people, centres))
    whole = [np.rint(each * FINE).astype(np.int64) for each in (people, centres)]
    exact = np.square(whole[1]).sum(axis=1) - 2 * whole[0] @ whole[1].T
    moved = np.asarray(jax.jit(nearest_of)(people[37:38], centres))

    assert found.tolist() == exact.argmin(axis=1).tolist() and len(set(found)) > 8
    assert np.abs(exact).max() < 2**24 and moved.tolist() == [found[37]]


def test_of_several_nearest_centres_the_first_has_the_person():
    """So places that are not in use lie on the first, and nobody is theirs."""
    centres = np.array([[0.5, 0.5], [-0.5, 0.0], [0.5, 0.5], [-0.5, 0.0]], np.float32)
    people = np.array([[0.4, 0.4], [-0.4, 0.1], [0.5, 0.5]], np.float32)

    assert [0, 1, 0] == np.asarray(jax.jit(nearest_of)(people, centres)).tolist()
