"""Whole numbers that are normal ones: their law, their deviation, their last digits."""

from fractions import Fraction
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import quick_keys
from hasty import hasty
from tacit.noise import keys
from tacit.noise import wide_normals as module
from tacit.noise.discrete import HALF
from tacit.noise.tables import draw
from tacit.noise.wide_normals import (
    BITS,
    DEVIATION,
    DIGITS,
    near,
    parts,
    tv_distance,
    whole,
    wide_normals,
)

ROWS, COLUMNS = 200, 50


@cache
def drawn() -> np.ndarray:
    return wide_normals(quick_keys.key(0), ROWS, COLUMNS)


def normal() -> np.ndarray:
    """In units of the deviation."""
    return (drawn() / DEVIATION).astype(float).ravel()


def test_they_are_normal():
    """Of deviation one; with two-thirds of it they would not be."""
    assert drawn().shape == (ROWS, COLUMNS)
    assert stats.kstest(normal(), "norm").pvalue > 1e-3
    assert stats.kstest(1.5 * normal(), "norm").pvalue < 1e-9


def test_last_digits_are_even():
    """All of them are drawn: the lowest seven bits, and those in the middle, are uniform."""
    for shift in (0, 80):
        low = np.array([int(each) >> shift & 127 for each in drawn().ravel()])
        counts = np.bincount(low, minlength=128)
        assert stats.chisquare(counts).pvalue > 1e-3


def test_rows_and_columns_are_apart():
    """No number is twice there, and none hangs together with the next one."""
    assert len(set(drawn().ravel())) == ROWS * COLUMNS
    assert abs(np.corrcoef(normal()[:-1], normal()[1:])[0, 1]) < 0.05


def test_what_they_are_off_by_is_stated():
    """More than 160 bits, and tables that are near to their law."""
    assert 2**168 < DEVIATION < 2**169
    assert 0 < tv_distance() < DIGITS * 2.0**-78


def test_floats_are_near_to_whole_numbers():
    """But for 2^-51 of their size: of those that are drawn, and of those whose highest parts are
    nothing, or next to nothing beside what follows."""
    drawn_parts = parts(quick_keys.key(1), 0, 20, 50)
    for high in (drawn_parts[3], 0 * drawn_parts[3], np.sign(drawn_parts[3])):
        for next_one in (drawn_parts[2], 0 * drawn_parts[2], -high * (2**42 - 1)):
            made = np.stack([*drawn_parts[:2], next_one, high])
            pairs = zip(near(made).ravel().tolist(), whole(made).ravel().tolist(), strict=True)
            assert all(abs(Fraction(one) - exact) * 2**51 <= abs(exact) for one, exact in pairs)


def test_rows_of_parts_are_rows_of_numbers():
    """Whichever is asked for, and with what key."""
    made = parts(quick_keys.key(0), 0, ROWS, COLUMNS)

    assert np.array_equal(whole(made), drawn())
    assert np.array_equal(whole(made[:, 7]), drawn()[7])


@pytest.mark.parametrize("key", [quick_keys.key(2), keys.jax_key(keys.from_seed(2))])
def test_numbers_are_those_that_jax_draws(key):
    """Digit by digit, from the same table, of each turn by itself."""
    columns, shape = jnp.asarray(module._table().columns), (DIGITS, 3, 20)

    @hasty
    def by_jax(turn):
        two = jax.random.split(jax.random.fold_in(key, turn))
        return draw(two, columns, shape) - HALF

    for turn in (0, 1):
        digits = np.asarray(by_jax(turn)).astype(object)
        numbers = sum(2 ** (BITS * place) * digit for place, digit in enumerate(digits))

        assert np.array_equal(whole(parts(key, turn, *shape[1:])), numbers)
