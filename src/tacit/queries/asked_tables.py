"""Which marginal tables are asked for, and what the error of each one counts."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from tacit.argument import got, is_whole
from tacit.queries.closure import Set, Tables, cells_of
from tacit.queries.domain import Domain
from tacit.question.objectives import ErrorObjective
from tacit.solve.least_largest import PerGroup


def alike(domain: Domain, sets: tuple[Set, ...]) -> Tables:
    """Tables of the same importance, whatever their size: by the mean variance of their cells."""
    return Tables(domain.sizes, sets, tuple(1 / own for own in cells_of(domain.sizes, sets)))


def best_for(tables: Tables, objective: ErrorObjective) -> Tables:
    """The same tables, as important as is best for the objective; cells of a table are alike."""
    cells = np.array(cells_of(tables.sizes, tables.sets), np.float64)

    def of(shares: PerGroup) -> Tables:
        return replace(tables, importance=tuple((shares / cells).tolist()))

    own = objective.importances(lambda shares: of(shares).least_variances(), len(cells))
    return of(own)


def sets_of(domain: Domain, ways: Any, sets: Any) -> tuple[Set, ...]:
    """The columns of each table, by number.

    Raises:
      ValueError: unless one of the two says which tables, of columns that are there.
    """
    if (ways is None) == (sets is None):
        both = "got neither" if ways is None else "got both"
        raise ValueError(
            f"say which tables: all of so many columns, ways=2, or chosen ones, sets=[...]; {both}"
        )
    if sets is not None:
        return _chosen(domain, sets)
    if not (is_whole(ways) and 1 <= ways <= min(3, len(domain.names))):
        raise ValueError(f"ways must be 1, 2 or 3, and no more than columns, got {got(ways)}")
    return tuple(combinations(range(len(domain.names)), int(ways)))


def _chosen(domain: Domain, sets: Any) -> tuple[Set, ...]:
    listed = [] if isinstance(sets, str) else list(sets)
    for each in listed:
        if isinstance(each, str) or not isinstance(each, Iterable):
            raise ValueError(
                f'sets is a list of tables, e.g. [("age", "ward")], or [("age",)] for one of one '
                f"column, got {got(each)} in it"
            )
    found = tuple(dict.fromkeys(domain.places(list(each)) for each in listed))
    if not found:
        raise ValueError(f"sets must be lists of columns, at least one, got {got(sets)}")
    return found
