"""Which way clusters are found: by public numbers, and of the least that is foreseen."""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
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
from tacit.learning.lloyd import Centres
from tacit.learning.seeking import LOOKS, REACHED, TIMES, SeekingRounds, Sought
from tacit.statistics.box_cells import reach_of

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


# People evenly in a square of half diagonal one, and the middles of its 64 like parts.
SQUARE = (0.5**0.5,) * 2
EVENLY = SQUARE * np.stack(np.meshgrid(*[(np.arange(64) + 0.5) / 32 - 1] * 2), -1).reshape(-1, 2)
MIDDLES = SQUARE * np.stack(np.meshgrid(*[(np.arange(8) + 0.5) / 4 - 1] * 2), -1).reshape(-1, 2)
PARTS, SEEDS = len(MIDDLES), 10
ASKED = len(EVENLY), SQUARE, PARTS


class LastAnswer(eqx.Module):
    """Asks in every round what a learner asks in its last, of centres where they should be."""

    learner: Any
    held: Any

    def init(self):
        return self.learner.terms(self.held, jnp.zeros((1, 2))).weighted_sum(jnp.zeros((1, 1)))

    def ask(self, state, person):
        return self.learner.ask(self.held, person)

    def tell(self, state, answer):
        return answer


def by_counts(found, ledger, seed):
    """How far the means of parts are moved, as noisy counts have them."""
    people = tacit.Arrays(found.terms(EVENLY), "even")
    answer = people.grant(found.plan, found.learner(), ledger, seed=seed).run().answer
    points = found.cells.middles
    nearest = np.square(points[:, None] - MIDDLES).sum(axis=2).argmin(axis=1)
    counts = np.eye(PARTS)[nearest] * np.asarray(answer)[:, None]
    return counts.T @ points / counts.sum(axis=0)[:, None] - MIDDLES


def by_last_round(found, ledger, seed):
    """As the sums of the last round have them."""
    learner, places = found.learner(), getattr(found.rounds, "places", PARTS)
    middles = jnp.asarray(np.resize(MIDDLES, (places, 2)), jnp.float32)
    if isinstance(found.rounds, SeekingRounds):
        bound = REACHED * reach_of(PARTS, 2)
        held = Sought(middles, jnp.float32(bound), jnp.int32(LOOKS + found.rounds.settling))
    else:
        bound, held = found.rounds.bounds[-1], Centres(middles, jnp.int32(found.rounds.moves))
    people = tacit.Arrays(EVENLY.astype(np.float32), "even")
    run = people.grant(found.plan, LastAnswer(learner, held), ledger, seed=seed).run()
    table = found.rounds.longest * np.asarray(run.state).reshape(places, -1)[:PARTS]
    return PARTS * bound * table[:, 1:3]


@pytest.mark.parametrize(
    "way, moved", [(by_cells, by_counts), (by_rounds, by_last_round), (by_search, by_last_round)]
)
def test_noise_moves_the_mean_of_a_part_as_far_as_is_foreseen(tmp_path, way, moved):
    """Within a twentieth (root mean square), by real releases: of people evenly in their bounds."""
    trust, ledger = tacit.Central(6.0, 1e-6), tacit.Ledger(tmp_path / "ledger.db")
    found = way(trust, *ASKED)
    ledger.limit_for("even", found.plan, times=SEEDS)
    squares = [np.square(moved(found, ledger, seed)).sum(axis=1).mean() for seed in range(SEEDS)]

    assert np.sqrt(np.mean(squares) / found.by_noise) == pytest.approx(1, abs=0.05)
