"""Rows that remember whose they are, through what NumPy makes of them."""

import copy
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tacit.population.owned import OwnedRows, refuse_owned
from tacit.population.owners import Group

ROWS = np.arange(24.0).reshape(4, 3, 2)


@pytest.mark.parametrize(
    "made",
    [
        lambda rows: rows.reshape(-1, 2),
        lambda rows: rows[:, 0],
        lambda rows: rows[rows[:, 0, 0] > 2],
        lambda rows: rows.astype(np.float32).copy(),
        lambda rows: (rows - 1) / 2,
        lambda rows: np.nan_to_num(rows).mean(axis=1),
        lambda rows: copy.deepcopy(rows),
        lambda rows: pickle.loads(pickle.dumps(rows)),
    ],
)
def test_what_is_made_of_them_remembers(made):
    """A slice, a reshape, arithmetic, a copy."""
    rows = made(OwnedRows.of(ROWS, "a row for each household"))

    with pytest.raises(ValueError, match=r"^X has (a row for each household|rows of many), and"):
        refuse_owned(y=None, X=rows)


def test_numbers_and_plain_rows_are_as_they_were():
    """Nothing is copied, a sum is a number, JAX takes them, and other arrays are not refused."""
    rows = OwnedRows.of(ROWS, "a row for each household")

    assert np.shares_memory(rows, ROWS) and not isinstance(rows.sum(), np.ndarray)
    assert float(jax.jit(jnp.sum)(rows)) == ROWS.sum() == rows.sum()
    refuse_owned(X=ROWS, y=[1, 2], more=np.asarray(rows))


def test_a_group_is_refused_as_it_is():
    """It is no array, and says enough."""
    with pytest.raises(ValueError, match="X has several records of one person"):
        refuse_owned(X=Group(ROWS, np.ones((4, 3), bool)))
