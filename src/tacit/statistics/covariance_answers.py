"""What is released of people's squares: a covariance, and how far it is known to be off."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Float

from tacit.page import folded
from tacit.plan import Plan
from tacit.population.release import Release, met, promised
from tacit.solve.semidefinite import semidefinite
from tacit.statistics.between import Columns
from tacit.statistics.limits import Limits, refuse_no_confidence
from tacit.statistics.moment_limits import MomentLimits
from tacit.statistics.remarks import MISSING_ROW, at_bounds, impossible


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
        return "\n".join([f"{self.count:,.0f} people", *self._lines, folded(known, *self.remarks)])

    @property
    def _known(self) -> str:
        if self.mean_rmse is None:
            return "how far off they are is not known"
        return "± is the root mean square error, predicted"

    @property
    def _lines(self) -> list[str]:
        """A line for each column, with its errors where they are known."""
        left, off = max(map(len, self.labels)), [("", "")] * len(self.labels)
        if self.mean_rmse is not None and self.covariance_rmse is not None:
            rmses = zip(self.mean_rmse, np.diag(self.covariance_rmse), strict=True)
            off = [(f" ± {mean:.2g}", f" ± {variance:.2g}") for mean, variance in rmses]
        each = zip(self.labels, self.mean, np.diag(self.covariance), off, strict=True)
        return [
            f"{label:{left}}  mean {mean:,.6g}{own[0]}   variance {variance:,.6g}{own[1]}"
            for label, mean, variance, own in each
        ]


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
