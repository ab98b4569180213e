"""Parts of SciPy that are imported when something of them is first used.

Importing `scipy.stats`, `signal` and `optimize` takes as long as importing pandas, and a first
answer uses none of them. So what files name of these stands here by name, and is looked up where it
is called. `standing_in` does the same for another package's files while they are imported.
"""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, final

PARTS = ("scipy.optimize", "scipy.signal", "scipy.stats")


@final
@dataclass(frozen=True)
class Late:
    """`part.name`, when it is called, or something of it is."""

    part: str
    name: str

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._found()(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._found(), name)

    def _found(self) -> Any:
        return getattr(importlib.import_module(self.part), self.name)


@final
class LatePart(ModuleType):
    """A module all of whose names are `Late`."""

    def __getattr__(self, name: str) -> Late:
        if name.startswith("__"):
            raise AttributeError(name)
        return Late(self.__name__, name)


@contextmanager
def standing_in() -> Iterator[None]:
    """While another's files are imported, the parts that were not imported yet are late ones."""
    absent = {name: LatePart(name) for name in PARTS if name not in sys.modules}
    sys.modules.update(absent)
    try:
        yield
    finally:
        for name, part in absent.items():
            if sys.modules.get(name) is part:
                del sys.modules[name]


if TYPE_CHECKING:
    from scipy.optimize import brentq as brentq
    from scipy.optimize import fminbound as fminbound
    from scipy.optimize import minimize as minimize
    from scipy.signal import fftconvolve as fftconvolve
    from scipy.signal import lfilter as lfilter
    from scipy.stats import binom as binom
    from scipy.stats import norm as norm
else:
    brentq = Late("scipy.optimize", "brentq")
    fminbound = Late("scipy.optimize", "fminbound")
    minimize = Late("scipy.optimize", "minimize")
    fftconvolve = Late("scipy.signal", "fftconvolve")
    lfilter = Late("scipy.signal", "lfilter")
    binom = Late("scipy.stats", "binom")
    norm = Late("scipy.stats", "norm")
