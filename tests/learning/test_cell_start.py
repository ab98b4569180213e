"""The start by cells: whom a person counts with, and the components that noisy counts tell."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from tacit.learning.cell_start import CellStart
from tacit.statistics.box_cells import BoxCells

SIDES, PEOPLE = (0.6, 0.8), 2_000
CELLS = BoxCells(tacit.NonPrivate(), PEOPLE, SIDES, 8)
TOWNS = np.array([[-0.4, -0.4], [0.4, 0.5], [0.4, -0.5]])


def start(noise: float = 0.0) -> CellStart:
    return CellStart.of(CELLS, 3, noise)


def rows() -> np.ndarray:
    host = np.random.default_rng(0)
    return (TOWNS[host.integers(0, 3, PEOPLE)] + 0.1 * host.normal(size=(PEOPLE, 2))).astype("f4")


def counted() -> np.ndarray:
    return np.bincount(CELLS.numbers(rows()), minlength=CELLS.cells) / PEOPLE


def found(own: CellStart, counts: np.ndarray):
    return own.components(own.tell(own.init(), jnp.asarray(counts, jnp.float32)))


def test_a_person_is_in_one_cell():
    """That of the box's own numbers; who is beyond the box, in the one at that side."""
    own = start()
    people = np.concatenate([rows()[:100], [[9.0, -9.0], [np.inf, 0.0], SIDES]]).astype("f4")
    asked = np.asarray(jax.vmap(own.ask, (None, 0))(own.init(), jnp.asarray(people)))

    np.testing.assert_array_equal(asked.sum(axis=1), 1)
    np.testing.assert_array_equal(asked.max(axis=1), 1)
    inside = np.clip(people, -np.array(SIDES), SIDES)
    np.testing.assert_array_equal(asked.argmax(axis=1), CELLS.numbers(inside))


def test_a_row_that_lacks_a_number_is_in_no_cell():
    """It counts nowhere."""
    assert not np.any(start().ask(start().init(), jnp.array([jnp.nan, 0.0])))


def test_clusters_of_counts_are_found():
    """Their middles, their shares, and a deviation that is theirs and a cell's."""
    made = found(start(), counted())
    order = np.linalg.norm(np.asarray(made.means)[:, None] - TOWNS, axis=2).argmin(axis=0)

    np.testing.assert_allclose(np.asarray(made.means)[order], TOWNS, atol=0.03)
    np.testing.assert_allclose(made.weights, 1 / 3, atol=0.03)
    assert 0.1 < float(made.roots[0, 0, 0]) < 0.15


def test_cells_of_noise_alone_are_held_to_be_empty():
    """So that no cluster is laid among them: with noise on a cell of a fifth of the fullest."""
    noise = counted().max() / 5
    drawn = counted() + noise * np.random.default_rng(0).normal(size=CELLS.cells)
    off = np.linalg.norm(np.asarray(found(start(noise), drawn).means)[:, None] - TOWNS, axis=2)

    assert (off.min(axis=0) < 0.12).all()


@pytest.mark.parametrize("counts", [0.0, -1.0, 1.0])
def test_counts_that_tell_nothing_are_answered(counts):
    """With finite components in the box, whose shares add up to one."""
    made = found(start(0.01), np.full(CELLS.cells, counts))

    assert all(np.isfinite(each).all() for each in made)
    assert (np.abs(made.means) <= SIDES).all()
    assert float(made.weights.sum()) == pytest.approx(1) and (made.weights > 0).all()
