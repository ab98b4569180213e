"""Whose each record is: records grouped by person, and no more than so many of each.

Privacy is promised to people, and a person with a thousand records is one of them. So records are
put together by their owner before anything is summed, and what one person may hold is bounded by
dropping the rest. Which are dropped may depend on that person's records only: a choice that looked
at other people's would move them all when one person changes.
"""

import math
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Bool, Int, PyTree

from tacit.argument import got, is_whole


class Group(NamedTuple):
    """What a person with several records holds: so many places, and which of them hold one."""

    records: PyTree
    present: Bool[np.ndarray, "*people at_most"]


# What a learner of one value a person says of a person with several.
ONE_VALUE = "ask for one value of each, such as the sum or the mean of theirs"


def refuse_group(person: Any, remedy: str) -> None:
    """Raises a ValueError if this is a person with several records, with what helps."""
    if isinstance(person, Group):
        raise ValueError(f"each person holds several records: {remedy}")


def first_of_each(
    records: PyTree, owner: Any, at_most: int
) -> tuple[Int[np.ndarray, "people at_most"], Bool[np.ndarray, "people at_most"]]:
    """The places of every person's first `at_most` records, and which of them there are.

    People are in the order of their first record. A place that holds no record names record 0.

    Raises:
      ValueError: if there is not one owner for each record, or `at_most` is no number of them.
    """
    if not (is_whole(at_most) and at_most >= 1):
        raise ValueError(f"at_most must be a whole number of at least 1, got {got(at_most)}")
    whose = _numbered(owner)
    sizes = {np.shape(leaf)[:1] for leaf in jax.tree.leaves(records)}
    if sizes != {whose.shape}:
        raise ValueError("owner must name one person for each record")
    order = np.argsort(whose, kind="stable")
    counts = np.bincount(whose)
    rank = np.arange(len(whose)) - np.repeat(np.cumsum(counts) - counts, counts)
    kept = rank < at_most
    rows = np.zeros((len(counts), int(at_most)), np.int64)
    present = np.zeros(rows.shape, bool)
    place = whose[order][kept], rank[kept]
    rows[place], present[place] = order[kept], True
    return rows, present


def _numbered(owner: Any) -> Int[np.ndarray, " records"]:
    """The number of each record's owner, in the order in which they are first met."""
    known: dict[Any, int] = {}
    given = owner.tolist() if hasattr(owner, "tolist") else owner
    # A NaN is not equal to itself, and is one owner all the same.
    same = (None if isinstance(each, float) and math.isnan(each) else each for each in given)
    return np.array([known.setdefault(each, len(known)) for each in same], np.int64)
