"""Terms in places: as long as what they hold, and added up in their places."""

import jax.numpy as jnp
import numpy as np
import pytest

from tacit.contribution import Ball, L1Ball
from tacit.learning.routed_terms import RoutedTerms

OWN = np.random.default_rng(0).normal(size=(7, 3)).astype(np.float32)
WHERE = np.array([0, 1, 1, 3, 0, 3, 3])


@pytest.mark.parametrize("ball, norm", [(Ball, 2), (L1Ball, 1)])
def test_terms_in_places_are_as_long_as_their_tables(ball, norm):
    """In the norm of the ball that they are kept in; understated, they would not be kept in it."""
    places = np.eye(4, dtype=np.float32)[WHERE]
    terms = RoutedTerms(jnp.asarray(OWN), jnp.asarray(places), ball)
    tables = (places[:, :, None] * OWN[:, None]).reshape(7, -1)
    weights = np.linspace(0, 1, 7, dtype=np.float32)[:, None]

    assert (ball,) == terms.kinds
    np.testing.assert_allclose(terms.norms[:, 0], np.linalg.norm(tables, norm, axis=1), rtol=1e-6)
    summed = terms.weighted_sum(jnp.asarray(weights))
    np.testing.assert_allclose(summed, (weights * tables).sum(axis=0), atol=1e-6)


def test_terms_of_weight_zero_add_nothing_whatever_they_hold():
    """As a round weighs those who are not there, and those whose length is no number."""
    own, places = np.copy(OWN), np.eye(4, dtype=np.float32)[WHERE]
    own[2], own[4, 0] = np.nan, np.inf
    weights = np.isfinite(own).all(axis=1)[:, None].astype(np.float32)
    found = RoutedTerms(jnp.asarray(own), jnp.asarray(places), Ball).weighted_sum(weights)

    there = RoutedTerms(jnp.asarray(OWN), jnp.asarray(places), Ball).weighted_sum(weights)
    np.testing.assert_array_equal(found, there)
