"""A model as a vector: every number once, in single precision, and moved as its optimiser says."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import tacit
from tacit.learning.clipping import Flat
from tacit.learning.progress import begun, flat, moved
from tacit.learning.rates import as_rate

ROWS = np.random.default_rng(0).normal(size=(20, 3)).astype(np.float32)


def layer(kind) -> eqx.nn.Linear:
    """Of three numbers, in this precision."""
    made = eqx.nn.Linear(3, 1, key=jax.random.key(0))
    return jax.tree.map(lambda leaf: leaf.astype(kind), made)


@pytest.mark.parametrize("kind", [jnp.bfloat16, jnp.float16, jnp.float32])
def test_a_model_comes_back_in_its_own_precision(kind):
    """And what is learnt is in single precision, so that a small step is not lost."""
    vector, model_of = flat(layer(kind))

    assert vector.dtype == jnp.float32
    assert eqx.tree_equal(model_of(vector), layer(kind))
    assert bool((model_of(vector + 1.0).bias != layer(kind).bias).all())


@pytest.mark.parametrize("kind", [jnp.bfloat16, jnp.float16])
def test_a_model_of_half_precision_is_trained(kind, tmp_path):
    """To near what the same model of single precision becomes."""

    def trained(kind) -> np.ndarray:
        def loss(model, row):
            return jnp.sum((model(row) - 1.0) ** 2)

        learner = tacit.Descent(layer(kind), loss, Flat(1.0), optax.sgd(0.1))
        question = tacit.Mean(tacit.Ball(4, 1.0), tacit.Everyone(), 20, 3)
        plan, ledger = tacit.NonPrivate().plan(question), tacit.Ledger(tmp_path / "people.db")
        release = tacit.Arrays(ROWS, jnp.dtype(kind).name).grant(plan, learner, ledger).run()
        return np.asarray(release.state.parameters)

    np.testing.assert_allclose(trained(kind), trained(jnp.float32), atol=0.02)


def test_the_average_is_of_the_rounds_from_the_first_that_counts():
    """Of steps of one: after 1, 2, 3 and 4, the mean of what came from the third on."""
    model, optimizer = [jnp.zeros(2)], optax.sgd(1.0)
    state = begun(model, optimizer)
    for _ in range(4):
        state = moved(state, -jnp.ones(2), optimizer, as_rate(1.0), average_from=2)

    np.testing.assert_array_equal(state.parameters, [4.0, 4.0])
    np.testing.assert_array_equal(state.average, [3.5, 3.5])
    assert int(state.rounds) == 4
