"""What one person holds: one example, or several that are clipped as one.

A bound protects whatever it is applied to. If a person holds one example, that is the example's
gradient. If they hold several, it has to be the gradient of the sum of their losses: clipping
example by example would let a person move the mean by as many bounds as they have examples.

Either way a chunk's sum comes from one backward pass over all examples, and equals the sum of the
terms.

References:
    McMahan, Ramage, Talwar, Zhang. Learning differentially private recurrent language models.
        ICLR 2018 (clipping by person).
"""

from collections.abc import Callable
from typing import Any, Protocol, final, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PyTree

from tacit.learning.clipping import Clip, Clipped, clipped, clipped_by_person, clipped_gradient
from tacit.population.owners import refuse_group

Loss = Callable[[Any, PyTree], Float[Array, ""]]


@runtime_checkable
class Holding(Protocol):
    """How a person's data becomes a clipped gradient, and a chunk's data all of them."""

    def term(self, loss: Loss, model: PyTree, person: PyTree, clip: Clip) -> PyTree:
        """One person's clipped gradient, shaped like the model's parameters."""
        ...

    def terms(self, loss: Loss, model: PyTree, people: PyTree, clip: Clip) -> Clipped:
        """Everybody's, from one backward pass."""
        ...


@final
class OneEach(eqx.Module):
    """A person is one example.

    Raises:
      ValueError: of people who hold several (`Group`), whose records would be one example.
    """

    def term(self, loss: Loss, model: PyTree, person: PyTree, clip: Clip) -> PyTree:
        _refuse_group(person)
        return clipped_gradient(loss, model, person, clip)

    def terms(self, loss: Loss, model: PyTree, people: PyTree, clip: Clip) -> Clipped:
        _refuse_group(people)
        return clipped(loss, model, people, clip)


@final
class Several(eqx.Module):
    """A person is a pair, as `Arrays.from_records` makes it: examples, and which places hold one.

    | person | their term |
    | --- | --- |
    | no example | zero |
    | one example that is not finite | zero, all of it |
    | else | the sum of their gradients, shortened as one vector |

    What lies in a place that holds no example is not looked at.
    """

    def term(self, loss: Loss, model: PyTree, person: PyTree, clip: Clip) -> PyTree:
        def whole(model: PyTree, person: PyTree) -> Float[Array, ""]:
            examples, held = person
            losses = jax.vmap(lambda example: loss(model, example))(examples)
            return jnp.sum(jnp.where(held, losses, 0.0))

        examples, held = person
        filled = _filled(examples, held), held
        term = clipped_gradient(whole, model, filled, clip)
        return jax.tree.map(lambda leaf: jnp.where(jnp.any(held), leaf, 0), term)

    def terms(self, loss: Loss, model: PyTree, people: PyTree, clip: Clip) -> Clipped:
        examples, held = people
        count = len(held)
        batch = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), examples)
        owner = jnp.where(held, jnp.arange(count)[:, None], count).reshape(-1)
        return clipped_by_person(loss, model, batch, owner, count, clip)


def _refuse_group(person: PyTree) -> None:
    refuse_group(person, "the learner needs holding=Several(), which clips their gradients as one")


def _filled(examples: PyTree, held: Bool[Array, " places"]) -> PyTree:
    """With a held example in every place: zero times the slope of a NaN would still be NaN."""
    place = jnp.where(held, jnp.arange(held.size), jnp.argmax(held))
    return jax.tree.map(lambda leaf: leaf[place], examples)
