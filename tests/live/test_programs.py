"""Programs: the last few kinds are kept, each compiled once, and what is dropped is freed."""

import gc
from concurrent.futures import ThreadPoolExecutor

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tacit.live.programs import MOST_KEPT, Programs

ONES = np.ones(3, np.float32)


def times(number, array):
    """Whose first argument is of the program."""
    return array * number


@pytest.fixture
def counted():
    """Programs, and the numbers that they were compiled for."""
    compiled = []

    def function(number, array):
        compiled.append(number)
        return times(number, array)

    return Programs(function, most=3), compiled


def executables():
    gc.collect()
    return len(jax.devices()[0].client.live_executables())


def test_hundreds_of_kinds_keep_a_few_programs():
    """Neither here nor in JAX: what was compiled for others is freed."""
    programs = Programs(times)
    programs(0, ONES)
    before = executables()
    for number in range(1, 200):
        programs(number, ONES)

    assert MOST_KEPT == len(programs) and executables() - before < 2 * MOST_KEPT


def test_a_kind_is_compiled_once(counted):
    """Whatever the numbers of its arrays."""
    programs, compiled = counted
    results = [programs(2, each * ONES) for each in range(5)]

    assert [2] == compiled and [0, 2, 4, 6, 8] == [each[0] for each in results]


def test_what_arrays_are_is_of_the_kind(counted):
    """Their shapes and types: no program is kept beside the one that is counted."""
    programs, compiled = counted
    for array in (ONES, np.ones(4, np.float32), np.ones(3, np.int32), jnp.ones(3), ONES):
        programs(2, array)

    assert [2, 2, 2] == compiled and 3 == len(programs)


def test_those_that_were_asked_for_last_are_kept(counted):
    """One that is in use is not dropped for others that come once."""
    programs, compiled = counted
    for once in range(10, 16):
        programs(7, ONES)
        programs(once, ONES)

    assert [7, *range(10, 16)] == compiled
    programs(10, ONES)
    assert 10 == compiled[-1]


def test_many_at_once_get_each_their_own():
    """A device answers several orders at a time, of more kinds than are kept."""
    programs = Programs(times, most=2)
    asked = [number % 5 for number in range(60)]
    with ThreadPoolExecutor(8) as threads:
        results = threads.map(lambda number: float(programs(number, ONES)[0]), asked)

    assert asked == list(results) and 2 == len(programs)
