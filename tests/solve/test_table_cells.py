"""Cells of tables as queries, and shares that are taught them."""

import itertools

import numpy as np
import pytest

from tacit.solve.table_cells import TableCells, before_each, moved, taught

CELLS = TableCells((2, 3, 4), ((0, 1), (2,), (0, 2)))
RNG = np.random.default_rng(0)


def test_queries_are_the_cells_of_the_tables():
    """One after the other; each is the sum over its own place, and is named by its values."""
    table = RNG.integers(0, 9, CELLS.sizes)
    answers = CELLS.of(table)

    assert len(answers) == CELLS.queries == 6 + 4 + 8 and CELLS.combinations == 24
    np.testing.assert_array_equal(answers[:6].reshape(2, 3), table.sum(2))
    np.testing.assert_array_equal(answers[6:10], table.sum((0, 1)))
    for query, answer in enumerate(answers):
        assert table[CELLS.place(query)].sum() == answer
    assert CELLS.named(11) == ((0, 2), (0, 1)) and CELLS.named(6) == ((2,), (0,))


def test_several_tables_are_asked_at_once():
    """Along a further axis."""
    tables = RNG.integers(0, 9, (*CELLS.sizes, 5))
    for place in range(5):
        np.testing.assert_array_equal(CELLS.of(tables)[:, place], CELLS.of(tables[..., place]))


def test_people_are_counted_by_their_number():
    """The last column's value changes first; numbers beyond are nobody's."""
    numbers = np.array([0, 1, 23, 23, -1, 24, 2**31 - 1], np.int32)
    counts = CELLS.counted(numbers)

    assert counts.sum() == 4 and counts[1, 2, 3] == 2 and counts[0, 0, 1] == 1


def test_databases_are_counted():
    """As many as multisets of three of 24 things."""
    listed = itertools.combinations_with_replacement(range(24), 3)
    assert sum(1 for _ in listed) == CELLS.databases(3)


@pytest.mark.parametrize("wrong", [0.0, 0.05, -0.2])
def test_entropy_falls_as_the_theorem_says(wrong):
    """For 100 laws, starts and queries, told with this error: by (d² - v²)/4 at least."""

    def entropy(shares: np.ndarray) -> float:
        return float((law * np.log(law / shares)).sum())

    for _ in range(100):
        law, start = (RNG.dirichlet(np.full(24, 0.5)).reshape(2, 3, 4) + 1e-9 for _ in range(2))
        law, start = law / law.sum(), start / start.sum()
        place = CELLS.place(int(RNG.integers(CELLS.queries)))
        off = float(start[place].sum() - law[place].sum())
        told = min(max(float(law[place].sum()) + wrong, 0.0), 1.0)
        v = told - float(law[place].sum())
        fallen = entropy(start) - entropy(moved(start, place, told))

        assert fallen >= (off**2 - v**2) / 4 - 1e-12


def test_shares_stay_shares_and_come_to_what_they_are_told():
    """Told the truth of all queries again and again, they meet it."""
    law = RNG.dirichlet(np.ones(24)).reshape(2, 3, 4)
    told = tuple(enumerate(CELLS.of(law).tolist()))
    *_, last = before_each(CELLS, told, 60)

    assert last.sum() == pytest.approx(1) and (last > 0).all()
    np.testing.assert_allclose(CELLS.of(last), CELLS.of(law), atol=2e-3)


def test_repeats_tell_all_earlier_ones_again():
    """In their order, after the newest; without repeats only that."""
    told, start = ((0, 0.5), (7, 0.1)), CELLS.even()
    once = moved(start, CELLS.place(7), 0.1)
    again = moved(moved(once, CELLS.place(0), 0.5), CELLS.place(7), 0.1)

    np.testing.assert_allclose(taught(CELLS, start, told, 0), once)
    np.testing.assert_allclose(taught(CELLS, start, told, 1), again)
    each = list(before_each(CELLS, told, 1))
    assert len(each) == 3
    np.testing.assert_allclose(each[0], start)
