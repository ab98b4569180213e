"""Quantiles: numbers below which given shares of a group's rows lie, from counts on a public grid.

A number becomes its level on a grid between the bounds (`between`), and rows are counted by level
(`laid`). Let R(k) be how many have a level up to k, n all, and D(k) = R(k) - q n, which rises with
k. A number is a quantile of share q if at most q n rows are below it and at least q n not above it;
its level j then has D(j - 1) <= 0 <= D(j).

**Its interval.**

1. Noise moves D(k), a weighted sum of counts, by more than t(k) to either side with half of the
   stated chance at most. So the levels j that are not refuted,

       D'(j - 1) <= t(j - 1)  and  D'(j) >= -t(j)    with the noisy D',

   have the quantile's own among them but for that chance, whatever the rows are: two sums have to
   be off, of one level, the true one, and no level besides.
2. The interval is from the least of them to the largest, and half a step beyond, since a number is
   that near its level. Neither the number of levels nor that of rows is in this argument, and n is
   as noisy as it is.
3. The last level is always reached, as all rows are up to it, and nothing is before the first: so
   one is left always, the first that is reached. The estimate is kept between the ends.

Where a heap of rows ends at the share q, that level alone is not refuted by right, and the end
misses with half of the chance: no nearer one would hold there. Where rows are spread over many
levels, of which noise tells none from the next, the least of all that happen not to be refuted is
farther out, and holds more often.

**Error.**

4. Let noise move no D(k) of the m steps by more than s(k), but for the stated chance: each but for
   an m-th of it. Then the largest level j that is left has D(j - 1) <= t(j - 1) + s(j - 1), and the
   least D(j) >= -t(j) - s(j): both ends are so near the quantile's rank, which `plan` shows; and
   half a step, or none of whole numbers where these are levels.
5. It is not t alone: an end is where a noisy rank is t away, and one of many. Where levels have
   fewer rows than noise, some beyond the interval's due are not refuted, and it is wider than it
   had to be; mostly 1 to 2 t to a side.

**Steps of whole numbers.** Fewer steps have less noise, and whole numbers need one each. Whether a
column holds nothing else is no public fact: a DataFrame's or a file's type of it is found in its
values, and one that is missing makes it double precision. So a grid as coarse is asked for, by
`steps=`, and never follows from a type; a plan says where it would do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from jaxtyping import Float

from tacit.argument import got, is_number, is_whole
from tacit.contribution import Contribution
from tacit.plan import Server
from tacit.tables.asked import Found, Noisy, limited
from tacit.tables.between import Between
from tacit.tables.caps import Caps
from tacit.tables.laid import LaidOut
from tacit.tables.reaches import reaches_at
from tacit.tables.rowwise import Said, number

# Unless stated: half a step is a thousandth of the bounds' distance.
STEPS = 512
# As many cells as a factorised workload is found for.
MOST_STEPS = 4096
# Numbers of rows that a plan is told for.
_SHOWN = 1_000, 100_000
# Of a count: what least squares in double precision may be off by.
_DIGITS = 1e-9


@final
@dataclass(frozen=True)
class ColumnQuantiles:
    """Quantiles of a number between bounds, of the rows that have one.

    Args:
      between: the number.
      shares: above 0 and below 1, rising.
      endings: of their columns' names.
      steps: of the grid, at most.
    """

    between: Between
    shares: tuple[float, ...]
    endings: tuple[str, ...]
    steps: int

    def __post_init__(self):
        inside = all(is_number(share) and 0 < share < 1 for share in self.shares)
        rising = inside and all(a < b for a, b in zip(self.shares, self.shares[1:], strict=False))
        if not (self.shares and rising and len(set(self.endings)) == len(self.shares)):
            raise ValueError(
                "quantiles are of rising shares above 0 and below 1, e.g. [0.25, 0.5, 0.9], got "
                f"{self.shares}"
            )
        if not (is_whole(self.steps) and 2 <= self.steps <= MOST_STEPS):
            raise ValueError(
                f"steps must be a whole number from 2 to {MOST_STEPS:,}, got {got(self.steps)}"
            )

    @property
    def levels(self) -> int:
        return self.between.levels(self.steps)

    @cached_property
    def laid(self) -> LaidOut:
        return LaidOut(self.levels + 1)

    @property
    def columns(self) -> Mapping[str, Any]:
        def level(rows: Any) -> Any:
            return self.between.level(number(rows, self.between.number), self.levels)

        return {"level": level}

    def cells(self, row: Mapping[str, Any], first: Any) -> list[Any]:
        del first
        return list(self.laid.ones(row["level"]))

    def shape(self, caps: Caps, groups: int) -> Contribution:
        return self.laid.shape(caps, groups)

    @property
    def words(self) -> str:
        if self.shares == (0.5,):
            return f"the median of {self.between.named}"
        shares = ", ".join(f"{share:g}" for share in self.shares)
        return f"the {shares} quantiles of {self.between.named}"

    @property
    def behind(self) -> list[str]:
        return limited(*self.endings)

    def read(self, noisy: Noisy) -> dict[str, Found]:
        upto, rising = self.laid.upto(noisy.cells), self.laid.rising(noisy.cells)
        each = zip(self.endings, self.shares, strict=True)
        return {ending: self._found(noisy, share, upto, rising) for ending, share in each}

    def width(self, noise: Server, chance: float) -> str:
        far = max(self._ends_within(noise, chance, share) for share in self.shares)
        each = (f"± {min(100 * far / rows, 100.0):.3g}% of {rows:,}" for rows in _SHOWN)
        steps = f"steps of {self.between.width / self.levels:.4g}{self._fewer}"
        return f"ends' ranks {', '.join(each)} rows; {steps}"

    def _ends_within(self, noise: Server, chance: float, share: float) -> float:
        """How many ranks both ends are off at most, but for this chance: step 4."""
        weights = self._weights(share)[:-1]
        one, every = reaches_at(noise, (chance, chance / len(weights)), weights)
        return float((one + every).max())

    @property
    def _fewer(self) -> str:
        """Of bounds between which there are several steps to a whole number, how many would do."""
        whole = self.between.wholes
        if whole is None or not 2 <= whole < self.levels:
            return ""
        return f": if they are whole numbers, steps={whole} in Python has less noise"

    def _weights(self, share: float) -> Float[np.ndarray, "levels nodes"]:
        """Of the counts, in D of every level."""
        return self.laid.weights - share * self.laid.weights[-1]

    def _found(
        self,
        noisy: Noisy,
        share: float,
        upto: Float[np.ndarray, "groups levels"],
        rising: Float[np.ndarray, "groups levels"],
    ) -> Found:
        over, far = upto - share * upto[:, -1:], noisy.reaches(self._weights(share))
        far = far + _DIGITS * np.abs(upto[:, -1:])
        middle = _middle(rising - share * rising[:, -1:])
        low, high = _ends(over[:, :-1], far[:, :-1])
        middle = np.clip(middle, low, high)
        steps = middle, np.maximum(low - 0.5, 0.0), np.minimum(high + 0.5, self.levels)
        estimate, low, high = (self.between.at(each / self.levels) for each in steps)
        return Found(estimate, low, high, self.between.ends)


def quantiles(
    number: Said, shares: Sequence[float], lower: float, upper: float, *, steps: int = STEPS
) -> ColumnQuantiles:
    """Numbers below which these shares of the rows lie, of a column or an expression of one row.

    Args:
      number: the column.
      shares: above 0 and below 1, rising.
      lower, upper: public; a number beyond counts as the nearer.
      steps: of the grid between them, at most; whole numbers between whole bounds are on it where
        there are no more of them than steps.
    """
    given = tuple(shares) if isinstance(shares, Sequence) and not isinstance(shares, str) else ()
    endings = tuple(f"_{100 * each:.10g}" if is_number(each) else "" for each in given)
    return ColumnQuantiles(Between(number, lower, upper), given, endings, steps)


def median(number: Said, lower: float, upper: float, *, steps: int = STEPS) -> ColumnQuantiles:
    """The number that half of the rows are below; arguments as of `quantiles`."""
    return ColumnQuantiles(Between(number, lower, upper), (0.5,), ("",), steps)


def _middle(over: Float[np.ndarray, "groups levels"]) -> Float[np.ndarray, " groups"]:
    """Half way from the first level that reaches the share to the first beyond it."""
    near, last = _DIGITS * np.abs(over).max(axis=1, keepdims=True), over.shape[1] - 1
    first = np.argmax(over >= -near, axis=1)
    beyond = over > near
    return (first + np.where(beyond.any(axis=1), np.argmax(beyond, axis=1), last)) / 2


def _ends(
    over: Float[np.ndarray, "groups steps"], far: Float[np.ndarray, "groups steps"]
) -> tuple[Float[np.ndarray, " groups"], Float[np.ndarray, " groups"]]:
    """The least and the largest level that is left, of all up to the last: steps 1 and 3."""
    always = np.ones((len(over), 1), bool)
    reached = np.concatenate([over >= -far, always], axis=1)
    left = reached & np.concatenate([always, over <= far], axis=1)
    low, high = np.argmax(left, axis=1), over.shape[1] - np.argmax(left[:, ::-1], axis=1)
    return low.astype(np.float64), high.astype(np.float64)
