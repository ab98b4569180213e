"""Nobody's part is longer than the bound, though a compiler may compute it anew for each reader."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import quick_keys
import tacit
from ill_conditioned import PICTURES, SIZE, gradient
from measured import everyone
from tacit.learning.clipping import Flat
from tacit.learning.descent import Descent
from tacit.population.loop import Keys, Parts, run_round

BOUND = 1e-3
KEYS = Keys(*map(quick_keys.key, range(3)))


class Gradients(eqx.Module):
    """A learner of one's own, which knows no faster way to a sum."""

    def init(self):
        return jnp.zeros(SIZE)

    def ask(self, state, person):
        return gradient(person)

    def tell(self, state, answer):
        return answer


class Terms(eqx.Module):
    """These vectors as a learner's own terms."""

    vectors: jnp.ndarray

    kinds = (tacit.Ball,)

    @property
    def norms(self):
        return jnp.sqrt(jnp.sum(jnp.square(self.vectors), axis=1, keepdims=True))

    def weighted_sum(self, weights):
        return jnp.sum(weights * jnp.where(weights > 0, self.vectors, 0.0), axis=0)


class Summed(Gradients):
    """The same with a way to a chunk's sum."""

    def terms(self, state, people):
        return Terms(jax.vmap(gradient)(people))


def part_of_the_first(learner, told, dim: int, data) -> float:
    """How long the first person's part in a round's sum is."""
    question = tacit.Mean(tacit.Ball(dim, BOUND), tacit.Everyone(), 1, 1)
    parts = Parts.of(tacit.NonPrivate().plan(question))
    who = everyone(len(data))
    who = eqx.tree_at(lambda own: own.present, who, who.present & (who.rows == 0))
    state = run_round(learner, parts, learner.init(), None, jnp.asarray(data), who, KEYS)[0]
    return float(np.linalg.norm(told(state)))


@pytest.mark.parametrize("first", range(4))
def test_a_vector_is_added_as_it_was_measured(first):
    """Of pictures that are constant, beside others."""
    data = np.roll(PICTURES, -first, axis=0)
    assert part_of_the_first(Gradients(), np.asarray, SIZE, data) <= BOUND * (1 + 1e-5)


@pytest.mark.parametrize("first", range(4))
def test_terms_are_added_as_they_were_measured(first):
    """Those that a learner hands over as one sum."""
    data = np.roll(PICTURES, -first, axis=0)
    assert part_of_the_first(Summed(), np.asarray, SIZE, data) <= BOUND * (1 + 1e-5)


def normalised() -> list[eqx.Module]:
    """Layers that bring a constant picture to zero, over next to nothing."""
    side = (4, 3, 3)
    nn = eqx.nn
    last = nn.GroupNorm(4, 4, channelwise_affine=False)
    return [nn.GroupNorm(2, 4), nn.LayerNorm(side), nn.RMSNorm(side, use_bias=True), last]


def loss(model, picture):
    for layer in model:
        picture = layer(picture)
    return jnp.sum(jnp.sin(picture))


@pytest.mark.parametrize("value", [3e4, 1e5, 0.0])
def test_a_gradient_is_added_as_it_was_measured(value):
    """Of a model whose layers normalise, for a constant picture beside others."""
    others = np.random.default_rng(0).normal(size=(5, 4, 3, 3)).astype(np.float32)
    data = np.concatenate([np.full((1, 4, 3, 3), value, np.float32), others])
    learner = Descent(normalised(), loss, Flat(BOUND), optax.sgd(1.0))
    start = learner.init().parameters
    dim = start.size

    def told(state):
        return np.asarray(state.parameters - start)

    assert part_of_the_first(learner, told, dim, data) <= BOUND * (1 + 1e-5)
