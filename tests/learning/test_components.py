"""Components: where people stand in them, and how likely they are of each."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from tacit.learning.components import Components

WEIGHTS = np.array([0.7, 0.3])
MEANS = np.array([[0.1, -0.2], [-0.3, 0.2]])
ROOTS = np.array([[[0.2, 0.0], [0.1, 0.1]], [[0.3, 0.0], [-0.1, 0.2]]])
PERSON = np.array([0.05, 0.1])


def known() -> Components:
    numbers = WEIGHTS, MEANS, ROOTS, np.linalg.inv(ROOTS)
    return Components(*(jnp.asarray(each, jnp.float32) for each in numbers))


def test_a_persons_place_is_in_a_components_own_units():
    """With its root it is brought back."""
    own = np.asarray(known().own(jnp.asarray(PERSON)))
    back = np.einsum("kij,kj->ki", ROOTS, own) + MEANS

    np.testing.assert_allclose(back, [PERSON] * 2, atol=1e-6)


def test_shares_are_how_likely_a_person_is_of_each():
    """By Bayes' rule on normal densities; sharper, these are powers."""
    likely = [
        weight * stats.multivariate_normal(mean, root @ root.T).pdf(PERSON)
        for weight, mean, root in zip(WEIGHTS, MEANS, ROOTS, strict=True)
    ]
    person = jnp.asarray(PERSON, jnp.float32)
    for power in (1.0, 8.0):
        shares = np.power(likely, power) / np.power(likely, power).sum()
        found = known().shares(person, jnp.asarray(power))
        np.testing.assert_allclose(found, shares, atol=0.02 * power)


@pytest.mark.parametrize("apart", [1e-4, 1e-3])
def test_shares_do_not_depend_on_who_else_is_asked(apart):
    """Of narrow components far from people, whatever the size of the program that asks."""
    host = np.random.default_rng(0)
    turned = np.linalg.qr(host.normal(size=(3, 3)))[0]
    whites = np.stack([np.diag([900.0, 700.0, 800.0]) @ turned, np.diag([800.0, 900.0, 700.0])])
    numbers = WEIGHTS, [[apart, 0.0, 0.0], [0.0, apart, 0.0]], np.linalg.inv(whites), whites
    found = Components(*(jnp.asarray(each, jnp.float32) for each in numbers))
    people = jnp.asarray(host.uniform(-0.5, 0.5, (1030, 3)), jnp.float32)
    asked = jax.jit(jax.vmap(lambda person: found.shares(person, jnp.float32(8.0))))
    whole = np.asarray(asked(people))

    for many in (1, 7, 100, 1023, 1024):
        np.testing.assert_allclose(asked(people[:many]), whole[:many], atol=1e-6)


def test_round_components_have_one_deviation():
    """In every direction, and its inverse."""
    made = Components.round(jnp.asarray(WEIGHTS), jnp.asarray(MEANS), jnp.asarray(0.25))

    np.testing.assert_allclose(made.roots, [0.25 * np.eye(2)] * 2)
    np.testing.assert_allclose(made.whites, [4 * np.eye(2)] * 2)
