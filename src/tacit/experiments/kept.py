"""What is done of an experiment, in one file: a run that was stopped goes on after it.

The file holds the setting and every finished part, and is replaced whole after each. A part is
never begun in the middle again: all that is drawn follows from the setting, so it comes out the
same. Two runs of one setting may share a file: each keeps what the other has.
"""

import json
import math
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self, TypeVar, final

import numpy as np
from jaxtyping import Float

from tacit.whole_file import replacing

Part = TypeVar("Part")
# What tells parts apart: never rounded.
BUDGETS = "epsilon", "direction"
# Of which means are still finite.
MOST = 1e300


class KeptError(Exception):
    """A file of results that is not whole, or of another setting."""


@final
@dataclass
class Kept:
    """The finished parts of an experiment, by name.

    Args:
      path: of the file.
      setting: all that results follow from.
      parts: as JSON has them.
      turn: of the threads that add to it; processes wait for the file.
    """

    path: Path
    setting: dict[str, Any]
    parts: dict[str, Any] = field(default_factory=dict)
    turn: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    @classmethod
    def opened(cls, path: Path, setting: Any) -> Self:
        """What is there of this setting; nothing yet, if there is no file.

        Raises:
          KeptError: if the file is not whole, or of another setting.
        """
        own = cls(path, json.loads(json.dumps(asdict(setting))))
        own.parts = own._there()
        return own

    def add(self, name: str, part: Any) -> None:
        """Keeps a finished part, beside what others have kept there in between."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # Of two threads, the one that wrote first may go on last.
        with self.turn:
            with replacing(self.path) as file:
                parts = {**self._there(), name: jsonable(asdict(part))}
                kept = {"setting": self.setting, "private": False, "parts": parts}
                file.write(json.dumps(kept, allow_nan=False).encode())
            self.parts = parts

    def read(self, name: str, made: Callable[[Any], Part]) -> Part:
        """What `made` makes of the part of this name.

        Raises:
          KeptError: if it makes nothing of it: somebody has changed the file.
        """
        try:
            return made(self.parts[name])
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise self._refusal() from error

    def _there(self) -> dict[str, Any]:
        """The parts in the file."""
        if not self.path.exists():
            return {}
        try:
            found = json.loads(self.path.read_text())
            others, parts = dict(found["setting"]), dict(found["parts"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise self._refusal() from error
        if others != self.setting:
            raise self._of_another(others)
        return parts

    def _of_another(self, others: dict[str, Any]) -> KeptError:
        """What differs in the file's setting; a name that says nothing is somebody's change."""
        known = {**self.setting, **others}
        differ = (key for key in known if others.get(key) != self.setting.get(key))
        name = next(differ, None)
        if name is None:
            return self._refusal()
        return KeptError(
            f"{self.path} has results for {name} = {others.get(name)}, not "
            f"{self.setting.get(name)}; choose another folder"
        )

    def _refusal(self) -> KeptError:
        return KeptError(f"{self.path} is no file of results; choose another folder")


def named(method: str, epsilon: float) -> str:
    """The part of a method at a budget; of two that differ at all, two."""
    return f"{method} {written(epsilon)}"


def written(epsilon: float) -> str:
    """A budget to its last digit, as short as it can be."""
    return repr(float(epsilon)).removesuffix(".0")


def jsonable(value: Any) -> Any:
    """Numbers to seven digits, but budgets as they are; what is infinite is null."""
    if isinstance(value, dict):
        return {
            key: _told(each) if key in BUDGETS else jsonable(each) for key, each in value.items()
        }
    if isinstance(value, np.ndarray | list | tuple):
        return [jsonable(each) for each in value]
    if isinstance(value, float | np.floating):
        return _told(float(f"{value:.7g}"))
    return value


def _told(number: float) -> float | None:
    """JSON has no infinity."""
    return number if math.isfinite(number) else None


def numbers(found: Any, *shape: int) -> Float[np.ndarray, "..."]:
    """Numbers of a part, finite and of this shape.

    Raises:
      TypeError, ValueError, OverflowError: if they are none.
    """
    array = np.asarray(found, np.float64)
    if not (array.shape == shape and (np.abs(array) <= MOST).all()):
        raise ValueError(f"numbers must be of shape {shape} and at most {MOST:g}")
    return array


def number(found: Any) -> float:
    """One of them."""
    return float(numbers(found))


def budget(found: Any) -> Any:
    """Of a part: without one, infinite."""
    return math.inf if found is None else found
