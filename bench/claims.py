"""What a script claims: printed beside what it measured and the limit. Beyond a limit it exits 1.

A script's `main` yields its claims, and its last line is `settle(main())`. A measurement is one
number, whose meaning the script says, or several of alternating runs: their median counts, and
their spread is printed.
"""

import statistics
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np


@final
@dataclass(frozen=True)
class Claim:
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


def at_most(what: str, measured: float | Sequence[float], limit: float) -> Claim:
    return Claim(what, _several(measured), limit, most=True)


def at_least(what: str, measured: float | Sequence[float], limit: float) -> Claim:
    return Claim(what, _several(measured), limit, most=False)


def settle(claims: Iterable[Claim]) -> None:
    """Prints each as it comes, all of them, and exits 1 if one did not hold."""
    failed = 0
    for claim in claims:
        print(claim, flush=True)
        failed += not claim.holds
    if failed:
        sys.exit(1)


def _several(measured: float | Sequence[float]) -> tuple[float, ...]:
    return tuple(float(each) for each in np.atleast_1d(measured))
