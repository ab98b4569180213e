"""The net mechanism: its scores, its law over all neighbours, and the bound of its theorem."""

import itertools
import math

import jax
import numpy as np
import pytest
from scipy.stats import chisquare

import quick_keys
from tacit.mechanisms.rows.small_database import SmallDatabase
from tacit.mechanisms.selection.whole_scores import Highest, WholeScores
from tacit.solve.table_cells import TableCells

CELLS = TableCells((2, 3), ((0, 1), (0,), (1,)))
ROWS = 4


def made(epsilon: float, rows: int = ROWS) -> SmallDatabase:
    return SmallDatabase(CELLS, rows, WholeScores(epsilon, rows))


def people_of(counts) -> np.ndarray:
    return np.repeat(np.arange(6), counts).astype(np.int32)


def law(mechanism: SmallDatabase, people: np.ndarray) -> np.ndarray:
    assert isinstance(mechanism.choice, WholeScores)
    weights = mechanism.choice.weights(mechanism.scores(people))
    return weights / weights.sum()


def test_databases_are_all_multisets():
    """Each of so many rows, no two alike."""
    databases = made(1.0).databases

    assert databases.shape == (math.comb(9, 4), 6) and (databases.sum(axis=1) == ROWS).all()
    assert len(np.unique(databases, axis=0)) == len(databases)


def test_scores_are_the_worst_differences():
    """By definition, in units of one person and one row."""
    people, mechanism = people_of([5, 0, 2, 1, 0, 3]), made(1.0)
    theirs = CELLS.of(np.bincount(people, minlength=6).reshape(2, 3)) / 11
    for database, score in zip(mechanism.databases, mechanism.scores(people), strict=True):
        off = np.abs(CELLS.of(database.reshape(2, 3)) / ROWS - theirs).max()
        assert score == pytest.approx(-11 * ROWS * off)


def test_the_promise_is_kept_over_all_neighbours():
    """Whoever comes or changes, over all databases of three people: the worst ratio is below
    e^epsilon, and above that of half of it."""
    mechanism, worst = made(1.0, 2), 0.0
    laws = {
        counts: law(mechanism, people_of(counts))
        for counts in itertools.product(range(4), repeat=6)
        if sum(counts) <= 3
    }
    for counts, here in laws.items():
        for cell in range(6):
            more = tuple(n + (i == cell) for i, n in enumerate(counts))
            changed = [
                tuple(n - (i == other) for i, n in enumerate(more))
                for other in range(6)
                if counts[other]
            ]
            for there in (laws[own] for own in (more, *changed) if own in laws):
                worst = max(worst, float(np.abs(np.log(here / there)).max()))

    assert 0.5 < worst <= 1.0


def test_choices_follow_the_law():
    """Chi-square over 500 draws of 21 databases at a tail of 1e-4, which a sensitivity of one,
    and not of so many rows, is far beyond."""
    people, mechanism = people_of([9, 1, 0, 4, 0, 0]), made(1.5, 2)
    drawn = [mechanism.sample(key, people) for key in jax.random.split(quick_keys.key(2), 500)]
    numbers = [np.flatnonzero((mechanism.databases == each).all(axis=1))[0] for each in drawn]
    counted = np.bincount(numbers, minlength=21)

    assert chisquare(counted, 500 * law(mechanism, people)).pvalue > 1e-4
    loud = SmallDatabase(CELLS, 2, WholeScores(1.5, 1))
    assert chisquare(counted, 500 * law(loud, people)).pvalue < 1e-9


def test_the_bound_holds():
    """For people of many kinds, with its chance, exactly; its first term alone is that of the best
    database there is."""
    rng, mechanism = np.random.default_rng(0), made(2.0, 6)
    for _ in range(20):
        people = rng.choice(6, 60, p=rng.dirichlet(np.full(6, 0.5))).astype(np.int32)
        off = -mechanism.scores(people) / 6
        far = law(mechanism, people) @ (off > mechanism.error_bound(60, 0.1))
        assert far <= 0.1 and off.min() <= 60 * math.sqrt(math.log(2 * CELLS.queries) / 12)
    assert mechanism.error_bound(60, 0.1) == pytest.approx(
        60 * math.sqrt(math.log(22) / 12) + math.log(math.comb(11, 6) / 0.1), rel=1e-6
    )


def test_without_noise_the_nearest_is_chosen():
    """People who are a small database, three times over, are answered with it."""
    exact = SmallDatabase(CELLS, ROWS, Highest())
    found = exact.sample(quick_keys.key(0), people_of([3, 0, 6, 0, 0, 3]))

    assert found.tolist() == [1, 0, 2, 0, 0, 1]


def test_nobody_is_no_refusal():
    """All databases are equally likely; people in no cell are not counted."""
    nobody = np.array([-1, 6, 99], np.int32)
    np.testing.assert_array_equal(made(1.0).scores(nobody), np.zeros(126))
