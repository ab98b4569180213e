"""The cross-entropy of a batch with empty places."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import random

from tacit.models.losses import cross_entropy


def example(batch=5, classes=10):
    """Logits and labels."""
    logits = random.normal(random.key(0), (batch, classes))
    return logits, random.randint(random.key(1), (batch,), 0, classes)


def test_equals_the_mean_negative_log_likelihood():
    """A full batch averages -log softmax(z)[label]."""
    logits, labels = example()
    probabilities = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    expected = -np.log(probabilities[np.arange(5), labels]).mean()
    np.testing.assert_allclose(cross_entropy(logits, labels, jnp.ones(5, bool)), expected, 1e-6)


def test_padding_changes_neither_loss_nor_gradient():
    """Places without an example, whatever lies in them, leave no trace."""
    logits, labels = example()
    padded = jnp.concatenate([logits, jnp.full((2, 10), jnp.nan)])
    padded_labels = jnp.concatenate([labels, jnp.array([99, -1])])
    present = jnp.arange(7) < 5
    loss, gradient = jax.value_and_grad(cross_entropy)(logits, labels, jnp.ones(5, bool))
    with_padding = jax.value_and_grad(cross_entropy)(padded, padded_labels, present)
    np.testing.assert_allclose(with_padding[0], loss, rtol=1e-6)
    np.testing.assert_allclose(with_padding[1][:5], gradient, rtol=1e-5, atol=1e-8)
    np.testing.assert_array_equal(with_padding[1][5:], jnp.zeros((2, 10)))


def test_nobody_present_is_zero_with_zero_gradient():
    """An empty batch neither divides by zero nor moves the model."""
    logits, labels = example()
    loss, gradient = jax.value_and_grad(cross_entropy)(logits, labels, jnp.zeros(5, bool))
    assert float(loss) == 0
    np.testing.assert_array_equal(gradient, jnp.zeros_like(logits))


def test_a_label_outside_the_classes_is_not_a_number():
    """A present example with an impossible label cannot pass for a small loss."""
    logits, labels = example()
    assert jnp.isnan(cross_entropy(logits, labels.at[2].set(10), jnp.ones(5, bool)))
    assert jnp.isnan(cross_entropy(logits, labels.at[2].set(-1), jnp.ones(5, bool)))
