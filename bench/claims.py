"""What a script claims: printed beside what it measured and the limit. Beyond a limit it exits 1.

A script's `main` yields its claims, and its last line is `settle(main())`. A measurement is one
number, whose meaning the script says, or several of alternating runs: their median counts, and
their spread is printed. What cannot be measured here, for want of data, a peer or a device, is
claimed as `skipped`, with the reason; a script that says neither has not been run, and exits 1.
"""

import os
import statistics
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np

# The variable that names a file for what was skipped: `make bench` prints it at its end.
SKIPPED = "SKIPPED"


@final
@dataclass(frozen=True)
class Limited:
    """That what was measured is within a limit. Build it with `at_most` or `at_least`."""

    what: str
    measured: tuple[float, ...]
    limit: float
    most: bool

    @property
    def median(self) -> float:
        return statistics.median(self.measured)

    @property
    def holds(self) -> bool:
        """NaN is within no limit."""
        return self.median <= self.limit if self.most else self.median >= self.limit

    def __str__(self) -> str:
        turns, low, high = len(self.measured), min(self.measured), max(self.measured)
        spread = f" ({low:.4g} to {high:.4g} in {turns} turns)" if turns > 1 else ""
        side, verdict = "most" if self.most else "least", "holds" if self.holds else "FAILS"
        return f"{self.what}: {self.median:.4g}{spread}, at {side} {self.limit:g}: {verdict}"


@final
@dataclass(frozen=True)
class Skipped:
    """That something is not measured here. Build it with `skipped`."""

    why: str

    @property
    def holds(self) -> bool:
        return True

    def __str__(self) -> str:
        return f"skipped: {self.why}"


Claim = Limited | Skipped


def at_most(what: str, measured: float | Sequence[float], limit: float) -> Claim:
    return Limited(what, _several(measured), limit, most=True)


def at_least(what: str, measured: float | Sequence[float], limit: float) -> Claim:
    return Limited(what, _several(measured), limit, most=False)


def skipped(why: str) -> Claim:
    return Skipped(why)


def settle(claims: Iterable[Claim]) -> None:
    """Prints each as it comes, all of them, and exits 1 if one did not hold or there was none."""
    said = []
    for claim in claims:
        print(claim, flush=True)
        said.append(claim)
    _list([claim for claim in said if isinstance(claim, Skipped)])
    if not said:
        sys.exit("a script must claim something, or say why it was skipped")
    if not all(claim.holds for claim in said):
        sys.exit(1)


def _list(left: Sequence[Skipped]) -> None:
    """For the end of `make bench`, which runs many scripts."""
    if SKIPPED in os.environ:
        with Path(os.environ[SKIPPED]).open("a") as file:
            file.writelines(f"{sys.argv[0]}: {claim.why}\n" for claim in left)


def _several(measured: float | Sequence[float]) -> tuple[float, ...]:
    return tuple(float(each) for each in np.atleast_1d(measured))
