"""Gradients under a rule, added up as one vector of the model's numbers."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

import example_by_example as naive
import quick_keys
from tacit.contribution import Ball
from tacit.learning.clipping import Flat, clipped, clipped_gradient
from tacit.learning.gradient_terms import GradientTerms
from tacit.models.layers import Dense

DIM, BOUND = 8, 0.25
PEOPLE = (
    np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32),
    np.array([0, 1, 1, 0], np.int32),
)
WEIGHTS = np.array([[1.0], [0.5], [0.0], [1.0]], np.float32)


@eqx.filter_jit
def made():
    """Everybody's terms, and their sum; and each term written out."""
    model = Dense(3, 2, quick_keys.key(0))
    terms = GradientTerms(clipped(naive.cross_entropy, model, PEOPLE, Flat(BOUND)), DIM)

    def alone(person):
        formed = clipped_gradient(naive.cross_entropy, model, person, Flat(BOUND))
        return jnp.concatenate([jnp.ravel(leaf) for leaf in jax.tree.leaves(formed)])

    return terms, terms.weighted_sum(jnp.asarray(WEIGHTS)), jax.vmap(alone)(PEOPLE)


def test_a_weighted_sum_is_that_of_the_vectors():
    """In the order of the model's leaves, and none is longer than is said or than the rule says."""
    terms, total, vectors = made()

    assert (Ball,) == terms.kinds and (DIM,) == total.shape
    np.testing.assert_allclose(total, (WEIGHTS * vectors).sum(axis=0), atol=1e-6)
    assert np.all(np.linalg.norm(vectors, axis=1) <= terms.norms[:, 0] * (1 + 1e-6))
    np.testing.assert_allclose(terms.norms[:, 0], BOUND, rtol=1e-4)


def test_what_is_kept_are_factors():
    """Of every person inputs and slopes, and the bias's gradient: fewer than all numbers of it."""
    assert made()[0].numbers_kept < len(WEIGHTS) * DIM
