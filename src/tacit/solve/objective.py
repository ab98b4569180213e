"""What a regularised linear model minimises: public, and what each person's row becomes for it.

The objective of n people with rows x_i and labels y_i, as a sum and not a mean, is

    F(w) = sum_i l(<w, x_i>, y_i) + s|w|²/2 + <b, w>,    s = `people` times the penalty's ridge,

with a public number of people, however many there are. Each person is made to fit alone (`cut`), so
that nobody's row depends on anybody else's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float, Shaped

from tacit.argument import got, is_number, is_whole
from tacit.solve.losses import Loss
from tacit.solve.regularisers import Penalty

Rows = Shaped[np.ndarray, "people dim"]


@final
@dataclass(frozen=True)
class Objective:
    """What is minimised: public, without the data.

    Args:
      loss: One with a bound on its curvature.
      penalty: One with strong convexity and smoothness; per person.
      bound: The largest L2 norm of a row, a constant feature included; from 2^-40 to 2^40.
      people: The public number that the penalty is multiplied by; at least 1.
      dimension: The length of a row, from 1 to 4096.

    Raises:
      ValueError: if one of them is not as said; what is missing is named.
    """

    loss: Loss
    penalty: Penalty
    bound: float
    people: int
    dimension: int

    def __post_init__(self):
        if not (is_number(self.bound) and 2.0**-40 <= self.bound <= 2.0**40):
            raise ValueError(f"bound must be between 2^-40 and 2^40, got {got(self.bound)}")
        if not (is_whole(self.people) and 1 <= self.people < 2**48):
            raise ValueError(f"people must be between 1 and 2^48, got {got(self.people)}")
        if not (is_whole(self.dimension) and 1 <= self.dimension <= 4096):
            raise ValueError(f"dimension must be between 1 and 4096, got {got(self.dimension)}")
        # Both refuse by name if there is none.
        _ = self.penalty.smoothness, self.loss.smoothness(self.bound)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the weights: a column for each score."""
        return (self.dimension, *self.loss.outputs)

    @property
    def size(self) -> int:
        """How many weights there are."""
        return math.prod(self.shape)

    @property
    def reach(self) -> float:
        """What no row's norm exceeds after `cut`."""
        return self.bound * (1 + 2.0**-20)

    @property
    def strength(self) -> float:
        """s: how strongly convex the sum is."""
        return self.people * self.penalty.strong_convexity

    @property
    def lipschitz(self) -> float:
        """How far one person moves the gradient of the sum, at most."""
        return self.loss.lipschitz(self.reach)


@final
@dataclass(frozen=True)
class Examples:
    """Rows within the bound and valid labels, and how many of them had to be changed.

    That number depends on the data: it is for the data's keeper, not for the public.
    """

    rows: Rows
    labels: Shaped[np.ndarray, " people"]
    changed: int


def cut(objective: Objective, rows: Rows, labels: Shaped[np.ndarray, " people"]) -> Examples:
    """Each person alone, made to fit what was declared.

    | person | becomes |
    | --- | --- |
    | a row longer than the bound | the row, scaled down to it |
    | NaN or infinity in a row | a row of zeros, so no part in the minimum |
    | a label that is none | a row of zeros |

    Raises:
      ValueError: if the rows are not of the declared dimension, or the labels not as many.
    """
    rows, labels = np.asarray(rows), np.asarray(labels)
    _refuse_misfit(objective, rows, labels)
    if rows.dtype not in (np.float32, np.float64):
        rows = rows.astype(np.float64)
    labels = labels.astype(np.float64)
    scales = _scales(objective.bound, rows) * objective.loss.valid(labels)
    changed = np.flatnonzero(scales != 1)
    if len(changed):
        rows = rows.copy()
        rows[changed] = np.nan_to_num(rows[changed], nan=0, posinf=0, neginf=0)
        rows[changed] = rows[changed] * scales[changed, None]
        labels = np.where(scales > 0, labels, 1.0)
    return Examples(rows, labels, len(changed))


def _scales(bound: float, rows: Rows) -> Float[np.ndarray, " people"]:
    """What brings each row within the bound; zero for one that is no row of numbers.

    Squares in float32 are right to 2^-11 for 4096 of them; only rows near the bound need more.
    """
    scales = np.ones(len(rows))
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.einsum("nd,nd->n", rows, rows)
    doubtful = np.flatnonzero(~(squares <= (bound * (1 - 2.0**-8)) ** 2))
    wide = rows[doubtful].astype(np.float64)
    largest = np.abs(wide).max(axis=1, initial=0.0)
    finite = np.isfinite(largest)
    unit = np.where(finite & (largest > 0), largest, 1.0)
    # No square of a row over its largest number overflows.
    norms = np.linalg.norm(np.where(finite[:, None], wide, 0.0) / unit[:, None], axis=1)
    longest = bound / unit
    fitted = np.where(norms <= longest, 1.0, longest / np.maximum(norms, 1.0))
    scales[doubtful] = np.where(finite, fitted, 0.0)
    return scales


def _refuse_misfit(objective: Objective, rows: np.ndarray, labels: np.ndarray) -> None:
    if rows.ndim != 2 or rows.shape[1] != objective.dimension or labels.shape != rows.shape[:1]:
        raise ValueError(
            f"rows must be people x {objective.dimension} with a label each, "
            f"got {rows.shape} and {labels.shape}"
        )
