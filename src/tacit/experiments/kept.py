"""What is done of an experiment, in one file: a run that was stopped goes on after it.

The file holds the setting and every finished part, and is replaced whole after each. A part is
never begun in the middle again: all that is drawn follows from the setting, so it comes out the
same.
"""

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self, final

import numpy as np


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
    """

    path: Path
    setting: dict[str, Any]
    parts: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def opened(cls, path: Path, setting: Any) -> Self:
        """What is there of this setting; nothing yet, if there is no file.

        Raises:
          KeptError: if the file is not whole, or of another setting.
        """
        own = cls(path, asdict(setting))
        if not path.exists():
            return own
        try:
            found = json.loads(path.read_text())
            others, own.parts = dict(found["setting"]), dict(found["parts"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise KeptError(f"{path} is no file of results; choose another folder") from error
        if others != own.setting:
            name = next(key for key in own.setting if others.get(key) != own.setting[key])
            raise KeptError(
                f"{path} has results for {name} = {others.get(name)}, not {own.setting[name]}; "
                "choose another folder"
            )
        return own

    def add(self, name: str, part: Any) -> None:
        """Keeps a finished part."""
        self.parts[name] = jsonable(asdict(part))
        text = json.dumps({"setting": self.setting, "parts": self.parts}, allow_nan=False)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        whole = self.path.with_name(f"{self.path.name}.part")
        with open(whole, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(whole, self.path)


def jsonable(value: Any) -> Any:
    """Numbers to seven digits; what is infinite is null."""
    if isinstance(value, dict):
        return {key: jsonable(each) for key, each in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [jsonable(each) for each in value]
    if isinstance(value, float | np.floating):
        return float(f"{value:.7g}") if np.isfinite(value) else None
    return value
