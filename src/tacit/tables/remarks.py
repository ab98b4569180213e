"""What an answer says beside its numbers, where these may not be what was meant.

It is made of what is released and of what was declared, and never of rows: it spends nothing.

| said of | where |
| --- | --- |
| an interval | it is all that was known before: everything between the bounds, or all shares |
| an estimate | it is beyond what such a number can be, as a number of rows below zero is |
"""

from collections.abc import Mapping

import numpy as np

from tacit.statistics.unlearnt import UNLEARNT
from tacit.tables.asked import Found, Which

# Names of numbers that are listed; of others it is said how many there are.
_LISTED = 3
_ALL = f"the interval is all that was declared: {UNLEARNT}"
_BELOW = "below zero, as noise made it, so that sums over many groups are right on average"


def remarks_of(found: Mapping[str, Found | Which]) -> tuple[str, ...]:
    """Of all numbers of an answer, by name."""
    numbers = {name: each for name, each in found.items() if isinstance(each, Found)}
    told = {_ALL: _is_unlearnt, _BELOW: _is_below}
    where = {words: {n: holds(own) for n, own in numbers.items()} for words, holds in told.items()}
    return tuple(f"{_named(each)}: {words}" for words, each in where.items() if _any(each).any())


def _is_unlearnt(own: Found) -> np.ndarray:
    low, high = own.within
    return (own.low <= low) & (own.high >= high)


def _is_below(own: Found) -> np.ndarray:
    return own.estimate < own.within[0]


def _named(where: Mapping[str, np.ndarray]) -> str:
    """The numbers for which something holds, and of how many groups."""
    names = [name for name, here in where.items() if here.any()]
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    here = _any(where)
    of = f", in {here.sum():,} of {len(here):,} groups" if len(here) > 1 else ""
    return f"{', '.join(names[:_LISTED])}{more}{of}"


def _any(where: Mapping[str, np.ndarray]) -> np.ndarray:
    """Of which groups it holds, for any of the numbers."""
    return np.any(list(where.values()), axis=0)
