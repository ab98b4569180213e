"""Models of the next word: what they have read alone counts, and what is closed stays so."""

from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import random

from tacit.learning import progress
from tacit.models.next_word import Adapted, NextWord

TEXT = np.random.default_rng(0).integers(0, 30, (3, 5))


@cache
def network():
    """Of thirty words."""
    return NextWord(30, 6, random.key(0))


def test_scores_follow_from_the_words_until_then():
    """A later word changes none before it, and the first changes all after."""
    later, first = TEXT.copy(), TEXT.copy()
    later[0, 3], first[0, 0] = (TEXT[0, 3] + 1) % 30, (TEXT[0, 0] + 1) % 30
    scores, of_later, of_first = (
        np.asarray(eqx.filter_jit(network())(own)) for own in (TEXT, later, first)
    )

    assert scores.shape == (3, 5, 30)
    np.testing.assert_allclose(of_later[0, :3], scores[0, :3], atol=1e-6)
    assert (np.abs(of_later[0, 3:] - scores[0, 3:]).max(axis=1) > 1e-4).all()
    assert (np.abs(of_first[0] - scores[0]).max(axis=1) > 1e-6).all()
    np.testing.assert_allclose(of_first[1:], scores[1:], atol=1e-6)


def test_it_has_as_many_parameters_as_it_says():
    """`2 words width + 8 width² + 4 width + words`."""
    assert progress.size(network()) == 2 * 30 * 6 + 8 * 36 + 24 + 30


def test_what_is_adapted_begins_as_the_network():
    """Of what its recurrent layer holds."""
    held = network().read(TEXT)

    np.testing.assert_allclose(Adapted(network().output)(held), network()(TEXT), atol=1e-6)


def test_turns_and_shifts_alone_are_learned():
    """The closed layer is no parameter, and scores move as they are said to."""
    made = Adapted(network().output)
    moved = eqx.tree_at(lambda own: (own.turn, own.shift), made, (jnp.eye(6), jnp.arange(30.0)))
    held = network().read(TEXT)
    expected = 2 * held @ network().output.weight + network().output.bias + jnp.arange(30.0)

    assert progress.size(made) == 36 + 30
    np.testing.assert_allclose(moved(held), expected, atol=1e-5)
    assert len(jax.tree.leaves(made)) == 2
