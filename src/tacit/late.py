"""Parts of SciPy that are imported when something of them is first used.

Importing `scipy.stats`, `signal` and `optimize` takes as long as importing pandas, and a first
answer uses none of them. So what files name of these stands here by name, and is looked up where it
is called; a ledger's database and what the commands compute with are `LatePart`s for the same
reason. `imported_late` does it for all
files of another package, and for nobody else's: these files alone get another `__import__`, so that
whatever other threads import is what it is.
"""

import builtins
import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import TYPE_CHECKING, Any, final

from tacit.uncollected import uncollected

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
        with nullcontext() if self.part in sys.modules else uncollected():
            return getattr(importlib.import_module(self.part), self.name)


@final
@dataclass(frozen=True)
class LatePart:
    """A module all of whose names are `Late`."""

    part: str

    def __getattr__(self, name: str) -> Late:
        return Late(self.part, name)


@final
class LateScipy:
    """SciPy, with these parts late."""

    def __getattr__(self, name: str) -> Any:
        full = f"scipy.{name}"
        return LatePart(full) if full in PARTS else importlib.import_module(full)


@final
class _Loader(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        vars(module)["__builtins__"] = {**vars(builtins), "__import__": _import}
        super().exec_module(module)


@final
@dataclass(frozen=True)
class _Finder(MetaPathFinder):
    package: str

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        own = fullname.split(".")[0] == self.package
        spec = PathFinder.find_spec(fullname, path, target) if own else None
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(fullname, spec.loader.path)
        return spec


def _import(name: str, *args: Any, **kwargs: Any) -> Any:
    if name == "scipy" or name in PARTS:
        return LateScipy()
    return builtins.__import__(name, *args, **kwargs)


@contextmanager
def imported_late(package: str) -> Iterator[None]:
    """While a package is imported, its files get these parts late."""
    finder = _Finder(package)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


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
