"""Marginals cost what the closed form says, and tables come back exactly."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from tacit.accounting.relation import Relation
from tacit.contribution import Contrasts
from tacit.queries.closure import Tables, inverse_of
from tacit.queries.weighting import ForGaussian, ForLaplace

SIZES = (3, 4, 2, 5)
ADULT = (85, 9, 100, 16, 7, 15, 6, 5, 2, 100, 100, 99, 42, 2)


def all_of(sizes, ways) -> Tables:
    sets = tuple(itertools.combinations(range(len(sizes)), ways))
    return Tables(sizes, sets, (1.0,) * len(sets))


@pytest.mark.parametrize(("ways", "known"), [(1, 3.0468), (2, 6.3587), (3, 10.5153)])
def test_the_least_error_is_the_known_one(ways, known):
    """Root mean square over all cells of Adult's tables, as Xiao et al. 2023 have it."""
    tables = all_of(ADULT, ways)

    assert math.sqrt(tables.least / tables.cells) == pytest.approx(known, abs=5e-5)


def test_the_least_error_is_the_singular_value_bound():
    """(tr V^(1/2))² / N for V the squares of all cells' queries."""
    tables = all_of(SIZES, 2)
    cells = list(itertools.product(*map(range, SIZES)))
    rows = [
        [float(all(cell[i] == x for i, x in zip(own, each, strict=True))) for cell in cells]
        for own in tables.sets
        for each in itertools.product(*(range(SIZES[i]) for i in own))
    ]
    singular = np.linalg.svd(np.array(rows), compute_uv=False)

    assert tables.least == pytest.approx(singular.sum() ** 2 / len(cells), rel=1e-12)


@pytest.mark.parametrize("sizes", [SIZES, ADULT[:9]], ids=["small", "adult"])
def test_whole_numbers_cost_next_to_nothing(sizes):
    """The sum of variances at the sensitivity, over the least one."""
    tables = all_of(sizes, 2)
    deviation = tables.shape.sensitivity(Relation.ADD_REMOVE)
    found = sum(tables.variances(own, deviation).sum() for own in tables.sets)

    assert 1 - 1e-9 <= found / tables.least < 1.001


def test_tables_come_back_exactly():
    """Of all subsets, from the sums alone."""
    tables, rng = all_of(SIZES, 3), np.random.default_rng(0)
    cells = rng.integers(0, SIZES, (500, 4)).astype(np.int32)
    blocks = tables.split(tables.shape.sums(cells).astype(float))
    for own in tables.closure:
        counted = np.zeros([SIZES[i] for i in own])
        for record in cells[:, own]:
            counted[tuple(record)] += 1
        np.testing.assert_allclose(tables.table(own, blocks), counted, atol=1e-9)


def test_variances_are_those_of_the_decoded_noise():
    """By the decoder's own squares: each contrast's noise, put through it."""
    tables = Tables((3, 2), ((0, 1),), (1.0,))
    numbers = tables.shape.answer_shape[0]
    columns = [tables.table((0, 1), tables.split(unit)) for unit in np.eye(numbers)]

    np.testing.assert_allclose(
        tables.variances((0, 1), 3.0), 9 * sum(column**2 for column in columns), rtol=1e-12
    )


def test_an_attribute_of_one_category_tells_nothing():
    """Its table is the number of records."""
    tables = Tables((1, 3), ((0, 1),), (1.0,))
    blocks = tables.split(tables.shape.sums(np.array([[0, 2], [0, 2]], np.int32)).astype(float))

    np.testing.assert_allclose(tables.table((0, 1), blocks), [[0, 0, 2]], atol=1e-12)
    assert inverse_of(1).tolist() == [[1.0]]


@pytest.mark.parametrize(
    ("rule", "moved"),
    [(ForGaussian(), Contrasts.sensitivity), (ForLaplace(), Contrasts.l1_sensitivity)],
    ids=["Gaussian", "Laplace"],
)
def test_the_least_variances_are_those_of_whole_weights(rule, moved):
    """Of each table, within a thousandth, at noise of what one record moves sums by in its norm."""
    tables = replace(all_of(SIZES, 2), weighting=rule, importance=(1.0, 3.0, 0.1, 2.0, 9.0, 0.5))
    deviation = moved(tables.shape, Relation.ADD_REMOVE)
    each = [tables.variances(own, deviation).mean() for own in tables.sets]

    np.testing.assert_allclose(tables.least_variances(), each, rtol=2e-3)
