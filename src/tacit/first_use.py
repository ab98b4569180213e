"""A room's names, imported when they are first used, and with no search for garbage meanwhile.

    __getattr__, __dir__, __all__ = first_use.names(__name__, __file__)

Where each name comes from stands in the room's `__init__.pyi`. So `import tacit` waits for nothing,
and of a room only what is used is read.

Of several threads each may be the first to use some room. JAX's modules import each other in
circles, as do those of what is built on it: of two threads that begin at different ones, one would
meet the other's half made. So where there are several threads these are imported whole, one thread
after the other, before anything of a room is: of rooms that need none of them too. Nothing of them
imports a room, so no thread waits for one that waits for it.

Who asks a room for a name of another is told where it is. That is read from the rooms' lists, and
nothing is imported for it: whether a module has a name is asked by imports that go well, too.
"""

import ast
import importlib
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import lazy_loader

from tacit.uncollected import uncollected

_CIRCULAR = "jax", "jax.numpy", "jaxtyping", "equinox", "optax"
_ONE_BY_ONE = threading.RLock()
_ROOT = Path(__file__).parent


def names(room: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """What a package's `__getattr__`, `__dir__` and `__all__` are.

    Args:
      room: the package.
      file: its `__init__.py`, beside the `__init__.pyi` that lists its names.
    """
    imported, listed, every = lazy_loader.attach_stub(room, file)

    def used(name: str) -> Any:
        """What the name stands for, imported with all that it needs."""
        if name not in every:
            raise AttributeError(f"No {room} attribute {name}{_elsewhere(Path(file).parent, name)}")
        with uncollected():
            if threading.active_count() > 1:
                _import_what_is_circular()
            return imported(name)

    return used, listed, every


def _import_what_is_circular() -> None:
    with _ONE_BY_ONE:
        for each in _CIRCULAR:
            importlib.import_module(each)


def _elsewhere(here: Path, name: str) -> str:
    """Where a name is that is not here, in words; nothing if it is nowhere, or a module of here."""
    if name.startswith("_") or (here / f"{name}.py").exists() or (here / name).exists():
        return ""
    found = [room for room, listed in _lists().items() if name in listed]
    # What stands at the top stands in a room besides.
    places = found[:1] if found[:1] == ["tacit"] else found
    return f": it is {' or '.join(f'{room}.{name}' for room in places)}" if places else ""


@cache
def _lists() -> dict[str, list[str]]:
    """The names of every room, the top first."""
    faces = sorted(each.parent for each in _ROOT.rglob("__init__.py"))
    rooms = {".".join(("tacit", *face.relative_to(_ROOT).parts)): face for face in faces}
    return {room: _listed(face) for room, face in rooms.items()}


def _listed(face: Path) -> list[str]:
    """What stands in a package's `__all__`: of a room in its `__init__.pyi`."""
    stub = face / "__init__.pyi"
    lines = ast.parse((stub if stub.exists() else face / "__init__.py").read_text()).body
    every = [line for line in lines if isinstance(line, ast.Assign)]
    lists = [line.value for line in every if ast.unparse(line.targets[0]) == "__all__"]
    return ast.literal_eval(lists[0]) if lists else []
