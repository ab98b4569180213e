"""The rounds of a mixture: what is promised, and what is foreseen, from public numbers alone."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from tacit.contribution import Ball, L1Ball
from tacit.learning.cell_start import CellStart
from tacit.learning.component_shapes import AllProducts, AxisSquares, Shapes, SquaredLength
from tacit.learning.components import Components
from tacit.learning.mixture import Mixing
from tacit.learning.mixture_rounds import (
    LEAD,
    LEFT,
    LLOYDS,
    START,
    MixtureRounds,
    foreseen_rounds,
)
from tacit.learning.moved_start import MovedStart
from tacit.server.uneven import UnevenMean
from tacit.statistics.box_cells import BoxCells
from tacit.trust.people import Trust

DELTA, PURE, FREE = tacit.Central(1.0, 1e-6), tacit.Central(1.0, 0.0), tacit.NonPrivate()
REPLACE = tacit.Relation.REPLACE_ONE
SIDES, PEOPLE = (0.6, 0.8), 20_000
CELLS = BoxCells(FREE, PEOPLE, SIDES, 3)
SHAPES = Shapes(AllProducts(2), 4)


def rounds(
    trust: Trust = DELTA, shapes=SHAPES, cells: BoxCells | None = CELLS, moves=3
) -> MixtureRounds:
    return MixtureRounds(trust, PEOPLE, shapes, SIDES, cells, moves)


@pytest.mark.parametrize("trust, ball", [(DELTA, Ball), (PURE, L1Ball)])
def test_all_rounds_are_one_question_of_a_unit_ball(trust, ball):
    """Of as many numbers as the longest table has: components', or cells'."""
    many = BoxCells(FREE, PEOPLE, SIDES, 8)
    own, counted = rounds(trust).plan.sums, rounds(trust, cells=many).plan.sums

    assert ball(4 * 3 + 4 * 3, 1.0) == own.contribution
    assert ball(many.cells, 1.0) == counted.contribution
    assert (4, PEOPLE) == (own.rounds, own.people)


def test_what_is_promised_is_the_trusts_whatever_the_rounds():
    """All of it, and no more."""
    for each in (rounds(), rounds(cells=None), rounds(moves=8)):
        promise = each.plan.guarantees[0]
        assert 0.99 < promise.epsilon <= 1.0 and promise.delta <= 1e-6


def test_a_start_has_a_small_share_of_a_promise():
    """So the learner knows a larger noise of it; its numbers are the plan's."""
    cells, lloyd = rounds().noise, rounds(cells=None).noise

    assert cells[0] / cells[1] == pytest.approx(((1 - START) / 3 / START) ** 0.5, rel=1e-6)
    assert lloyd[0] / lloyd[-1] == pytest.approx(((1 - START) / 3 / LEAD) ** 0.5, rel=1e-6)
    assert lloyd[0] / lloyd[1] == pytest.approx(((START - LEAD) / LLOYDS / LEAD) ** 0.5, rel=1e-6)
    assert (4, LLOYDS + 4) == (len(cells), len(lloyd))
    server = rounds().plan.server
    assert isinstance(server, UnevenMean) and cells == server.deviations
    np.testing.assert_allclose(rounds().learner().noise, cells, rtol=1e-6)
    own = rounds(cells=None).learner().start
    assert isinstance(own, MovedStart) and isinstance(rounds().learner().start, CellStart)
    np.testing.assert_allclose(own.own.noise, lloyd[: LLOYDS + 1], rtol=1e-6)


@pytest.mark.parametrize("kind", [AllProducts, AxisSquares, SquaredLength])
def test_a_round_loses_what_is_foreseen_of_its_noise(kind):
    """Noisy answers to the true components, against these: 2,000 divergences.

    What noise explains is taken off, so that less is lost, but not less than half.
    """
    own = rounds(shapes=Shapes(kind(2), 4))
    learner, even = own.learner(), jnp.full(4, 0.25)
    true = Components.round(even, jnp.zeros((4, 2)), jnp.asarray(0.1))
    exact = np.zeros(own.size)
    table = np.concatenate(
        [
            np.full(4, 0.25),
            np.zeros(8),
            np.tile(_white(kind, own), 4) / 4 / own.bound**2,
        ]
    )
    exact[: len(table)] = table * np.repeat(own.weights, [4, 8, len(table) - 12]) / own.longest
    noise = np.random.default_rng(0).normal(size=(2_000, own.size)) * own.noise[-1]
    state = Mixing(learner.start.init(), true, jnp.asarray(3, jnp.int32))
    found = jax.jit(jax.vmap(lambda answer: learner.tell(state, answer).found))(
        jnp.asarray(exact + noise, jnp.float32)
    )
    lost = _divergence(found)
    foreseen = own.lost - LEFT ** (2 * own.moves)

    assert 0.5 * foreseen < lost.mean() < 1.05 * foreseen


def _white(kind, own: MixtureRounds) -> np.ndarray:
    """The numbers that clipped standard normal people have."""
    level = np.interp(1.0, np.geomspace(1e-6, 10.0, 400), own.law.levels)
    return np.asarray(level * sum(kind(2).asked(np.eye(2, dtype="f4"))))


def _divergence(found: Components) -> np.ndarray:
    """Of the true laws from those found, a mean over people, and of their weights."""
    roots, means = np.asarray(found.roots, float) / 0.1, np.asarray(found.means, float) / 0.1
    inverse = np.linalg.inv(roots @ roots.swapaxes(-1, -2))
    square = np.einsum("nki,nkij,nkj->nk", means, inverse, means)
    log = 2 * np.log(np.diagonal(roots, axis1=-2, axis2=-1)).sum(axis=-1)
    each = (np.trace(inverse, axis1=-2, axis2=-1) + square - 2 + log) / 2
    return each.mean(axis=1) - np.log(4 * np.asarray(found.weights, float)).mean(axis=1)


def test_more_noise_makes_fewer_rounds():
    """And more is foreseen to be lost."""
    found = [
        foreseen_rounds(tacit.Central(epsilon, 1e-6), 5_000, SHAPES, SIDES)
        for epsilon in (0.1, 10.0)
    ]
    assert found[0].moves < found[1].moves
    assert found[0].lost > found[1].lost
    assert foreseen_rounds(FREE, 100, SHAPES, SIDES).moves > found[1].moves


def test_cells_are_counted_where_they_tell_something():
    """Not in many columns, not where noise drowns them, and not by devices that send vectors."""
    many = (20**-0.5,) * 20
    wide = Shapes(SquaredLength(20), 4)
    devices = tacit.Federated(30.0, tacit.Central(4.0, 1e-6, REPLACE))

    assert foreseen_rounds(DELTA, PEOPLE, SHAPES, SIDES).cells is not None
    assert foreseen_rounds(DELTA, PEOPLE, wide, many).cells is None
    assert foreseen_rounds(tacit.Central(0.01, 1e-6), 100, SHAPES, SIDES).cells is None
    assert foreseen_rounds(devices, PEOPLE, SHAPES, SIDES).cells is None


def test_people_who_report_by_themselves_are_in_one_round_each():
    """With noise as the plan predicts it; where it cannot, that is said."""
    central = tacit.Central(4.0, 1e-6, REPLACE)
    own = rounds(tacit.Federated(30.0, central), cells=None)

    assert own.plan.sums.participation == tacit.Once()
    assert own.plan.error is not None
    assert own.noise == ((own.plan.error / own.size) ** 0.5,) * len(own.shares)
    with pytest.raises(ValueError, match="noise of these reports is not known"):
        _ = rounds(tacit.Federated(4.0, central, radius=0.5), cells=None).noise
