"""BLAS has one thread within, and as many as before afterwards, whoever else comes meanwhile."""

import subprocess
import sys
from contextlib import nullcontext
from threading import Event, Thread

import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from tacit.solve.one_thread import kernels, one_thread

TOLD = "import {}; from tacit.solve.one_thread import kernels; print(kernels())"


def own() -> set[int]:
    """How many threads libraries have."""
    blas = ThreadpoolController().select(user_api="blas")
    return {library.num_threads for library in blas.lib_controllers}


@pytest.fixture(params=["as they are", "limited"], autouse=True)
def around(request):
    """Limits that are nobody's, or this thread's: then what others ask for may be ignored."""
    with threadpool_limits(2, user_api="blas") if request.param == "limited" else nullcontext():
        yield


def test_one_within_and_all_afterwards():
    """Also of a block within, and where a block raises."""
    before = own()
    with one_thread():
        with one_thread():
            inner = own()
        outer = own()
    with pytest.raises(KeyError), one_thread():
        raise KeyError

    assert inner == outer == {1} and own() == before


def test_one_after_the_other_in_two_threads():
    """The second finds what the first found, and so does who comes after both."""
    before, seen = own(), []

    def block() -> None:
        seen.append(own())
        with one_thread():
            pass

    for _ in range(2):
        other = Thread(target=block)
        other.start()
        other.join()

    assert [*seen, own()] == [before] * 3


@pytest.mark.parametrize("first", [True, False])
def test_who_comes_while_another_is_within_waits(first):
    """This thread comes first, or another does: blocks never overlap, and leave all as it was."""
    before, asks, within, left = own(), Event(), Event(), Event()

    def late() -> None:
        asks.set()
        with one_thread():
            within.set()
            left.wait()

    def early() -> None:
        with one_thread():
            other.start()
            asks.wait()
            overlaps.append(within.wait(0.1))
        left.set()

    other, overlaps = Thread(target=late, daemon=True), []
    if first:
        early()
    else:
        another = Thread(target=early)
        another.start()
        another.join()
    other.join()

    assert overlaps == [False] and own() == before


def test_kernels_are_those_of_numpys_blas():
    """Whatever else is loaded, before it or after; the same each time."""
    orders = ("numpy, scipy.linalg", "scipy.linalg, numpy", "numpy")
    told = [
        subprocess.run([sys.executable, "-c", TOLD.format(order)], capture_output=True, text=True)
        for order in orders
    ]

    assert {each.stdout.strip() for each in told} == {kernels()} != {""}
