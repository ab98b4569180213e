"""Rounds of a mixture: what one person moves, what answers tell, and what noise is kept from."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from tacit.learning.component_shapes import AllProducts, AxisSquares, Shapes, SquaredLength
from tacit.learning.components import Components
from tacit.learning.mixture import FINEST, HEARD, LEAST, SHARP, Mixing, Mixture, undone
from tacit.learning.mixture_rounds import MixtureRounds
from tacit.population.owners import Group
from tacit.statistics.box_cells import BoxCells
from tacit.trust.people import Trust

SIDES, CLUSTERS, PEOPLE = (0.6, 0.8), 3, 2_000
DELTA, PURE, FREE = tacit.Central(1.0, 1e-6), tacit.Central(1.0, 0.0), tacit.NonPrivate()
CELLS = BoxCells(FREE, PEOPLE, SIDES, 4)
WEIGHTS = np.array([0.5, 0.3, 0.2])
MEANS = np.array([[-0.2, -0.1], [0.2, 0.1], [0.1, -0.3]])
ROOTS = np.array([[[0.1, 0], [0.02, 0.05]], [[0.08, 0], [-0.05, 0.1]], [[0.06, 0], [0, 0.06]]])
KINDS = [
    Shapes(AllProducts(2), CLUSTERS),
    Shapes(AllProducts(2), CLUSTERS, shared=True),
    Shapes(AxisSquares(2), CLUSTERS),
    Shapes(SquaredLength(2), CLUSTERS),
]


def learner(trust: Trust = DELTA, shapes: Shapes = KINDS[0], cells: BoxCells = CELLS) -> Mixture:
    return MixtureRounds(trust, PEOPLE, shapes, SIDES, cells, 3).learner()


def known(means=MEANS, roots=ROOTS, weights=WEIGHTS) -> Components:
    numbers = weights, means, roots, np.linalg.inv(roots)
    return Components.of(*(jnp.asarray(each, jnp.float32) for each in numbers))


def after(own: Mixture, found: Components, rounds: int = 2) -> Mixing:
    """The state before a round that moves these components."""
    return Mixing(own.start.init(), found, jnp.asarray(rounds, jnp.int32))


def drawn(many: int, of: Components) -> np.ndarray:
    """People of the mixture."""
    host = np.random.default_rng(0)
    whose = host.choice(CLUSTERS, many, p=np.asarray(of.weights, float) / float(of.weights.sum()))
    off = np.einsum("nij,nj->ni", np.asarray(of.roots)[whose], host.normal(size=(many, 2)))
    return (np.asarray(of.means)[whose] + off).astype(np.float32)


def asked(own: Mixture, state: Mixing, people: np.ndarray) -> np.ndarray:
    return np.asarray(_asked(own, state, jnp.asarray(people)))


def told(own: Mixture, found: Components, answer: np.ndarray) -> Components:
    return _told(own, after(own, found), jnp.asarray(answer, jnp.float32)).found


@eqx.filter_jit
def _asked(own: Mixture, state: Mixing, people: jax.Array):
    return jax.vmap(own.ask, (None, 0))(state, people)


@eqx.filter_jit
def _told(own: Mixture, state: Mixing, answer: jax.Array) -> Mixing:
    return own.tell(state, answer)


def places() -> list[Components]:
    """Components that are apart, on each other, far away and narrow, or of nearly nobody."""
    return [
        known(),
        known(means=np.zeros((3, 2))),
        known(means=np.array([[0.6, 0.8], [-0.6, -0.8], [0.0, 0.0]]), roots=0.02 * ROOTS),
        known(roots=np.array([1.0, 1e-3, 30.0])[:, None, None] * ROOTS),
        known(weights=np.array([1 - 2e-9, 1e-9, 1e-9])),
    ]


@pytest.mark.parametrize("trust, norm", [(DELTA, 2), (PURE, 1)])
@pytest.mark.parametrize("shapes", KINDS)
def test_a_person_moves_the_table_by_one_at_most(shapes, trust, norm):
    """Wherever they and the components are, in the round of counts too; two differ by two at most.

    Somebody's numbers are that long in L2, so that noise is scaled to no more than it must.
    """
    own, host = learner(trust, shapes), np.random.default_rng(0)
    box = host.uniform(-1, 1, (300, 2)) * SIDES
    far = np.array([SIDES, [-0.6, 0.8], [1e30, -5.0], [np.inf, 0.0], [0.0, 0.0]])
    people = np.concatenate([box, far, MEANS]).astype(np.float32)
    states = [own.init(), *(after(own, found, at) for found in places() for at in (1, 2))]
    tables = np.concatenate([asked(own, state, people) for state in states])
    lengths = np.linalg.norm(tables, norm, axis=1)

    assert lengths.max() <= 1 + 1e-6
    assert lengths.max() >= (0.999 if norm == 2 else 0.9)
    pairs = host.integers(0, len(tables), (2, 5_000))
    apart = np.linalg.norm(tables[pairs[0]] - tables[pairs[1]], norm, axis=1)
    assert apart.max() <= 2 + 1e-6


@pytest.mark.parametrize("trust", [DELTA, FREE])
@pytest.mark.parametrize("shapes", KINDS)
def test_the_true_components_stay(shapes, trust):
    """Whatever is clipped, though they overlap: of 200,000 people, exact answers leave them."""
    own = learner(trust, shapes)
    roots = np.broadcast_to(0.1 * np.eye(2), (3, 2, 2))
    true = known() if shapes is KINDS[0] else known(roots=roots)
    people = drawn(200_000, true)
    found = told(own, true, asked(own, after(own, true), people).mean(axis=0))
    ratios = np.asarray(true.whites @ found.roots)

    np.testing.assert_allclose(found.weights, WEIGHTS, atol=0.01)
    np.testing.assert_allclose(found.means, MEANS, atol=0.002)
    moments = ratios @ ratios.swapaxes(1, 2)
    np.testing.assert_allclose(moments, [np.eye(2)] * 3, atol=0.04)


@pytest.mark.parametrize("shapes", KINDS)
def test_components_come_to_the_people(shapes):
    """From others, by exact rounds: to scikit-learn's likelihood, of the shapes there may be."""
    roots = np.broadcast_to(0.07 * np.eye(2), (3, 2, 2))
    own, true = learner(FREE, shapes), known(roots=roots)
    people, found = drawn(20_000, true), known(means=0.7 * MEANS, roots=2 * roots)
    for _ in range(12):
        found = told(own, found, asked(own, after(own, found), people).mean(axis=0))

    np.testing.assert_allclose(found.means, MEANS, atol=0.01)
    np.testing.assert_allclose(
        found.roots @ jnp.swapaxes(found.roots, 1, 2),
        0.07**2 * np.array([np.eye(2)] * 3),
        atol=4e-4,
    )


def test_components_shares_and_roots_fit_each_other():
    """Inverses are inverses, and shares add up to one, after any answer at all."""
    host = np.random.default_rng(0)
    own = learner()
    for scale in (0.0, 0.01, 1.0, -1.0, 100.0):
        answer = jnp.asarray(scale * host.uniform(-0.5, 1, own.size), jnp.float32)
        found = told(own, known(), np.asarray(answer))
        assert float(found.weights.sum()) == pytest.approx(1, abs=1e-6)
        assert (found.weights > 0).all() and (np.abs(found.means) <= SIDES).all()
        np.testing.assert_allclose(found.roots @ found.whites, [np.eye(2)] * 3, atol=1e-3)
        np.testing.assert_array_equal(np.triu(found.roots, 1), 0)


def test_a_component_that_noise_would_explain_stays():
    """By its noisy count alone, empty or not."""
    own = learner()
    least = HEARD * float(own.clipping.longest * own.noise[2])
    answer = np.full(own.size, 0.01, np.float32)
    answer[:3] = np.array([0.99 * least, 1.01 * least, 0.0]) / float(own.clipping.longest)
    before, found = known(), told(own, known(), answer)

    for at in (0, 2):
        np.testing.assert_array_equal(found.means[at], before.means[at])
        np.testing.assert_allclose(found.roots[at], before.roots[at], rtol=1e-3, atol=1e-5)
    assert not np.allclose(found.roots[1], before.roots[1], rtol=0.01)


def test_covariances_that_noise_explains_are_round():
    """What differs from the level is taken off as far as noise is as long; else nothing is."""
    own, asks = learner(), AllProducts(2)
    square = np.array([[1.1, 0.1], [0.1, 0.9]], np.float32) * float(
        np.interp(1.0, np.geomspace(1e-6, 10, 400), own.clipping.levels)
    )
    loud, quiet = (
        np.asarray(
            undone(jnp.asarray(square), jnp.float32(noise), jnp.float32(9.0), own.clipping, asks)
        )
        for noise in (0.2, 0.0)
    )

    np.testing.assert_allclose(loud, np.eye(2), atol=0.02)
    assert quiet[0, 1] > 0.1 and quiet[0, 0] > 1.1 > 0.9 > quiet[1, 1]


def test_no_variance_vanishes_and_none_is_wider_than_the_box():
    """Of a table of squares that are nothing, on a line, or as large as can be."""
    own, asks, wide = learner(FREE), AllProducts(2), jnp.float32(4.0)
    for square, least, most in (
        (np.zeros((2, 2)), 1e-7, 1e-2),
        (np.diag([1.0, 0.0]), LEAST / 2, 2.0),
        (1e3 * np.eye(2), 4.0 - 1e-4, 4.0 + 1e-4),
    ):
        found = undone(jnp.asarray(square, jnp.float32), jnp.zeros(()), wide, own.clipping, asks)
        values = np.linalg.eigvalsh(np.asarray(found))
        assert least <= values.min() and values.max() <= most
    people, found = np.full((50, 2), 0.25, np.float32), known()
    for _ in range(12):
        found = told(own, found, asked(own, after(own, found), people).mean(axis=0))
    assert float(found.roots[0, 0, 0]) == pytest.approx(FINEST, rel=0.05)


def test_the_first_round_takes_people_for_those_of_one_component():
    """Its shares are sharper than likelihoods."""
    own, person = learner(), np.array([[0.0, 0.0]], np.float32)
    first, later = (asked(own, after(own, known(), at), person)[0, :3] for at in (1, 2))
    powers = later**SHARP / np.sum(later**SHARP)

    np.testing.assert_allclose(first / first.sum(), powers, rtol=1e-3, atol=1e-6)
    assert first.max() > later.max()


def test_a_start_comes_before_components_move():
    """One question of counts; its answer makes the components."""
    own = learner(cells=BoxCells(FREE, PEOPLE, SIDES, 12))
    state = own.init()
    people = drawn(2_000, known())
    state = own.tell(state, jnp.asarray(asked(own, state, people).mean(axis=0)))

    assert 1 == int(state.rounds)
    np.testing.assert_array_equal(state.found.means, own.start.components(state.start).means)
    off = np.linalg.norm(np.asarray(state.found.means)[:, None] - MEANS, axis=2).min(axis=0)
    assert off.max() < 0.15


def test_a_row_that_lacks_a_number_adds_nothing():
    """Brought into the ball, its term is zero."""
    own = learner()
    shape = MixtureRounds(DELTA, PEOPLE, KINDS[0], SIDES, CELLS, 3).plan.sums.contribution
    for at in (0, 2):
        term = asked(own, after(own, known(), at), np.array([[np.nan, 0.1]], np.float32))
        assert not np.any(shape.project(term))


def test_a_person_with_several_records_is_refused():
    """What helps is said."""
    with pytest.raises(ValueError, match="one value"):
        learner().ask(learner().init(), Group(jnp.ones((2, 2)), np.ones(2, bool)))
