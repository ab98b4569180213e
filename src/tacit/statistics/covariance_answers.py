"""What is released of people's squares: a covariance, and how far it is known to be off."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any, final

import numpy as np
from jaxtyping import Float

from tacit.page import figures, folded
from tacit.plan import Plan
from tacit.population.release import Release, met, promised
from tacit.solve.semidefinite import semidefinite
from tacit.statistics.between import Columns
from tacit.statistics.limits import Limits, refuse_no_confidence
from tacit.statistics.moment_limits import MomentLimits
from tacit.statistics.remarks import MISSING_ROW, at_bounds, impossible

Numbers = Float[np.ndarray, "..."]
# Pairs of columns whose covariances are printed one by one: those of five columns.
_LISTED = 10


@final
@dataclass(frozen=True, eq=False, repr=False)
class Covariances:
    """Count, mean and covariance, released. All of it is public.

    Args:
      labels: of the columns.
      count: how many people; the public number, where it is one.
      mean: of each column.
      covariance: of every two, divided by the count.
      mean_rmse, covariance_rmse: the root mean squared distance of each number from the exact one;
        None where it is not known.
      known: what limits follow from, in units of its own.
      middle, unit: zero and one of these, of each column.
      release: what was run.
    """

    labels: tuple[str, ...]
    count: float
    mean: Columns
    covariance: Float[np.ndarray, "columns columns"]
    mean_rmse: Columns | None
    covariance_rmse: Float[np.ndarray, "columns columns"] | None
    known: MomentLimits
    middle: Columns
    unit: Columns
    release: Release

    @property
    def plan(self) -> Plan:
        """What was promised and predicted before the data were read."""
        return self.release.plan

    def mean_limits(self, confidence: float = 0.95) -> Limits:
        """Between which the people's own means are, each with this probability at least."""
        refuse_no_confidence(confidence)
        limits = self.known.of_mean(1 - confidence)
        return Limits(*(self.middle + self.unit * side for side in limits))

    def covariance_limits(self, confidence: float = 0.95) -> Limits:
        """The same of their covariances, divided by their number; of each one for itself."""
        refuse_no_confidence(confidence)
        limits = self.known.of_covariance(1 - confidence)
        return Limits(*(np.outer(self.unit, self.unit) * side for side in limits))

    def possible(self) -> Float[np.ndarray, "columns columns"]:
        """A covariance near the one released that numbers between the bounds can have.

        First the nearest that is positive semi-definite, each column measured by its bounds: never
        further than the released one from the people's own. Then variances beyond what the bounds
        allow are that, and their correlations stay. Unlike what was released it is biased: small
        variances come out too large.
        """
        size = np.sqrt(self._most)
        nearest = semidefinite(self.covariance / np.outer(size, size))
        shrunk = size / np.sqrt(np.maximum(np.diag(nearest), 1.0))
        return nearest * np.outer(shrunk, shrunk)

    def receipt(self) -> dict[str, Any]:
        """Everything from which anybody can recompute every promise."""
        return self.release.receipt()

    @property
    def _most(self) -> Columns:
        """The largest variance of numbers between their bounds: half of them at each end."""
        return self.unit**2 / len(self.unit)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is to be known beside it, of what is released and declared (`remarks`)."""
        far = self.unit * (1 / len(self.mean) ** 0.5)
        ends = self.middle - far, self.middle + far
        missing = [] if self.known.counted else [MISSING_ROW]
        near = at_bounds(self.labels, self.mean_limits(), ends)
        return (*impossible(self.labels, self.covariance, self._most), *near, *missing)

    def __repr__(self) -> str:
        promises = promised(self.plan, self.release.private, met)
        known = f"{self._known}; {promises}"
        lines = f"{self.count:,.0f} people", *self._lines, *self._pairs
        return "\n".join([*lines, folded(known, *self.remarks)])

    @property
    def _known(self) -> str:
        if self.mean_rmse is None:
            return "how far off they are is not known"
        return "± is the root mean square error, predicted"

    @property
    def _lines(self) -> list[str]:
        """A line for each column, with its errors where they are known."""
        left, columns = max(map(len, self.labels)), range(len(self.labels))
        return [
            f"{self.labels[i]:{left}}  mean {_with_error(self.mean, self.mean_rmse, i)}   "
            f"variance {_with_error(self.covariance, self.covariance_rmse, (i, i))}"
            for i in columns
        ]

    @property
    def _pairs(self) -> list[str]:
        """A line for every two columns; where these are many, where they are found."""
        pairs = list(combinations(range(len(self.labels)), 2))
        if len(pairs) > _LISTED:
            return [f"covariances of {len(pairs):,} pairs of columns: see `covariance`"]
        names = [" and ".join(self.labels[i] for i in pair) for pair in pairs]
        left = max(map(len, names), default=0)
        return [
            f"{name:{left}}  covariance {_with_error(self.covariance, self.covariance_rmse, pair)}"
            for name, pair in zip(names, pairs, strict=True)
        ]


def _with_error(numbers: Numbers, rmse: Numbers | None, place: Any) -> str:
    """One of them, and how far it is off where that is known, in two digits."""
    own = figures(float(numbers[place]))
    return own if rmse is None else f"{own} ± {figures(float(f'{rmse[place]:.2g}'))}"


@final
@dataclass(frozen=True, eq=False, repr=False)
class FoundCovariance:
    """A normal distribution's covariance, released. All of it is public.

    Args:
      asked: what it is, in words.
      labels: of the columns.
      covariance: of every two.
      rmse: how far it is from the distribution's, foreseen, in units of that (root mean square).
      release: what was run.
      remarks: what is to be known beside it, of what is released and declared (`remarks`).
    """

    asked: str
    labels: tuple[str, ...]
    covariance: Float[np.ndarray, "dim dim"]
    rmse: float
    release: Release
    remarks: tuple[str, ...]

    @property
    def plan(self) -> Plan:
        """What was promised before the data were read."""
        return self.release.plan

    def receipt(self) -> dict[str, Any]:
        """Everything from which anybody can recompute every promise."""
        return self.release.receipt()

    def __repr__(self) -> str:
        left = max(map(len, self.labels))
        deviations = np.sqrt(np.maximum(np.diag(self.covariance), 0))
        each = zip(self.labels, deviations, strict=True)
        lines = [f"{label:{left}}  deviation {deviation:,.6g}" for label, deviation in each]
        known = f"off by about {self.rmse:.2g} in its own units (Frobenius norm, predicted)"
        promises = promised(self.plan, self.release.private, met)
        return "\n".join([self.asked, *lines, folded(f"{known}; {promises}", *self.remarks)])


@final
@dataclass(frozen=True, eq=False, repr=False)
class FoundLaw:
    """A normal distribution's mean and covariance, released. All of it is public.

    Args:
      asked: what it is, in words.
      labels: of the columns.
      mean: of each.
      covariance: of every two.
      mean_rmse, covariance_rmse: how far they are from the distribution's, foreseen, in units of
        its deviations (root mean square).
      release: what was run.
      remarks: what is to be known beside it, of what is released and declared (`remarks`).
    """

    asked: str
    labels: tuple[str, ...]
    mean: Columns
    covariance: Float[np.ndarray, "dim dim"]
    mean_rmse: float
    covariance_rmse: float
    release: Release
    remarks: tuple[str, ...]

    @property
    def plan(self) -> Plan:
        """What was promised before the data were read."""
        return self.release.plan

    def receipt(self) -> dict[str, Any]:
        """Everything from which anybody can recompute every promise."""
        return self.release.receipt()

    def __repr__(self) -> str:
        left = max(map(len, self.labels))
        deviations = np.sqrt(np.maximum(np.diag(self.covariance), 0))
        each = zip(self.labels, self.mean, deviations, strict=True)
        lines = [
            f"{label:{left}}  mean {mean:,.6g}   deviation {deviation:,.6g}"
            for label, mean, deviation in each
        ]
        known = (
            f"mean off by about {self.mean_rmse:.2g} deviations, covariance by "
            f"{self.covariance_rmse:.2g} in its own units (predicted)"
        )
        promises = promised(self.plan, self.release.private, met)
        return "\n".join([self.asked, *lines, folded(f"{known}; {promises}", *self.remarks)])
