"""What a person holds: places without an example are not looked at, in a term and in a sum."""

import math
from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import random

import example_by_example as naive
from tacit.learning.clipping import Flat
from tacit.learning.holdings import Several
from tacit.models.layers import Dense

KEY = random.key(0)
PEOPLE, MOST = 4, 3
INPUTS = jnp.asarray(np.random.default_rng(0).normal(size=(PEOPLE, MOST, 5)), jnp.float32)
LABELS = jnp.asarray(np.arange(PEOPLE * MOST).reshape(PEOPLE, MOST) % 3)
HELD = jnp.array([[True, True, True], [False, True, False], [False] * 3, [True, False, True]])
CLIP = Flat(0.5)
term, together = eqx.filter_jit(Several().term), eqx.filter_jit(Several().terms)


@cache
def model() -> Dense:
    """As it starts."""
    return Dense(5, 3, KEY)


def terms(inputs) -> np.ndarray:
    """Everybody's, one in each row."""
    trees = [
        term(naive.cross_entropy, model(), ((inputs[i], LABELS[i]), HELD[i]), CLIP)
        for i in range(PEOPLE)
    ]
    return np.stack([leaves(tree) for tree in trees])


def leaves(tree) -> np.ndarray:
    return np.concatenate([np.asarray(leaf).reshape(-1) for leaf in jax.tree.leaves(tree)])


@pytest.mark.parametrize("what", [math.nan, math.inf, 7.0])
def test_places_without_an_example_change_nothing(what):
    """Whatever lies in them; a person without examples has zero."""
    spoilt = jnp.where(HELD[..., None], INPUTS, what)
    np.testing.assert_allclose(terms(spoilt), terms(INPUTS), atol=1e-6)
    np.testing.assert_array_equal(terms(spoilt)[2], 0)


@pytest.mark.parametrize("what", [math.nan, 0.0])
def test_a_sum_is_that_of_the_terms(what):
    """With somebody absent."""
    spoilt, present = jnp.where(HELD[..., None], INPUTS, what), jnp.arange(PEOPLE) != 3
    people = (spoilt, LABELS), HELD
    made = together(naive.cross_entropy, model(), people, CLIP)
    actual = leaves(made.weighted_sum(present))
    np.testing.assert_allclose(actual, terms(spoilt)[:3].sum(0), atol=1e-5)
