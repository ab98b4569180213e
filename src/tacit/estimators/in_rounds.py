"""Directions without the whole matrix: when rounds are asked for instead, by public numbers.

* **The whole matrix** (`tacit.contribution.Outer`): one question of all d² squares and products.
* **Rounds** (`tacit.learning.subspace`): each asks how people lie along a few directions.

Noise on one number is the same of either where it does not grow with how many there are: a
curator's is, that of people who report by themselves nearly. The matrix's row then has half the
variance of a round's column, and it is all of it paid once: it is asked for while it fits. Rounds
are for more columns, and for reports that are limited. Of `Federated` reports, noise on their sum
grows with their length, and of both that is asked for of which less is foreseen to be lost. From a
matrix whose noise has rows of squared length R, a direction of value v where all others have b
loses about R/(v - b)² (Benaych-Georges and Nadakuditi); its people are those of `subspace_rounds`.

**What an estimator foresees** is that share, of people as far out as is allowed, whose squares are
those of `subspace_rounds`. Of others, whose squares are t times these, noise is 1/t times as large
beside them, and small losses 1/t² times.

A share of the variance, or all directions, need the matrix: of rounds, their number is declared.

References:
    Benaych-Georges and Nadakuditi 2011, "The eigenvalues and eigenvectors of finite, low rank
        perturbations of large random matrices".
"""

import math
from dataclasses import dataclass, replace
from typing import Any, Self, final

import numpy as np
from jaxtyping import Float

from tacit.accounting.relation import Relation
from tacit.argument import is_whole
from tacit.contribution import Outer
from tacit.contribution.outer import levels_for
from tacit.estimators.declared import Box
from tacit.learning.subspace_rounds import SubspaceRounds, shares_tried, values_of
from tacit.population.release import Release
from tacit.statistics.covariances import CONSTANT
from tacit.statistics.one_round import one_round, refuse_secret_devices
from tacit.statistics.shared_rounds import asks_everyone
from tacit.trust.aggregated import Aggregated
from tacit.trust.central import Central
from tacit.trust.federated import Federated
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.people import Trust, relation_of

# How many numbers a sum may have, and a person's report.
MOST_SUMMED, MOST_REPORTED = 2**24, 2**16
# Columns of a round beside the directions sought, and how many times as many are tried.
BESIDE, TIMES = 4, (1, 2, 4, 8)

# The longest row with its constant, a half diagonal being one; and what its constant squares to.
_REACH = math.hypot(1.0, CONSTANT)
_CONSTANT_LEVEL = CONSTANT**2 / _REACH**2

Rows = Float[np.ndarray, "people dim"]


def rounds_instead(
    trust: Trust, people: int, dim: int, known: int, wanted: Any
) -> SubspaceRounds | None:
    """The rounds that are better than the whole matrix, or all there is; None if that is better.

    Args:
      people: how many they are.
      dim: of rows, `known` constants among them.
      wanted: how many directions, if that is declared.

    Raises:
      ValueError: if reports cannot be the whole matrix, and the trust model has no such rounds.
    """
    if not (is_whole(wanted) and 1 <= wanted <= dim - known):
        return None
    sought = SubspaceRounds(trust, people, dim, known, int(wanted), int(wanted) + known, (1.0,))
    if not is_reported_whole(trust, dim):
        refuse_secret_devices(trust, "search for directions")
        return least_lost(sought)
    if not isinstance(trust, Federated) or relation_of(trust) is Relation.ADD_REMOVE:
        return None
    whole = lost_of_whole(sought)
    found = least_lost(sought) if whole is not None else None
    return found if found is not None and whole is not None and found.lost < whole else None


def is_reported_whole(trust: Trust, dim: int) -> bool:
    """Whether a sum, and a report, may have the matrix's numbers."""
    if isinstance(trust, Central | NonPrivate | Aggregated):
        return dim**2 <= MOST_SUMMED
    return trust.upload is None and dim * (dim + 1) // 2 <= MOST_REPORTED


def lost_of_whole(sought: SubspaceRounds) -> float | None:
    """The share of a direction that the matrix's noise is foreseen to lose; None if not known."""
    dim, people = sought.dim, sought.people
    plan = one_round(sought.trust, Outer(dim, 1.0, levels_for(people)), people)
    return None if plan.error is None else _lost(plan.error / dim, *sought.values)


def lost_to(noise: float, unit: float, wanted: Any, features: int) -> float | None:
    """What a matrix is foreseen to lose; None if that is not known, or the number not declared.

    Args:
      noise: about its largest eigenvalue (`directions.largest_of_noise`).
      unit: the square of the longest row.
      wanted: how many directions.
      features: of rows.
    """
    if not (is_whole(wanted) and noise < math.inf):
        return None
    return _lost((noise / unit / 2) ** 2, *values_of(int(wanted), features))


def lost_in_rounds(rounds: SubspaceRounds) -> float:
    """The same of rounds: rows are no longer than what a constant leaves of one."""
    left = 1 - _CONSTANT_LEVEL if rounds.known else 1.0
    return rounds.foreseen(tuple(noise / left for noise in rounds.noise))


def _lost(row: float, value: float, beside: float) -> float:
    """To noise whose rows have this squared length."""
    return min(1.0, row / (value - beside) ** 2) if value > beside else 1.0


def least_lost(sought: SubspaceRounds) -> SubspaceRounds:
    """Of rounds with more columns and with other shares, those that are foreseen to be best."""
    found: list[tuple[float, SubspaceRounds]] = []
    for columns in _columns(sought):
        wide = replace(sought, columns=columns)
        for shares in shares_tried(wide):
            own = replace(wide, shares=shares)
            found.append((own.foreseen(wide.by_share.at(shares)), own))
    return min(found, key=lambda each: each[0])[1]


def _columns(sought: SubspaceRounds) -> list[int]:
    """How many are tried: where noise does not grow with them, as many as fit."""
    many, known, dim = sought.many, sought.known, sought.dim
    most = MOST_SUMMED if asks_everyone(sought.trust) else MOST_REPORTED
    wide = sorted({min(known + times * (many + BESIDE), dim) for times in TIMES})
    fitting = [known + many, *(each for each in wide if each * dim <= most)]
    return fitting if isinstance(sought.trust, Central | Federated) else fitting[-1:]


@final
@dataclass(frozen=True)
class Axes:
    """What rounds found. All of it is public.

    Args:
      directions: as rows.
      squares: the mean square along each.
      noise: about the largest mean square that noise alone makes along some direction.
      mean: of rows, where they began with a constant; zero else.
    """

    directions: Float[np.ndarray, "many dim"]
    squares: Float[np.ndarray, " many"]
    noise: float
    mean: Float[np.ndarray, " dim"]

    @classmethod
    def of(cls, rounds: SubspaceRounds, release: Release) -> Self:
        """In units in which rows are no longer than one."""
        directions, squares = rounds.learner().found(release.state, rounds.many)
        return cls(directions, squares, rounds.largest_noise, np.zeros(rounds.dim))

    @classmethod
    def centred(cls, rounds: SubspaceRounds, release: Release, box: Box) -> Self:
        """In the data's own units, of rows of `with_constant`."""
        found, size = cls.of(rounds, release), box.half_diagonal
        first = np.asarray(release.state.answer, np.float64)[:, 0]
        # The share of people that there are of those declared, as it is asked for where it is none.
        share = _CONSTANT_LEVEL
        if relation_of(rounds.trust) in (Relation.ADD_REMOVE, None):
            share = max(first[0], share / rounds.people)
        own = size**2 * CONSTANT**2 / share
        mean = size * CONSTANT * first[1:] / share + box.middle
        return cls(found.directions, own * found.squares, own * found.noise, mean)


def with_constant(rows: Rows, box: Box) -> Rows:
    """A constant and the places in the box, over the longest that they can be together."""
    made = np.empty((len(rows), rows.shape[1] + 1), np.float32)
    made[:, 0], made[:, 1:] = CONSTANT, box.placed(rows)
    made /= _REACH
    return made
