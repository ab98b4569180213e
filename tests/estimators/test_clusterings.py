"""Which way clusters are found: by public numbers, and of the least that is foreseen."""

import numpy as np
import pytest

import tacit
from tacit.estimators.clusterings import (
    EXACT_MOVES,
    MOVES,
    ByCells,
    ByRounds,
    Ways,
    by_cells,
    by_rounds,
    by_search,
)
from tacit.learning.seeking import TIMES, SeekingRounds

PURE = tacit.Central(1.0, 0.0)
REPLACE = tacit.Relation.REPLACE_ONE
FEDERATED = tacit.Federated(8.0, tacit.Central(1.0, 1e-6, REPLACE))


def sides(columns: int) -> tuple[float, ...]:
    return (columns**-0.5,) * columns


@pytest.mark.parametrize(
    "columns, way", [(1, ByCells), (2, ByCells), (12, ByRounds), (40, ByRounds)]
)
def test_few_columns_are_counted_in_cells(columns, way):
    """And of many, people are asked in rounds."""
    found = Ways.of(PURE, 5_000, sides(columns), 5).best

    assert isinstance(found, way)
    ways = [by(PURE, 5_000, sides(columns), 5) for by in (by_cells, by_rounds, by_search)]
    assert found.error == min(each.error for each in ways if each is not None)


def test_devices_that_send_vectors_are_asked_in_rounds():
    """Of any number of columns."""
    assert by_cells(FEDERATED, 5_000, sides(2), 3) is None
    assert isinstance(Ways.of(FEDERATED, 5_000, sides(2), 3).best, ByRounds)


@pytest.mark.parametrize(
    "epsilon, columns, searched", [(1.0, 40, True), (0.02, 40, False), (0.5, 2, True)]
)
def test_clusters_are_searched_for_where_noise_is_small(epsilon, columns, searched):
    """With a delta in few columns too; else rounds, in which fewer numbers are asked for."""
    found = Ways.of(tacit.Central(epsilon, 1e-6), 5_000, sides(columns), 5).best

    assert isinstance(found, ByRounds)
    assert searched == isinstance(found.rounds, SeekingRounds)


def test_less_noise_has_more_places():
    """Of those that are tried, the ones of the least error; merged ones settle where none is."""
    times = [
        by_search(tacit.Central(epsilon, 1e-6), 5_000, sides(20), 4).rounds.times
        for epsilon in (0.1, 10.0)
    ]
    assert [min(TIMES), max(TIMES)] == times
    assert EXACT_MOVES == by_search(tacit.NonPrivate(), 99, sides(20), 4).rounds.settling


@pytest.mark.parametrize("trust", [tacit.Local(4.0), FEDERATED])
def test_only_a_curator_searches(trust):
    """Its rounds have shares of their own, which people who report by themselves do not keep."""
    assert by_search(trust, 5_000, sides(20), 4) is None


def test_only_merged_centres_are_clusters():
    """Of a search's places the first, as many as were asked for."""
    way = by_search(tacit.NonPrivate(), 99, sides(2), 3)
    places = np.arange(2.0 * way.rounds.places).reshape(-1, 2)
    state = type("State", (), {"centres": places})
    released = type("Released", (), {"state": state})()

    np.testing.assert_array_equal(way.centres(released), places[:3])


def test_more_noise_has_fewer_rounds():
    """Of those that are tried, the ones of the least error; many where there is no noise."""
    moves = [
        by_rounds(tacit.Central(epsilon, 1e-6), 5_000, sides(20), 4).rounds.moves
        for epsilon in (0.1, 1.0, 10.0)
    ]
    assert moves == sorted(moves) and moves[0] < moves[-1] and set(moves) <= set(MOVES)
    assert EXACT_MOVES == by_rounds(tacit.NonPrivate(), 99, sides(20), 4).rounds.moves


def test_centres_of_cells_are_a_function_of_the_answer():
    """Always the same, as many as were asked for, where there are counts or not."""
    way = by_cells(PURE, 5_000, sides(2), 4)
    released = type("Released", (), {"answer": np.zeros(way.cells.cells, np.float32)})()
    places = way.cells.numbers(0.5 * np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]]))
    released.answer[places] = 0.25
    found, again = way.centres(released), way.centres(released)

    np.testing.assert_array_equal(found, again)
    expected = sorted(way.cells.middles[places].tolist())
    np.testing.assert_allclose(sorted(found.round(9).tolist()), expected, atol=1e-9)
    released.answer[:] = -1.0
    assert (4, 2) == way.centres(released).shape
