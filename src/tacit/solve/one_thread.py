"""Small matrices, by one thread of BLAS.

Of a hundred columns a product takes less time than a second thread needs to hear of it; and the
threads of BLAS wait for the next one by asking again and again, which is processor time that
whoever else is on the machine does not have.

It is about time alone, never about outcomes: nothing may rest on it, as floats may be rounded
otherwise by several threads, and are on another machine. How many threads BLAS has belongs to the
process: all of it has one meanwhile, and who comes to a block while another thread is within one
waits. Where others limit BLAS too, `threadpoolctl` may ignore a call: its thread runs as it would
have. Limits of others that overlap with a block in another thread are given back as those of any
two are: by who leaves last, as that one found them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import RLock

import numpy as np  # noqa: F401  (it loads BLAS)
from threadpoolctl import ThreadpoolController

_lock = RLock()


@cache
def _blas() -> ThreadpoolController:
    """What is loaded: to look for it takes longer than a product."""
    return ThreadpoolController().select(user_api="blas")


def kernels() -> str:
    """What NumPy's BLAS computes with here: its name, its version and whose processor it is for.

    Others come and go, as SciPy's does with SciPy. Where NumPy has none of its own they share one.
    """
    every = _blas().info()
    own = [each for each in every if "numpy.libs" in each["filepath"]] or every
    told = ("internal_api", "version", "architecture")
    return "; ".join(sorted({" ".join(str(each.get(name)) for name in told) for each in own}))


@contextmanager
def one_thread() -> Iterator[None]:
    """BLAS works in one thread within."""
    with _lock, _blas().limit(limits=1, user_api="blas"):
        yield
