"""Crops of pictures, and pixels of mean zero and variance one: functions of one image.

A network for crops sees each photograph through a smaller window: always the same one where it is
measured, another one at each look where it learns, so that a thing may stand anywhere. A picture
and its mirror image show the same thing, too. Which window a device looks through is its own
randomness. It changes what is learnt and no promise, for those hold whatever the image is.

References: the CIFAR-10 tutorial of TensorFlow (crops of 24 pixels, mirror images and these
standardised pixels; it also changes brightness and contrast, which is left out here).
"""

import jax.numpy as jnp
from jax import lax, random
from jaxtyping import Array, Float, PRNGKeyArray

from tacit.argument import got, is_whole


def centre_crops(
    images: Float[Array, "*batch height width colours"], side: int
) -> Float[Array, "*batch side side colours"]:
    """The square in the middle of each image, of `side` pixels.

    Raises:
      ValueError: if the images are smaller.
    """
    top, left = (spare // 2 for spare in _spare(images, side))
    return images[..., top : top + side, left : left + side, :]


def random_crop(
    key: PRNGKeyArray, image: Float[Array, "height width colours"], side: int
) -> Float[Array, "side side colours"]:
    """A square of one image at a uniform place, mirrored half of the time.

    Raises:
      ValueError: if the image is smaller.
    """
    down, across = _spare(image, side)
    place, mirror = random.split(key)
    top, left = random.randint(place, (2,), 0, jnp.array([down + 1, across + 1]))
    crop = lax.dynamic_slice(image, (top, left, 0), (side, side, image.shape[-1]))
    return jnp.where(random.bernoulli(mirror), crop[:, ::-1], crop)


def standardised(
    images: Float[Array, "*batch height width colours"],
) -> Float[Array, "*batch height width colours"]:
    """Each image less its mean and over its deviation, of all pixels and colours together.

    | image | result |
    | --- | --- |
    | of n numbers, deviating by less than 1/sqrt(n) | divided by 1/sqrt(n); constant: zeros |
    | with a pixel that is not finite | not finite |
    """
    axes = (-3, -2, -1)
    centred = images - jnp.mean(images, axes, keepdims=True)
    deviation = jnp.sqrt(jnp.mean(jnp.square(centred), axes, keepdims=True))
    numbers = images.shape[-3] * images.shape[-2] * images.shape[-1]
    return centred / jnp.maximum(deviation, numbers**-0.5)


def _spare(images: Array, side: int) -> tuple[int, int]:
    height, width = images.shape[-3:-1]
    if not (is_whole(side) and 1 <= side <= min(height, width)):
        raise ValueError(f"side must be from 1 to that of the {height} x {width}, got {got(side)}")
    return height - side, width - side
