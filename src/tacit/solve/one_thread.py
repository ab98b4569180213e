"""Small matrices, by one thread of BLAS.

Of a hundred columns a product takes less time than a second thread needs to hear of it; and the
threads of BLAS wait for the next one by asking again and again, which is processor time that
whoever else is on the machine does not have. Who is within the block at the same time, in threads
of its own, has one each, and who leaves last gives BLAS back as many as it had.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from threading import Lock

from threadpoolctl import ThreadpoolController

_lock, _limit = Lock(), ExitStack()
_within: set[object] = set()


@cache
def _blas() -> ThreadpoolController:
    """What is loaded: to look for it takes longer than a product."""
    return ThreadpoolController().select(user_api="blas")


@contextmanager
def one_thread() -> Iterator[None]:
    """BLAS works in one thread within."""
    me = object()
    with _lock:
        if not _within:
            _limit.enter_context(_blas().limit(limits=1))
        _within.add(me)
    try:
        yield
    finally:
        with _lock:
            _within.remove(me)
            if not _within:
                _limit.close()
