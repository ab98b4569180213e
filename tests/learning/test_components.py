"""Components: where people stand in them, and how likely they are of each."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from tacit.learning.components import Components

# Of numbers with few bits, so that nothing is rounded.
WEIGHTS = np.array([0.75, 0.25])
MEANS = np.array([[0.125, -0.25], [-0.375, 0.25]])
ROOTS = np.array([[[0.25, 0.0], [0.125, 0.125]], [[0.5, 0.0], [-0.125, 0.25]]])
PERSON = np.array([0.0625, 0.125])


def known() -> Components:
    numbers = WEIGHTS, MEANS, ROOTS, np.linalg.inv(ROOTS)
    return Components.of(*(jnp.asarray(each, jnp.float32) for each in numbers))


def test_a_persons_place_is_in_a_components_own_units():
    """With its root it is brought back."""
    own = np.asarray(known().own(jnp.asarray(PERSON)))
    back = np.einsum("kij,kj->ki", ROOTS, own) + MEANS

    np.testing.assert_allclose(back, [PERSON] * 2, atol=1e-6)


def by_bayes(person: np.ndarray, power: float = 1.0) -> np.ndarray:
    """The shares that normal densities give this person."""
    likely = [
        weight * stats.multivariate_normal(mean, root @ root.T).pdf(person)
        for weight, mean, root in zip(WEIGHTS, MEANS, ROOTS, strict=True)
    ]
    return np.power(likely, power) / np.power(likely, power).sum()


def test_shares_are_how_likely_a_person_is_of_each():
    """By Bayes' rule on normal densities; sharper, these are powers."""
    person = jnp.asarray(PERSON, jnp.float32)
    for power in (1.0, 8.0):
        found = known().shares(person, jnp.asarray(power))
        np.testing.assert_allclose(found, by_bayes(PERSON, power), rtol=1e-4)


def test_shares_of_people_anywhere_are_off_by_what_places_are_rounded_by():
    """By 2^-6 in each at most: a square by 2^-5 times the place, and half of that on a share."""
    people = np.random.default_rng(0).uniform(-0.7, 0.7, (500, 2))
    found = jax.vmap(lambda each: known().shares(each, jnp.ones(())))(jnp.asarray(people, "f4"))
    own = np.asarray(jax.vmap(known().own)(jnp.asarray(people, "f4")))
    most = 2.0**-6 * (np.abs(own).sum(axis=2) + 2**-6).sum(axis=1)
    likely = np.stack([by_bayes(each) for each in people])
    off = np.abs(np.log(found[:, 0] / found[:, 1]) - np.log(likely[:, 0] / likely[:, 1]))

    assert (off <= most + 1e-3).all()
    assert off.max() >= 0.02


@pytest.mark.parametrize("apart", [1e-4, 1e-3])
def test_shares_do_not_depend_on_who_else_is_asked(apart):
    """Of narrow components far from people, whatever the size of the program that asks."""
    host = np.random.default_rng(0)
    lower = np.tril(host.normal(size=(40, 40)), -1) / 20 + np.diag(host.uniform(0.8, 1.2, 40))
    roots, means = np.stack([lower / 500] * 2), apart * np.eye(2, 40)
    numbers = WEIGHTS, means, roots, np.linalg.inv(roots)
    found = Components.of(*(jnp.asarray(each, jnp.float32) for each in numbers))
    people = jnp.asarray(host.uniform(-0.1, 0.1, (1030, 40)), jnp.float32)
    asked = jax.jit(jax.vmap(lambda person: found.shares(person, jnp.float32(8.0))))
    whole = np.asarray(asked(people))

    assert ((whole > 0.01) & (whole < 0.99)).any()
    for many in (1, 7, 100, 1023, 1024):
        np.testing.assert_allclose(asked(people[:many]), whole[:many], atol=1e-6)


def test_squares_of_people_at_the_far_corner_fit():
    """In many columns, with rows of whites that are as long as they can be: the nearer is told."""
    corner, roots = np.full(64, 1 / 8), np.stack([np.eye(64)] * 2)
    numbers = [0.5, 0.5], np.stack([-corner, 0 * corner]), roots, np.ones_like(roots)
    found = Components.of(*(jnp.asarray(each, jnp.float32) for each in numbers))

    np.testing.assert_array_equal(found.shares(jnp.asarray(corner, "f4"), jnp.ones(())), [0, 1])


def test_round_components_have_one_deviation():
    """In every direction, and its inverse."""
    made = Components.round(jnp.asarray(WEIGHTS), jnp.asarray(MEANS), jnp.asarray(0.25))

    np.testing.assert_allclose(made.roots, [0.25 * np.eye(2)] * 2)
    np.testing.assert_allclose(made.whites, [4 * np.eye(2)] * 2)
