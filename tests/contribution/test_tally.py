"""Tallies: membership after projection, and how far sums move, by brute force."""

import itertools
import math

import jax.numpy as jnp
import numpy as np
import pytest

from hasty import hasty
from tacit.accounting.relation import Relation
from tacit.contribution import Tally

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    "term, becomes",
    [
        ([1, 2, 0], [1, 2, 0]),
        ([1.9, 0.2, -3], [1, 0, 0]),
        ([NAN, INF, 1], [0, 3, 1]),
        ([3, 3, 3], [3, 1, 0]),
        ([0, -INF, 9e9], [0, 0, 3]),
    ],
)
def test_edge_cases_of_the_docstring(term, becomes):
    """Whole numbers within the cell's most, and the first of them until the total is reached."""
    assert [becomes] == Tally(3, 3, 4).project(jnp.array([term], jnp.float32)).tolist()


def test_many_large_cells_do_not_wrap():
    """Their sum is far beyond what 32 bits hold, and the total all the same is kept."""
    shape = Tally(300, 2**24, 2**30 - 1)
    found = np.asarray(hasty(shape.project)(np.full((1, 300), 2.0**24, np.float32)), np.float64)

    assert 2**30 - 1 == found.sum() and 64 == np.count_nonzero(found)


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize(
    "cells, most, total", [(1, 2, 2), (2, 2, 3), (3, 1, 2), (3, 2, 3), (4, 3, 3)]
)
def test_the_sensitivities_are_the_brute_force_ones(cells, most, total, relation):
    """Over all pairs of terms there are; never below, and equal where a total has room."""
    shape = Tally(cells, most, total)
    terms = [
        term for term in itertools.product(range(most + 1), repeat=cells) if sum(term) <= total
    ]
    pairs = [(np.array(a), np.array(b)) for a in terms for b in terms]
    apart = [a - b if relation is Relation.REPLACE_ONE else a for a, b in pairs]
    l1 = max(np.abs(d).sum() for d in apart)
    l2 = max(math.sqrt((d**2).sum()) for d in apart)

    assert l1 <= shape.l1_sensitivity(relation) and l2 <= shape.sensitivity(relation) + 1e-12
    if relation is not Relation.REPLACE_ONE or cells >= 2 * math.ceil(total / most):
        assert l1 == shape.l1_sensitivity(relation)
    if relation is not Relation.REPLACE_ONE:
        assert l2 == pytest.approx(shape.sensitivity(relation), abs=1e-12)


@pytest.mark.parametrize("given", [(0, 1, 1), (2, 0, 1), (2, 1, 0), (2, 2**25, 1), (2.5, 1, 1)])
def test_what_is_no_tally_is_refused(given):
    """In one sentence that names what is allowed."""
    with pytest.raises(ValueError, match="must be a whole number from 1 to"):
        Tally(*given)
