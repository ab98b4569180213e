"""A room's names, imported when they are first used, and with no search for garbage meanwhile.

    __getattr__, __dir__, __all__ = first_use.names(__name__, __file__)

Where each name comes from stands in the room's `__init__.pyi`. So `import tacit` waits for nothing,
and of a room only what is used is read.

Of several threads each may be the first to use some room. JAX's modules import each other in
circles, as do those of what is built on it: of two threads that begin at different ones, one would
meet the other's half made. So where there are several threads these are imported whole, one thread
after the other, before anything of a room is: of rooms that need none of them too. Nothing of them
imports a room, so no thread waits for one that waits for it.
"""

import importlib
import threading
from collections.abc import Callable
from typing import Any

import lazy_loader

from tacit.uncollected import uncollected

_CIRCULAR = "jax", "jax.numpy", "jaxtyping", "equinox", "optax"
_ONE_BY_ONE = threading.RLock()


def names(room: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """What a package's `__getattr__`, `__dir__` and `__all__` are.

    Args:
      room: the package.
      file: its `__init__.py`, beside the `__init__.pyi` that lists its names.
    """
    imported, listed, every = lazy_loader.attach_stub(room, file)

    def used(name: str) -> Any:
        """What the name stands for, imported with all that it needs."""
        with uncollected():
            if threading.active_count() > 1:
                _import_what_is_circular()
            return imported(name)

    return used, listed, every


def _import_what_is_circular() -> None:
    with _ONE_BY_ONE:
        for each in _CIRCULAR:
            importlib.import_module(each)
