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
those of `subspace_rounds`; before a fit, of others too, whose squares are t times these: noise is
1/t times as large beside them, and small losses 1/t² times.

A share of the variance, or all directions, need the matrix: of rounds, their number is declared.

References:
    Benaych-Georges and Nadakuditi 2011, "The eigenvalues and eigenvectors of finite, low rank
        perturbations of large random matrices".
"""

import math
from dataclasses import dataclass, replace
from typing import Any, final

from tacit.accounting.relation import Relation
from tacit.argument import is_whole
from tacit.contribution import Outer
from tacit.contribution.outer import levels_for
from tacit.learning.subspace_rounds import SubspaceRounds, shares_tried, values_of
from tacit.statistics.one_round import one_round, refuse_secret_devices
from tacit.trust.aggregated import Aggregated
from tacit.trust.central import Central
from tacit.trust.federated import Federated
from tacit.trust.people import Curated, Trust, relation_of

# Who adds up what people hand over as it is.
SUMMED = Curated | Aggregated
# How many numbers a sum may have, and a person's report.
MOST_SUMMED, MOST_REPORTED = 2**24, 2**16
# Columns of a round beside the directions sought, and how many times as many are tried.
BESIDE, TIMES = 4, (1, 2, 4, 8)

_MATRIX = "one matrix of all squares and products"


@final
@dataclass(frozen=True)
class Search:
    """Rounds, or the whole matrix, as public numbers decide.

    Args:
      rounds: that find directions; None where the matrix is asked for.
      why: so, in words.
    """

    rounds: SubspaceRounds | None
    why: str


def search_of(trust: Trust, people: int, dim: int, known: int, wanted: Any) -> Search:
    """The rounds that are better than the whole matrix, or all there is; none if that is better.

    Args:
      people: how many they are.
      dim: of rows, `known` constants among them.
      wanted: how many directions, if that is declared.

    Raises:
      ValueError: if reports cannot be the whole matrix, and the trust model has no such rounds.
    """
    if not (is_whole(wanted) and 1 <= wanted <= dim - known):
        return Search(None, f"{_MATRIX}: rounds find a declared number of directions alone")
    sought = SubspaceRounds(trust, people, dim, known, int(wanted), int(wanted) + known, (1.0,))
    if not is_reported_whole(trust, dim):
        refuse_secret_devices(trust, "search for directions")
        return _searched(least_lost(sought), _no_room(trust, dim))
    if not isinstance(trust, Federated) or relation_of(trust) is Relation.ADD_REMOVE:
        return Search(None, f"{_MATRIX}: there is room for it, and rounds would have more noise")
    return _compared(sought)


def _compared(sought: SubspaceRounds) -> Search:
    """Where there is room for both, that which is foreseen to lose less."""
    whole = lost_of_whole(sought)
    if whole is None:
        return Search(None, f"{_MATRIX}: there is room for it, and noise is not known before")
    found = least_lost(sought)
    if found.lost < whole:
        return _searched(found, f"a matrix would lose {whole / found.lost:.2g} times as much")
    more = f"rounds would lose {found.lost / whole:.2g} times as much"
    return Search(None, f"{_MATRIX}: {more}")


def _searched(rounds: SubspaceRounds, why: str) -> Search:
    along, many = rounds.columns - rounds.known, rounds.plan.sums.rounds
    said = (
        f"{many:,} round{'s' * (many != 1)} along {along:,} direction{'s' * (along != 1)}, as "
        f"{why}; of all numbers, shares and widths of rounds that are tried, what is foreseen to "
        "lose least"
    )
    return Search(rounds, said)


def _no_room(trust: Trust, dim: int) -> str:
    if isinstance(trust, SUMMED):
        return f"a sum has room for {MOST_SUMMED:,} numbers, and a matrix has {dim**2:,}"
    if trust.upload is not None:
        return f"a matrix is not put into reports of {trust.upload:,} bytes"
    return f"a report has room for {MOST_REPORTED:,} numbers, and a matrix has {_half(dim):,}"


def is_reported_whole(trust: Trust, dim: int) -> bool:
    """Whether a sum, and a report, may have the matrix's numbers."""
    if isinstance(trust, SUMMED):
        return dim**2 <= MOST_SUMMED
    return trust.upload is None and _half(dim) <= MOST_REPORTED


def _half(dim: int) -> int:
    """How many numbers a symmetric matrix has."""
    return dim * (dim + 1) // 2


def lost_of_whole(sought: SubspaceRounds) -> float | None:
    """The share of a direction that the matrix's noise is foreseen to lose; None if not known."""
    dim, people = sought.dim, sought.people
    plan = one_round(sought.trust, Outer(dim, 1.0, levels_for(people)), people)
    return None if plan.error is None else _lost(plan.error / dim, *sought.values)


def lost_to(row: float, wanted: Any, features: int) -> float | None:
    """What a matrix is foreseen to lose; None if the number is not declared.

    Args:
      row: the deviation of its noise's largest row (`directions.row_of`), over the squares of
        people's rows.
      wanted: how many directions.
      features: of rows.
    """
    if not (is_whole(wanted) and row < math.inf):
        return None
    return _lost(row**2, *values_of(int(wanted), features))


def lost_in_rounds(rounds: SubspaceRounds, left: float) -> float:
    """The same of rounds, where the squares of people's rows, constants apart, are `left`."""
    return rounds.foreseen(tuple(noise / left for noise in rounds.noise))


def _lost(row: float, value: float, beside: float) -> float:
    """To noise whose rows have this squared length."""
    return min(1.0, row / (value - beside) ** 2) if value > beside else 1.0


def least_lost(sought: SubspaceRounds) -> SubspaceRounds:
    """Of rounds with more columns and with other shares, those that are foreseen to be best.

    Raises:
      ValueError: if none has a plan; of many columns noise may be too large for a sum.
    """
    tried, refused = _tried(sought)
    for _, own in sorted(tried, key=lambda each: each[0]):
        try:
            _ = own.plan
            return own
        except ValueError as error:
            refused.append(error)
    raise _too_large(sought, refused[0])


def _tried(sought: SubspaceRounds) -> tuple[list[tuple[float, SubspaceRounds]], list[ValueError]]:
    """Rounds and the share they are foreseen to lose; and refusals of those without a noise."""
    found, refused = list[tuple[float, SubspaceRounds]](), list[ValueError]()
    for columns in _columns(sought):
        wide = replace(sought, columns=columns)
        try:
            for shares in shares_tried(wide):
                own = replace(wide, shares=shares)
                found.append((own.foreseen(wide.by_share.at(shares)), own))
        except ValueError as error:
            refused.append(error)
    return found, refused


def _too_large(sought: SubspaceRounds, refused: ValueError) -> ValueError:
    """What is said of rounds that have no plan."""
    if not (isinstance(sought.trust, Central) and sought.trust.delta == 0):
        return refused
    return ValueError(
        "columns and n_components must be fewer, epsilon larger or delta positive: pure noise on "
        f"{sought.many:,} directions of {sought.dim - sought.known:,} columns is too large for a "
        "sum"
    )


def _columns(sought: SubspaceRounds) -> list[int]:
    """How many are tried: where noise does not grow with them, as many as fit."""
    many, known, dim = sought.many, sought.known, sought.dim
    most = MOST_SUMMED if isinstance(sought.trust, Curated) else MOST_REPORTED
    wide = sorted({min(known + times * (many + BESIDE), dim) for times in TIMES})
    fitting = [known + many, *(each for each in wide if each * dim <= most)]
    return fitting if isinstance(sought.trust, Central | Federated) else fitting[-1:]
