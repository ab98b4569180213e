"""The slow way to a clipped sum: one example at a time, in double precision where it adds."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from tacit.learning.clipping import Flat, clipped, clipped_by_person


def gradients(loss, model, batch) -> list[list[np.ndarray]]:
    """The gradient of each example, as a list of arrays."""
    one = eqx.filter_jit(eqx.filter_grad(loss))
    count = len(jax.tree.leaves(batch)[0])
    examples = [jax.tree.map(lambda leaf, i=i: leaf[i], batch) for i in range(count)]
    return [
        [np.asarray(leaf, float) for leaf in jax.tree.leaves(one(model, example))]
        for example in examples
    ]


def norm(gradient: list[np.ndarray]) -> float:
    """The length of all arrays together."""
    return float(np.sqrt(sum(np.sum(leaf**2) for leaf in gradient)))


def clipped_sum(gradients: list[list[np.ndarray]], mask, bound: float) -> list[np.ndarray]:
    """Masked and non-finite gradients left out, the others shortened to the bound."""
    total = [np.zeros_like(leaf) for leaf in gradients[0]]
    for gradient, present in zip(gradients, np.asarray(mask), strict=True):
        if present and np.isfinite(norm(gradient)):
            factor = min(1, bound / max(norm(gradient), 1e-300))
            total = [t + factor * leaf for t, leaf in zip(total, gradient, strict=True)]
    return total


def fast_clipped_sum(loss, model, batch, mask, clip):
    """What a round adds up of a batch: everybody's clipped gradient whom the mask leaves."""
    return clipped(loss, model, batch, clip).weighted_sum(jnp.asarray(mask, jnp.float32))


def sum_by_person(loss, model, batch, mask, person, people, clip):
    """The clipped sum over people, of their examples that the mask leaves."""
    owner = jnp.where(mask, person, people)
    whole = clipped_by_person(loss, model, batch, owner, people, clip)
    return whole.weighted_sum(jnp.ones(people))


def assert_equal(tree, expected: list[np.ndarray]) -> None:
    """Every array agrees to float32 relative to the largest entry of all."""
    largest = max(float(np.abs(leaf).max()) for leaf in expected)
    leaves = jax.tree.leaves(tree)
    assert [leaf.shape for leaf in leaves] == [leaf.shape for leaf in expected]
    for actual, wanted in zip(leaves, expected, strict=True):
        np.testing.assert_allclose(actual, wanted, rtol=0, atol=3e-5 * largest)


def median_norm(gradients: list[list[np.ndarray]]) -> float:
    """A bound that shortens half of the gradients."""
    return float(np.median([norm(gradient) for gradient in gradients]))


def cross_entropy(model, example):
    """The loss of one example."""
    inputs, label = example
    return -jax.nn.log_softmax(model(inputs))[label]


def assert_clipped_sum_is_right(model, inputs, mask) -> None:
    """The compiled sum equals the slow one, with half of the gradients shortened."""
    labels = jnp.arange(len(mask)) % 3
    alone = gradients(cross_entropy, model, (inputs, labels))
    bound = median_norm(alone)
    fast = eqx.filter_jit(fast_clipped_sum)
    actual = fast(cross_entropy, model, (inputs, labels), mask, Flat(bound))
    assert_equal(actual, clipped_sum(alone, mask, bound))


def assert_compiled_equals_not_compiled(model, inputs, mask) -> None:
    """To float32."""
    arguments = (cross_entropy, model, (inputs, jnp.arange(len(mask)) % 3), mask, Flat(0.3))
    compiled = eqx.filter_jit(fast_clipped_sum)(*arguments)
    not_compiled = fast_clipped_sum(*arguments)
    for a, e in zip(jax.tree.leaves(compiled), jax.tree.leaves(not_compiled), strict=True):
        np.testing.assert_allclose(a, e, atol=1e-6)


class Chain(eqx.Module):
    """Layers and functions one after another."""

    steps: list

    def __call__(self, inputs):
        for step in self.steps:
            inputs = step(inputs)
        return inputs


def flat(values):
    """All entries in a row."""
    return values.reshape(-1)


def assert_a_persons_sum_is_clipped(model, inputs, mask, person) -> None:
    """Of people 0 and 1, whose gradients are added first; that of nobody else is left by `mask`."""
    batch = inputs, jnp.arange(len(mask)) % 3
    alone = gradients(cross_entropy, model, batch)
    own = [[gradient for i, gradient in enumerate(alone) if person[i] == who] for who in (0, 1)]
    sums = [[sum(leaves) for leaves in zip(*each, strict=True)] for each in own]
    bound = median_norm(sums)
    actual = eqx.filter_jit(sum_by_person)(
        cross_entropy, model, batch, mask, person, 4, Flat(bound)
    )
    assert_equal(actual, clipped_sum(sums, [True, True], bound))
