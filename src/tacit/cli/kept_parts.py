"""How a command plays an experiment: what is kept, what is shown meanwhile, and how it stops."""

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.cli import voice
from tacit.cli.interruption import Stop
from tacit.cli.room import refuse_unwritable
from tacit.experiments import parts as side_by_side
from tacit.experiments.kept import Kept
from tacit.experiments.parts import Part

LEFT = "stopped; parts that are over are kept, the one under way is not; the same command goes on"
OutOption = Annotated[Path, typer.Option(help="Folder for results.")]
OUT = Path("reproduced")
JsonOption = Annotated[bool, typer.Option("--json", help="Print the table as JSON.")]


def opened(out: Path, name: str, setting: Any) -> tuple[Kept, Path]:
    """What is kept of this experiment, and where its picture goes."""
    files = [f"{name}.{ending}" for ending in ("json", "svg")]
    refuse_unwritable(out, files)
    return Kept.opened(out / files[0], setting), out / files[1]


def budgets(option: str, asked: list[float] | None, common: tuple[float, ...]) -> tuple[float, ...]:
    """Those asked for, in order; the common ones, if none are."""
    refused = [each for each in asked or () if not each > 0]
    if refused:
        raise ValueError(f"{option} must be positive, got {refused[0]}")
    return tuple(sorted(set(asked))) if asked else common


def played(
    parts: Mapping[str, Part], kept: Kept, size: int, stop: Stop, at_once: int | None = None
) -> None:
    """Plays what is not kept yet, with a bar for all that is played at once.

    Args:
      parts: by name.
      kept: where they are kept.
      size: what a part tells when it is done.
      stop: whether a signal came.
      at_once: how many; as many as there are processors, if None.
    """
    left = [name for name in parts if name not in kept.parts]
    stop.check()
    with voice.progress(len(left), stop) as watch:
        told = _one_bar(left, size, stop, watch)
        side_by_side.play(parts, kept, told, at_once or os.cpu_count() or 1)
    stop.check()


def _one_bar(
    left: Sequence[str], size: int, stop: Stop, watch: voice.Watch
) -> Callable[[str, int], None]:
    """Tells a bar of all that is begun and not over, and of each part that is."""
    done, turn = dict.fromkeys(left, 0), threading.Lock()

    def told(name: str, many: int) -> None:
        stop.check()
        with turn:
            done[name] = many
            begun = [each for each in done.values() if 0 < each < size]
        if many == size or len(begun) <= 1:
            watch(name, many, size, None)
        else:
            watch(f"{len(begun)} at once", sum(begun), size * len(begun), None)

    return told
