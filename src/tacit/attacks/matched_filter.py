"""The input of a dense layer, read from the gradient of a batch of one, plain or noisy.

A layer y = W^T x + b that saw one input x has, whatever comes after it, the gradient e = dloss/dy
for b and x e^T for W: the chain rule. Together they are one matrix of rank one,

    M = [x; 1] e^T.

**Exact.** W's column over b's number is x, for every unit whose number is not zero, whatever the
loss, the label and the rest of the network: `ratio`. Clipping multiplies all of M by one number,
which cancels. With a batch of n it is a sum of n such matrices, and this is no attack on it.

**Under noise** the report is c M + N, with N of equal variance in every direction.

* e is not known: of all matrices of rank one the nearest has M's first singular vectors (Eckart and
  Young), so they are the maximum likelihood of Gaussian noise: `rank_one`.
* e is one of a few up to a scale: M e/|e|² is least squares for that e, and the e that explains the
  most has the largest |M e|/|e|: `matched`. Multinomial regression that starts at zero gives every
  class the same probability, so e is 1/C less one for the label: C candidates,
  `gradients_at_zero`.

**What a filter wins.** Let the report have cosine c with the gradient, in d numbers, and the rest
of it be uniform on the sphere across: so it is of PrivUnit, and of Gaussian noise for many numbers.
Of the noise the filter for e keeps k of the d numbers, those of x, and its cosine with x is about

    s / (s² + (1 - c²) k/d)^(1/2),    s = c |x| / (1 + |x|²)^(1/2).

PrivUnit of a budget epsilon far below d has c near (2 epsilon/d)^(1/2): then d cancels, and what is
left is (2 epsilon/(2 epsilon + k))^(1/2). A larger model hides no more. What protects is the number
of pixels that the onlooker does not know, against epsilon.

**An attack that knows no pictures.** If x is turned, the gradient is, then the law of the report,
and with them the guess of `matched`. So it comes as near to one picture as to any other of that
norm, and a bound for directions about which nothing is known (`Directions` of
`tacit.accounting.theorems.reconstruction`) holds for it on every picture. So it is of the part of x
in a subspace, a thumbnail say, which may be turned by itself. It does not hold for who knows what
pictures look like; `dictionary` is the attack of who does.
"""

import math
from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from tacit.argument import got, is_whole
from tacit.models.layers import Dense


class Matched(NamedTuple):
    """A layer's input, and which of the gradients it came with."""

    picture: Float[Array, " inputs"]
    label: Int[Array, ""]


def ratio(sent: Dense) -> Float[Array, " inputs"]:
    """The input, of a plain gradient: one unit's weights over its bias, that of the largest bias.

    NaN where no unit has a bias.
    """
    unit = jnp.argmax(jnp.abs(sent.bias))
    return sent.weight[:, unit] / sent.bias[unit]


def rank_one(sent: Dense) -> Float[Array, " inputs"]:
    """The input of the nearest gradient of a batch of one, at its own length.

    Its sign is that of a bias, which noise may turn: below that the direction alone is meant.
    """
    left, _, _ = jnp.linalg.svd(_joined(sent), full_matrices=False)
    return left[:-1, 0] / left[-1, 0]


def matched(sent: Dense, gradients: Float[Array, "labels outputs"]) -> Matched:
    """The input, up to a positive scale, if e is one of these gradients up to such a scale.

    Args:
      sent: the layer's part of what was sent.
      gradients: the e that each label would make; none of them zero.
    """
    units = gradients / jnp.linalg.norm(gradients, axis=1, keepdims=True)
    inputs = _joined(sent) @ units.T
    label = jnp.argmax(jnp.linalg.norm(inputs, axis=0))
    return Matched(inputs[:-1, label], label)


def gradients_at_zero(classes: int) -> Float[Array, "classes classes"]:
    """e of softmax cross-entropy where all classes have one probability, for each label.

    Raises:
      ValueError: if there are fewer than two classes, of which there is nothing to learn.
    """
    if not (is_whole(classes) and classes >= 2):
        raise ValueError(f"there must be at least two classes, got {got(classes)}")
    return 1 / classes - jnp.eye(classes)


def expected_cosine(cosine: float, dim: int, inputs: int, norm: float) -> float:
    """About how near `matched` comes to an input of this norm, its label being found.

    Args:
      cosine: of the report with the gradient.
      dim: of the gradient.
      inputs: how many numbers the input has.
      norm: the input's.
    """
    along = cosine * norm / math.hypot(1.0, norm)
    return along / math.hypot(along, math.sqrt((1 - cosine**2) * inputs / dim))


def _joined(sent: Dense) -> Float[Array, "more outputs"]:
    """The gradient of the layer's bias, below that of its weights."""
    return jnp.concatenate([sent.weight, sent.bias[None]])
