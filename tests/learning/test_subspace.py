"""Noisy power iteration: what one person says, how directions turn, and what is read off them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tacit.learning.subspace import LEAST_LEVEL, Subspace
from tacit.population.owners import Group

DIM, COLUMNS, PEOPLE = 6, 3, 400


def rows(known: int = 0) -> np.ndarray:
    """No longer than one, long in the first own direction and shorter in each that follows."""
    host = np.random.default_rng(0)
    made = host.normal(size=(PEOPLE, DIM)) * [0.4, 0.2, 0.1, 0.02, 0.02, 0.02] + 0.1
    if known:
        made[:, 0] = 0.4
        made[:, 1:] *= [3, 2, 1, 0.5, 0.5]
    return (made / np.maximum(1, np.linalg.norm(made, axis=1)).max()).astype(np.float32)


def played(learner: Subspace, people: np.ndarray, rounds: int):
    """The state after so many rounds without noise."""
    state, moments = learner.init(), jnp.asarray(people.T @ people / len(people))
    for _ in range(rounds):
        state = learner.tell(state, (moments @ state.basis).ravel())
    return state


@pytest.mark.parametrize("known", [0, 1])
def test_a_person_is_in_the_unit_ball_whatever_the_basis_and_the_columns(known):
    """Noise is scaled to it: also of long rows, of NaN, and of as many columns as there are axes.

    One as long as that is as near to it as rounding allows.
    """
    far = np.array([[50.0] * DIM, [np.nan] * DIM, [np.inf] + [0.0] * (DIM - 1)], np.float32)
    for columns in (2, DIM):
        learner = Subspace.of(DIM, columns, known)
        state = played(learner, rows(known), 1)
        said = jax.vmap(learner.ask, (None, 0))(state, np.concatenate([rows(known), far]))
        assert np.linalg.norm(said, axis=1).max() <= 1 + 1e-6
        assert not np.any(said[-2:])
    assert np.linalg.norm(said[-3]) == pytest.approx(1, abs=1e-6)


def test_terms_summed_at_once_are_what_each_person_says():
    """With the norms by which they are shortened: understated, one person would move sums more."""
    learner = Subspace.of(DIM, COLUMNS)
    state, people = learner.init(), jnp.asarray(3 * rows())
    each = np.stack(jax.vmap(learner.ask, (None, 0))(state, people))
    terms, weights = learner.terms(state, people), np.linspace(0, 1, PEOPLE)[:, None]

    np.testing.assert_allclose(terms.norms[:, 0], np.linalg.norm(each, axis=1), rtol=1e-5)
    summed = terms.weighted_sum(jnp.asarray(weights, jnp.float32))
    np.testing.assert_allclose(summed, (weights * each).sum(axis=0), atol=1e-4)
    person = rows()[0]
    expected = np.outer(person, person @ learner.start).ravel()
    np.testing.assert_allclose(learner.ask(state, person), expected, atol=1e-6)


@pytest.mark.parametrize("known", [0, 1])
def test_bases_are_orthonormal_and_keep_the_known_axis(known):
    """Else terms would be longer than one, or the mean not be asked for; of a zero answer too."""
    learner = Subspace.of(DIM, COLUMNS, known)
    zero = learner.tell(learner.init(), jnp.zeros(DIM * COLUMNS))
    for state in (learner.init(), zero, played(learner, rows(known), 3)):
        basis = np.asarray(state.basis)
        np.testing.assert_allclose(basis.T @ basis, np.eye(COLUMNS), atol=1e-6)
        np.testing.assert_array_equal(basis[:, :known], np.eye(DIM)[:, :known])
        assert not np.any(basis[:known, known:])


def test_without_noise_directions_are_eigenvectors_and_squares_their_values():
    """Of second moments, the largest first, after a few rounds."""
    found, squares = Subspace.of(DIM, COLUMNS).found(
        played(Subspace.of(DIM, COLUMNS), rows(), 8), 2
    )
    values, vectors = np.linalg.eigh(rows().T @ rows() / PEOPLE)

    assert np.abs(found @ vectors[:, ::-1][:, :2]) == pytest.approx(np.eye(2), abs=1e-3)
    assert squares == pytest.approx(values[::-1][:2], rel=1e-3)
    assert (found[np.arange(2), np.abs(found).argmax(axis=1)] > 0).all()


def test_with_a_constant_they_are_those_of_the_covariance():
    """The mean is taken off exactly: rows far from zero would show it as their first direction."""
    learner = Subspace.of(DIM, COLUMNS, 1)
    found, squares = learner.found(played(learner, rows(1), 12), 2)
    values, vectors = np.linalg.eigh(np.cov(rows(1)[:, 1:].T, bias=True))

    assert np.abs(found @ vectors[:, ::-1][:, :2]) == pytest.approx(np.eye(2), abs=0.01)
    assert squares == pytest.approx(values[::-1][:2], rel=1e-2)


def test_squares_are_not_biased_by_noise():
    """Singular values of a noisy answer would be: they hold the noise's own length."""
    learner = Subspace.of(200, 2)
    state, values = learner.init(), np.array([0.5, 0.3, *(0.001,) * 198])
    host, state = np.random.default_rng(0), state._replace(basis=jnp.eye(200, 2))
    tries = []
    for _ in range(30):
        noise = 0.02 * host.normal(size=(200, 2))
        answer = values[:, None] * np.eye(200, 2) + noise
        tries.append(learner.found(learner.tell(state, jnp.asarray(answer.ravel())), 2)[1])

    assert np.mean(tries, axis=0) == pytest.approx([0.5, 0.3], abs=4 * 0.02 / 30**0.5)
    assert np.linalg.svd(answer)[1][0] > 0.54


def test_a_person_of_several_records_is_refused():
    """Their records' squares are nobody's one row."""
    group = Group(jnp.ones((2, DIM)), jnp.ones(2, bool))
    with pytest.raises(ValueError, match="record"):
        Subspace.of(DIM, COLUMNS).ask(Subspace.of(DIM, COLUMNS).init(), group)


def test_a_level_that_noise_brings_below_zero_leaves_numbers():
    """What is found then is of noise, and finite."""
    learner = Subspace.of(4, 3, known=1)
    answer = jnp.ones((4, 3)).at[0, 0].set(-0.5)
    state = learner.tell(learner.init(), answer.ravel())
    directions, squares = learner.found(state, 2)

    assert np.isfinite(np.asarray(state.basis)).all()
    assert np.isfinite(directions).all() and np.isfinite(squares).all()
    assert np.abs(learner.centred(learner.start, answer)).max() <= 1 + 3**0.5 / LEAST_LEVEL
