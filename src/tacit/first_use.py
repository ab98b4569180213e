"""A room's names, imported when they are first used, and with no search for garbage meanwhile.

    __getattr__, __dir__, __all__ = first_use.names(__name__, __file__)

Where each name comes from stands in the room's `__init__.pyi`. So `import tacit` waits for nothing,
and of a room only what is used is read.
"""

from collections.abc import Callable
from typing import Any

import lazy_loader

from tacit.uncollected import uncollected


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
            return imported(name)

    return used, listed, every
