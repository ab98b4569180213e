"""Every row is passed once and in order, by as many threads as are allowed."""

from concurrent.futures import ThreadPoolExecutor
from threading import get_ident

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from tacit.solve.passes import PART, Near, blocks, each_part, threads


@pytest.mark.parametrize("people", [0, 1, PART, PART + 1, 5 * PART - 1])
@pytest.mark.parametrize("dimension", [1, 100, 4096])
def test_every_row_is_passed_once_and_in_order(people, dimension):
    """Parts follow each other, blocks fill parts, and neither is longer than it may be."""
    with ThreadPoolExecutor(2) as pool:
        parts = list(each_part(pool, people, lambda part: part))
    near = [where for part in parts for where in blocks(part, dimension)]

    assert list(range(people)) == [i for where in near for i in range(where.start, where.stop)]
    assert all(part.stop - part.start <= PART for part in parts)
    assert all((where.stop - where.start) * dimension <= 2**17 for where in near)


def test_as_many_threads_as_blas_had():
    """BLAS has one in each of ours, and all of its own again afterwards."""

    def own() -> list[int]:
        blas = ThreadpoolController().select(user_api="blas")
        return [library.num_threads for library in blas.lib_controllers]

    with threadpool_limits(2, user_api="blas"):
        before = own()
        with threads() as pool:
            inside, workers = own(), set(pool.map(lambda _: get_ident(), range(100)))
        after = own()

    assert before == after
    assert set(inside) <= {1}
    assert 1 <= len(workers) <= max(before)


def test_a_threads_memory_is_its_own():
    """Each thread widens into memory of its own, always the same."""
    near, rows = Near(), np.arange(6, dtype=np.float32).reshape(3, 2)
    here = near.widened(rows)
    with ThreadPoolExecutor(1) as pool:
        there = pool.submit(near.widened, rows + 1).result()

    assert here.dtype == np.float64
    assert np.array_equal(rows, here)
    assert np.array_equal(rows + 1, there)
    assert np.shares_memory(here, near.widened(rows))
