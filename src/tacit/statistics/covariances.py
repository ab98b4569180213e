"""Count, mean and covariance of several bounded numbers a person, from one question.

**What is asked.** Put column i between -1 and 1 by its bounds, x_i = middle_i + half_i t_i, and let
y = t/sqrt(d): no y of d numbers is longer than one. A person gives z = (a, y), a near 1/2, and
the sum of all z z' (`contribution.outer`) has

    S_00 = a² N,     S_0i = a times the sum of y_i,     S_ij the sum of y_i y_j.

So N = S_00/a² unless it is public, m_i = S_0i/(a N), and C = S/N - m m' is the covariance, of
everybody, divided by N. One charge pays for all of it; a smaller a is better for the covariance
and worse for the mean. With a missing number in it a row gives nothing: it is not counted, but
where N is public, and it is then as one in the middle of all bounds.

**Error.** Noise E on S has variance v on the diagonal and v/2 off it, and no two of its numbers are
correlated (`server.means`, `mechanisms.additive.wishart`). To first order in E

    N dC_ij = E_ij - (m_i E_0j + m_j E_0i)/a - (C_ij - m_i m_j) E_00/a²,
    N dm_i  = E_0i/a - m_i E_00/a²,

the last terms only if N is asked for. Their variances follow; what is left out is of the relative
size of a count's error. For columns in the middle of their bounds with small variances they are
v (and v/2 off the diagonal) and v/2a²: the error that is foreseen. Devices' reports err differently
in different numbers, and v is then the mean over all.

The answer is as it comes: symmetric, and unbiased but for that second order. With few people it
may have negative eigenvalues, and variances, and says so; `Covariances.possible` is near it and has
none. `estimators.PCA` asks for directions.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast, final

import numpy as np
from jaxtyping import ArrayLike, Float

from tacit.accounting.relation import Relation
from tacit.argument import counted, keep_pythons, refuse_not_counted
from tacit.contribution import Outer
from tacit.contribution.outer import levels_for
from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.population.release import Release
from tacit.question.sums import refuse_nobody
from tacit.server.symmetric import variances_of
from tacit.solve.passes import blocks
from tacit.statistics.answer import released
from tacit.statistics.average import Average
from tacit.statistics.between import Columns, between_each, bounds_each, refuse_no_square, table_of
from tacit.statistics.covariance_answers import Covariances
from tacit.statistics.float_types import refuse_no_numbers
from tacit.statistics.moment_limits import MomentLimits
from tacit.statistics.one_round import one_round, refuse_secret_devices
from tacit.statistics.undeclared import refuse_no_bounds
from tacit.trust.people import Trust, people_of, refuse_no_trust, relation_of

# Of z, beside a y of at most one.
CONSTANT = 0.5


@final
@dataclass(frozen=True)
class BoundedCovariance:
    """A covariance to be asked: its `plan` and `rmse` are known before the data are.

    Args:
      bounds: (lower, upper) of one person's numbers, public, for all columns or each, as of
        `covariance`; a number beyond counts as the nearer.
      columns: how many.
      trust: whom people trust.
      people: about how many they are; exactly, where that is public.

    Raises:
      ValueError: if an argument is not of its kind, or the trust model has no such plan.
    """

    bounds: tuple[ArrayLike, ArrayLike] | list[tuple[float, float]]
    columns: int
    trust: Trust
    people: int

    def __post_init__(self):
        keep_pythons(self, "columns", "people")
        refuse_not_counted("columns", self.columns)
        object.__setattr__(self, "columns", counted(self.columns))
        object.__setattr__(self, "bounds", bounds_each(self.bounds, self.columns))
        for unit in (self._unit.min(), self._unit.max()):
            refuse_no_square("what one column's bounds are apart", float(unit))
        refuse_no_trust(self.trust)
        refuse_nobody(self.people)
        refuse_secret_devices(self.trust, "covariance")

    @property
    def counted(self) -> bool:
        """Whether the number of people is asked for."""
        return relation_of(self.trust) in (Relation.ADD_REMOVE, None)

    @cached_property
    def plan(self) -> Plan:
        """What will be promised."""
        levels = levels_for(self.people)
        # Room for rounding: nobody's a is cut.
        spare = math.sqrt(self.columns + 1) / levels
        shape = Outer(self.columns + 1, math.hypot(1.0, CONSTANT) * (1 + spare), levels)
        return one_round(self.trust, shape, self.people)

    @property
    def rmse(self) -> Float[np.ndarray, "columns columns"] | None:
        """The root mean squared error of columns in the middle of their bounds; None of reports
        that are cut off, whose error depends on the data."""
        none = np.zeros(self.columns)
        return self._rmses(self.people, none, np.zeros((self.columns,) * 2))[1]

    def terms(self, rows: Float[np.ndarray, "people columns"]) -> Float[np.ndarray, "people z"]:
        """What each person gives; block by block, as double precision takes twice the room."""
        made = np.empty((len(rows), self.columns + 1), np.float32)
        made[:, 0] = self._constant
        lower, upper = self._ends
        for where in blocks(slice(0, len(rows)), self.columns):
            inside = np.clip(rows[where], lower, upper)
            # First what is exact: of large bounds the middle may be no float.
            made[where, 1:] = ((inside - lower) - (upper - lower) / 2) / self._unit
        return made

    def of(
        self,
        rows: Any,
        ledger: LedgerOrPath,
        name: str,
        *,
        seed: int | None = None,
        note: str | None = None,
    ) -> Covariances:
        """The covariance of these people's rows, charged to them; arguments as for `covariance`."""
        labels, numbers = table_of(rows)
        refuse_no_numbers(rows, *self._ends)
        learner = Average(self.plan.sums.contribution.answer_shape)
        terms = name, ledger, seed, note, self._words
        release = released(self.plan, learner, self.terms(numbers), *terms)
        return self.read(release, labels)

    def read(self, release: Release, labels: tuple[str, ...]) -> Covariances:
        """What a release of this plan says; of its answer and the plan alone."""
        sums = self.people * np.asarray(release.answer, np.float64)
        count = max(sums[0, 0] / self._constant**2, 1.0) if self.counted else float(self.people)
        mean = sums[0, 1:] / (self._constant * count)
        centred = sums[1:, 1:] / count - np.outer(mean, mean)
        lower, upper = self._ends
        own = self._unit * mean + (lower + upper) / 2
        covariance = np.outer(self._unit, self._unit) * centred
        numbers = count, mean, centred, self._constant, self.counted, self._rounding
        known, rmses = MomentLimits(self.plan, *numbers), self._rmses(count, mean, centred)
        placed = (lower + upper) / 2, self._unit
        return Covariances(labels, count, own, covariance, *rmses, known, *placed, release)

    def _rmses(
        self, count: float, mean: Columns, centred: Float[np.ndarray, "columns columns"]
    ) -> tuple[Columns, Float[np.ndarray, "columns columns"]] | tuple[None, None]:
        """Of the mean and of the covariance, in the columns' units (root mean square); None where
        they are not known."""
        if self.plan.error is None:
            return None, None
        size, squares = self.columns + 1, mean**2 / (2 * self._constant**2)
        noise = self.plan.error * self.people**2 / variances_of(size)
        asked = self.counted / self._constant**4
        of_mean = 1 / (2 * self._constant**2) + asked * mean**2
        both = np.add.outer(squares, squares) * (1 + np.eye(self.columns))
        own = (1 + np.eye(self.columns)) / 2 + both
        own = own + asked * (centred - np.outer(mean, mean)) ** 2
        scale = np.outer(self._unit, self._unit)
        return (
            self._unit * np.sqrt(noise * of_mean) / count,
            scale * np.sqrt(noise * own) / count,
        )

    @property
    def _words(self) -> str:
        numbers = "a number" if self.columns == 1 else f"{self.columns:,} numbers"
        return f"the covariance of {numbers} {between_each(*self._ends)}"

    @property
    def _unit(self) -> Columns:
        """What one of y is of each column."""
        lower, upper = self._ends
        return (upper - lower) / 2 * math.sqrt(self.columns)

    @cached_property
    def _constant(self) -> float:
        """a, as a whole multiple of what members are: nothing of it is rounded."""
        shape = cast(Outer, self.plan.sums.contribution)
        side = shape.radius / shape.levels
        return math.floor(CONSTANT / side) * side

    @property
    def _rounding(self) -> float:
        """How far one of y is from the multiple it is held as; all there is, if some are cut."""
        shape = cast(Outer, self.plan.sums.contribution)
        fits = math.sqrt(shape.dim) <= shape.levels
        return 0.51 * shape.radius / shape.levels if fits else math.inf

    @property
    def _ends(self) -> tuple[Columns, Columns]:
        return cast(tuple[Columns, Columns], self.bounds)


def covariance(
    rows: Any,
    *,
    bounds: tuple[ArrayLike, ArrayLike] | list[tuple[float, float]] | None = None,
    trust: Trust,
    ledger: LedgerOrPath,
    name: str,
    people: int | None = None,
    seed: int | None = None,
    note: str | None = None,
) -> Covariances:
    """Count, mean and covariance of several numbers a person: see `BoundedCovariance`.

    Args:
      rows: an array or a DataFrame with a row for each person; a row with a NaN counts as nobody,
        or, where the number of people is public, as one in the middle of all bounds.
      bounds: (lower, upper) of all columns, chosen without the data; of each, all lower ones and
        all upper ones, `([0, 10], [50, 100])`, or a pair for each, `[(0, 50), (10, 100)]`: the
        first is a tuple of lists or arrays, the second a list of tuples. Where nobody can choose
        them, those that `find_bounds` finds.
      trust: whom people trust, e.g. `tacit.Central(1.0, 0.0)`.
      ledger: the people's ledger, or its path.
      name: the name of their accounts.
      people: about how many they are; may be left out where that is public.
      seed: for tests: the receipt then says that nothing is private.
      note: what the ledger keeps beside the question, for people to read.

    Raises:
      ValueError: if an argument is not of its kind; nothing is charged.
      LedgerError: if an account has no limit yet, with the calls that set it.
      OverBudget: if an account has too little left, with what it has.
    """
    _, numbers = table_of(rows)
    columns = numbers.shape[1]
    refuse_no_bounds(bounds, "covariance(rows", trust, name, people, columns)
    declared = people_of(people, trust, len(numbers))
    asked = BoundedCovariance(bounds_each(bounds, columns), columns, trust, declared)
    return asked.of(rows, ledger, name, seed=seed, note=note)
