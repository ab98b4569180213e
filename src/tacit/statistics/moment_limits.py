"""Limits of means and covariances that one noisy sum of squares tells, by Fieller's argument.

In the terms of `covariances`: S is the exact sum of z z', E its noise, and what is released has the
count C = N + E_00/a² (N, where that is public), means m + e and covariances K + f, for the exact m
and K. With no approximation at all

    C e_i  = E_0i/a - m_i E_00/a²,
    C f_ij = E_ij - (m_i E_0j + m_j E_0i)/a - (K_ij - m_i m_j) E_00/a²  -  C e_i e_j,

the terms with E_00 only if N is asked for. Each is <W, E> for a W that is no matter of chance, as m
and K are not, but for the product of two errors. So with the stated chances

    |e_i| <= t(W)/C,      |f_ij| <= t(W)/C + |e_i| |e_j|,

where t is what <W, E> exceeds with that chance (`server.symmetric_reach`). W is known up to D, how
far what is released may be from m and K: if w is what it would be with these, W W <= (1 + p) w w +
(1 + 1/p) |D|² for any p > 0, here |D|/|w|, and |D| is the Frobenius norm. Begin with limits that
hold of all numbers between their bounds, and repeat: three times are enough, or nearly.

Of a covariance's chance a twentieth is for each of both means, and each of both variances. These
say what rounding may hide: people's numbers are held as multiples (`contribution.outer`), off by
at most r each, which moves a covariance by r (s_i + s_j) + r² at most, of the deviations s of both.

| case | limits |
| --- | --- |
| a count of one or less | those that hold of all numbers between their bounds |
| noise of which no tail is known: reports | the same |
| nothing is promised | the numbers, widened by what rounding hides |
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Float

from tacit.plan import Plan
from tacit.server.symmetric_reach import symmetric_reach
from tacit.statistics.between import Columns
from tacit.statistics.limits import Limits

# A twentieth of a chance for each side question, and how often limits are repeated: the opening.
SIDE, TURNS = 1 / 20, 3

Pairs = Float[np.ndarray, " pairs"]
Matrices = Float[np.ndarray, "pairs 3 3"]


@final
@dataclass(frozen=True, eq=False)
class MomentLimits:
    """What limits follow from, in units in which nobody's y is longer than one.

    Args:
      plan: whose noise it is.
      count: C.
      mean, covariance: as released.
      constant: a.
      counted: whether N is asked for.
      rounding: r.
    """

    plan: Plan
    count: float
    mean: Columns
    covariance: Float[np.ndarray, "columns columns"]
    constant: float
    counted: bool
    rounding: float

    def of_mean(self, chance: float) -> Limits:
        """Between which each mean is, but for this chance."""
        far = self._mean(chance) + self.rounding
        return _within(self.mean, far, -self._widest, self._widest)

    def of_covariance(self, chance: float) -> Limits:
        """The same of each covariance."""
        size = len(self.mean)
        one, other = np.triu_indices(size)
        own, off = np.arange(size), self._mean(SIDE * chance)
        variances = np.diag(self.covariance) + self._pairs(own, own, off, SIDE * chance)
        spreads = np.minimum(np.sqrt(np.maximum(variances, 0.0)), self._widest)
        main = self._pairs(one, other, off, (1 - 4 * SIDE) * chance)
        far = np.empty((size, size))
        far[one, other] = main + self.rounding * (spreads[one] + spreads[other] + self.rounding)
        far[other, one] = far[one, other]
        most = self._widest**2
        return _within(self.covariance, far, np.where(np.eye(size) > 0, 0.0, -most), most)

    @property
    def _widest(self) -> float:
        """What no y is beyond, nor a deviation."""
        return 1 / len(self.mean) ** 0.5

    def _mean(self, chance: float) -> Columns:
        off = self._widest + np.abs(self.mean)
        for _ in range(TURNS):
            weights = np.zeros((len(off), 3, 3))
            weights[:, 0, 1] = weights[:, 1, 0] = 1 / (2 * self.constant)
            weights[:, 0, 0] = -self.counted * self.mean / self.constant**2
            apart = self.counted * off / self.constant**2
            off = np.minimum(off, self._reach(weights, apart, chance))
        return off

    def _pairs(self, one: np.ndarray, other: np.ndarray, off: Columns, chance: float) -> Pairs:
        """The same of these covariances, if means are off by no more than `off`."""
        first, second = self.mean[one], self.mean[other]
        own, both = self.covariance[one, other], off[one] * off[other]
        found = self._widest**2 + np.abs(own)
        moved = np.abs(first) * off[other] + np.abs(second) * off[one] + both
        weights = _weights(one == other, first / self.constant, second / self.constant)
        level = own - first * second
        weights[:, 0, 0] = -self.counted * level / self.constant**2
        along = np.where(one == other, 1.0, 0.5) * (off[one] ** 2 + off[other] ** 2) / 2
        for _ in range(TURNS):
            of_count = self.counted * (found + moved) / self.constant**2
            apart = np.sqrt(2 * along / self.constant**2 + of_count**2)
            found = np.minimum(found, self._reach(weights, apart, chance) + both)
        return found

    def _reach(self, weights: Matrices, apart: Pairs, chance: float) -> Pairs:
        """t/C; infinite where nothing is known."""
        reach = None
        if self.count > 1 or not self.counted:
            reach = symmetric_reach(self.plan, _squares(weights, apart), chance)
        return np.full(len(weights), np.inf) if reach is None else reach / self.count


def _within(found: np.ndarray, far: np.ndarray, least: Any, most: float) -> Limits:
    return Limits(np.clip(found - far, least, most), np.clip(found + far, least, most))


def _weights(same: np.ndarray, first: Pairs, second: Pairs) -> Matrices:
    """w of the axes 0, i and j, and of 0 and i where both are one; but for E_00."""
    made = np.zeros((len(same), 3, 3))
    made[:, 1, 1], made[:, 1, 2] = np.where(same, 1.0, 0.0), np.where(same, 0.0, 0.5)
    made[:, 0, 1] = np.where(same, -first, -second / 2)
    made[:, 0, 2] = np.where(same, 0.0, -first / 2)
    lower = np.tril_indices(3, -1)
    made[:, lower[0], lower[1]] = made[:, lower[1], lower[0]]
    return made


def _squares(weights: Matrices, apart: Pairs) -> Matrices:
    """A with W W <= A for all W that are within `apart` of these."""
    lengths = np.linalg.norm(weights, axis=(1, 2))
    part = np.where(lengths > 0, apart / np.where(lengths > 0, lengths, 1.0), 0.0)
    beyond = apart * (apart + lengths)
    own = (1 + part)[:, None, None] * (weights @ weights)
    return own + beyond[:, None, None] * np.eye(3)
