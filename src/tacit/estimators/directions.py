"""The directions in which a matrix of moments is largest, how many are kept, and what they explain.

All are read off one released matrix, so their number costs nothing, chosen beforehand or by what
came out. Where their number is declared, they are looked for in the columns that stand out of the
noise, if few do (`kept_columns`).

**What noise makes.** A symmetric matrix of independent noise, whose rows have variances that sum to
s² at most, has eigenvalues of about 2 s and hardly larger ones, if it has many rows (Bandeira and
van Handel); differences of Wisharts reach a little beyond (`tacit.server.symmetric`). An eigenvalue
as small says nothing of people.

**What a direction explains.** If people have the variance t along one direction, the matrix has the
eigenvalue v = t + s²/t, and along the direction that is found for it people have

    t - s²/t = sqrt(v² - (2 s)²)

(Benaych-Georges and Nadakuditi): the rest of v is noise, and nothing is left of a v that noise
alone makes. Of Wisharts the end of their noise stands for 2 s, which takes off a little more. The
share that a direction explains is that of the trace, to which noise adds as often as it takes. A
trace below the largest of the noise is not told from it, and counts as that. Where people have the
variance b along all other directions, sqrt((v - b)² - (2 s)²) + b is true, and what is said is too
much by less than the difference. `n_components` below one keeps the fewest directions that explain
so much together.

References:
    Bandeira and van Handel 2016, "Sharp nonasymptotic bounds on the norm of random matrices with
        independent entries".
    Benaych-Georges and Nadakuditi 2011, "The eigenvalues and eigenvectors of finite, low rank
        perturbations of large random matrices".
"""

from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np
from jaxtyping import Float, Int

from tacit.argument import got, is_number, is_whole
from tacit.estimators.kept_columns import above, kept_columns, threads_for
from tacit.plan import Plan
from tacit.server.symmetric import edge_of

Square = Float[np.ndarray, "features features"]


@final
@dataclass(frozen=True)
class MatrixNoise:
    """Noise on a released matrix.

    Args:
      rmse: how far off its numbers are (root mean square).
      edge: about the largest eigenvalue, over the deviation of the row that is off most.
    """

    rmse: Square
    edge: float

    @property
    def largest(self) -> float:
        """About the largest eigenvalue that noise makes alone."""
        return self.edge * row_of(self.rmse)

    def within(self, columns: Int[np.ndarray, " kept"]) -> float:
        """The same of some of the columns."""
        return self.edge * row_of(self.rmse[np.ix_(columns, columns)])


@final
@dataclass(frozen=True)
class FoundDirections:
    """What was found, of a matrix or in rounds. All of it is public.

    Args:
      directions: as rows.
      squares: the mean square along each, noise included.
      explained: the share of all that each explains; None where that is not known.
      noise: about the largest mean square that noise alone makes along some direction; None where
        that is not known.
      mean: of rows; zero where they are not centred.
      moments: the matrix; None of rounds.
    """

    directions: Float[np.ndarray, "many features"]
    squares: Float[np.ndarray, " many"]
    explained: Float[np.ndarray, " many"] | None
    noise: float | None
    mean: Float[np.ndarray, " features"]
    moments: Square | None

    @classmethod
    def of_matrix(
        cls,
        moments: Square,
        noise: MatrixNoise | None,
        wanted: float | None,
        mean: Float[np.ndarray, " features"],
    ) -> Self:
        """As many as are wanted, of the columns that are kept for so many; or as many of all as
        explain the share that is."""
        own = np.arange(len(moments))
        if noise is not None and wanted is not None and wanted >= 1:
            own = kept_columns(moments, noise.within, int(wanted))
        found, squares = largest(moments[np.ix_(own, own)])
        rows = np.zeros((len(found), len(moments)))
        rows[:, own] = found
        many = len(rows) if wanted is None else max(1, int(wanted))
        if noise is None:
            return cls(rows[:many], squares[:many], None, None, mean, moments)
        explained = explained_of(squares, moments, noise.within(own), noise.largest)
        if wanted is not None and wanted < 1:
            many = fewest(wanted, explained)
        return cls(rows[:many], squares[:many], explained[:many], noise.largest, mean, moments)


def refuse_no_count(n_components: Any, features: int) -> None:
    """Raises a ValueError unless there may be so many directions, or a share decides."""
    if n_components is None or (is_number(n_components) and 0 < n_components < 1):
        return
    if not (is_whole(n_components) and 1 <= n_components <= features):
        raise ValueError(
            f"n_components must be a whole number from 1 to the number of features, {features}, "
            f"a share above 0 and below 1, or None, got {got(n_components)}"
        )


def refuse_unknown_noise(n_components: Any, plan: Plan) -> None:
    """Raises a ValueError where a share decides, and what is above the noise cannot be told."""
    if plan.error is None and n_components is not None and n_components < 1:
        raise ValueError(
            "the noise of these reports is not known, and a share is of what is above it: leave "
            "the projection radius infinite, or say how many directions"
        )


def row_of(rmse: Square) -> float:
    """s, of a matrix whose numbers are off by so much (RMS): of the row that is off most."""
    unit = float(rmse.max())
    return unit and unit * float(np.sqrt(np.sum((rmse / unit) ** 2, axis=1).max()))


def matrix_noise(rmse: Square | None, plan: Plan) -> MatrixNoise | None:
    """This plan's, of numbers that are off by so much (RMS); None where that is not known."""
    return None if rmse is None else MatrixNoise(rmse, edge_of(plan.server))


def largest_noise(rmse: Square | None, plan: Plan) -> float | None:
    """About the largest eigenvalue that it makes alone."""
    noise = matrix_noise(rmse, plan)
    return None if noise is None else noise.largest


def largest(
    moments: Square,
) -> tuple[Float[np.ndarray, "features features"], Float[np.ndarray, " features"]]:
    """The eigenvectors, as rows, and eigenvalues, the largest first; negative ones are zero.

    Each direction's largest number is positive, so that its sign is always the same.
    """
    with threads_for(len(moments)):
        values, vectors = np.linalg.eigh(moments)
    rows = vectors.T[::-1]
    peaks = rows[np.arange(len(rows)), np.abs(rows).argmax(axis=1)]
    return rows * np.sign(peaks)[:, None], np.maximum(values[::-1], 0.0)


def explained_of(
    values: Float[np.ndarray, " kept"], moments: Square, noise: float, least: float
) -> Float[np.ndarray, " kept"]:
    """Which share of the trace each direction explains; zero where noise alone would.

    Args:
      values: all eigenvalues of the columns that are kept.
      moments: of all columns.
      noise: the largest that it makes alone in these that are kept.
      least: the same of all columns.
    """
    own = above(values, noise)
    total = max(float(np.trace(moments)), float(own.sum()), least)
    return own / total if total > 0 else np.zeros_like(values)


def fewest(share: float, explained: Float[np.ndarray, " features"]) -> int:
    """How many of the first directions explain such a share together; all that explain anything if
    these do not, and one at least."""
    enough = 1 + int(np.sum(np.cumsum(explained) < share))
    return max(1, min(enough, int(np.sum(explained > 0))))
