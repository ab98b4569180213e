"""BLAS has one thread within, and as many as before afterwards, whoever else is within."""

from threading import Barrier, Thread

import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from tacit.solve.one_thread import one_thread


def own() -> set[int]:
    """How many threads libraries have."""
    blas = ThreadpoolController().select(user_api="blas")
    return {library.num_threads for library in blas.lib_controllers}


def test_one_within_and_all_afterwards():
    """Also in a block within, and where the block raises."""
    with threadpool_limits(2, user_api="blas"):
        before = own()
        with one_thread(), one_thread():
            within = own()
        with pytest.raises(KeyError), one_thread():
            raise KeyError
        after = own()

    assert within == {1} and before == after == {2}


def test_who_leaves_first_takes_no_ones_thread_nor_gives_one_back():
    """Two that overlap: one thread until both have left."""
    first, second, seen = Barrier(2), Barrier(2), []

    def early() -> None:
        with one_thread():
            first.wait()
        second.wait()

    with threadpool_limits(2, user_api="blas"):
        other = Thread(target=early)
        other.start()
        first.wait()
        with one_thread():
            second.wait()
            other.join()
            seen.append(own())
        seen.append(own())

    assert seen[0] == {1} and seen[1] == {2}
